package io.feedbridge.gateway.web.cloud;

import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.Callers;
import io.feedbridge.gateway.web.common.Html;
import io.feedbridge.rsscloud.PingResult;
import io.feedbridge.rsscloud.RssCloud;
import io.feedbridge.rsscloud.WeblogPing;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * The pages for a browser: the ping by HTTP GET that ping services take ({@code
 * /pingSiteForm?name=&url=}), and forms to ping and to register by hand. Every answer is a page.
 */
public final class PingForms {

  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final String HTML = "text/html; charset=utf-8";

  private static final String PING_FORM =
      """
      <p>Tell this cloud that a feed, or the site of one, has changed.</p>
      <form action="/pingSiteForm" method="get">
      <p><label>Name of the site <input name="name"></label></p>
      <p><label>URL of the feed or site <input name="url" type="url" required size="60"></label></p>
      <p><button>Ping</button></p>
      </form>
      """;

  private static final String PLEASE_NOTIFY_FORM =
      """
      <p>Ask this cloud to notify a handler of yours when a feed changes. It is tested first, and
      forgotten after %d hours unless you register again.</p>
      <form action="/pleaseNotify" method="post">
      <p><label>Domain <input name="domain" placeholder="your own address"></label></p>
      <p><label>Port <input name="port" type="number" min="1" max="65535" value="80" required></label></p>
      <p><label>Path <input name="path" value="/" required></label></p>
      <p><label>Protocol <select name="protocol"><option>http-post</option><option>https-post</option>
      <option>xml-rpc</option><option>soap</option></select></label></p>
      <p><label>Procedure, for xml-rpc and soap <input name="notifyProcedure"></label></p>
      <p><label>URL of the feed <input name="url1" type="url" required size="60"></label></p>
      <p><button>Register</button></p>
      </form>
      """
          .formatted(RssCloud.REGISTRATION_LIFETIME.toHours());

  private final Intake intake;
  private final Callers callers;
  private final Admission admission;

  public PingForms(Intake intake, Callers callers, Admission admission) {
    this.callers = callers;
    this.admission = admission;
    this.intake = intake;
  }

  /** {@code GET /pingForm}. */
  public CompletionStage<Response> pingForm(Request request) {
    return CompletableFuture.completedFuture(page(OK, "Ping", PING_FORM));
  }

  /** {@code GET /pleaseNotifyForm}. */
  public CompletionStage<Response> pleaseNotifyForm(Request request) {
    return CompletableFuture.completedFuture(page(OK, "Please notify", PLEASE_NOTIFY_FORM));
  }

  /** {@code GET /pingSiteForm} and {@code GET /ping}, with {@code name} and {@code url}. */
  public CompletionStage<Response> pingSite(Request request) {
    List<String> parameters =
        Stream.of("name", "url")
            .flatMap(name -> request.query().getOrDefault(name, List.of()).stream())
            .toList();
    WeblogPing ping = WeblogPing.of(parameters);
    Optional<Refusal> tooMuch = admission.ping(request, ping);
    if (tooMuch.isPresent()) {
      Response page =
          page(Admission.TOO_MANY, "The ping was not taken", paragraph(tooMuch.get().reason()));
      return CompletableFuture.completedFuture(Admission.withWait(page, tooMuch.get()));
    }
    return WeblogPings.take(ping, intake, callers.address(request))
        .thenApply(
            taken ->
                taken
                    .refusal()
                    .map(why -> page(BAD_REQUEST, "The ping was not taken", paragraph(why)))
                    .orElseGet(
                        () ->
                            page(
                                OK,
                                PingResult.THANKS,
                                taken.unfollowed().map(PingForms::unfollowed).orElse(""))));
  }

  private static String unfollowed(String url) {
    return paragraph("No subscriber here follows " + url + ": it was not fetched.");
  }

  private static String paragraph(String text) {
    return "<p>" + Html.escaped(text) + "</p>\n";
  }

  private static Response page(int status, String title, String content) {
    String page =
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <title>%1$s</title>
        <h1>%1$s</h1>
        %2$s</html>
        """
            .formatted(Html.escaped(title), content);
    return Response.of(status, HTML, page.getBytes(StandardCharsets.UTF_8))
        .withHeader("Content-Security-Policy", "default-src 'none'; form-action 'self'");
  }
}
