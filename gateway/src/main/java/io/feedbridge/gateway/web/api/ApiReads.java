package io.feedbridge.gateway.web.api;

import static io.feedbridge.gateway.web.api.Api.BASE;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.api.subscribers.SubscriberReads;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.ApiCalls;
import io.feedbridge.gateway.web.common.CallerThreads;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** The calls of the API that are answered from the store alone, at any node. */
public final class ApiReads {

  private static final int OK = 200;
  private static final String DESCRIPTION = "openapi.json";

  final ApiCalls calls;
  final FeedsApi feeds;
  final EventsApi events;
  final PublishersApi publishers;
  final TokensApi tokens;
  final UsersApi users;
  final OpmlApi opml;
  final SubscriberReads subscribers;

  private final HistoryApi history;
  private final UpstreamsApi upstreams;
  private final ClusterApi cluster;
  private final GatewayApi gateway;

  /**
   * The gateway as it names itself.
   *
   * @param version of the program
   * @param data the data folder
   */
  public record About(String version, URI publicUrl, Path data) {}

  /**
   * The calls over a store.
   *
   * @param refusal the answer to a request that may not act as the operator; empty for one that may
   * @param blocking where requests are worked on
   */
  public ApiReads(
      Store store,
      Intake intake,
      Function<Request, Optional<Response>> refusal,
      About about,
      Policies policies,
      RandomGenerator random,
      Clock clock,
      CallerThreads blocking) {
    BridgedUrls bridges = new BridgedUrls(about.publicUrl);
    calls = new ApiCalls(refusal, blocking);
    feeds = new FeedsApi(store, intake, bridges, policies, clock, blocking);
    history = new HistoryApi(store);
    events = new EventsApi(store, bridges);
    publishers = new PublishersApi(store.publishers(), random, clock);
    tokens = new TokensApi(store.tokens(), random, clock);
    users = new UsersApi(store.users());
    upstreams = new UpstreamsApi(store, clock);
    cluster = new ClusterApi(store.ownership());
    gateway = new GatewayApi(about);
    opml = new OpmlApi(store.feeds(), bridges, policies, clock);
    subscribers = new SubscriberReads(store, bridges, clock);
  }

  /** {@code GET /openapi.json}: the API for programs that read about it. */
  private static Response description(Request request) {
    try (InputStream in =
        Objects.requireNonNull(ApiReads.class.getResourceAsStream(DESCRIPTION), DESCRIPTION)) {
      return Response.of(OK, "application/json", in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("the program's own file", e);
    }
  }

  /** {@code GET /asyncapi.json}: the messages that the gateway sends. */
  private static Response messages(Request request) {
    return Answers.json(OK, AsyncApi.of(Json.read(description(request).body(), JsonNode.class)));
  }

  /** Adds their routes. */
  public Router.Builder addTo(Router.Builder routes) {
    return subscribers
        .addTo(routes, BASE, calls)
        .refusals("/api/", Answers::problem)
        .route("GET", BASE + "/feeds", calls.guarded(feeds::list))
        .route("GET", BASE + "/feeds/{id}", calls.guarded(feeds::get))
        .route("GET", BASE + "/feeds/{id}/history", calls.guarded(history::list))
        .route("GET", BASE + "/events", calls.guarded(events::list))
        .route("GET", BASE + "/events/{id}", calls.guarded(events::get))
        .route("GET", BASE + "/events/{id}/document", calls.guarded(events::document))
        .route("GET", BASE + "/openapi.json", calls.guarded(ApiReads::description))
        .route("GET", BASE + "/asyncapi.json", calls.guarded(ApiReads::messages))
        .route("GET", BASE + "/publishers", calls.guarded(publishers::list))
        .route("GET", BASE + "/tokens", calls.guarded(tokens::list))
        .route("GET", BASE + "/users", calls.guarded(users::list))
        .route("GET", BASE + "/upstreams", calls.guarded(upstreams::list))
        .route("GET", BASE + "/cluster", calls.guarded(cluster::get))
        .route("GET", BASE + "/gateway", calls.guarded(gateway::get))
        .route("GET", BASE + "/export", calls.guarded(opml::exportList));
  }
}
