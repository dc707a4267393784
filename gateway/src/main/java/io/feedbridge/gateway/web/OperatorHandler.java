package io.feedbridge.gateway.web;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@code /health} and {@code /ready}, which are open to every caller, and {@code /metrics}, which
 * is for operators.
 */
public final class OperatorHandler {

  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;
  private static final String RETRY_AFTER_SECONDS = "5";
  private static final String UP = "up";
  private static final String DOWN = "down";
  private static final String BEHIND = "behind";
  private static final String JSON = "application/json";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final Store store;
  private final PrometheusMeterRegistry registry;
  private final AdminAccess access;
  private final boolean publicMetrics;
  private final CallerThreads blocking;

  /**
   * The paths of a gateway.
   *
   * @param publicMetrics whether every caller may read the meters
   */
  public OperatorHandler(
      Store store,
      PrometheusMeterRegistry registry,
      AdminAccess access,
      boolean publicMetrics,
      CallerThreads blocking) {
    this.store = store;
    this.access = access;
    this.publicMetrics = publicMetrics;
    this.registry = registry;
    this.blocking = blocking;
  }

  /**
   * The health as an operator sees it.
   *
   * @param status {@code up} or {@code down}
   * @param reason why it is down
   * @param since when that began, if it is known
   * @param kafka whether the topic in Kafka takes events, {@code up} or {@code behind}; absent
   *     without a topic. The gateway is up without its topic
   */
  private record Health(
      String status, @Nullable String reason, @Nullable Instant since, @Nullable String kafka) {}

  private Health health(String status, @Nullable String reason, @Nullable Instant since) {
    Gauge topic = registry.find("feedbridge.kafka.up").gauge();
    return new Health(
        status, reason, since, topic == null ? null : topic.value() > 0 ? UP : BEHIND);
  }

  /** Whether the gateway can do its work: read the store, and write it. */
  CompletionStage<Response> health(Request request) {
    return blocking.supply(
        request,
        () -> {
          if (store.health() instanceof StoreHealth.Refusing refusing) {
            return json(UNAVAILABLE, health(DOWN, refusing.reason(), refusing.since()));
          }
          try {
            store.feeds().nextDue();
            return json(OK, health(UP, null, null));
          } catch (StoreException e) {
            // Now it may be known why.
            return store.health() instanceof StoreHealth.Refusing refusing
                ? json(UNAVAILABLE, health(DOWN, refusing.reason(), refusing.since()))
                : json(UNAVAILABLE, health(DOWN, "the store cannot be read", null));
          }
        });
  }

  /** Whether the gateway takes requests, as a load balancer asks. */
  CompletionStage<Response> ready(Request request) {
    return health(request)
        .thenApply(
            answer ->
                answer.status() == OK
                    ? answer
                    : answer.withHeader("Retry-After", RETRY_AFTER_SECONDS));
  }

  /** All meters in Prometheus' text format. */
  CompletionStage<Response> metrics(Request request) {
    Optional<Response> refusal = publicMetrics ? Optional.empty() : access.refusal(request);
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(refusal.get());
    }
    return blocking.supply(
        request,
        () -> Response.of(OK, PROMETHEUS, registry.scrape().getBytes(StandardCharsets.UTF_8)));
  }

  private static Response json(int status, Health health) {
    return Response.of(status, JSON, Json.bytes(health));
  }
}
