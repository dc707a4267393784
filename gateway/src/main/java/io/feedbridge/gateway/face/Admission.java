package io.feedbridge.gateway.face;

import io.feedbridge.gateway.client.Networks;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.Limiter;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.rsscloud.WeblogPing;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is admitted of what callers ask for. What the operator's policies refuse is refused to
 * everybody; limits hold for all but operators (who show the admin token, or are on this machine as
 * {@link AdminAccess} has it) and the networks that are exempt. Thread-safe.
 */
public final class Admission {

  static final int TOO_MANY = 429;

  /** Whoever has one IPv6 address has all that begin like it. */
  private static final int IPV6_SUBSCRIBER_BYTES = 8;

  private static final Logger log = LoggerFactory.getLogger(Admission.class);

  private final Limiter limiter;
  private final Policies policies;
  private final Callers callers;
  private final AdminAccess access;
  private final Networks exempt;
  private final boolean proxied;
  private final Feeds feeds;
  private final Executor blocking;
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * An admission.
   *
   * @param blocking where the store is read
   */
  public Admission(
      Settings settings, Limiter limiter, Policies policies, Feeds feeds, Executor blocking) {
    this.limiter = limiter;
    this.policies = policies;
    callers = new Callers(Networks.of(settings.serving().trustedProxies()));
    access = new AdminAccess(settings.adminToken(), settings.publicUrl());
    exempt = Networks.of(settings.guarding().limits().exempt());
    proxied = !settings.serving().trustedProxies().isEmpty();
    this.feeds = feeds;
    this.blocking = blocking;
  }

  Policies policies() {
    return policies;
  }

  /** Pings for some topics. */
  Optional<Refusal> pings(Request request, List<String> topics) {
    return caller(request).flatMap(caller -> limiter.pings(caller, topics));
  }

  /** A ping for a site, which several URLs may name. */
  Optional<Refusal> ping(Request request, WeblogPing site) {
    return pings(request, site.candidates().stream().limit(1).toList());
  }

  /** Requests of a callback for subscriptions to some topics, or for their end. */
  CompletableFuture<Optional<Refusal>> subscriptions(
      Request request, List<String> topics, String callback) {
    Optional<String> caller = caller(request);
    if (caller.isEmpty()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    Optional<Refusal> refusal = limiter.subscriptions(caller.get(), callback, topics.size());
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(refusal);
    }
    return CompletableFuture.supplyAsync(
        () -> limiter.feeds(caller.get(), (int) topics.stream().filter(this::isNew).count()),
        blocking);
  }

  private boolean isNew(String url) {
    try {
      return feeds.byTopic(TopicUrl.normalize(url)).filter(FollowedFeed::followed).isEmpty();
    } catch (BadHubRequestException e) {
      // It will be refused for that.
      return false;
    }
  }

  /** A feed that would be followed because of a request, if it comes to that. */
  Supplier<Optional<Refusal>> following(Request request) {
    return () -> caller(request).flatMap(caller -> limiter.feeds(caller, 1));
  }

  /** Who asks, if a limit holds for him. */
  private Optional<String> caller(Request request) {
    if (access.isOperator(request)) {
      return Optional.empty();
    }
    String text = callers.address(request);
    Optional<InetAddress> address = Networks.address(text);
    if (address.filter(exempt::contains).isPresent()) {
      return Optional.empty();
    }
    if (!proxied && address.filter(InetAddress::isLoopbackAddress).isPresent()) {
      warnOfProxy();
    }
    return Optional.of(address.map(Admission::key).orElse(text));
  }

  private void warnOfProxy() {
    if (warned.compareAndSet(false, true)) {
      log.atWarn()
          .log(
              "Requests of others come from this machine: name the proxy in --trust-proxy, or all"
                  + " of them are one caller to the limits");
    }
  }

  private static String key(InetAddress address) {
    return address instanceof Inet6Address
        ? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), IPV6_SUBSCRIBER_BYTES))
        : address.getHostAddress();
  }

  /** When to come again. */
  static Response withWait(Response response, Refusal refusal) {
    return response.withHeader("Retry-After", Long.toString(refusal.seconds()));
  }

  /** For people. */
  static Response text(Refusal refusal) {
    return withWait(Response.text(TOO_MANY, refusal.reason() + "\n"), refusal);
  }
}
