package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.store.Body;
import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.Format;
import io.feedbridge.gateway.store.Terms;
import java.util.HashMap;
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

  private static final String ANYTHING = "application/octet-stream";

  private final List<Event> events;
  private final boolean feed;
  private final Supplier<Optional<Body>> newestBody;
  private final Header idHeader;
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
    idHeader = new Header(Deliveries.EVENT_ID, Long.toString(id()));
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
  record Rendered(Header contentType, byte[] body) {
    Rendered(String contentType, byte[] body) {
      this(new Header("Content-Type", contentType), body);
    }
  }

  /** Stands for "which feed changed", which has no body of its own. */
  private static final Rendered LIGHT = new Rendered(ANYTHING, new byte[0]);

  /** The newest event, whose sequence number identifies the delivery. */
  long id() {
    return events.get(events.size() - 1).seq();
  }

  /** The field that says so. */
  Header idHeader() {
    return idHeader;
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
      case ATOM, JSON, RSS, JSONFEED -> feed ? document(missed, kind) : bytes(missed);
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
    return News.of(missed, kind.updates).map(news -> Documents.render(news, kind.format));
  }
}
