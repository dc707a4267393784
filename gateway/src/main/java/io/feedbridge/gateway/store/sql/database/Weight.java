package io.feedbridge.gateway.store.sql.database;

import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Extension;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The memory that a write holds, in bytes: an estimate that is accurate for large values. */
public final class Weight {

  /** The assumed size of all values that are not weighed, in bytes. */
  private static final long REST = 1_024;

  private static final long BYTES_PER_CHAR = 2;

  private Weight() {}

  public static long of(WorkItem item) {
    return REST + (item instanceof WorkItem.Fat fat ? fat.body().length : 0);
  }

  public static long of(Outcome outcome) {
    long body = outcome.body() == null ? 0 : outcome.body().bytes().length;
    return REST * (1 + outcome.seen().size())
        + body
        + outcome.updates().stream().mapToLong(Weight::of).sum();
  }

  private static long of(Update update) {
    long removals = update.feed() == null ? 0 : update.feed().removals().size();
    return REST * removals
        + Stream.concat(
                Stream.ofNullable(update.feed()).flatMap(feed -> feed.entries().stream()),
                update.changed().stream())
            .mapToLong(Weight::of)
            .sum();
  }

  private static long of(Entry entry) {
    return REST + of(entry.content()) + of(entry.summary()) + of(entry.extensions());
  }

  private static long of(List<Extension> extensions) {
    long weight = 0;
    for (Extension extension : extensions) {
      String text = extension.text();
      weight += REST / 4 + (text == null ? 0 : BYTES_PER_CHAR * text.length());
      weight += of(extension.children());
    }
    return weight;
  }

  private static long of(@Nullable Content content) {
    return content == null ? 0 : BYTES_PER_CHAR * content.value().length();
  }
}
