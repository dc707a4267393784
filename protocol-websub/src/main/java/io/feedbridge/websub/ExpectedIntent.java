package io.feedbridge.websub;

/**
 * Something a subscriber would confirm if a hub asked: a request under way, or, as {@code
 * SUBSCRIBE}, an active subscription, about which hubs may ask again at any time.
 */
public record ExpectedIntent(SubscriptionMode mode, String topic, String verifyToken) {
  /** Without the token. */
  @Override
  public String toString() {
    return "ExpectedIntent[mode=" + mode + ", topic=" + topic + ']';
  }
}
