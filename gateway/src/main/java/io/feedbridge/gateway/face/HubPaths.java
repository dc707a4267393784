package io.feedbridge.gateway.face;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.downstream.HubRequests;
import io.feedbridge.gateway.fanout.Fanout;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.retrieve.PastEntries;
import io.feedbridge.gateway.server.BadRequestException;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.stream.EventStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * {@code /hub}: WebSub for whoever comes without credentials, and Superfeedr's calls for logins and
 * the operator.
 */
public final class HubPaths {

  private static final String PATH = "/hub";
  private static final int BAD_REQUEST = 400;
  private static final int WRONG_METHOD = 405;
  private static final String MODE = "hub.mode";
  private static final String OVERRIDE = "X-HTTP-Method-Override";
  private static final String METHODS = "GET, HEAD, OPTIONS, POST";

  private static final RouteOptions FORM = RouteOptions.body(Face.MAX_FORM, HubForm.TYPES);

  private final HubFace webSub;
  private final HubCalls calls;
  private final Executor blocking;

  /**
   * Wires the part.
   *
   * @param admission what strangers may ask for
   * @param blocking where Superfeedr's calls are worked on
   */
  public HubPaths(
      HubRequests requests,
      Admission admission,
      Intake intake,
      Store store,
      AccessTokens tokens,
      Fanout fanout,
      EventStream stream,
      Settings settings,
      Executor blocking) {
    this.blocking = blocking;
    webSub = new HubFace(requests, intake, admission);
    String publicUrl = settings.publicUrl().toString();
    HubTopics topics = new HubTopics(requests, publicUrl);
    HubSearch search = new HubSearch(requests, topics);
    PastEntries past = new PastEntries(store.feeds(), publicUrl + PATH);
    RetrieveFace retrieve = new RetrieveFace(store, past, search);
    calls =
        new HubCalls(
            new HubAccess(tokens, new AdminAccess(settings.adminToken(), settings.publicUrl())),
            new HubSubscribers(requests, store, topics, retrieve, admission.policies(), blocking),
            new ListFace(store.holdings(), search),
            retrieve,
            new WaitFace(stream, store.log(), retrieve, blocking),
            new ReplayFace(fanout, store.holdings(), search));
  }

  /** Adds its routes. */
  public Router.Builder addTo(Router.Builder routes) {
    return routes
        .route("POST", PATH, FORM, Face.guarded(this::post))
        .route("GET", PATH, Face.guarded(this::get))
        .route("OPTIONS", PATH, request -> CompletableFuture.completedFuture(preflight(request)));
  }

  private CompletionStage<Response> post(Request request) {
    Map<String, List<String>> form;
    try {
      form = HubForm.of(request);
    } catch (BadRequestException e) {
      return opened(request, done(Response.text(BAD_REQUEST, e.reason())));
    }
    boolean asGet = request.header(OVERRIDE).filter("GET"::equalsIgnoreCase).isPresent();
    HubParameters all = new HubParameters(merged(form, request.query()));
    Optional<String> mode =
        asGet || Credentials.of(request).isPresent() ? mode(all) : mode(new HubParameters(form));
    if (mode.filter(HubCalls.READING::contains).isPresent()) {
      return opened(request, call(mode.get(), request, all));
    }
    if (asGet) {
      return opened(request, done(notToRead(mode)));
    }
    boolean ofSubscriber = mode.filter(m -> m.endsWith("subscribe")).isPresent();
    return ofSubscriber && Credentials.of(request).isPresent()
        ? opened(request, call(mode.get(), request, all))
        : opened(request, webSub.answer(request, form));
  }

  private CompletionStage<Response> get(Request request) {
    HubParameters parameters = new HubParameters(request.query());
    Optional<String> mode = mode(parameters);
    return opened(
        request,
        mode.filter(HubCalls.READING::contains).isPresent()
            ? call(mode.get(), request, parameters)
            : done(notToRead(mode)));
  }

  /** The one mode; several are none. */
  private static Optional<String> mode(HubParameters parameters) {
    List<String> modes =
        parameters.values().getOrDefault(MODE, List.of()).stream()
            .filter(mode -> !mode.isEmpty())
            .distinct()
            .toList();
    return modes.size() == 1 ? Optional.of(modes.get(0)) : Optional.empty();
  }

  /** What the body says counts more. */
  private static Map<String, List<String>> merged(
      Map<String, List<String>> form, Map<String, List<String>> query) {
    Map<String, List<String>> all = new LinkedHashMap<>(query);
    all.remove(Credentials.PARAMETER);
    all.putAll(form);
    return all;
  }

  private static Response notToRead(Optional<String> mode) {
    boolean known = mode.filter(m -> m.endsWith("subscribe") || m.equals("publish")).isPresent();
    return known
        ? Response.text(WRONG_METHOD, "this hub.mode is posted\n").withHeader("Allow", "POST")
        : Response.text(
            BAD_REQUEST,
            mode.isEmpty()
                ? "hub.mode is missing\n"
                : "this hub.mode is not known here; there are " + HubCalls.modes() + "\n");
  }

  private CompletionStage<Response> call(String mode, Request request, HubParameters parameters) {
    return CompletableFuture.supplyAsync(() -> calls.answer(mode, request, parameters), blocking)
        .thenCompose(answer -> answer)
        .exceptionally(HubPaths::refused);
  }

  private static Response refused(Throwable thrown) {
    Throwable failure = thrown;
    while (failure instanceof CompletionException && failure.getCause() != null) {
      failure = failure.getCause();
    }
    if (failure instanceof HubRefusal refusal) {
      return refusal.response();
    }
    throw new CompletionException(failure);
  }

  private static CompletionStage<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }

  /** A page anywhere may read what it has credentials of its own for, not those of a browser. */
  private static CompletionStage<Response> opened(
      Request request, CompletionStage<Response> answer) {
    return Credentials.areInQuery(request)
        ? answer.thenApply(
            response ->
                response
                    .withHeader("Access-Control-Allow-Origin", "*")
                    .withHeader(
                        "Access-Control-Expose-Headers", "ETag, Last-Event-ID, Retry-After"))
        : answer;
  }

  private static Response preflight(Request request) {
    Response allowed = Response.noContent().withHeader("Allow", METHODS);
    return Credentials.areInQuery(request)
        ? allowed
            .withHeader("Access-Control-Allow-Origin", "*")
            .withHeader("Access-Control-Allow-Methods", METHODS)
            .withHeader(
                "Access-Control-Allow-Headers",
                "Accept, Content-Type, If-None-Match, Last-Event-ID, " + OVERRIDE)
            .withHeader("Access-Control-Max-Age", "86400")
        : allowed;
  }
}
