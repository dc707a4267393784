package io.feedbridge.gateway.web.console.kit;

import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.OtherSite;
import io.feedbridge.gateway.web.console.view.PageLinks;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the requests of browsers, checks them, and has pages made by the threads of the console.
 * Every failure is a page.
 */
public final class Desk {

  /** The longest form; a form has a few URLs in it, or the topics of a webhook. */
  static final int MAX_FORM = 1 << 20;

  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String MULTIPART = "multipart/form-data";

  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int UNAVAILABLE = 503;
  private static final int FAILED = 500;
  private static final int SEE_OTHER = 303;

  private static final Logger log = LoggerFactory.getLogger(Desk.class);

  private final Gate gate;
  private final Calls api;
  private final Templates templates;
  private final Clock clock;
  private final CallerThreads threads;

  /**
   * A desk.
   *
   * @param threads where pages are made; they wait for the API
   */
  public Desk(Gate gate, Calls api, Templates templates, Clock clock, CallerThreads threads) {
    this.gate = gate;
    this.api = api;
    this.templates = templates;
    this.clock = clock;
    this.threads = threads;
  }

  /** Makes the answer to a visit; it may block. */
  public interface Action {
    /** The answer. */
    Response run(Visit visit);
  }

  /** Makes the answer to a visit, some time later; it may block at its beginning. */
  public interface LaterAction {
    /** The answer. */
    CompletionStage<Response> begin(Visit visit);
  }

  /** The gate that all requests pass. */
  public Gate gate() {
    return gate;
  }

  /** The templates of the pages. */
  public Templates templates() {
    return templates;
  }

  /** A page for operators. */
  public void get(Router.Builder routes, String path, Action action) {
    getLater(routes, path, visit -> CompletableFuture.completedFuture(action.run(visit)));
  }

  /** A page for operators that may take long. */
  public void getLater(Router.Builder routes, String path, LaterAction action) {
    routes.route("GET", path, request -> page(request, true, Map.of(), action));
  }

  /** A page for every caller. */
  public void open(Router.Builder routes, String path, Action action) {
    routes.route("GET", path, opened(action));
  }

  private Handler opened(Action action) {
    return request ->
        page(
            request,
            false,
            Map.of(),
            visit -> CompletableFuture.completedFuture(action.run(visit)));
  }

  /** A form of operators. */
  public void post(Router.Builder routes, String path, Action action) {
    postLater(routes, path, visit -> CompletableFuture.completedFuture(action.run(visit)));
  }

  /** A form of operators whose action may take long. */
  public void postLater(Router.Builder routes, String path, LaterAction action) {
    routes.route(
        "POST",
        path,
        RouteOptions.body(MAX_FORM, FORM),
        request -> form(request, true, request::form, action));
  }

  /** A form of operators with a file in it. */
  public void upload(Router.Builder routes, String path, int maxBody, Upload action) {
    routes.route(
        "POST",
        path,
        RouteOptions.body(maxBody, MULTIPART),
        request -> {
          Map<String, byte[]> files = new HashMap<>();
          return form(
              request,
              true,
              () -> request.multipart(files),
              visit -> CompletableFuture.completedFuture(action.run(visit, files)));
        });
  }

  /** Makes the answer to a form with files. */
  public interface Upload {
    /** The answer. */
    Response run(Visit visit, Map<String, byte[]> files);
  }

  /** A form of every caller, which must come from a page of the gateway itself. */
  public void openPost(Router.Builder routes, String path, Action action) {
    routes.route(
        "POST",
        path,
        RouteOptions.body(MAX_FORM, FORM),
        request ->
            form(
                request,
                false,
                request::form,
                visit -> CompletableFuture.completedFuture(action.run(visit))));
  }

  private interface Fields {
    Map<String, List<String>> read();
  }

  private CompletionStage<Response> form(
      Request request, boolean forOperators, Fields fields, LaterAction action) {
    Map<String, List<String>> form;
    try {
      form = fields.read();
    } catch (BadRequestException e) {
      return done(problem(visit(request, Map.of()), BAD_REQUEST, e.reason()));
    }
    Visit visit = visit(request, form);
    boolean own =
        forOperators
            ? gate.isOwnForm(request, visit.standing(), visit.field("form_token"))
            : !OtherSite.caused(request);
    if (visit.standing().operator() && !own) {
      return done(
          problem(
              visit,
              FORBIDDEN,
              "This form is of an earlier session, or of another site. Go back, load the page again"
                  + " and send the form once more."));
    }
    if (!forOperators && !own) {
      return done(problem(visit, FORBIDDEN, "This form was sent by another site."));
    }
    return page(request, forOperators, form, action);
  }

  private CompletionStage<Response> page(
      Request request, boolean forOperators, Map<String, List<String>> form, LaterAction action) {
    Visit visit = visit(request, form);
    if (forOperators && !visit.standing().operator()) {
      return done(refused(visit));
    }
    return threads
        .begin(request, () -> action.begin(visit))
        .exceptionally(failure -> failed(visit, failure));
  }

  private Visit visit(Request request, Map<String, List<String>> form) {
    return new Visit(
        request, gate.standing(request), gate.isGuarded(), form, api, templates, clock, threads);
  }

  /** A browser is led to the sign-in; without a token there is none, and the reason is told. */
  private Response refused(Visit visit) {
    Request request = visit.request();
    if (gate.isGuarded()) {
      String from = request.path() + (request.rawQuery().isEmpty() ? "" : "?" + request.rawQuery());
      String signIn =
          "/sign-in" + (request.method().equals("GET") ? "?next=" + PageLinks.of(from) : "");
      Response answer =
          request.header("HX-Request").isPresent()
              ? Response.text(FORBIDDEN, "sign in\n").withHeader("HX-Redirect", "/sign-in")
              : Response.empty(SEE_OTHER).withHeader("Location", signIn);
      return answer.withHeader("Cache-Control", "no-store");
    }
    Optional<Response> reason = gate.refusal(request);
    return problem(
        visit,
        reason.map(Response::status).orElse(FORBIDDEN),
        "This page is for the operator. Without an admin token it is shown to this machine alone:"
            + " open it under a loopback name such as http://localhost, or start the gateway with"
            + " --admin-token.");
  }

  private Response failed(Visit visit, Throwable thrown) {
    Throwable failure = thrown;
    while (failure instanceof CompletionException && failure.getCause() != null) {
      failure = failure.getCause();
    }
    if (failure instanceof CallFailedException call) {
      return problem(visit, call.status(), sentence(call));
    }
    if (failure instanceof BadFieldException bad) {
      return problem(visit, BAD_REQUEST, bad.error().field() + ": " + bad.error().detail());
    }
    if (failure instanceof BadRequestException bad) {
      return problem(visit, BAD_REQUEST, bad.reason());
    }
    if (failure instanceof RejectedExecutionException) {
      return problem(visit, UNAVAILABLE, "The gateway has too much to do: try again in a moment.");
    }
    log.atError().setCause(failure).log("A page of the console failed");
    return problem(visit, FAILED, "The gateway failed on this request; its log has the reason.");
  }

  private static String sentence(CallFailedException call) {
    StringBuilder text = new StringBuilder(call.detail());
    call.errors()
        .forEach((field, detail) -> text.append("; ").append(field).append(": ").append(detail));
    return text.toString();
  }

  /** A failure as a page. */
  public static Response problem(Visit visit, int status, String detail) {
    return visit.page(
        status, "problem", "Not done", "", Map.of("status", status, "detail", detail));
  }

  private static CompletionStage<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }
}
