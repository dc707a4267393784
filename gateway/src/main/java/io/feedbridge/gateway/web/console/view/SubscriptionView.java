package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as the API shows it.
 *
 * @param topic absent for a webhook of several feeds
 * @param topics of a webhook; absent for other subscriptions
 * @param reason why a webhook is disabled, or a subscription has ended
 * @param endedAt absent for one that goes on
 */
public record SubscriptionView(
    String id,
    String protocol,
    @Nullable String topic,
    @Nullable List<String> topics,
    String callback,
    String format,
    String state,
    @Nullable String reason,
    @Nullable Instant leaseEndsAt,
    Instant createdAt,
    @Nullable Instant endedAt,
    @Nullable Behind behind,
    List<Gap> gaps) {

  /** The events that a laggard misses. */
  public record Behind(
      long events,
      @Nullable Instant since,
      int attempts,
      @Nullable Instant nextAttemptAt,
      @Nullable String lastError) {}

  /** Events that the subscriber has missed for good. */
  public record Gap(String after, String upTo, @Nullable Long events, Instant at, String reason) {}

  /** Whether it belongs to a webhook. */
  public boolean isWebhook() {
    return protocol.equals("webhook");
  }

  /** The id of the webhook that it belongs to. */
  public String webhookId() {
    return id.replace("webhook-", "");
  }

  /** The topic or topics in a few words. */
  public String subject() {
    if (topic != null) {
      return topic.equals("*") ? "all feeds" : topic;
    }
    return topics == null ? "" : topics.size() + " feeds";
  }
}
