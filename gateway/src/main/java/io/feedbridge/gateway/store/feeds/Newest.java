package io.feedbridge.gateway.store.feeds;

import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A feed's newest entries, which outlive the log (rule L13).
 *
 * @param feed its own fields as the last document had them, without entries
 * @param entries the newest first, at most {@link #KEPT}
 */
public record Newest(Feed feed, List<Arrival> entries) {

  /** Entries that are kept of each feed. */
  public static final int KEPT = 50;

  /** Bytes of the stored entries that are read at once; the newest entry is read in any case. */
  public static final int MAX_BYTES = 8 << 20;

  public Newest {
    entries = List.copyOf(entries);
  }

  /**
   * An entry in its newest version. An entry that changed is listed at the time of its change.
   *
   * @param seq the event of the entry, which may have left the log; absent for an entry that
   *     existed when following began
   * @param at when it arrived
   */
  public record Arrival(@Nullable Long seq, Instant at, Entry entry) {}
}
