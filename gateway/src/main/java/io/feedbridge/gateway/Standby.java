package io.feedbridge.gateway;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Json;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server of a node that waits for the store. {@code /health} says that the node is well. {@code
 * /ready}, which load balancers ask, and every other path are answered 503, so that callers try
 * again.
 */
final class Standby implements AutoCloseable {

  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;
  private static final String JSON = "application/json";

  /**
   * The time of a planned handover: an owner stops within 10 s, the standby looks each second, and
   * its gateway starts within seconds.
   */
  private static final String RETRY_AFTER_SECONDS = "15";

  private static final int LOOPS = 1;

  private final Lifecycle lifecycle = new Lifecycle();

  /**
   * The state of a standby.
   *
   * @param reason why it waits
   * @param active the name of the node that owns the store, if that is known
   */
  record Waiting(String reason, Optional<String> active) {

    /** A standby that waits for the end of the owner. */
    static Waiting on(Optional<String> owner) {
      return new Waiting(
          owner
              .map(name -> "the node " + name + " owns the store; this node takes over if it ends")
              .orElse("no node owns the store yet"),
          owner);
    }

    /** A standby that could not take over. */
    static Waiting because(String reason) {
      return new Waiting(reason, Optional.empty());
    }
  }

  /**
   * The health of a standby.
   *
   * @param status always {@code standby}
   * @param reason why it waits
   * @param since when it began to wait
   * @param node its name
   * @param active the name of the node that owns the store; absent where that is not known
   */
  private record Health(
      String status, String reason, Instant since, String node, @Nullable String active) {}

  private Standby() {}

  /**
   * Serves until it is closed.
   *
   * @param state of now; must not block
   * @throws IOException if it cannot listen, with a message for the operator
   */
  static Standby start(Settings settings, Clock clock, Supplier<Waiting> state) throws IOException {
    Standby standby = new Standby();
    Instant since = clock.instant();
    String node = settings.storage().node();
    SystemTimer timer = new SystemTimer(clock);
    standby.lifecycle.onStop(timer::close);
    Router router =
        Router.builder()
            .route(
                "GET",
                "/health",
                request -> CompletableFuture.completedFuture(health(OK, since, node, state.get())))
            .route(
                "GET",
                "/ready",
                request ->
                    CompletableFuture.completedFuture(
                        health(UNAVAILABLE, since, node, state.get())
                            .withHeader("Retry-After", RETRY_AFTER_SECONDS)))
            .elsewhere(
                Response.text(UNAVAILABLE, "this node is a standby: the active node takes requests")
                    .withHeader("Retry-After", RETRY_AFTER_SECONDS))
            .build();
    boolean listens = false;
    try {
      new Listener(settings, new SteadyClock(clock), timer, standby.lifecycle)
          .serve(router, ServerObserver.NONE, LOOPS);
      listens = true;
      return standby;
    } finally {
      if (!listens) {
        standby.close();
      }
    }
  }

  private static Response health(int status, Instant since, String node, Waiting waiting) {
    Health health =
        new Health("standby", waiting.reason(), since, node, waiting.active().orElse(null));
    return Response.of(status, JSON, Json.bytes(health));
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
