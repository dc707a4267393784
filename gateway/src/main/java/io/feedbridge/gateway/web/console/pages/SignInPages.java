package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Gate;
import io.feedbridge.gateway.web.console.kit.Visit;
import java.util.Map;
import java.util.function.Function;

/** {@code /sign-in} and {@code /sign-out}. */
public final class SignInPages {

  private static final int OK = 200;
  private static final int FORBIDDEN = 403;
  private static final int SEE_OTHER = 303;

  private final Gate gate;
  private final Function<Request, String> callers;

  /**
   * The pages.
   *
   * @param callers the key by which limits tell callers apart
   */
  public SignInPages(Gate gate, Function<Request, String> callers) {
    this.gate = gate;
    this.callers = callers;
  }

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.open(routes, "/sign-in", visit -> page(visit, OK, local(visit.query("next")), ""));
    desk.openPost(routes, "/sign-in", this::signIn);
    desk.openPost(routes, "/sign-out", this::signOut);
  }

  private static Response page(Visit visit, int status, String next, String error) {
    return visit.page(status, "signin", "Sign in", "", Map.of("next", next, "error", error));
  }

  private Response signIn(Visit visit) {
    String next = local(visit.field("next"));
    Request request = visit.request();
    Gate.SignIn result =
        gate.isGuarded()
            ? gate.signIn(request, callers.apply(request), visit.field("token"))
            : new Gate.SignIn.Wrong();
    if (result instanceof Gate.SignIn.Done done) {
      return Response.empty(SEE_OTHER)
          .withHeader("Location", next)
          .withHeader("Set-Cookie", done.cookie())
          .withHeader("Cache-Control", "no-store");
    }
    if (result instanceof Gate.SignIn.TooMany many) {
      String error =
          "There were too many wrong tokens. Try again in %d s."
              .formatted(many.refusal().seconds());
      return Admission.withWait(page(visit, Admission.TOO_MANY, next, error), many.refusal());
    }
    return page(visit, FORBIDDEN, next, "This is not the admin token.");
  }

  private Response signOut(Visit visit) {
    return Visit.go("/", "signed-out")
        .withHeader("Set-Cookie", gate.signOut(visit.request()))
        .withHeader("Cache-Control", "no-store");
  }

  /** A path of this gateway; a URL of another host becomes the start page. */
  private static String local(String next) {
    boolean path =
        next.startsWith("/")
            && !next.startsWith("//")
            && next.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '\\');
    return path ? next : "/";
  }
}
