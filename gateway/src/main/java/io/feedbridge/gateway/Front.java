package io.feedbridge.gateway;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.explain.Explainer;
import io.feedbridge.gateway.guard.CallerWork;
import io.feedbridge.gateway.guard.Limiter;
import io.feedbridge.gateway.guard.PasswordTries;
import io.feedbridge.gateway.guard.RefusedCallers;
import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.log.LogFollowers;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.publish.BridgedFeeds;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.LocalCalls;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.BridgedFeedHandler;
import io.feedbridge.gateway.web.LivePaths;
import io.feedbridge.gateway.web.OpmlHandler;
import io.feedbridge.gateway.web.ProtocolPaths;
import io.feedbridge.gateway.web.api.Api;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.console.Console;
import io.feedbridge.gateway.web.console.kit.Assets;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Gate;
import io.feedbridge.gateway.web.console.kit.Templates;
import io.feedbridge.gateway.web.console.pages.AccessPages;
import io.feedbridge.gateway.web.console.pages.BridgedPages;
import io.feedbridge.gateway.web.console.pages.LivePages;
import io.feedbridge.gateway.web.console.pages.PublishPages;
import io.feedbridge.gateway.web.console.pages.SignInPages;
import io.feedbridge.gateway.web.console.pages.StartPage;
import io.feedbridge.gateway.web.hub.HubCalls;
import io.feedbridge.gateway.web.hub.HubPaths;
import io.feedbridge.gateway.web.stream.ActivityStream;
import io.feedbridge.gateway.web.stream.EventStream;
import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** HTTP in: the paths for each kind of caller, and the server that serves them. */
final class Front {

  private final Settings settings;
  private final Machines machines;
  private final Stages stages;
  private final Lifecycle lifecycle;

  private final BridgedFeeds bridgedFeeds;
  private final LogFollowers streamFollowers;
  private final EventStream stream;
  private final ActivityStream activityStream;
  private final RefusedCallers refused;
  private final Admission admission;

  /** Wires it; {@link #start} starts it. */
  Front(Settings settings, Machines machines, Stages stages, Lifecycle lifecycle) {
    this.settings = settings;
    this.machines = machines;
    this.stages = stages;
    this.lifecycle = lifecycle;
    Pools pools = machines.pools;
    bridgedFeeds =
        new BridgedFeeds(
            machines.store,
            settings.publicUrl(),
            settings.serving().bridge(),
            pools.bridges,
            pools.longBridges,
            machines.timer);
    streamFollowers =
        new LogFollowers(machines.store, pools.streams, machines.timer, machines.random);
    stream = new EventStream(streamFollowers, pools.streams, machines.timer);
    activityStream = new ActivityStream(stages.activity, pools.streams, machines.timer);
    watchStream();
    refused =
        new RefusedCallers(
            kind -> machines.meters.refused(kind.name().toLowerCase(Locale.ROOT)), machines.clock);
    admission = admission();
  }

  private void watchStream() {
    Meters meters = machines.meters;
    meters.gauge(
        "feedbridge.stream.readers", "Readers of the live stream", stream.readers()::count);
    meters.gauge(
        "feedbridge.stream.unread.bytes",
        "Bytes of events that readers of the live stream have not taken yet",
        streamFollowers::unreadBytes);
    meters.total(
        "feedbridge.stream.readers.let.go",
        "Readers of the live stream that were disconnected because other readers waited for room",
        streamFollowers::readersLetGo);
  }

  /**
   * Begins to serve.
   *
   * @param beforeListening runs when all else has started
   * @return the routes that are served
   * @throws IOException if it cannot listen
   */
  Router start(Runnable beforeListening) throws IOException {
    lifecycle.start(bridgedFeeds::start, bridgedFeeds::close);
    lifecycle.start(streamFollowers::start, streamFollowers::close);
    lifecycle.start(stream.readers()::start, stream.readers()::close);
    lifecycle.start(activityStream.readers()::start, activityStream.readers()::close);
    Router router = routes();
    beforeListening.run();
    serve(router);
    return router;
  }

