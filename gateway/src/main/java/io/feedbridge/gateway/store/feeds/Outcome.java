package io.feedbridge.gateway.store.feeds;

import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All changes of one piece of ingest work; recorded in one transaction (rule L1).
 *
 * @param position the work that the outcome completes
 * @param feed the feed as it is from now on; its topic, its head and whether it is followed are not
 *     ingest's to change and are ignored
 * @param seen entries to remember with their present fingerprints
 * @param body the newest bytes, where they changed
 * @param document the feed's own fields, where a document of it was read; it holds the entries of a
 *     baseline, in the document's order, and no entries otherwise
 * @param via how the events came about
 * @param stale the entries that may be forgotten; null if no entry may
 * @param updates the events to append, oldest first; usually none or one
 * @param eventBytes of their entries, as they are stored; 0 where they have none
 * @param listed the feeds that the document lists, where a list was read; none where the document
 *     is a list no more; null where the feeds of before stay
 */
public record Outcome(
    Position position,
    FollowedFeed feed,
    Instant at,
    Via via,
    List<SeenEntry> seen,
    @Nullable Body body,
    @Nullable Feed document,
    @Nullable Stale stale,
    List<Update> updates,
    long eventBytes,
    @Nullable ListedFeeds listed) {

  public Outcome {
    seen = List.copyOf(seen);
    updates = List.copyOf(updates);
  }

  /** With events whose bytes are not known, of a document that says nothing of a list. */
  public Outcome(
      Position position,
      FollowedFeed feed,
      Instant at,
      Via via,
      List<SeenEntry> seen,
      @Nullable Body body,
      @Nullable Feed document,
      @Nullable Stale stale,
      List<Update> updates) {
    this(position, feed, at, via, seen, body, document, stale, updates, 0, null);
  }

  /** With nothing to forget. */
  public Outcome(
      Position position,
      FollowedFeed feed,
      Instant at,
      Via via,
      List<SeenEntry> seen,
      @Nullable Body body,
      @Nullable Feed document,
      List<Update> updates) {
    this(position, feed, at, via, seen, body, document, null, updates);
  }

  /**
   * Entries that have been absent from a feed's document for long.
   *
   * @param before entries that were last new or changed before this may be forgotten
   * @param present ids of the document's entries, which are kept
   */
  public record Stale(Instant before, List<String> present) {
    public Stale {
      present = List.copyOf(present);
    }
  }
}
