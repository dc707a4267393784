package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * A subscription with the parts that all deliveries to it share. Each part is made on its first
 * use. Thread-safe: threads that make a part at once make equal ones.
 */
public final class Recipient {

  /** The field that names the callback; receivers with several tell them apart by it. */
  private static final String CALLBACK = "X-PubSubHubbub-Callback";

  /** Bytes of a recipient in memory, beside its texts. */
  private static final int OWN_BYTES = 512;

  /** Callback, host, topic and the fields on the wire hold the same characters several times. */
  private static final int COPIES = 6;

  public final Subscription subscription;
  public final String host;
  final Receiver receiver;
  final Destination destination;
  private volatile @Nullable Header callbackHeader;
  private volatile @Nullable RssCloudNotice notice;

  public Recipient(Subscription subscription) {
    this.subscription = subscription;
    receiver = Receiver.of(subscription);
    host = receiver.host();
    destination = new Destination(subscription.callback());
  }

  /**
   * The field by which a hub's delivery names its callback.
   *
   * @throws IllegalArgumentException if the callback has characters that no field can have
   */
  Header callbackHeader() {
    Header made = callbackHeader;
    if (made == null) {
      made = new Header(CALLBACK, subscription.callback());
      callbackHeader = made;
    }
    return made;
  }

  /**
   * The notice for an rssCloud aggregator, the same each time.
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

  /** Bytes that the recipient takes in memory, roughly. */
  int bytes() {
    String secret = subscription.terms().secret();
    return OWN_BYTES
        + COPIES * (subscription.callback().length() + subscription.terms().namedTopic().length())
        + (secret == null ? 0 : secret.length());
  }
}