  private Router routes() {
    URI url = settings.publicUrl();
    Pools pools = machines.pools;
    Store store = machines.store;
    CallerThreads reads = admission.threads(CallerThreads.AT_ONCE, pools.reads);
    Router.Builder routes =
        ProtocolPaths.routes(
            stages.registrar,
            stages.intake,
            stages.pingOutcomes,
            stages.callbacks,
            stages.checks,
            store,
            stages.testFeed,
            stages.savedFeeds,
            settings,
            machines.clock,
            machines.telemetry.registry(),
            admission,
            admission.threads(CallerThreads.AT_ONCE, pools.intake),
            pools.pages);
    AdminAccess access = new AdminAccess(settings.adminToken(), url);
    routes = api(access::refusal).addTo(routes);
    routes =
        new LivePaths(stages.activity, activityStream, stream, store, settings, reads)
            .addTo(routes);
    routes =
        new BridgedFeedHandler(
                bridgedFeeds,
                url,
                admission,
                new BridgedPages(new Templates(new Assets()), machines.clock, url),
                machines.clock)
            .addTo(routes);
    routes = new OpmlHandler(machines.client, url, admission).addTo(routes);
    routes = console(access).addTo(routes, new PublishPages(stages.checks, admission, url));
    HubCalls calls =
        HubCalls.of(
            stages.requests,
            admission,
            store,
            stages.tokens,
            stages.fanout,
            new HubCalls.Reading(stream, stages.search),
            settings,
            reads);
    return new HubPaths(stages.requests, admission, stages.intake, calls, reads)
        .addTo(routes)
        .build();
  }

  private Admission admission() {
    Limiter limiter =
        new Limiter(settings.guarding().limits(), machines.unasked, refused, machines.clock);
    stages.outcomes.onConfirmed(limiter::confirmed);
    stages.registrar.onConfirmed(limiter::confirmed);
    return new Admission(
        settings,
        limiter,
        machines.policies,
        machines.store,
        new CallerWork(machines.pools.intake, machines.clock),
        machines.pools.intake);
  }

  private Api api(Function<Request, Optional<Response>> refusal) {
    FirstLook firstLook =
        new FirstLook(stages.fetcher, stages.ingest.origins(), stages.schedule, machines.clock);
    return new Api(
        new Api.Operated(
            machines.store,
            stages.intake,
            stages.fanout,
            stages.endpoints,
            machines.attempts,
            new Explainer(firstLook, Optional.of(machines.store), machines.clock),
            refused,
            stages.search,
            machines.curves),
        refusal,
        settings.publicUrl(),
        machines.policies,
        machines.random,
        machines.clock,
        admission.threads(CallerThreads.AT_ONCE, machines.pools.api),
        admission.threads(Pools.EXPLAINED_OF_ONE, machines.pools.explain));
  }

  /** The console calls an API of its own, for which each caller is the operator. */
  private Console console(AdminAccess access) {
    Router api = api(request -> Optional.empty()).addTo(Router.builder()).build();
    Gate gate =
        new Gate(
            access,
            settings.adminToken().isPresent(),
            settings.publicUrl(),
            new PasswordTries(settings.guarding().limits().passwords(), machines.clock),
            machines.random,
            machines.clock);
    return new Console(
        gate,
        new Calls(new LocalCalls(api)),
        new StartPage(settings.publicUrl(), this::storeProblem),
        new SignInPages(gate, admission::key),
        new LivePages(stages.activity, activityStream, admission::key),
        new AccessPages(Version.current()),
        machines.clock,
        admission.threads(Console.PAGES_OF_ONE, machines.pools.console));
  }

  private String storeProblem() {
    return machines.store.health() instanceof StoreHealth.Refusing refusing
        ? refusing.reason()
        : "";
  }

  private void serve(Router router) throws IOException {
    HttpServer server =
        new Listener(settings, machines.clock, machines.timer, lifecycle)
            .serve(router, machines.telemetry.serverObserver(), machines.loops);
    machines.meters.gauge(
        "feedbridge.server.requests.bytes",
        "Bytes of inbound requests that are being read or answered",
        server::requestBytes);
    machines.meters.gauge(
        "feedbridge.server.responses.bytes",
        "Bytes of responses that clients have not taken yet",
        server::responseBytes);
  }
}
