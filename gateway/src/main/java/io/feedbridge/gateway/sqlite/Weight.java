package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Outcome;
import io.feedbridge.gateway.store.Update;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How much memory a write holds, in bytes; rough, but right about what is large. */
final class Weight {

  /** What anything holds that is not weighed. */
  private static final long REST = 1_024;

  private static final long BYTES_PER_CHAR = 2;

  private Weight() {}

  static long of(WorkItem item) {
    return REST + (item instanceof WorkItem.Fat fat ? fat.body().length : 0);
  }

  static long of(Outcome outcome) {
    long body = outcome.body() == null ? 0 : outcome.body().bytes().length;
    return REST * (1 + outcome.seen().size())
        + body
        + outcome.updates().stream().mapToLong(Weight::of).sum();
  }

  private static long of(Update update) {
    return Stream.concat(
            Stream.ofNullable(update.feed()).flatMap(feed -> feed.entries().stream()),
            update.changed().stream())
        .mapToLong(Weight::of)
        .sum();
  }

  private static long of(Entry entry) {
    return REST + of(entry.content()) + of(entry.summary());
  }

  private static long of(@Nullable Content content) {
    return content == null ? 0 : BYTES_PER_CHAR * content.value().length();
  }
}
