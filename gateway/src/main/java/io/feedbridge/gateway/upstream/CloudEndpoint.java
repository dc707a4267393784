package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.store.Advertised;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.UpstreamSubscription;
import io.feedbridge.rsscloud.BadResultException;
import io.feedbridge.rsscloud.BadRpcException;
import io.feedbridge.rsscloud.CloudProtocol;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.rsscloud.RegistrationRequest;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.rsscloud.RssCloud;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Registering at rssCloud clouds, each in the protocol that the feed names for it. */
final class CloudEndpoint implements UpstreamEndpoint {

  /** The time for a cloud's answer. Clouds read the feed and test the handler before. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Store store;
  private final ToldPaths paths;
  private final Sender client;
  private final Executor blocking;
  private final UpstreamUrls urls;

  /**
   * Clouds in general.
   *
   * @param blocking where the store is read
   */
  CloudEndpoint(Store store, ToldPaths paths, Sender client, Executor blocking, UpstreamUrls urls) {
    this.store = store;
    this.paths = paths;
    this.client = client;
    this.blocking = blocking;
    this.urls = urls;
  }

  @Override
  public CompletableFuture<Answer> subscribe(UpstreamSubscription following) {
    return CompletableFuture.supplyAsync(() -> advertised(following), blocking)
        .thenComposeAsync(
            cloud -> subscribe(following, cloud, Optional.of(paths.tell(following))), blocking)
        .exceptionally(HubEndpoint::unreachable);
  }

  /** The cloud's advertisement in the feed; {@code http-post} if the feed names it no longer. */
  private Advertised.Cloud advertised(UpstreamSubscription following) {
    return store.feeds().byId(following.feedId()).stream()
        .flatMap(feed -> feed.advertised().clouds().stream())
        .filter(cloud -> cloud.url().equals(following.endpoint()))
        .findFirst()
        .orElseGet(
            () -> new Advertised.Cloud(following.endpoint(), CloudProtocol.HTTP_POST.wireName()));
  }

  /** Registers, and names the gateways behind this one if they matter. */
  CompletableFuture<Answer> subscribe(
      UpstreamSubscription following, Advertised.Cloud cloud, Optional<GatewayPath> path) {
    CloudProtocol protocol =
        CloudProtocol.ofWireName(cloud.protocol()).orElse(CloudProtocol.HTTP_POST);
    RegistrationRequest request;
    try {
      request =
          RegistrationRequest.of(
              protocol, urls.publicUrl(), urls.callbackPath(following), following.topic());
    } catch (IllegalArgumentException e) {
      return CompletableFuture.completedFuture(
          new Answer.Refused(
              "no cloud can reach this gateway: " + e.getMessage(), Answer.By.GATEWAY));
    }
    Optional<RpcProtocol> rpc = protocol.rpc();
    String procedure = String.valueOf(cloud.procedure());
    byte[] body =
        rpc.map(by -> by.writeCall(request.call(procedure)))
            .orElseGet(() -> request.form().getBytes(StandardCharsets.UTF_8));
    Call.Builder call =
        Call.post(cloud.url(), Purpose.FETCH, body)
            .header(
                "Content-Type",
                rpc.isPresent() ? RpcProtocol.CONTENT_TYPE : RssCloud.FORM_CONTENT_TYPE)
            .redirects(1)
            .timeout(TIMEOUT)
            .truncateBodyAt(NotifyResult.MAX_BYTES);
    path.ifPresent(gateways -> call.header(GatewayPath.HEADER, gateways.header()));
    if (protocol == CloudProtocol.SOAP) {
      call.header("SOAPAction", RssCloud.soapAction(cloud.url()));
    }
    call.unlessWanted(reply -> read(rpc, reply) instanceof Answer.Registered);
    return client.send(call.build()).thenApply(reply -> read(rpc, reply));
  }

  private static Answer read(Optional<RpcProtocol> rpc, Reply reply) {
    try {
      NotifyResult result =
          rpc.isPresent()
              ? NotifyResult.of(
                  rpc.get()
                      .readAnswer(reply.body(), reply.headers().first("Content-Type").orElse(null)))
              : NotifyResult.parse(reply.body());
      if (reply.successful() && result.success()) {
        return new Answer.Registered();
      }
      String reason = "the cloud refused: " + Truncation.of(result.msg());
      return result.msg().contains(GatewayPath.RING)
          ? new Answer.Ended(reason)
          : new Answer.Refused(reason);
    } catch (BadResultException | BadRpcException e) {
      return new Answer.Refused(
          "the cloud answered with status %d, and %s".formatted(reply.status(), e.getMessage()));
    }
  }

  /**
   * rssCloud has no such request: the cloud is told by a 404 on the callback, or drops it after 25
   * h.
   */
  @Override
  public CompletableFuture<Void> unsubscribe(UpstreamSubscription following) {
    return CompletableFuture.completedFuture(null);
  }
}
