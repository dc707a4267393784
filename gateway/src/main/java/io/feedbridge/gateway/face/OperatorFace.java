package io.feedbridge.gateway.face;

import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.StoreException;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** What operators ask: {@code /health} and {@code /metrics}. */
final class OperatorFace {

  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;
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

  /** Whether the gateway can do its work. */
  CompletionStage<Response> health(Request request) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            store.feeds().nextDue();
            return json(OK, "{\"status\":\"up\"}");
          } catch (StoreException e) {
            return json(
                UNAVAILABLE, "{\"status\":\"down\",\"reason\":\"the store cannot be read\"}");
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

  private static Response json(int status, String body) {
    return Response.of(status, JSON, body.getBytes(StandardCharsets.UTF_8));
  }
}
