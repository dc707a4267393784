package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Destination;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * A subscription with what every delivery to it has in common, which is made at most once, by
 * whoever needs it first. Thread-safe: what two threads make at once is alike.
 */
final class Recipient {

  /** What one takes in memory, beside its texts. */
  private static final int OWN_BYTES = 512;

  /** Callback, host, topic and what goes on the wire hold the same characters several times. */
  private static final int COPIES = 6;

  final Subscription subscription;
  final String host;
  final Destination destination;
  private volatile @Nullable Header callbackHeader;
  private volatile @Nullable RssCloudNotice notice;

  Recipient(Subscription subscription) {
    this.subscription = subscription;
    host = CallbackHost.of(subscription.callback());
    destination = new Destination(subscription.callback());
  }

  /**
   * The field by which a hub's delivery names its callback.
   *
   * @throws IllegalArgumentException if the callback has what no field can have
   */
  Header callbackHeader() {
    Header made = callbackHeader;
    if (made == null) {
      made = new Header(WebSubCourier.CALLBACK, subscription.callback());
      callbackHeader = made;
    }
    return made;
  }

  /**
   * What an rssCloud aggregator is told, the same each time.
   *
   * @throws RuntimeException if it cannot be made
   */
  RssCloudNotice notice() {
    RssCloudNotice made = notice;
    if (made == null) {
      made = RssCloudNotice.to(subscription);
      notice = made;
    }
    return made;
  }

  /** Bytes that it takes in memory, roughly. */
  int bytes() {
    String secret = subscription.terms().secret();
    return OWN_BYTES
        + COPIES * (subscription.callback().length() + subscription.terms().namedTopic().length())
        + (secret == null ? 0 : secret.length());
  }
}
