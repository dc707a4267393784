package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.rsscloud.CloudProtocol;
import io.feedbridge.rsscloud.Notification;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The notice to an rssCloud aggregator that its feed has changed, ready to be sent.
 *
 * @param headers the fields that describe the body
 * @param body shared by all deliveries; never changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RssCloudNotice(
    Notification notification, Destination destination, List<Header> headers, byte[] body) {

  /**
   * The notice to a subscriber.
   *
   * @throws RuntimeException if none can be made of its terms
   */
  static RssCloudNotice to(Subscription subscription) {
    Notification notification = notification(subscription);
    List<Header> headers = new ArrayList<>();
    headers.add(new Header("Content-Type", notification.contentType()));
    notification.soapAction().ifPresent(action -> headers.add(new Header("SOAPAction", action)));
    return new RssCloudNotice(
        notification,
        new Destination(notification.callback()),
        List.copyOf(headers),
        notification.body());
  }

  private static Notification notification(Subscription subscription) {
    String feed = subscription.terms().namedTopic();
    Terms.Procedure procedure = subscription.terms().procedure();
    return procedure == null
        ? new Notification(subscription.callback(), feed)
        : new Notification(
            subscription.callback(),
            feed,
            CloudProtocol.ofWireName(procedure.protocol()).orElseThrow(),
            procedure.name(),
            Objects.requireNonNullElse(procedure.namespace(), ""));
  }
}
