package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.store.DeliveryOutcome;
import io.feedbridge.gateway.web.common.EventTitles;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An attempt as the API shows it.
 *
 * @param title of an entry of the event; absent where it has none, and where the log has the event
 *     no more
 */
public record DeliveryView(
    String id,
    Instant at,
    @Nullable String eventId,
    @Nullable String title,
    int attempt,
    String kind,
    String outcome,
    @Nullable Integer status,
    @Nullable String error,
    @Nullable Long durationMs,
    int bytes) {

  static final String UNDER_WAY = "under_way";

  /** An attempt's view. */
  public static DeliveryView of(Attempt attempt) {
    DeliveryOutcome outcome = attempt.outcome();
    Duration took = attempt.took();
    return new DeliveryView(
        Long.toString(attempt.id()),
        attempt.at(),
        attempt.eventId() == 0 ? null : Long.toString(attempt.eventId()),
        null,
        attempt.number(),
        label(attempt.kind()),
        outcome == null ? UNDER_WAY : label(outcome),
        attempt.status() == 0 ? null : attempt.status(),
        outcome == null ? null : error(outcome, attempt.status()),
        took == null ? null : took.toMillis(),
        attempt.bytes());
  }

  /** The same with the title of its event. */
  DeliveryView titled(EventTitles titles) {
    return eventId == null
        ? this
        : new DeliveryView(
            id,
            at,
            eventId,
            titles.of(Long.parseLong(eventId)),
            attempt,
            kind,
            outcome,
            status,
            error,
            durationMs,
            bytes);
  }

  /** The names of outcomes. */
  static Stream<String> outcomes() {
    return Stream.of(DeliveryOutcome.values()).map(DeliveryView::label);
  }

  /** Whether it failed; one that is under way has not. */
  boolean failed() {
    return !outcome.equals(UNDER_WAY) && !outcome.equals(label(DeliveryOutcome.DELIVERED));
  }

  private static @Nullable String error(DeliveryOutcome outcome, int status) {
    return switch (outcome) {
      case DELIVERED -> null;
      case REFUSED, GONE -> "HTTP " + status;
      case TIMEOUT -> "the answer was not complete in time";
      case UNRESOLVED -> "the host's name has no address";
      case CONNECT -> "no connection could be opened";
      case TLS -> "the TLS handshake failed";
      case BROKEN -> "the connection broke, or the answer was not HTTP";
      case REDIRECTS -> "it redirected too often";
      case FORBIDDEN -> "its URL or address may not be called";
      case SATURATED -> "the gateway had too much under way; nothing was sent";
      case UNMAKEABLE -> "the request could not be made; nothing was sent";
      case CUT_OFF -> "the gateway stopped before the answer came";
    };
  }

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
