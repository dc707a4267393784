package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.store.DeliveryOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An attempt as the API shows it.
 *
 * @param title of an entry of the event; absent where it has none, where the log has the event no
 *     more, and among the deliveries of one event
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

  /** An attempt's view, without the title of its event. */
  public static DeliveryView of(Attempt attempt) {
    return of(attempt, null);
  }

  /** An attempt's view, with the title of its event. */
  static DeliveryView of(Attempt attempt, @Nullable String title) {
    DeliveryOutcome outcome = attempt.outcome();
    Duration took = attempt.took();
    return new DeliveryView(
        Long.toString(attempt.id()),
        attempt.at(),
        attempt.eventId() == 0 ? null : Long.toString(attempt.eventId()),
        title,
        attempt.number(),
        label(attempt.kind()),
        outcome(attempt),
        attempt.status() == 0 ? null : attempt.status(),
        outcome == null ? null : error(outcome, attempt.status()),
        took == null ? null : took.toMillis(),
        attempt.bytes());
  }

  /** The names of outcomes. */
  static Stream<String> outcomes() {
    return Stream.of(DeliveryOutcome.values()).map(DeliveryView::label);
  }

  /** The name of an attempt's outcome. */
  static String outcome(Attempt attempt) {
    DeliveryOutcome outcome = attempt.outcome();
    return outcome == null ? UNDER_WAY : label(outcome);
  }

  /** Whether an outcome of that name is a failure; one that is under way is none. */
  static boolean isFailure(String outcome) {
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
