package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Terms;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The events of one feed that go out together, rendered once per kind of subscriber. Nothing in a
 * document depends on when it is rendered, so that a retry repeats it byte for byte (rule L12);
 * only the newest of the topic's own bytes are kept. Thread-safe.
 */
public final class Bundle {

  /** The field that names the delivery; the same on a retry, so that a receiver recognises it. */
  public static final String EVENT_ID = "Feedbridge-Event";

  private static final String ANYTHING = "application/octet-stream";

  private final List<Event> events;
  private final boolean feed;
  private final Supplier<Optional<Body>> newestBody;
  private final NewsDocuments documents;
  private final boolean digest;
  private final Header idHeader;
  private final Map<Kind, Optional<Rendered>> rendered = new HashMap<>();

  /**
   * Events to deliver.
   *
   * @param events at least one, in order
   * @param feed whether the topic is a feed; of anything else only bytes can be sent
   * @param newestBody reads the topic's newest bytes, at most once
   * @param documents writes the news of a feed
   */
  Bundle(
      List<Event> events,
      boolean feed,
      Supplier<Optional<Body>> newestBody,
      NewsDocuments documents) {
    this(events, feed, newestBody, documents, false);
  }

  private Bundle(
      List<Event> events,
      boolean feed,
      Supplier<Optional<Body>> newestBody,
      NewsDocuments documents,
      boolean digest) {
    this.events = List.copyOf(events);
    this.digest = digest;
    idHeader =
        new Header(
            EVENT_ID,
            digest ? "digest-" + events.get(0).at().getEpochSecond() : Long.toString(id()));
    this.feed = feed;
    this.newestBody = newestBody;
    this.documents = documents;
  }

  /**
   * The newest entries of a feed for a subscriber that wants digests.
   *
   * @param state of the feed, as an event after all others, at the time at which the digest was due
   */
  static Bundle digest(Event state, NewsDocuments documents) {
    return new Bundle(List.of(state), true, Optional::empty, documents, true);
  }

  /** Whether it is a digest. */
  boolean isDigest() {
    return digest;
  }

  private record Kind(
      long after,
      Format format,
      News.Wanted wanted,
      List<String> fields,
      BridgedUrl.@Nullable Kind bridge) {}

  /**
   * A document on its way.
   *
   * @param body shared by all deliveries; never changed
   */
  @SuppressWarnings("ArrayRecordComponent") // shared on purpose, never compared
  public record Rendered(Header contentType, byte[] body) {
    Rendered(String contentType, byte[] body) {
      this(new Header("Content-Type", contentType), body);
    }
  }

  /** Says only that the feed changed, and has no body. */
  private static final Rendered LIGHT = new Rendered(ANYTHING, new byte[0]);

  /** The newest event, whose sequence number identifies the delivery. */
  long id() {
    return events.get(events.size() - 1).seq();
  }

  /** The header field {@link #EVENT_ID} with that number. */
  Header idHeader() {
    return idHeader;
  }

  /**
   * The document for a subscriber with these terms, of the events after {@code after}; empty if
   * they are no news to it.
   *
   * @param bridge the kind of the bridged feed that the subscriber named; null for the feed itself
   */
  synchronized Optional<Rendered> render(
      long after, Terms terms, BridgedUrl.@Nullable Kind bridge) {
    long firstMissed = events.get(0).seq() > after ? 0 : after;
    return rendered.computeIfAbsent(
        new Kind(
            firstMissed,
            terms.format(),
            digest ? News.Wanted.usual(false) : News.Wanted.of(terms.wished(), terms.updates()),
            terms.wished().fields(),
            bridge),
        this::render);
  }

  /** The same for a subscriber that named the feed itself. */
  Optional<Rendered> render(long after, Terms terms) {
    return render(after, terms, null);
  }

  /** The document of all the events in a format, for a subscriber that wants changed entries. */
  synchronized Optional<Rendered> render(Format format) {
    return render(new Kind(0, format, News.Wanted.usual(true), List.of(), null));
  }

  private Optional<Rendered> render(Kind kind) {
    List<Event> missed = events.stream().filter(event -> event.seq() > kind.after).toList();
    if (missed.isEmpty()) {
      return Optional.empty();
    }
    Fault.RENDER.in(missed.get(0).update().status().feed());
    return switch (kind.format) {
      // A feed that fails or is gone has not changed.
      case LIGHT ->
          missed.stream().noneMatch(Event::isChange) ? Optional.empty() : Optional.of(LIGHT);
      case RAW -> bytes(missed);
      case AUTO, ATOM, JSON, RSS, JSONFEED -> feed ? document(missed, kind) : bytes(missed);
    };
  }

  private Optional<Rendered> bytes(List<Event> missed) {
    if (missed.stream().noneMatch(event -> event.update().bytesChanged())) {
      return Optional.empty();
    }
    // A feed without a raw subscriber so far has no bytes: its next fetch brings them.
    Body body =
        newestBody
            .get()
            .orElseThrow(() -> new IllegalStateException("the bytes are still to be fetched"));
    return Optional.of(
        new Rendered(body.contentType() == null ? ANYTHING : body.contentType(), body.bytes()));
  }

  private Optional<Rendered> document(List<Event> missed, Kind kind) {
    return News.of(missed, kind.wanted)
        .flatMap(news -> documents.of(news, kind.format, kind.fields, kind.bridge, digest));
  }
}
