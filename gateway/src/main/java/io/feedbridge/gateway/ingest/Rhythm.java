package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.Pace;
import io.feedbridge.normalizer.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * How often a feed has something new: from its entries' dates at first, then from what was found or
 * pushed.
 */
final class Rhythm {

  /** Entries of a first document that are looked at, the newest. */
  private static final int MAX_ENTRIES = 20;

  /** What was found last counts for this part of the whole. */
  private static final int WEIGHT = 4;

  private Rhythm() {}

  /** The rhythm that the dates of a first document show; none where there are too few. */
  static Pace of(List<Entry> entries, Pace before, Instant now) {
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
  static Pace after(Pace before, int news, Instant now) {
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
