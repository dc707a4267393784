package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.RetryAfter;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.rsscloud.RssCloud;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/** Notification as an rssCloud cloud, by a form or a procedure. */
public final class RssCloudAdapter implements ProtocolAdapter {

  /** Between the tries of one notification. */
  private static final List<Duration> PAUSES =
      List.of(Duration.ofSeconds(5), Duration.ofSeconds(30));

  private final RetryPolicy retries;

  public RssCloudAdapter(RandomGenerator random) {
    retries = new RetryPolicy.Brief(PAUSES, RssCloud.ERRORS_BEFORE_REMOVAL, random);
  }

  @Override
  public Optional<Call> call(Recipient recipient, Bundle bundle, long after, int retries) {
    if (bundle.render(after, recipient.subscription.terms()).isEmpty()) {
      return Optional.empty();
    }
    RssCloudNotice notice = recipient.notice();
    Call.Builder call =
        Call.post(notice.destination(), Purpose.CALLBACK, notice.body())
            .header(bundle.idHeader())
            .redirects(RssCloud.MAX_NOTIFICATION_REDIRECTS)
            .timeout(TIMEOUT)
            .connectTimeout(CONNECT_TIMEOUT)
            .truncateBodyAt(MAX_ANSWER);
    notice.headers().forEach(call::header);
    return Optional.of(call.build());
  }

  @Override
  public CallResult judge(Recipient recipient, Reply reply, Instant now) {
    return recipient
        .notice()
        .notification()
        .refusal(reply.status(), reply.body(), reply.headers().first("Content-Type").orElse(null))
        .map(why -> CallResult.failed(DeliveryOutcome.REFUSED, why, RetryAfter.of(reply, now)))
        .orElseGet(() -> CallResult.delivered(OptionalInt.empty()));
  }

  @Override
  public RetryPolicy retries() {
    return retries;
  }
}
