package io.feedbridge.gateway.face;

import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What operators ask: {@code /health} and {@code /metrics}. */
final class OperatorFace {

  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;
  private static final String UP = "up";
  private static final String DOWN = "down";
  private static final String JSON = "application/json";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final Store store;
  private final PrometheusMeterRegistry registry;
  private final Executor blocking;

  OperatorFace(Store store, PrometheusMeterRegistry registry, Executor blocking) {
    this.store = store;
    this.registry = registry;
    this.blocking = blocking;
  }

  /**
   * What an operator is told.
   *
   * @param status {@code up} or {@code down}
   * @param reason why it is down
   * @param since when that began, if it is known
   */
  private record Health(String status, @Nullable String reason, @Nullable Instant since) {}

  /** Whether the gateway can do its work: read the store, and write it. */
  CompletionStage<Response> health(Request request) {
    return CompletableFuture.supplyAsync(
        () -> {
          if (store.health() instanceof StoreHealth.Refusing refusing) {
            return json(UNAVAILABLE, new Health(DOWN, refusing.reason(), refusing.since()));
          }
          try {
            store.feeds().nextDue();
            return json(OK, new Health(UP, null, null));
          } catch (StoreException e) {
            // Now it may be known why.
            return store.health() instanceof StoreHealth.Refusing refusing
                ? json(UNAVAILABLE, new Health(DOWN, refusing.reason(), refusing.since()))
                : json(UNAVAILABLE, new Health(DOWN, "the store cannot be read", null));
          }
        },
        blocking);
  }

  /** All meters in Prometheus' text format. */
  CompletionStage<Response> metrics(Request request) {
    return CompletableFuture.supplyAsync(
        () -> Response.of(OK, PROMETHEUS, registry.scrape().getBytes(StandardCharsets.UTF_8)),
        blocking);
  }

  private static Response json(int status, Health health) {
    return Response.of(status, JSON, Json.bytes(health));
  }
}
