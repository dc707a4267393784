package io.feedbridge.gateway.store;

import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Status;
import java.util.List;

/**
 * What one event says about a feed.
 *
 * @param feed its own fields and, as entries, the new ones
 * @param changed entries that were known and have changed
 * @param status as of the append
 * @param bytesChanged whether the topic's newest bytes differ from those before
 * @param statusChanged whether the status is news of its own: the feed fails, is gone, or is back
 */
public record Update(
    Feed feed, List<Entry> changed, Status status, boolean bytesChanged, boolean statusChanged) {

  /** What a fetch or a delivery brought. */
  public Update(Feed feed, List<Entry> changed, Status status, boolean bytesChanged) {
    this(feed, changed, status, bytesChanged, false);
  }

  /** How a feed does since now, and nothing else. */
  public static Update ofStatus(Feed bare, Status status) {
    return new Update(bare, List.of(), status, false, true);
  }

  /** Whether it says how the feed does and nothing else. */
  public boolean isStatusAlone() {
    return statusChanged && feed.entries().isEmpty() && changed.isEmpty() && !bytesChanged;
  }

  public Update {
    changed = List.copyOf(changed);
  }
}
