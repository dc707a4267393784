package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.CallerWork;
import io.feedbridge.gateway.guard.Limiter;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.relay.PassedPings;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.SelectedParts;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.rsscloud.WeblogPing;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits or refuses callers' requests. The operator's policies hold for every caller. Limits hold
 * for all callers except operators (recognised by the admin token, or by being on this machine as
 * {@link AdminAccess} has it) and exempt networks. Thread-safe.
 */
public final class Admission {

  private static final String TOO_MANY_PARTS =
      "%s has "
          + SelectedParts.MAX
          + " followed parts already; ask later, when one is followed no more";
  private static final Duration PARTS_PAUSE = Duration.ofHours(1);

  public static final int TOO_MANY = 429;

  private static final Logger log = LoggerFactory.getLogger(Admission.class);

  private final Limiter limiter;
  private final Policies policies;
  private final Callers callers;
  private final AdminAccess access;
  private final Networks exempt;
  private final boolean proxied;
  private final Store store;
  private final BridgedUrls bridges;
  private final CallerWork work;
  private final PassedPings passed;
  private final CallerThreads blocking;
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * An admission.
   *
   * @param work that callers have done before they are known
   * @param passed pings that other gateways passed on
   * @param blocking where the store is read
   */
  public Admission(
      Settings settings,
      Limiter limiter,
      Policies policies,
      Store store,
      CallerWork work,
      PassedPings passed,
      Executor blocking) {
    this.limiter = limiter;
    this.passed = passed;
    this.policies = policies;
    callers = new Callers(Networks.of(settings.serving().trustedProxies()));
    access = new AdminAccess(settings.adminToken(), settings.publicUrl());
    exempt = Networks.of(settings.guarding().limits().exempt());
    proxied = !settings.serving().trustedProxies().isEmpty();
    this.store = store;
    bridges = new BridgedUrls(settings.publicUrl());
    this.work = work;
    this.blocking = threads(CallerThreads.AT_ONCE, blocking);
  }

  public Policies policies() {
    return policies;
  }

  /** Why a topic is refused to all callers but operators; empty if it is not. Never blocks. */
  public Optional<String> privateRefusal(String topic) {
    return store.privateFeeds().contains(topic)
        ? Optional.of(PrivateFeeds.REFUSED)
        : Optional.empty();
  }

  /** The caller's IP address, for the log. */
  public String address(Request request) {
    return callers.address(request);
  }

  /**
   * Threads on which requests are worked on.
   *
   * @param atOnce tasks of one caller on the threads: fewer than these
   */
  public CallerThreads threads(int atOnce, Executor threads) {
    return new CallerThreads(callers::key, atOnce, threads);
  }

  /** Whether a ping has come round through gateways: it is to be thanked for, and tells no news. */
  public boolean hasComeRound(Request request, List<String> topics) {
    return passed.hasComeRound(
        request.headers().all(GatewayPath.HEADER), topics, callers.address(request));
  }

  /** Pings for some topics. */
  public Optional<Refusal> pings(Request request, List<String> topics) {
    return caller(request).flatMap(caller -> limiter.pings(caller, topics));
  }

  /** A ping for a site, which several URLs may name. */
  public Optional<Refusal> ping(Request request, WeblogPing site) {
    return pings(request, site.candidates().stream().limit(1).toList());
  }

