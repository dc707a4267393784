package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The id of a subscriber among all subscriptions: {@code 7}, {@code pending-7} for a registration
 * that is being verified, {@code webhook-7}.
 *
 * @param number unique among subscribers of its kind
 */
public record SubscriberId(Kind kind, long number) {

  private static final String PENDING = "pending-";
  private static final String WEBHOOK = "webhook-";
  private static final Pattern ID =
      Pattern.compile("(" + PENDING + "|" + WEBHOOK + ")?([1-9]\\d{0,17})");

  /** The kind of a subscriber. */
  public enum Kind {
    SUBSCRIPTION,
    PENDING,
    WEBHOOK
  }

  /** The id that a text holds; empty if no subscriber can have it. */
  public static Optional<SubscriberId> of(String text) {
    Matcher matcher = ID.matcher(text);
    return matcher.matches()
        ? Optional.of(new SubscriberId(kind(matcher.group(1)), Long.parseLong(matcher.group(2))))
        : Optional.empty();
  }

  private static Kind kind(@Nullable String prefix) {
    return prefix == null
        ? Kind.SUBSCRIPTION
        : prefix.equals(PENDING) ? Kind.PENDING : Kind.WEBHOOK;
  }

  /** The id in the path of a request. */
  public static Optional<SubscriberId> in(Request request) {
    return of(request.pathVariables().getOrDefault("id", ""));
  }

  /** The id of a subscription. */
  public static SubscriberId of(SubscriptionQueries.Key key) {
    return new SubscriberId(key.pending() ? Kind.PENDING : Kind.SUBSCRIPTION, key.id());
  }

  /** The subscriber of a number in the record of attempts. */
  public static SubscriberId ofRecord(long recorded) {
    return recorded < 0
        ? new SubscriberId(Kind.WEBHOOK, -recorded)
        : new SubscriberId(Kind.SUBSCRIPTION, recorded);
  }

  /** The number of a webhook; empty for any other subscriber. */
  public Optional<Long> webhook() {
    return kind == Kind.WEBHOOK ? Optional.of(number) : Optional.empty();
  }

  /** The key of a subscription in the store; empty for a webhook. */
  public Optional<SubscriptionQueries.Key> key() {
    return kind == Kind.WEBHOOK
        ? Optional.empty()
        : Optional.of(new SubscriptionQueries.Key(kind == Kind.PENDING, number));
  }

  /** The number by which the record of attempts knows it; none while it is being verified. */
  public OptionalLong recorded() {
    return switch (kind) {
      case SUBSCRIPTION -> OptionalLong.of(number);
      case PENDING -> OptionalLong.empty();
      case WEBHOOK -> OptionalLong.of(Attempts.ofWebhook(number));
    };
  }

  @Override
  public String toString() {
    return switch (kind) {
          case SUBSCRIPTION -> "";
          case PENDING -> PENDING;
          case WEBHOOK -> WEBHOOK;
        }
        + number;
  }
}
