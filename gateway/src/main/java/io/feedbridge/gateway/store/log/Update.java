package io.feedbridge.gateway.store.log;

import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of one event of a feed.
 *
 * @param feed the feed's own fields and, as entries, the new entries; as removals the entries that
 *     the feed has removed
 * @param changed entries that were known and have changed
 * @param status as of the append
 * @param bytesChanged whether the topic's newest bytes differ from the previous bytes
 * @param statusChanged whether the status is news of its own: the feed fails, is gone, or is back
 * @param format the format of the topic's own document; null where that is not known, as in events
 *     of versions that did not keep it
 */
public record Update(
    Feed feed,
    List<Entry> changed,
    Status status,
    boolean bytesChanged,
    boolean statusChanged,
    @Nullable TopicFormat format) {

  /** An update of a topic whose own format is not known. */
  public Update(
      Feed feed, List<Entry> changed, Status status, boolean bytesChanged, boolean statusChanged) {
    this(feed, changed, status, bytesChanged, statusChanged, null);
  }

  /** The update that a fetch or a delivery brought. */
  public Update(Feed feed, List<Entry> changed, Status status, boolean bytesChanged) {
    this(feed, changed, status, bytesChanged, false);
  }

  /** An update of the status alone. */
  public static Update ofStatus(Feed bare, Status status) {
    return new Update(bare, List.of(), status, false, true);
  }

  /** The same update of a topic whose own document has this format. */
  public Update in(@Nullable TopicFormat own) {
    return new Update(feed, changed, status, bytesChanged, statusChanged, own);
  }

  /** Whether it says how the feed does and nothing else. */
  public boolean isStatusAlone() {
    return statusChanged
        && feed.entries().isEmpty()
        && feed.removals().isEmpty()
        && changed.isEmpty()
        && !bytesChanged;
  }

  public Update {
    changed = List.copyOf(changed);
  }
}
