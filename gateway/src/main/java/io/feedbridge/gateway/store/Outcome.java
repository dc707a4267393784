package io.feedbridge.gateway.store;

import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one piece of ingest work changes; recorded in one transaction (rule L1).
 *
 * @param position the work that is done by it
 * @param feed the feed as it is from now on; its topic, its head and whether it is followed are not
 *     ingest's to change and are ignored
 * @param seen entries to remember with their present fingerprints
 * @param body the newest bytes, where they changed
 * @param document the feed's own fields, where a document of it was read; its entries are those of
 *     a baseline, in the document's order, and none otherwise
 * @param via how the events came about
 * @param stale what may be forgotten of its entries, if anything may
 * @param updates the events to append, oldest first; usually none or one
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
    List<Update> updates) {

  public Outcome {
    seen = List.copyOf(seen);
    updates = List.copyOf(updates);
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
   * Entries that are no longer in a feed's document and were not for long.
   *
   * @param before what was new or changed last before this
   * @param present ids that the document has, which are kept
   */
  public record Stale(Instant before, List<String> present) {
    public Stale {
      present = List.copyOf(present);
    }
  }
}
