package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.attempts.Exchange;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.web.common.Answers;
import java.time.Duration;
import java.time.Instant;
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

  public static final String UNDER_WAY = "under_way";

  /** An attempt's view, without the title of its event. */
  public static DeliveryView of(Attempt attempt) {
    return of(attempt, null);
  }

  /** An attempt's view, with the title of its event. */
  public static DeliveryView of(Attempt attempt, @Nullable String title) {
    DeliveryOutcome outcome = attempt.outcome();
    Duration took = attempt.took();
    return new DeliveryView(
        Long.toString(attempt.id()),
        attempt.at(),
        attempt.eventId() == 0 ? null : Long.toString(attempt.eventId()),
        title,
        attempt.number(),
        Answers.word(attempt.kind()),
        outcome(attempt),
        attempt.status() == 0 ? null : attempt.status(),
        outcome == null ? null : error(outcome, attempt.status()),
        took == null ? null : took.toMillis(),
        attempt.bytes());
  }

  /** The names of outcomes. */
  public static Stream<String> outcomes() {
    return Stream.of(DeliveryOutcome.values()).map(Answers::word);
  }

  /** The name of an attempt's outcome. */
  public static String outcome(Attempt attempt) {
    DeliveryOutcome outcome = attempt.outcome();
    return outcome == null ? UNDER_WAY : Answers.word(outcome);
  }

  /** Whether an outcome of that name is a failure; one that is under way is none. */
  public static boolean isFailure(String outcome) {
    return !outcome.equals(UNDER_WAY) && !outcome.equals(Answers.word(DeliveryOutcome.DELIVERED));
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

  /**
   * A delivery in full.
   *
   * @param exchange absent where it is not kept
   */
  public record One(DeliveryView delivery, @Nullable Exchange exchange) {}

  /** The title of its event, or the event's number. */
  public String event() {
    return title == null ? "Event " + eventId : title;
  }

  /** Whether it failed; one that is under way has not. */
  public boolean failed() {
    return isFailure(outcome);
  }
}
