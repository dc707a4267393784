package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.store.Body;
import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.Format;
import io.feedbridge.gateway.store.Terms;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The events of one feed that go out together, rendered once per kind of subscriber. Nothing in a
 * document depends on when it is rendered, so that a retry repeats it byte for byte (rule L12);
 * only of the topic's own bytes none but the newest are kept. Thread-safe.
 */
final class Bundle {

  /** A changed entry with a known id is news if it says that it changed this recently. */
  private static final Duration RECENT = Duration.ofMinutes(3);

  private static final String ANYTHING = "application/octet-stream";

  private final List<Event> events;
  private final boolean feed;
  private final Supplier<Optional<Body>> newestBody;
  private final Map<Kind, Optional<Rendered>> rendered = new HashMap<>();

  /**
   * Events to deliver.
   *
   * @param events at least one, in order
   * @param feed whether the topic is a feed; of anything else only bytes can be sent
   * @param newestBody reads the topic's newest bytes, at most once
   */
  Bundle(List<Event> events, boolean feed, Supplier<Optional<Body>> newestBody) {
    this.events = List.copyOf(events);
    this.feed = feed;
    this.newestBody = newestBody;
  }

  private record Kind(long after, Format format, boolean updates) {}

  /**
   * A document on its way.
   *
   * @param body shared by all deliveries; never changed
   */
  @SuppressWarnings("ArrayRecordComponent") // shared on purpose, never compared
  record Rendered(String contentType, byte[] body) {}

  /** Stands for "which feed changed", which has no body of its own. */
  private static final Rendered LIGHT = new Rendered(ANYTHING, new byte[0]);

  /** The newest event, whose sequence number identifies the delivery. */
  long id() {
    return events.get(events.size() - 1).seq();
  }

  /**
   * What a subscriber with these terms is sent of the events after {@code after}; empty if they are
   * no news to it.
   */
  synchronized Optional<Rendered> render(long after, Terms terms) {
    long firstMissed = events.get(0).seq() > after ? 0 : after;
    return rendered.computeIfAbsent(
        new Kind(firstMissed, terms.format(), terms.updates()), this::render);
  }

  private Optional<Rendered> render(Kind kind) {
    List<Event> missed = events.stream().filter(event -> event.seq() > kind.after).toList();
    if (missed.isEmpty()) {
      return Optional.empty();
    }
    return switch (kind.format) {
      // Whose feed fails or is gone has not been changed.
      case LIGHT ->
          missed.stream().allMatch(event -> event.update().isStatusAlone())
              ? Optional.empty()
              : Optional.of(LIGHT);
      case RAW -> bytes(missed);
      case ATOM, JSON -> feed ? document(missed, kind) : bytes(missed);
    };
  }

  private Optional<Rendered> bytes(List<Event> missed) {
    if (missed.stream().noneMatch(event -> event.update().bytesChanged())) {
      return Optional.empty();
    }
    return newestBody
        .get()
        .map(
            body ->
                new Rendered(
                    body.contentType() == null ? ANYTHING : body.contentType(), body.bytes()));
  }

  private static Optional<Rendered> document(List<Event> missed, Kind kind) {
    List<Entry> entries = entries(missed, kind.updates);
    if (entries.isEmpty() && missed.stream().noneMatch(e -> e.update().statusChanged())) {
      return Optional.empty();
    }
    Event newest = missed.get(missed.size() - 1);
    Feed feed = newest.update().feed().withEntries(entries);
    return Optional.of(
        kind.format == Format.JSON ? Documents.json(feed, newest) : Documents.atom(feed, newest));
  }

  /**
   * What is news of the entries. One that is in several events is sent once, as it is after the
   * last of them, in the place where it was news last.
   */
  private static List<Entry> entries(List<Event> missed, boolean updates) {
    Map<String, Entry> newest = new HashMap<>();
    Map<String, Entry> news = new LinkedHashMap<>();
    for (Event event : missed) {
      for (Entry entry : event.update().feed().entries()) {
        newest.put(entry.id(), entry);
        putLast(news, entry);
      }
      for (Entry entry : event.update().changed()) {
        newest.put(entry.id(), entry);
        if (updates || isRecent(entry, event.at())) {
          putLast(news, entry);
        }
      }
    }
    return news.values().stream().map(entry -> newest.getOrDefault(entry.id(), entry)).toList();
  }

  private static void putLast(Map<String, Entry> news, Entry entry) {
    news.remove(entry.id());
    news.put(entry.id(), entry);
  }

  private static boolean isRecent(Entry entry, Instant at) {
    return entry.updated() != null && entry.updated().isAfter(at.minus(RECENT));
  }
}
