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
    List<Update> updates) {

  public Outcome {
    seen = List.copyOf(seen);
    updates = List.copyOf(updates);
  }
}
