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
 */
public record Update(Feed feed, List<Entry> changed, Status status, boolean bytesChanged) {

  public Update {
    changed = List.copyOf(changed);
  }
}
