package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.explain.Explainer;
import io.feedbridge.gateway.guard.PasswordTries;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.runtime.Version;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.LocalCalls;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.BridgedFeedHandler;
import io.feedbridge.gateway.web.OperatorHandler;
import io.feedbridge.gateway.web.OpmlHandler;
import io.feedbridge.gateway.web.ProtocolPaths;
import io.feedbridge.gateway.web.StreamPath;
import io.feedbridge.gateway.web.api.Api;
import io.feedbridge.gateway.web.api.ApiReads;
import io.feedbridge.gateway.web.cloud.ChangesHandler;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.Callers;
import io.feedbridge.gateway.web.console.Console;
import io.feedbridge.gateway.web.console.LogHandler;
import io.feedbridge.gateway.web.console.kit.Assets;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Gate;
import io.feedbridge.gateway.web.console.kit.Templates;
import io.feedbridge.gateway.web.console.pages.AccessPages;
import io.feedbridge.gateway.web.console.pages.BridgedPages;
import io.feedbridge.gateway.web.console.pages.LivePages;
import io.feedbridge.gateway.web.console.pages.PublishPages;
import io.feedbridge.gateway.web.console.pages.SearchPages;
import io.feedbridge.gateway.web.console.pages.SignInPages;
import io.feedbridge.gateway.web.console.pages.StartPage;
import io.feedbridge.gateway.web.hub.HubCalls;
import io.feedbridge.gateway.web.hub.HubPaths;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;

/** HTTP in: the paths for each kind of caller, and the server that serves them. */
final class WebPart {

  /** These threads read the store for subscribers and for clients of the stream. */
  private static final int READ_THREADS = CallerThreads.AT_ONCE + 1;

  /** These threads make the documents of recent pings, which are the same for all callers. */
  private static final int PAGE_THREADS = CallerThreads.AT_ONCE + 1;

  /** These threads wait for origins, which may take 30 s each; one host holds half of them. */
  private static final int EXPLAIN_THREADS = 8;

  /** Feeds of one caller that are explained at once. */
  private static final int EXPLAINED_OF_ONE = 6;

  private static final int EXPLAIN_QUEUE = 16;

  private final Settings settings;
  private final Machines machines;
  private final ThreadPoolExecutor reads;
  private final ThreadPoolExecutor pages;
  private final ThreadPoolExecutor apiThreads;
  private final ThreadPoolExecutor explain;
  private final ThreadPoolExecutor consoleThreads;

  private final ServingPart serving;
  private final Optional<OwnerParts> owner;

  /**
   * Wires it.
   *
   * @param owner absent at a node that does not own the store
   */
  WebPart(Settings settings, Machines machines, ServingPart serving, Optional<OwnerParts> owner) {
    this.settings = settings;
    this.machines = machines;
    this.serving = serving;
    this.owner = owner;
    reads = machines.pool("reads", READ_THREADS, Machines.QUEUE);
    pages = machines.pool("pages", PAGE_THREADS, Machines.QUEUE);
    apiThreads = machines.pool("api", Api.THREADS, Machines.QUEUE);
    explain = machines.pool("explain", EXPLAIN_THREADS, EXPLAIN_QUEUE);
    consoleThreads = machines.pool("console", Console.THREADS, Console.QUEUE);
  }

  /**
   * The routes.
   *
   * @param routes that they are added to
   */
  Router.Builder addTo(Router.Builder routes) {
    URI url = settings.publicUrl();
    Store store = machines.store;
    Admission admission = serving.admission;
    AdminAccess access = new AdminAccess(settings.adminToken(), url);
    CallerThreads readers = admission.threads(CallerThreads.AT_ONCE, reads);
    protocols(access).addTo(routes);
    new StreamPath(serving.stream, store, settings, readers).addTo(routes);
    new BridgedFeedHandler(
            serving.bridgedFeeds,
            url,
            admission,
            new BridgedPages(new Templates(new Assets()), machines.clock, url),
            machines.clock)
        .addTo(routes);
    HubCalls calls =
        HubCalls.of(
            serving.requests,
            admission,
            store,
            serving.tokens,
            serving.stream,
            owner.map(owning -> new HubCalls.Owned(owning.delivery.fanout, owning.search.search)),
            settings,
            readers);
    new HubPaths(serving.requests, admission, serving.intake, calls, readers).addTo(routes);
    if (owner.isPresent()) {
      addOwned(owner.get(), access, routes);
    } else {
      reads(access::refusal).addTo(routes);
    }
    return routes;
  }

