package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.normalizer.Entry;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Names events to people by the title of an entry. */
public final class EventTitles {

  private final Map<Long, String> titles = new HashMap<>();

  private EventTitles() {}

  /** The titles of some events, as far as the log has the events and one read brings them. */
  public static EventTitles of(Log log, Set<Long> seqs) {
    EventTitles found = new EventTitles();
    for (Event event : log.some(seqs)) {
      title(event).ifPresent(title -> found.titles.put(event.seq(), title));
    }
    return found;
  }

  /** The title of an event's first entry; absent where it has none. */
  public @Nullable String of(@Nullable Long seq) {
    return titles.get(seq);
  }

  private static Optional<String> title(Event event) {
    return Stream.concat(
            event.update().feed().entries().stream(), event.update().changed().stream())
        .map(Entry::title)
        .filter(title -> title != null && !title.isBlank())
        .map(String::valueOf)
        .findFirst();
  }
}
