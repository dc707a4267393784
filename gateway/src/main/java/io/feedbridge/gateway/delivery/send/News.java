package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.store.Event;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Source;
import io.feedbridge.normalizer.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The news of one feed's events, for a document of the schema.
 *
 * @param feed the feed-level fields of the newest event, with the repairs of all events and with
 *     the entries that are news; no entries where only the status is news
 * @param newest the last of the events, whose number identifies the document
 */
public record News(Feed feed, Event newest) {

  /** A changed entry with a known id is news if it says that it changed this recently. */
  private static final Duration RECENT = Duration.ofMinutes(3);

  /**
   * The news of some events; empty if there are none, as where only bytes or old entries changed.
   *
   * @param events at least one, of one feed and in order
   * @param updates whether every changed entry is news, or only one that says it changed just now
   */
  public static Optional<News> of(List<Event> events, boolean updates) {
    List<Entry> entries = entries(events, updates);
    if (entries.isEmpty() && events.stream().noneMatch(event -> event.update().statusChanged())) {
      return Optional.empty();
    }
    Event newest = events.get(events.size() - 1);
    List<String> repairs =
        events.stream()
            .flatMap(event -> event.update().feed().repairs().stream())
            .distinct()
            .toList();
    Feed fields = newest.update().feed().withRepairs(repairs);
    return Optional.of(new News(fields.withEntries(entries), newest));
  }

  /**
   * The identity of an entry within one feed. Only the entries of a tracker have a source with a
   * status, and two of them with one id are two entries if their sources are two feeds.
   */
  private record Identity(String source, String id) {
    static Identity of(Entry entry) {
      Source source = entry.source();
      Status status = source == null ? null : source.status();
      return new Identity(status == null ? "" : status.feed(), entry.id());
    }
  }

  /**
   * An entry that is in several events is sent once, in the version of the last of them, in the
   * position where it was news last.
   */
  private static List<Entry> entries(List<Event> events, boolean updates) {
    Map<Identity, Entry> newest = new HashMap<>();
    Map<Identity, Entry> news = new LinkedHashMap<>();
    for (Event event : events) {
      for (Entry entry : event.update().feed().entries()) {
        newest.put(Identity.of(entry), entry);
        putLast(news, entry);
      }
      for (Entry entry : event.update().changed()) {
        newest.put(Identity.of(entry), entry);
        if (updates || isRecent(entry, event.at())) {
          putLast(news, entry);
        }
      }
    }
    return news.entrySet().stream()
        .map(one -> newest.getOrDefault(one.getKey(), one.getValue()))
        .toList();
  }

  private static void putLast(Map<Identity, Entry> news, Entry entry) {
    news.remove(Identity.of(entry));
    news.put(Identity.of(entry), entry);
  }

  private static boolean isRecent(Entry entry, Instant at) {
    return entry.updated() != null && entry.updated().isAfter(at.minus(RECENT));
  }
}