  private ProtocolPaths protocols(AdminAccess access) {
    CallerThreads blocking =
        serving.admission.threads(CallerThreads.AT_ONCE, serving.intakeThreads);
    return new ProtocolPaths(
        owner.map(
            owning ->
                new ProtocolPaths.Owned(
                    owning.subscribers.registrar,
                    owning.upstream.callbacks,
                    owning.upstream.checks,
                    owning.ownFeeds.testFeed,
                    owning.ownFeeds.savedFeeds,
                    owning.ownFeeds.listDocuments)),
        serving.intake,
        serving.pingOutcomes,
        new ChangesHandler(
            machines.store.pings(),
            machines.clock,
            pages,
            serving.admission.threads(CallerThreads.AT_ONCE, pages)),
        new OperatorHandler(
            machines.store,
            machines.metersPart.registry(),
            access,
            settings.serving().publicMetrics(),
            blocking),
        new Callers(Networks.of(settings.serving().trustedProxies())),
        serving.admission,
        blocking);
  }

  private void addOwned(OwnerParts owning, AdminAccess access, Router.Builder routes) {
    api(owning, access::refusal).addTo(routes);
    new LogHandler(
            serving.activity,
            serving.activityStream,
            access,
            new Callers(Networks.of(settings.serving().trustedProxies())),
            machines.store.privateFeeds()::contains,
            settings.serving().publicLog())
        .addTo(routes);
    new OpmlHandler(machines.owned().client(), settings.publicUrl(), serving.admission)
        .addTo(routes);
    console(owning, access)
        .addTo(
            routes,
            new PublishPages(owning.upstream.checks, serving.admission, settings.publicUrl()));
  }

  private ApiReads reads(Function<Request, Optional<Response>> refusal) {
    return new ApiReads(
        machines.store,
        serving.intake,
        refusal,
        new ApiReads.About(Version.current(), settings.publicUrl(), settings.data()),
        machines.policies,
        machines.random,
        machines.clock,
        serving.admission.threads(CallerThreads.AT_ONCE, apiThreads));
  }

  private Api api(OwnerParts owning, Function<Request, Optional<Response>> refusal) {
    return new Api(
        new Api.Operated(
            machines.store,
            owning.ingest.ingest,
            owning.delivery.fanout,
            owning.delivery.endpoints,
            machines.owned().attempts(),
            new Explainer(owning.ingest.firstLook(), Optional.of(machines.store), machines.clock),
            serving.refused,
            owning.search.search,
            owning.delivery.relayed,
            machines.owned().curves(),
            owning.ownFeeds.listDocuments),
        reads(refusal),
        settings.publicUrl(),
        machines.policies,
        machines.random,
        machines.clock,
        serving.admission.threads(EXPLAINED_OF_ONE, explain));
  }

  /** The console calls an API of its own, for which each caller is the operator. */
  private Console console(OwnerParts owning, AdminAccess access) {
    Router api = api(owning, request -> Optional.empty()).addTo(Router.builder()).build();
    Gate gate =
        new Gate(
            access,
            settings.adminToken().isPresent(),
            settings.publicUrl(),
            new PasswordTries(settings.guarding().limits().passwords(), machines.clock),
            machines.random,
            machines.clock);
    Assets assets = new Assets();
    Desk desk =
        new Desk(
            gate,
            new Calls(new LocalCalls(api)),
            new Templates(assets),
            machines.clock,
            serving.admission.threads(Console.PAGES_OF_ONE, consoleThreads));
    return new Console(
        assets,
        desk,
        new StartPage(settings.publicUrl(), this::storeProblem),
        new SearchPages(settings.publicUrl()),
        new SignInPages(gate, serving.admission::key),
        new LivePages(
            serving.activity,
            serving.activityStream,
            serving.admission::key,
            machines.store.privateFeeds()::contains,
            settings.serving().publicLog()),
        new AccessPages(Version.current()));
  }

  private String storeProblem() {
    return machines.store.health() instanceof StoreHealth.Refusing refusing
        ? refusing.reason()
        : "";
  }

  /**
   * Begins to serve.
   *
   * @param router of these routes
   * @param forwards requests that other nodes pass on; empty for none
   * @throws IOException if it cannot listen
   */
  void serve(Router router, Optional<ServerConfig.Forwards> forwards, Lifecycle lifecycle)
      throws IOException {
    HttpServer server =
        new Listener(settings, machines.clock, machines.timer, lifecycle)
            .serve(() -> router, machines.metersPart.serverObserver(), machines.loops, forwards);
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
