package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.store.Following;
import io.feedbridge.rsscloud.BadResultException;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.rsscloud.RegistrationForm;
import io.feedbridge.rsscloud.RssCloud;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Registering at rssCloud clouds over REST. */
final class CloudEndpoint implements Endpoint {

  /** Clouds read the feed and test the handler before they answer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final OutboundClient client;
  private final UpstreamUrls urls;
  private final String userAgent;

  CloudEndpoint(OutboundClient client, UpstreamUrls urls, String userAgent) {
    this.client = client;
    this.urls = urls;
    this.userAgent = userAgent;
  }

  @Override
  public CompletableFuture<Answer> subscribe(Following following) {
    RegistrationForm form;
    try {
      form = RegistrationForm.of(urls.publicUrl(), urls.callbackPath(following), following.topic());
    } catch (IllegalArgumentException e) {
      return CompletableFuture.completedFuture(
          new Answer.Refused("no cloud can reach this gateway: " + e.getMessage()));
    }
    Call call =
        Call.post(following.endpoint(), Purpose.FETCH, form.body().getBytes(StandardCharsets.UTF_8))
            .header("Content-Type", RssCloud.FORM_CONTENT_TYPE)
            .header("User-Agent", userAgent)
            .redirects(1)
            .timeout(TIMEOUT)
            .truncateBodyAt(NotifyResult.MAX_BYTES)
            .build();
    return client.send(call).thenApply(CloudEndpoint::read).exceptionally(HubEndpoint::unreachable);
  }

  private static Answer read(Reply reply) {
    try {
      NotifyResult result = NotifyResult.parse(reply.body());
      return reply.successful() && result.success()
          ? new Answer.Registered()
          : new Answer.Refused("the cloud refused: " + Said.of(result.msg()));
    } catch (BadResultException e) {
      return new Answer.Refused(
          "the cloud answered with status %d, and %s".formatted(reply.status(), e.getMessage()));
    }
  }

  /**
   * rssCloud has no such request: the cloud is told by a 404 on the callback, or drops it after 25
   * h.
   */
  @Override
  public CompletableFuture<Void> unsubscribe(Following following) {
    return CompletableFuture.completedFuture(null);
  }
}
