package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.delivery.Fanout;
import io.feedbridge.gateway.delivery.webhooks.Endpoints;
import io.feedbridge.gateway.explain.Explainer;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.RefusedCallers;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.metrics.Curves;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.publish.FilterPreview;
import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.CallerThreads;
import java.net.URI;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JSON API for operators, under {@value #BASE}. Every route asks whether the caller may act as
 * the operator ({@link AdminAccess}) and answers whatever goes wrong as a problem.
 */
public final class Api {

  static final String BASE = "/api/v1";

  /** Threads that its requests need; they block. */
  public static final int THREADS = CallerThreads.AT_ONCE + 1;

  private static final int BAD_REQUEST = 400;
  private static final int UNAVAILABLE = 503;
  private static final int FAILED = 500;
  private static final String RETRY_AFTER_SECONDS = "5";

  /** An object with a URL and a few words in it. */
  private static final RouteOptions JSON = RouteOptions.body(64 * 1024, "application/json");

  /** One that names very many feeds. */
  private static final RouteOptions WEBHOOK = RouteOptions.body(1 << 20, "application/json");

  private static final Logger log = LoggerFactory.getLogger(Api.class);

  private final Function<Request, Optional<Response>> refusal;
  private final SubscriptionsApi subscriptions;
  private final WebhooksApi webhooks;
  private final PreviewApi preview;
  private final ReplayApi replay;
  private final PublishersApi publishers;
  private final TokensApi tokens;
  private final UsersApi users;
  private final UpstreamsApi upstreams;
  private final ExplainApi explain;
  private final OpmlApi opml;
  private final FeedsApi feeds;
  private final HistoryApi history;
  private final EventsApi events;
  private final CallersApi callers;
  private final SearchApi search;
  private final ClusterApi cluster;
  private final StatsApi stats;
  private final CallerThreads blocking;
  private final CallerThreads explaining;

  /**
   * An API over the parts of a gateway.
   *
   * @param random for secrets: unguessable
   * @param refusal the answer to a request that may not act as the operator; empty for one that may
   * @param blocking where requests are worked on, apart from the threads of intake
   * @param explaining where feeds are fetched to be explained, which may take as long as an origin
   *     likes: apart from the threads of {@code blocking}
   */
  public Api(
      Operated gateway,
      Function<Request, Optional<Response>> refusal,
      URI publicUrl,
      Policies policies,
      RandomGenerator random,
      Clock clock,
      CallerThreads blocking,
      CallerThreads explaining) {
    this.refusal = refusal;
    Store store = gateway.store;
    Endpoints endpoints = gateway.endpoints;
    BridgedUrls bridges = new BridgedUrls(publicUrl);
    Gaps gaps = new Gaps(store);
    SubscribedWebhooks subscribed =
        new SubscribedWebhooks(store.webhooks(), endpoints, gaps, clock);
    subscriptions =
        new SubscriptionsApi(
            store, gateway.fanout, subscribed, gateway.attempts, gaps, bridges, clock);
    webhooks =
        new WebhooksApi(
            store.webhooks(), endpoints, gateway.attempts, gaps, bridges, policies, random, clock);
    preview = new PreviewApi(new FilterPreview(store), bridges, policies);
    replay = new ReplayApi(store.webhooks(), store.log(), endpoints);
    publishers = new PublishersApi(store.publishers(), random, clock);
    tokens = new TokensApi(store.tokens(), random, clock);
    users = new UsersApi(store.users());
    upstreams = new UpstreamsApi(store, clock);
    explain = new ExplainApi(gateway.explainer, bridges);
    opml = new OpmlApi(store.feeds(), bridges, policies, clock);
    feeds = new FeedsApi(store, gateway.intake, bridges, policies, clock, blocking);
    history = new HistoryApi(store);
    events = new EventsApi(store, new EventDeliveries(store, gateway.attempts), bridges);
    callers = new CallersApi(gateway.refused);
    search = new SearchApi(gateway.search, blocking);
    cluster = new ClusterApi(store.ownership());
    stats = new StatsApi(gateway.curves, store, clock);
    this.blocking = blocking;
    this.explaining = explaining;
  }

  /** The parts of a gateway that operators look at and change. */
  public record Operated(
      Store store,
      Intake intake,
      Fanout fanout,
      Endpoints endpoints,
      Attempts attempts,
      Explainer explainer,
      RefusedCallers refused,
      Search search,
      Curves curves) {}

  /** The operation of a route; it may block. */
  private interface Operation {
    Response run(Request request);
  }

  /** The operation of a route that may block at its beginning, and answers later. */
  private interface Beginning {
    CompletionStage<Response> begin(Request request);
  }

  /** Adds its routes. */
  public Router.Builder addTo(Router.Builder routes) {
    return routes
        .refusals("/api/", Answers::problem)
        .route("POST", BASE + "/feeds", JSON, guardedLater(feeds::create))
        .route("PATCH", BASE + "/feeds/{id}", JSON, guardedLater(feeds::change))
        .route("GET", BASE + "/feeds", guarded(feeds::list))
        .route("GET", BASE + "/feeds/{id}", guarded(feeds::get))
        .route("DELETE", BASE + "/feeds/{id}", guardedLater(feeds::delete))
        .route("POST", BASE + "/feeds/{id}/refresh", guarded(feeds::refresh))
        .route("GET", BASE + "/feeds/{id}/history", guarded(history::list))
        .route("GET", BASE + "/events", guarded(events::list))
        .route("GET", BASE + "/events/{id}", guarded(events::get))
        .route("GET", BASE + "/events/{id}/deliveries", guarded(events::deliveries))
        .route("GET", BASE + "/openapi.json", guarded(OpenApi::document))
        .route("GET", BASE + "/subscriptions", guarded(subscriptions::list))
        .route("GET", BASE + "/subscriptions/{id}", guarded(subscriptions::get))
        .route("DELETE", BASE + "/subscriptions/{id}", guarded(subscriptions::delete))
        .route("GET", BASE + "/subscriptions/{id}/deliveries", guarded(subscriptions::deliveries))
        .route("POST", BASE + "/subscriptions/{id}/retry", guarded(subscriptions::retry))
        .route("POST", BASE + "/webhooks", WEBHOOK, guarded(webhooks::create))
        .route("POST", BASE + "/webhooks/preview", WEBHOOK, guarded(preview::preview))
        .route("GET", BASE + "/webhooks", guarded(webhooks::list))
        .route("GET", BASE + "/webhooks/{id}", guarded(webhooks::get))
        .route("PATCH", BASE + "/webhooks/{id}", WEBHOOK, guarded(webhooks::change))
        .route("DELETE", BASE + "/webhooks/{id}", guarded(webhooks::delete))
        .route("POST", BASE + "/webhooks/{id}/rotate-secret", JSON, guarded(webhooks::rotate))
        .route("POST", BASE + "/webhooks/{id}/test", guardedLater(webhooks::test))
        .route("GET", BASE + "/webhooks/{id}/deliveries", guarded(webhooks::deliveries))
        .route("POST", BASE + "/webhooks/{id}/replay", JSON, guardedLater(replay::replay))
        .route("POST", BASE + "/webhooks/{id}/retry", guarded(webhooks::retry))
        .route("POST", BASE + "/webhooks/{id}/enable", guarded(webhooks::enable))
        .route("POST", BASE + "/webhooks/{id}/disable", guarded(webhooks::disable))
        .route("POST", BASE + "/publishers", JSON, guarded(publishers::create))
        .route("GET", BASE + "/publishers", guarded(publishers::list))
        .route("DELETE", BASE + "/publishers/{id}", guarded(publishers::delete))
        .route("POST", BASE + "/tokens", JSON, guarded(tokens::create))
        .route("GET", BASE + "/tokens", guarded(tokens::list))
        .route("DELETE", BASE + "/tokens/{id}", guarded(tokens::delete))
        .route("GET", BASE + "/users", guarded(users::list))
        .route("DELETE", BASE + "/users/{id}", guarded(users::delete))
        .route("GET", BASE + "/upstreams", guarded(upstreams::list))
        .route("GET", BASE + "/callers", guarded(callers::list))
        .route("GET", BASE + "/cluster", guarded(cluster::get))
        .route("GET", BASE + "/stats", guarded(stats::get))
        .route("GET", BASE + "/search", guardedLater(search::search))
        .route("GET", BASE + "/explain", guarded(explain::explain, explaining))
        .route(
            "POST",
            BASE + "/import",
            RouteOptions.anyBody(Opml.MAX_BYTES),
            guarded(opml::importList))
        .route(
            "POST",
            BASE + "/bridge",
            RouteOptions.anyBody(Opml.MAX_BYTES),
            guarded(opml::bridgeList))
        .route("GET", BASE + "/export", guarded(opml::exportList));
  }

  private Handler guarded(Operation operation) {
    return guarded(operation, blocking);
  }

  private Handler guarded(Operation operation, CallerThreads threads) {
    return guardedLater(
        request -> CompletableFuture.completedFuture(operation.run(request)), threads);
  }

  private Handler guardedLater(Beginning operation) {
    return guardedLater(operation, blocking);
  }

  private Handler guardedLater(Beginning operation, CallerThreads threads) {
    return request -> {
      Optional<Response> refused = refusal.apply(request);
      if (refused.isPresent()) {
        return CompletableFuture.completedFuture(refused.get());
      }
      return threads.begin(request, () -> operation.begin(request)).exceptionally(Api::problem);
    };
  }

  private static Response problem(Throwable thrown) {
    Throwable failure = thrown;
    while (failure instanceof CompletionException && failure.getCause() != null) {
      failure = failure.getCause();
    }
    if (failure instanceof BadFieldException bad) {
      return Answers.problem(BAD_REQUEST, "a parameter is wrong", bad.error());
    }
    if (failure instanceof BadRequestException bad) {
      return Answers.problem(BAD_REQUEST, bad.reason());
    }
    if (failure instanceof StoreException || failure instanceof RejectedExecutionException) {
      log.atWarn().addKeyValue("reason", failure.getMessage()).log("A request was turned away");
      return Answers.problem(UNAVAILABLE, "the gateway cannot do this now: try again later")
          .withHeader("Retry-After", RETRY_AFTER_SECONDS);
    }
    log.atError().setCause(failure).log("A request to the API failed");
    return Answers.problem(FAILED, "the gateway failed on this request; its log has the reason");
  }
}
