package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.normalizer.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * The frequency of a feed's news: from its entries' dates at first, then from the new entries that
 * polls found or hubs pushed.
 */
final class Rhythm {

  /** The most entries of a first document that count, the newest. */
  private static final int MAX_ENTRIES = 20;

  /** The latest new entries count for this part of the whole. */
  private static final int WEIGHT = 4;

  private Rhythm() {}

  /** The rhythm that the dates of a first document show; none where there are too few. */
  static PollPace of(List<Entry> entries, PollPace before, Instant now) {
    List<Instant> dates =
        entries.stream()
            .map(entry -> entry.published() == null ? entry.updated() : entry.published())
            .filter(Objects::nonNull)
            .filter(date -> !date.isAfter(now))
            .sorted(Comparator.reverseOrder())
            .limit(MAX_ENTRIES)
            .toList();
    if (dates.size() < 2) {
      return before.beating(null, dates.isEmpty() ? null : dates.get(0));
    }
    Instant newest = dates.get(0);
    Instant oldest = dates.get(dates.size() - 1);
    return before.beating(Duration.between(oldest, newest).dividedBy(dates.size() - 1L), newest);
  }

  /** The rhythm after so many new entries. */
  static PollPace after(PollPace before, int news, Instant now) {
    Instant last = before.newestAt();
    if (last == null || last.isAfter(now)) {
      return before.beating(before.gap(), now);
    }
    Duration found = Duration.between(last, now).dividedBy(news);
    Duration usual = before.gap();
    Duration gap =
        usual == null ? found : usual.multipliedBy(WEIGHT - 1L).plus(found).dividedBy(WEIGHT);
    return before.beating(gap, now);
  }
}
