package io.feedbridge.gateway.metrics.trace;

import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The traces of events: one for each, from the ping that brought it to its deliveries. The ids of a
 * trace follow from the event's number alone, so that a delivery after a restart, or by another
 * node, belongs to the same trace. Thread-safe.
 */
public final class Traces {

  /** The field that tells a receiver the trace of a request (W3C Trace Context). */
  public static final String HEADER = "traceparent";

  private static final int HUNDRED = 100;

  private final String gateway;
  private final int percent;
  private final Consumer<Span> out;
  private final Clock clock;

  /**
   * Traces of a gateway.
   *
   * @param gateway its public URL: another gateway has other ids
   * @param percent of the events are traced; 0 for none
   * @param out takes each span; never blocks
   */
  Traces(String gateway, int percent, Consumer<Span> out, Clock clock) {
    this.gateway = gateway;
    this.percent = percent;
    this.out = out;
    this.clock = clock;
  }

  /** No event is traced. */
  public static Traces off() {
    return new Traces("", 0, span -> {}, Clock.systemUTC());
  }

  /**
   * The way of a change to the log.
   *
   * @param feed without a query
   * @param via how it became known
   * @param since when the ping arrived, or the poll was due
   * @param fetched when its document was whole
   * @param fetch how long that took; absent where the ping had the document in it
   */
  public record Change(
      String feed, String via, Instant since, Instant fetched, Optional<Duration> fetch) {}

  /**
   * Events of a change are in the log, and may be acknowledged.
   *
   * @param change asked for only where events are traced
   */
  public void recorded(List<Long> events, Supplier<Change> change) {
    if (percent > 0) {
      events.stream()
          .map(event -> Ids.of(gateway, event))
          .filter(ids -> ids.isTraced(percent))
          .forEach(ids -> recorded(ids, change.get()));
    }
  }

  private void recorded(Ids ids, Change change) {
    Instant now = clock.instant();
    Instant start = change.fetch.map(change.fetched::minus).orElse(change.fetched);
    Instant first = change.since.isBefore(start) ? change.since : start;
    out.accept(
        ids.span(
            ids.root,
            null,
            change.via,
            Span.INTERNAL,
            first,
            now,
            Span.Status.OK,
            "feedbridge.feed",
            change.feed,
            "feedbridge.event",
            Long.toString(ids.event)));
    change.fetch.ifPresent(
        took ->
            out.accept(
                ids.span(
                    newId(),
                    ids.root,
                    "fetch",
                    Span.CLIENT,
                    start,
                    change.fetched,
                    Span.Status.OK)));
    out.accept(
        ids.span(newId(), ids.root, "record", Span.INTERNAL, change.fetched, now, Span.Status.OK));
  }

  /** A request that is about to go out; empty if its event is not traced. */
  public Optional<Delivery> delivery(Protocol protocol, String host, long event, int attempt) {
    if (percent == 0 || event == 0) {
      return Optional.empty();
    }
    Ids ids = Ids.of(gateway, event);
    return ids.isTraced(percent)
        ? Optional.of(new Delivery(ids, protocol, host, attempt))
        : Optional.empty();
  }

  /** A request of a trace that is under way. */
  public final class Delivery {

    private final Ids ids;
    private final String id = newId();
    private final Protocol protocol;
    private final String host;
    private final int attempt;
    private final Instant began = clock.instant();

    private Delivery(Ids ids, Protocol protocol, String host, int attempt) {
      this.ids = ids;
      this.protocol = protocol;
      this.host = host;
      this.attempt = attempt;
    }

    /** The value of {@link Traces#HEADER}. */
    public String header() {
      return "00-%s-%s-01".formatted(ids.trace, id);
    }

    /** The request has ended. */
    public void ended(DeliveryOutcome outcome) {
      String word = outcome.name().toLowerCase(Locale.ROOT);
      out.accept(
          ids.span(
              id,
              ids.root,
              "delivery",
              Span.CLIENT,
              began,
              clock.instant(),
              outcome == DeliveryOutcome.DELIVERED ? Span.Status.OK : Span.Status.failed(word),
              "feedbridge.protocol",
              protocol.name().toLowerCase(Locale.ROOT),
              "server.address",
              host,
              "feedbridge.attempt",
              Integer.toString(attempt),
              "feedbridge.outcome",
              word));
    }
  }

  private static String newId() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
  }

  /**
   * The ids of an event's trace.
   *
   * @param root of the first span
   * @param lot from 0 to 99: the event is traced if it is less than the percentage
   */
  private record Ids(long event, String trace, String root, int lot) {

    private static final int TRACE = 16;
    private static final int SPAN = 8;

    static Ids of(String gateway, long event) {
      byte[] digest = sha256().digest((gateway + ' ' + event).getBytes(StandardCharsets.UTF_8));
      HexFormat hex = HexFormat.of();
      return new Ids(
          event,
          hex.formatHex(digest, 0, TRACE),
          hex.formatHex(digest, TRACE, TRACE + SPAN),
          Math.floorMod(ByteBuffer.wrap(digest).getInt(TRACE + SPAN), HUNDRED));
    }

    private static MessageDigest sha256() {
      try {
        return MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("each Java has SHA-256", e);
      }
    }

    private Span span(
        String id,
        @Nullable String parent,
        String name,
        int kind,
        Instant start,
        Instant end,
        Span.Status status,
        String... attributes) {
      return new Span(
          trace,
          id,
          parent,
          name,
          kind,
          Span.nanos(start),
          Span.nanos(end.isBefore(start) ? start : end),
          Span.attributes(attributes),
          status);
    }

    boolean isTraced(int percent) {
      return lot < percent;
    }
  }
}
