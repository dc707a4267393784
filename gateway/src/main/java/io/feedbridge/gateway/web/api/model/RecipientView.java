package io.feedbridge.gateway.web.api.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber of an event.
 *
 * @param subscriptionId as in the list of subscriptions
 * @param outcome by its name in docs/api.md, such as {@code under_way}
 * @param attempts in a row that failed
 * @param deliveredAt when the answer came; absent if the record has no such attempt any more
 * @param delivery the attempt that delivered the event, or else the last attempt
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
