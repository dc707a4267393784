package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.Upstreams.Accepted;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.upstream.UpstreamEndpoint.Answer.By;
import io.feedbridge.rsscloud.BadResultException;
import io.feedbridge.rsscloud.BadRpcException;
import io.feedbridge.rsscloud.CloudProtocol;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.rsscloud.RegistrationRequest;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.rsscloud.RssCloud;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Registering at rssCloud clouds, each in the protocol that the feed names for it. */
final class CloudEndpoint implements UpstreamEndpoint {

  /** The time for a cloud's answer. Clouds read the feed and test the handler before. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Redirects that one request follows, as the POST that it is. */
  static final int MAX_MOVES = 3;

  private final Store store;
  private final ToldPaths paths;
  private final Sender client;
  private final Executor blocking;
  private final Clock clock;
  private final UpstreamUrls urls;

  /**
   * Clouds in general.
   *
   * @param blocking where the store is read
   */
  CloudEndpoint(
      Store store,
      ToldPaths paths,
      Sender client,
      Executor blocking,
      Clock clock,
      UpstreamUrls urls) {
    this.store = store;
    this.paths = paths;
    this.client = client;
    this.blocking = blocking;
    this.clock = clock;
    this.urls = urls;
  }

  @Override
  public CompletableFuture<Answer> subscribe(UpstreamSubscription following) {
    return CompletableFuture.supplyAsync(() -> asked(following), blocking)
        .thenComposeAsync(
            asked ->
                register(asked)
                    .thenCompose(last -> remember(asked, last).thenApply(done -> last.answer)),
            blocking)
        .exceptionally(CloudEndpoint::unasked);
  }

  private static Answer unasked(Throwable failure) {
    return failure.getCause() instanceof IllegalArgumentException noAddress
        ? new Answer.Refused(
            "no cloud can reach this gateway: " + noAddress.getMessage(), By.GATEWAY)
        : HubEndpoint.unreachable(failure);
  }

  /**
   * Registers for a test, of which nothing is remembered. At most two requests, like any
   * registration.
   */
  CompletableFuture<Answer> subscribe(UpstreamSubscription following, Advertised.Cloud cloud) {
    return CompletableFuture.completedFuture(Accepted.NOTHING)
        .thenApply(none -> new Asked(cloud, Optional.empty(), none, ways(following, cloud, none)))
        .thenCompose(this::register)
        .thenApply(Heard::answer)
        .exceptionally(CloudEndpoint::unasked);
  }

  /**
   * A registration.
   *
   * @param path the gateways behind this one, if they matter
   * @param known how the cloud took the last registration
   * @param ways the requests, one of which the cloud is to take
   */
  private record Asked(
      Advertised.Cloud cloud,
      Optional<GatewayPath> path,
      Accepted known,
      List<RegistrationRequest> ways) {

    /** The URL that is asked first. */
    String place() {
      return known.place() == null ? cloud.url() : known.place();
    }
  }

  /**
   * The end of a request.
   *
   * @param way the request
   * @param place the URL that answered or failed
   * @param result the cloud's sentence; absent if it said none that can be read
   */
  private record Heard(
      Answer answer, RegistrationRequest way, String place, @Nullable NotifyResult result) {

    boolean mayTakeOtherWay() {
      return result != null && (result.refusesProtocol() || result.refusesHandler());
    }

    /** Whether the place works no longer. */
    boolean failed() {
      return result == null
          && answer instanceof Answer.Refused refused
          && refused.by() != By.GATEWAY;
    }

    Heard with(Answer other) {
      return new Heard(other, way, place, result);
    }
  }

