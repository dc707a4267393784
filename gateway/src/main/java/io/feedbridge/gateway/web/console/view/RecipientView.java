package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where one subscriber stands with an event, as the API shows it.
 *
 * @param reason of a failure, a gap or a webhook that is not active
 * @param attempts in a row that failed
 * @param delivery the attempt that delivered the event, or else the last attempt on record
 */
public record RecipientView(
    String subscriptionId,
    String protocol,
    String callback,
    String outcome,
    @Nullable String reason,
    int attempts,
    @Nullable Instant nextAttemptAt,
    @Nullable Instant deliveredAt,
    @Nullable DeliveryView delivery) {

  /** The outcome as a sentence; empty where the row says the same. */
  public String meaning() {
    return switch (outcome) {
      case "delivered" ->
          deliveredAt == null ? "The subscriber answered 2xx; the answer is not on record." : "";
      case "filtered" -> "The webhook's filter accepts no entry of this event.";
      case "passed" -> "The event holds nothing that this subscriber asked for.";
      case "under_way" -> "The request was sent; the answer is outstanding.";
      case "behind" -> "The subscriber is sent earlier events first.";
      case "waiting" -> "The event is next in line.";
      case "disabled" -> "The event is sent when the webhook is enabled.";
      case "skipped" -> "The event is in a gap and is not sent.";
      case "ended" ->
          "The subscription has ended. The record of attempts has no delivery of this event.";
      case "too_early" -> "The subscription began after this event.";
      default -> "";
    };
  }
}
