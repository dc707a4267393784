package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.delivery.Fanout;
import io.feedbridge.gateway.delivery.webhooks.Endpoints;
import io.feedbridge.gateway.explain.Explainer;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.RefusedCallers;
import io.feedbridge.gateway.ingest.Ingest;
import io.feedbridge.gateway.metrics.Curves;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.publish.ListDocuments;
import io.feedbridge.gateway.relay.RelayedPings;
import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.api.subscribers.SubscriberCalls;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.ApiCalls;
import io.feedbridge.gateway.web.common.CallerThreads;
import java.net.URI;
import java.time.Clock;
import java.util.random.RandomGenerator;

/**
 * The JSON API for operators, under {@value #BASE}. Every route asks whether the caller may act as
 * the operator ({@link AdminAccess}) and answers whatever goes wrong as a problem.
 */
public final class Api {

  static final String BASE = "/api/v1";

  /** Threads that its requests need; they block. */
  public static final int THREADS = CallerThreads.AT_ONCE + 1;

  /** An object with a URL and a few words in it. */
  private static final RouteOptions JSON = RouteOptions.body(64 * 1024, "application/json");

  private final ApiCalls calls;
  private final ApiReads reads;
  private final SubscriberCalls subscribers;
  private final ReplayApi replay;
  private final ExplainApi explain;
  private final EventDeliveries eventDeliveries;
  private final CallersApi callers;
  private final SearchApi search;
  private final StatsApi stats;
  private final RelaysApi relays;
  private final HostsApi hosts;
  private final OriginsApi origins;
  private final ListsApi lists;
  private final CallerThreads explaining;

  /**
   * An API over the parts of a gateway.
   *
   * @param reads the calls that each node answers; all calls share their threads, so that a caller
   *     has one share
   * @param random for secrets: unguessable
   * @param explaining where feeds are fetched to be explained, which may take as long as an origin
   *     likes: apart from the threads of all other calls
   */
  public Api(
      Operated gateway,
      ApiReads reads,
      URI publicUrl,
      Policies policies,
      RandomGenerator random,
      Clock clock,
      CallerThreads explaining) {
    calls = reads.calls;
    Store store = gateway.store;
    Endpoints endpoints = gateway.endpoints;
    BridgedUrls bridges = new BridgedUrls(publicUrl);
    subscribers =
        new SubscriberCalls(
            store,
            reads.subscribers,
            gateway.fanout,
            endpoints,
            gateway.attempts,
            policies,
            random,
            clock);
    replay = new ReplayApi(store.webhooks(), store.log(), endpoints);
    explain = new ExplainApi(gateway.explainer, bridges);
    eventDeliveries = new EventDeliveries(store, gateway.attempts);
    callers = new CallersApi(gateway.refused);
    search = new SearchApi(gateway.search, calls.blocking());
    stats = new StatsApi(gateway.curves, store, clock);
    relays = new RelaysApi(gateway.relayed);
    hosts = new HostsApi(gateway.fanout::hosts, store.laggards());
    origins = new OriginsApi(gateway.ingest::hosts, gateway.ingest.origins(), clock);
    lists = new ListsApi(store, gateway.lists, clock);
    this.reads = reads;
    this.explaining = explaining;
  }

  /** The parts of a gateway that operators look at and change. */
  public record Operated(
      Store store,
      Ingest ingest,
      Fanout fanout,
      Endpoints endpoints,
      Attempts attempts,
      Explainer explainer,
      RefusedCallers refused,
      Search search,
      RelayedPings relayed,
      Curves curves,
      ListDocuments lists) {}

  /** Adds its routes. */
  public Router.Builder addTo(Router.Builder routes) {
    return subscribers
        .addTo(reads.addTo(routes), BASE, calls)
        .route("POST", BASE + "/feeds", JSON, calls.guardedLater(reads.feeds::create))
        .route("PATCH", BASE + "/feeds/{id}", JSON, calls.guardedLater(reads.feeds::change))
        .route("DELETE", BASE + "/feeds/{id}", calls.guardedLater(reads.feeds::delete))
        .route("POST", BASE + "/feeds/{id}/refresh", calls.guarded(reads.feeds::refresh))
        .route(
            "GET",
            BASE + "/events/{id}/deliveries",
            calls.guarded(request -> reads.events.deliveries(request, eventDeliveries)))
        .route("POST", BASE + "/webhooks/{id}/replay", JSON, calls.guardedLater(replay::replay))
        .route("POST", BASE + "/publishers", JSON, calls.guarded(reads.publishers::create))
        .route("DELETE", BASE + "/publishers/{id}", calls.guarded(reads.publishers::delete))
        .route("POST", BASE + "/tokens", JSON, calls.guarded(reads.tokens::create))
        .route("DELETE", BASE + "/tokens/{id}", calls.guarded(reads.tokens::delete))
        .route("DELETE", BASE + "/users/{id}", calls.guarded(reads.users::delete))
        .route("GET", BASE + "/callers", calls.guarded(callers::list))
        .route("GET", BASE + "/relays", calls.guarded(relays::list))
        .route("GET", BASE + "/stats", calls.guarded(stats::get))
        .route("GET", BASE + "/hosts", calls.guarded(hosts::list))
        .route("GET", BASE + "/hosts/{host}", calls.guarded(hosts::get))
        .route("GET", BASE + "/origins", calls.guarded(origins::list))
        .route("GET", BASE + "/origins/{host}", calls.guarded(origins::get))
        .route("GET", BASE + "/feeds/{id}/members", calls.guarded(lists::members))
        .route("GET", BASE + "/lists", calls.guarded(lists::list))
        .route("GET", BASE + "/lists/{name}", calls.guarded(lists::get))
        .route(
            "PUT",
            BASE + "/lists/{name}",
            RouteOptions.body(
                Opml.MAX_BYTES, "application/json", "text/x-opml", "text/xml", "application/xml"),
            calls.guarded(lists::put))
        .route("PATCH", BASE + "/lists/{name}", JSON, calls.guarded(lists::change))
        .route("DELETE", BASE + "/lists/{name}", calls.guarded(lists::delete))
        .route("GET", BASE + "/search", calls.guardedLater(search::search))
        .route("GET", BASE + "/explain", calls.guarded(explain::explain, explaining))
        .route(
            "POST",
            BASE + "/import",
            RouteOptions.anyBody(Opml.MAX_BYTES),
            calls.guarded(reads.opml::importList))
        .route(
            "POST",
            BASE + "/bridge",
            RouteOptions.anyBody(Opml.MAX_BYTES),
            calls.guarded(reads.opml::bridgeList));
  }
}
