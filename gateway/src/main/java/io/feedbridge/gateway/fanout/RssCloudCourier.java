package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.store.DeliveryOutcome;
import io.feedbridge.gateway.store.Subscription;
import io.feedbridge.gateway.store.Terms;
import io.feedbridge.rsscloud.CloudProtocol;
import io.feedbridge.rsscloud.Notification;
import io.feedbridge.rsscloud.RssCloud;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Notification as an rssCloud cloud, by a form or a procedure. */
final class RssCloudCourier implements Courier {

  /** Between the tries of one notification. */
  private static final List<Duration> PAUSES =
      List.of(Duration.ofSeconds(5), Duration.ofSeconds(30));

  private final String userAgent;
  private final RetryPolicy retries;

  RssCloudCourier(String userAgent, RandomGenerator random) {
    this.userAgent = userAgent;
    retries = new RetryPolicy.Brief(PAUSES, RssCloud.ERRORS_BEFORE_REMOVAL, random);
  }

  @Override
  public Optional<Call> call(Subscription subscription, Bundle bundle, long after, int retries) {
    if (bundle.render(after, subscription.terms()).isEmpty()) {
      return Optional.empty();
    }
    Notification notification = notification(subscription);
    Call.Builder call =
        Call.post(notification.callback(), Purpose.CALLBACK, notification.body())
            .header("Content-Type", notification.contentType())
            .header("User-Agent", userAgent)
            .header(Deliveries.EVENT_ID, Long.toString(bundle.id()))
            .redirects(RssCloud.MAX_NOTIFICATION_REDIRECTS)
            .timeout(Deliveries.TIMEOUT)
            .connectTimeout(Deliveries.CONNECT_TIMEOUT)
            .truncateBodyAt(Deliveries.MAX_ANSWER);
    notification.soapAction().ifPresent(action -> call.header("SOAPAction", action));
    return Optional.of(call.build());
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
            procedure.name());
  }

  @Override
  public DeliveryOutcome judge(Subscription subscription, Reply reply) {
    return refused(subscription, reply).isEmpty()
        ? DeliveryOutcome.DELIVERED
        : DeliveryOutcome.REFUSED;
  }

  @Override
  public String refusal(Subscription subscription, Reply reply) {
    return refused(subscription, reply).orElseGet(() -> "HTTP " + reply.status());
  }

  private static Optional<String> refused(Subscription subscription, Reply reply) {
    return notification(subscription)
        .refusal(reply.status(), reply.body(), reply.headers().first("Content-Type").orElse(null));
  }

  @Override
  public RetryPolicy retries() {
    return retries;
  }
}