  private Asked asked(UpstreamSubscription following) {
    Advertised.Cloud cloud = advertised(following);
    Accepted known = store.upstreams().accepted(cloud.url());
    return new Asked(
        cloud, Optional.of(paths.tell(following)), known, ways(following, cloud, known));
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

  /** The ways to register, the one that the cloud took last first. */
  private List<RegistrationRequest> ways(
      UpstreamSubscription following, Advertised.Cloud cloud, Accepted known) {
    return RegistrationRequest.ways(
            protocol(cloud), urls.publicUrl(), urls.callbackPath(following), following.topic())
        .stream()
        .sorted(Comparator.comparing(way -> !way.protocol().wireName().equals(known.protocol())))
        .toList();
  }

  private static CloudProtocol protocol(Advertised.Cloud cloud) {
    return CloudProtocol.ofWireName(cloud.protocol()).orElse(CloudProtocol.HTTP_POST);
  }

  /**
   * Asks the cloud once, and a second time if it may take the other way, or if the place that
   * answered last works no longer.
   */
  private CompletableFuture<Heard> register(Asked asked) {
    RegistrationRequest way = asked.ways.get(0);
    return post(asked, way, asked.place())
        .thenCompose(
            first -> {
              if (first.failed() && asked.known.place() != null) {
                return post(asked, way, asked.cloud.url());
              }
              return first.mayTakeOtherWay() && asked.ways.size() > 1
                  ? post(asked, asked.ways.get(1), first.place).thenApply(last -> both(first, last))
                  : CompletableFuture.completedFuture(first);
            });
  }

  /** The second answer, with the reasons of both if both are refusals. */
  private static Heard both(Heard first, Heard last) {
    if (last.answer instanceof Answer.Refused second
        && first.answer instanceof Answer.Refused one) {
      return last.with(
          new Answer.Refused(
              "%s (as %s; before as %s: %s)"
                  .formatted(
                      second.reason(),
                      last.way.protocol().wireName(),
                      first.way.protocol().wireName(),
                      one.reason()),
              second.by()));
    }
    return last;
  }

  /** Remembers the protocol and the place that the cloud took, and forgets a place that failed. */
  private CompletableFuture<Void> remember(Asked asked, Heard last) {
    boolean registered = last.answer instanceof Answer.Registered;
    boolean taken = registered || (last.result != null && !last.mayTakeOtherWay());
    boolean chosen =
        taken && asked.ways.size() > 1 && (registered || !last.way.equals(asked.ways.get(0)));
    String place = last.place.equals(asked.cloud.url()) ? null : last.place;
    Accepted now =
        new Accepted(
            chosen ? last.way.protocol().wireName() : asked.known.protocol(),
            registered ? place : last.failed() ? null : asked.known.place());
    return now.equals(asked.known)
        ? CompletableFuture.completedFuture(null)
        : store.upstreams().accepted(asked.cloud.url(), now, clock.instant());
  }

  private CompletableFuture<Heard> post(Asked asked, RegistrationRequest way, String place) {
    Optional<RpcProtocol> rpc = way.protocol().rpc();
    String procedure = String.valueOf(asked.cloud.procedure());
    byte[] body =
        rpc.map(by -> by.writeCall(way.call(procedure)))
            .orElseGet(() -> way.form().getBytes(StandardCharsets.UTF_8));
    Call.Builder call =
        Call.post(place, Purpose.FETCH, body)
            .header(
                "Content-Type",
                rpc.isPresent() ? RpcProtocol.CONTENT_TYPE : RssCloud.FORM_CONTENT_TYPE)
            .redirects(MAX_MOVES)
            .keepsMethod()
            .timeout(TIMEOUT)
            .truncateBodyAt(NotifyResult.MAX_BYTES);
    asked.path.ifPresent(gateways -> call.header(GatewayPath.HEADER, gateways.header()));
    if (way.protocol() == CloudProtocol.SOAP) {
      call.header("SOAPAction", RssCloud.soapAction(asked.cloud.url()));
    }
    call.unlessWanted(reply -> read(asked, way, reply).answer instanceof Answer.Registered);
    return client
        .send(call.build())
        .thenApply(reply -> read(asked, way, reply))
        .exceptionally(failure -> new Heard(HubEndpoint.unreachable(failure), way, place, null));
  }

  private static Heard read(Asked asked, RegistrationRequest way, Reply reply) {
    String place = reply.finalUrl();
    Optional<RpcProtocol> rpc = way.protocol().rpc();
    try {
      NotifyResult result =
          rpc.isPresent()
              ? NotifyResult.of(
                  rpc.get()
                      .readAnswer(reply.body(), reply.headers().first("Content-Type").orElse(null)))
              : NotifyResult.parse(reply.body());
      if (reply.successful() && result.success()) {
        String by = asked.ways.size() > 1 ? ", as " + way.protocol().wireName() : "";
        String at = place.equals(asked.cloud.url()) ? "" : ", at " + place;
        return new Heard(new Answer.Registered(by + at), way, place, result);
      }
      String reason = "the cloud refused: " + Truncation.of(result.msg());
      Answer refused =
          result.msg().contains(GatewayPath.RING)
              ? new Answer.Ended(reason)
              : new Answer.Refused(reason, result.refusesProtocol() ? By.PROTOCOL : By.ANSWER);
      return new Heard(refused, way, place, result);
    } catch (BadResultException | BadRpcException e) {
      String reason =
          "the cloud answered with status %d, and %s".formatted(reply.status(), e.getMessage());
      return new Heard(new Answer.Refused(reason), way, place, null);
    }
  }

  /**
   * rssCloud has no such request: the cloud is told by a 404 on the callback, or drops it after 25
   * h.
   */
  @Override
  public CompletableFuture<Answer> unsubscribe(UpstreamSubscription following) {
    return CompletableFuture.completedFuture(new Answer.Accepted());
  }
}
