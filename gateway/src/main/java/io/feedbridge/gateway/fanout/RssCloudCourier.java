package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.RetryAfter;
import io.feedbridge.gateway.store.Subscription;
import io.feedbridge.rsscloud.Notification;
import io.feedbridge.rsscloud.RssCloud;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Optional;

/** Notification as an rssCloud cloud over http-post and https-post. */
final class RssCloudCourier implements Courier {

  private final String userAgent;
  private final Clock clock;

  RssCloudCourier(String userAgent, Clock clock) {
    this.userAgent = userAgent;
    this.clock = clock;
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
  public Verdict judge(Reply reply) {
    return reply.successful()
        ? Verdict.SERVED
        : new Verdict.Failed("HTTP " + reply.status(), RetryAfter.of(reply, clock.instant()));
  }
}
