package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.cluster.Forwarder;
import io.feedbridge.gateway.cluster.NamedLimits;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.NotOwnerException;
import io.feedbridge.gateway.store.postgres.PostgresNode;
import io.feedbridge.gateway.web.common.GuardedHandler;
import io.feedbridge.normalizer.Limits;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server of a node that does not own the store. {@code /health} says that the node is well,
 * {@code /ready} whether the node takes requests. While the store has the schema of this version,
 * the node takes pings and signed contents itself, and answers reads from the store. All other
 * requests are passed to the owner.
 */
public final class Standby implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Standby.class);

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int UNAVAILABLE = 503;
  private static final String JSON = "application/json";

  /** Bytes of a body that is passed on: as long as the longest that any route takes. */
  private static final int MAX_BODY = Limits.MAX_BYTES;

  private final Settings settings;
  private final Clock clock;
  private final Supplier<Waiting> state;
  private final Forwarder forwarder;
  private final Instant since;
  private final Lifecycle lifecycle = new Lifecycle();
  private final Router bare;

  /** Set before any other thread knows of this. */
  private @Nullable HttpServer server;

  private volatile Router router;
  private volatile ServerObserver observer = ServerObserver.NONE;

  /** Guarded by this. */
  private Optional<Lifecycle> serving = Optional.empty();

  private boolean closed;

  /**
   * The state of a standby.
   *
   * @param reason why it waits
   * @param active the name of the node that owns the store, if that is known
   */
  public record Waiting(String reason, Optional<String> active) {

    /** A standby that waits for the end of the owner. */
    public static Waiting on(Optional<String> owner) {
      return new Waiting(
          owner
              .map(name -> "the node " + name + " owns the store; this node takes over if it ends")
              .orElse("no node owns the store yet"),
          owner);
    }

    /** A standby that passes no requests on. */
    public Waiting without(String key) {
      return new Waiting(reason + "; requests are not passed to it: " + key, active);
    }

    /** A standby that could not take over. */
    public static Waiting because(String reason) {
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
   * @param serving whether it takes pings and answers reads by itself
   */
  private record Health(
      String status,
      String reason,
      Instant since,
      String node,
      @Nullable String active,
      boolean serving) {}

  private Standby(Settings settings, Clock clock, Supplier<Waiting> state, Forwarder forwarder) {
    this.settings = settings;
    this.clock = clock;
    this.state = state;
    this.forwarder = forwarder;
    since = clock.instant();
    bare =
        completed(
            Router.builder()
                .route(
                    "GET",
                    "/metrics",
                    request -> done(refused("this node has no connection to the store yet"))));
    router = bare;
  }

  /**
   * Listens until it is closed.
   *
   * @param state of now; must not block
   * @param forwarder passes requests to the owner
   * @throws IOException if it cannot listen, with a message for the operator
   */
  public static Standby start(
      Settings settings, Clock clock, Supplier<Waiting> state, Forwarder forwarder)
      throws IOException {
    Standby standby = new Standby(settings, clock, state, forwarder);
    boolean listens = false;
    try {
      standby.listen();
      listens = true;
      return standby;
    } finally {
      if (!listens) {
        standby.close();
      }
    }
  }

  private void listen() throws IOException {
    SystemTimer timer = new SystemTimer(clock);
    lifecycle.onStop(timer::close);
    server =
        new Listener(settings, new SteadyClock(clock), timer, lifecycle)
            .serve(
                () -> router,
                new Observing(() -> observer),
                Runtime.getRuntime().availableProcessors(),
                Optional.empty());
  }

  /**
   * Listens no more, so that the gateway of the node can. Requests that came before are answered
   * until this is closed.
   */
  public void leaveTheAddress() {
    if (server != null) {
      server.stopIntake();
    }
  }

  /** Tells another observer, which is not known yet. */
  private record Observing(Supplier<ServerObserver> of) implements ServerObserver {
    @Override
    public void requestFinished(String route, String method, int status, Duration took) {
      of.get().requestFinished(route, method, status, took);
    }

    @Override
    public void connections(int open) {
      of.get().connections(open);
    }

    @Override
    public void connectionClosed(Crowding why) {
      of.get().connectionClosed(why);
    }
  }

  private Router completed(Router.Builder routes) {
    return routes
        .route("GET", "/health", request -> done(health(OK)))
        .route(
            "GET",
            "/ready",
            request ->
                done(
                    forwarder.knowsOwner() || isServing()
                        ? health(OK)
                        : health(UNAVAILABLE).withHeader("Retry-After", Forwarder.RETRY_AFTER)))
        .elsewhere(RouteOptions.anyBody(MAX_BODY), forwarder)
        .build();
  }

  private boolean isServing() {
    return router != bare;
  }

  private Response health(int status) {
    Waiting waiting = state.get();
    Health health =
        new Health(
            "standby",
            waiting.reason(),
            since,
            settings.storage().node(),
            waiting.active().orElse(null),
            isServing());
    return Response.of(status, JSON, Json.bytes(health));
  }

  private static Response refused(String why) {
    return Response.text(UNAVAILABLE, why).withHeader("Retry-After", Forwarder.RETRY_AFTER);
  }

  private static CompletableFuture<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }

  /**
   * Begins to serve from the store, if that has not begun. Does not wait for it: the caller keeps
   * the node's lease.
   *
   * @param node of which the store has the schema of this version
   */
  public synchronized void serve(PostgresNode node) {
    if (serving.isEmpty() && !closed) {
      Lifecycle parts = new Lifecycle();
      serving = Optional.of(parts);
      new Thread(() -> open(node, parts), "standby-serve").start();
    }
  }

  private void open(PostgresNode node, Lifecycle parts) {
    try {
      NamedLimits named = new NamedLimits(settings.storage().node());
      Machines machines = Machines.serving(settings, new SteadyClock(clock), node, parts);
      ServingPart served = new ServingPart(settings, machines);
      served.start(parts);
      served.startPrivacy(parts);
      Router.Builder routes =
          Router.builder()
              .around(
                  here ->
                      named.apply(orByTheOwner(GuardedHandler.of(served.knowingPrivacy(here)))));
      Router all =
          completed(new WebPart(settings, machines, served, Optional.empty()).addTo(routes));
      synchronized (this) {
        if (serving.filter(now -> now == parts).isPresent()) {
          observer = machines.metersPart.serverObserver();
          router = all;
          return;
        }
      }
    } catch (RuntimeException e) {
      log.atWarn()
          .addKeyValue("reason", e.getMessage())
          .log("The node cannot serve from the store yet: it passes all requests to the owner");
      synchronized (this) {
        serving = serving.filter(now -> now != parts);
      }
    }
    parts.close();
  }

  /** Passes to the owner the requests that need it, and the ones that name an unknown thing. */
  private Handler orByTheOwner(Handler here) {
    return request ->
        here.handle(request)
            .handle(
                (answer, failure) -> {
                  boolean passed =
                      failure == null
                          ? answer.status() == NOT_FOUND
                          : NotOwnerException.isCauseOf(failure);
                  if (passed) {
                    return forwarder.handle(request);
                  }
                  return failure == null
                      ? done(answer)
                      : CompletableFuture.<Response>failedFuture(failure);
                })
            .thenCompose(Function.identity());
  }

  /** Stops to serve from the store: all requests are passed to the owner again. */
  public void stopServing() {
    Optional<Lifecycle> ended;
    synchronized (this) {
      ended = serving.filter(parts -> isServing());
      serving = Optional.empty();
      router = bare;
      observer = ServerObserver.NONE;
    }
    ended.ifPresent(Lifecycle::close);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    lifecycle.close();
    stopServing();
  }
}
