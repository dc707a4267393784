package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.store.DeliveryOutcome;
import io.feedbridge.gateway.store.Subscription;
import io.feedbridge.rsscloud.Notification;
import io.feedbridge.rsscloud.RssCloud;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Notification as an rssCloud cloud over http-post and https-post. */
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
    Notification notification =
        new Notification(subscription.callback(), subscription.terms().namedTopic());
    return Optional.of(
        Call.post(
                notification.callback(),
                Purpose.CALLBACK,
                notification.body().getBytes(StandardCharsets.UTF_8))
            .header("Content-Type", notification.contentType())
            .header("User-Agent", userAgent)
            .header(Deliveries.EVENT_ID, Long.toString(bundle.id()))
            .redirects(RssCloud.MAX_NOTIFICATION_REDIRECTS)
            .timeout(Deliveries.TIMEOUT)
            .connectTimeout(Deliveries.CONNECT_TIMEOUT)
            .truncateBodyAt(Deliveries.MAX_ANSWER)
            .build());
  }

  @Override
  public DeliveryOutcome judge(Reply reply) {
    return reply.successful() ? DeliveryOutcome.DELIVERED : DeliveryOutcome.REFUSED;
  }

  @Override
  public RetryPolicy retries() {
    return retries;
  }
}
