package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.NotOwnerException;
import io.feedbridge.gateway.subscribers.HubRequests;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.CompressedBodies;
import io.feedbridge.gateway.web.common.Credentials;
import io.feedbridge.gateway.web.common.GuardedHandler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * {@code /hub}: WebSub for requests without credentials, and Superfeedr's calls for logins and the
 * operator.
 */
public final class HubPaths {

  static final String PATH = "/hub";
  private static final int BAD_REQUEST = 400;
  private static final int WRONG_METHOD = 405;
  private static final String MODE = "hub.mode";
  private static final String OVERRIDE = "X-HTTP-Method-Override";
  private static final String METHODS = "GET, HEAD, OPTIONS, POST";

  private static final RouteOptions FORM =
      RouteOptions.body(CompressedBodies.MAX_FORM, HubForm.TYPES);

  private final HubHandler webSub;
  private final HubCalls calls;
  private final CallerThreads blocking;

  /**
   * Wires the part.
   *
   * @param admission the limits and policies for requests of strangers
   * @param calls Superfeedr's calls
   * @param blocking where these are worked on
   */
  public HubPaths(
      HubRequests requests,
      Admission admission,
      Intake intake,
      HubCalls calls,
      CallerThreads blocking) {
    this.calls = calls;
    this.blocking = blocking;
    webSub = new HubHandler(requests, calls.topics(), intake, admission);
  }

  /** Adds its routes. */
  public Router.Builder addTo(Router.Builder routes) {
    return routes
        .route("POST", PATH, FORM, GuardedHandler.of(this::post))
        .route("GET", PATH, GuardedHandler.of(this::get))
        .route("OPTIONS", PATH, request -> CompletableFuture.completedFuture(preflight(request)));
  }

  private CompletionStage<Response> post(Request posted) {
    Map<String, List<String>> form;
    try {
      form = HubForm.of(posted);
    } catch (BadRequestException e) {
      return opened(posted, done(Response.text(BAD_REQUEST, e.reason())));
    }
    Request request = Credentials.withForm(posted, form);
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
    if (!calls.owns() && mode.filter("publish"::equals).isEmpty()) {
      // Before any limit has counted the request: the owner does.
      return NotOwnerException.future();
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

  /** Joins both; a parameter of the body replaces one of the query. */
  private static Map<String, List<String>> merged(
      Map<String, List<String>> form, Map<String, List<String>> query) {
    Map<String, List<String>> all = new LinkedHashMap<>(query);
    all.putAll(form);
    all.remove(Credentials.PARAMETER);
    return all;
  }

  private static Response notToRead(Optional<String> mode) {
    boolean known = mode.filter(m -> m.endsWith("subscribe") || m.equals("publish")).isPresent();
    return known
        ? Response.text(WRONG_METHOD, "this hub.mode must be sent by POST\n")
            .withHeader("Allow", "POST")
        : Response.text(
            BAD_REQUEST,
            mode.isEmpty()
                ? "hub.mode is missing\n"
                : "this hub.mode is not known here; there are " + HubCalls.modes() + "\n");
  }

  private CompletionStage<Response> call(String mode, Request request, HubParameters parameters) {
    return blocking
        .begin(request, () -> calls.answer(mode, request, parameters))
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

  /**
   * Lets pages of any origin read an answer if the request has its credentials in the query: no
   * browser adds these by itself.
   */
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