  /** Requests of a callback for subscriptions to some topics, or for their end. */
  public CompletableFuture<Optional<Refusal>> subscriptions(
      Request request, List<String> topics, String callback) {
    Optional<String> caller = caller(request);
    if (caller.isEmpty()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return blocking.supply(
        request,
        () -> {
          int renewals = (int) topics.stream().filter(one -> isRenewal(one, callback)).count();
          return limiter
              .subscriptions(caller.get(), callback, topics.size() - renewals, renewals)
              .or(
                  () ->
                      newFeeds(
                          caller.get(),
                          topics.stream().flatMap(topic -> newTopic(topic).stream()).toList()));
        });
  }

  private boolean isRenewal(String url, String callback) {
    try {
      String topic = TopicUrl.normalize(url);
      String followed = bridges.find(topic).map(BridgedUrl::topic).orElse(topic);
      return store.subscriptions().isActive(followed, callback);
    } catch (BadHubRequestException | BadBridgeException e) {
      // It will be refused for that.
      return false;
    }
  }

  /** The topic of a feed that is not followed yet; a bridged feed stands for the feed itself. */
  private Optional<String> newTopic(String url) {
    try {
      String topic = TopicUrl.normalize(url);
      String meant = bridges.find(topic).map(BridgedUrl::topic).orElse(topic);
      return store.feeds().byTopic(meant).filter(FollowedFeed::followed).isEmpty()
          ? Optional.of(meant)
          : Optional.empty();
    } catch (BadHubRequestException | BadBridgeException e) {
      // It will be refused for that.
      return Optional.empty();
    }
  }

  /** Why a caller may not have the gateway read a call now. */
  public Optional<Refusal> work(Request request) {
    return caller(request)
        .flatMap(
            caller ->
                work.refusal(caller)
                    .flatMap(refusal -> limiter.held(caller, Limiter.Kind.WORK, refusal)));
  }

  /** Runs a task for a caller once the caller has fewer than the maximum running. */
  public <T> CompletableFuture<T> inTurn(Request request, Supplier<T> task) {
    return work.supply(caller(request), task);
  }

  /** The caller as the limits know it; empty for one without limits. */
  public Optional<String> limited(Request request) {
    return caller(request);
  }

  /** Remembers that a caller gave too many wrong passwords. */
  public void heldForPasswords(Request request, Refusal refusal) {
    caller(request)
        .ifPresent(
            caller -> {
              var unused = limiter.held(caller, Limiter.Kind.PASSWORDS, refusal);
            });
  }

  /** A feed that would be followed because of a request, if it comes to that. */
  public Supplier<Optional<Refusal>> following(Request request, String topic) {
    return () -> caller(request).flatMap(caller -> newFeeds(caller, List.of(topic)));
  }

  private Optional<Refusal> newFeeds(String caller, List<String> topics) {
    return topics.stream()
        .filter(this::isOnePartTooMany)
        .findFirst()
        .map(topic -> new Refusal(TOO_MANY_PARTS.formatted(TopicUrl.document(topic)), PARTS_PAUSE))
        .or(() -> limiter.feeds(caller, topics));
  }

  private boolean isOnePartTooMany(String topic) {
    return TopicUrl.selection(topic).isPresent()
        && store.feeds().ofDocument(TopicUrl.document(topic), SelectedParts.MAX + 1).stream()
                .filter(feed -> TopicUrl.selection(feed.topic()).isPresent())
                .count()
            >= SelectedParts.MAX;
  }

  /**
   * The caller's address, if a limit holds for it. A request that another site has an operator's
   * browser send is not the operator's.
   */
  private Optional<String> caller(Request request) {
    boolean ofOtherSite = OtherSite.caused(request);
    if (!ofOtherSite && access.isOperator(request)) {
      return Optional.empty();
    }
    String text = callers.address(request);
    Optional<InetAddress> address = Networks.address(text);
    if (address.filter(exempt::contains).isPresent()) {
      return Optional.empty();
    }
    if (!ofOtherSite && !proxied && address.filter(InetAddress::isLoopbackAddress).isPresent()) {
      warnOfProxy();
    }
    return Optional.of(callers.key(request));
  }

  /** The key by which callers are told apart, callers without limits included. */
  public String key(Request request) {
    return callers.key(request);
  }

  private void warnOfProxy() {
    if (warned.compareAndSet(false, true)) {
      log.atWarn()
          .log(
              "Requests of other clients come from this machine: name the proxy in"
                  + " --trust-proxy, or the limits take all clients for one caller");
    }
  }

  /** When to come again. */
  public static Response withWait(Response response, Refusal refusal) {
    return response.withHeader("Retry-After", Long.toString(refusal.seconds()));
  }

  /** The refusal as plain text, for handlers other than the API's. */
  public static Response text(Refusal refusal) {
    return withWait(Response.text(TOO_MANY, refusal.reason() + "\n"), refusal);
  }
}
