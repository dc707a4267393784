package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.check.Checks;
import io.feedbridge.gateway.check.FeedCheck;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.TopicField;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.normalizer.Hints;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code /publish} and {@code /check}, for publishers: the lines to put into a feed, and whether a
 * feed is connected. Every caller may use them, within the limits. A browser gets pages, another
 * client JSON.
 */
public final class PublishPages {

  private static final int OK = 200;
  private static final int ACCEPTED = 202;
  private static final int SEE_OTHER = 303;
  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int UNAVAILABLE = 503;
  private static final String BUSY_SECONDS = "30";
  private static final String LOOK_AGAIN_SECONDS = "2";
  private static final String PATH = "/check";

  private final Checks checks;
  private final Admission admission;
  private final BridgedUrls bridges;

  /** The pages of a gateway with this public URL. */
  public PublishPages(Checks checks, Admission admission, URI publicUrl) {
    this.checks = checks;
    this.admission = admission;
    bridges = new BridgedUrls(publicUrl);
  }

  /** Adds its routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.open(routes, "/publish", visit -> publish(visit, OK, "", ""));
    desk.open(routes, PATH, this::newest);
    desk.openPost(routes, PATH, this::begin);
    desk.open(routes, Checks.PATH + "{id}", this::show);
  }

  private Response publish(Visit visit, int status, String url, String error) {
    return visit.page(
        status,
        "publish",
        "Publish",
        "publish",
        Map.of("base", bridges.base(), "cloud", cloud(), "url", url, "error", error));
  }

  /** The element of RSS that names the gateway's cloud. */
  private String cloud() {
    Hints.Cloud cloud = bridges.offer(bridges.base()).clouds().get(0);
    return "<cloud domain=\"%s\" port=\"%d\" path=\"%s\" registerProcedure=\"\" protocol=\"%s\"/>"
        .formatted(cloud.domain(), cloud.port(), cloud.path(), cloud.protocol());
  }

  /** {@code POST /check} with {@code url}: begins a check. */
  private Response begin(Visit visit) {
    String given = visit.field("url").isEmpty() ? visit.query("url") : visit.field("url");
    String url;
    try {
      url = TopicField.of("url", given, bridges);
    } catch (BadFieldException e) {
      return refused(visit, BAD_REQUEST, given, e.error().detail());
    }
    if (!admission.policies().permitTopic(url)) {
      return refused(visit, FORBIDDEN, given, Policies.TOPIC_REFUSED);
    }
    Optional<FeedCheck> check = checks.recent(url);
    if (check.isEmpty()) {
      Optional<Refusal> refusal =
          admission
              .pings(visit.request(), List.of(url))
              .or(() -> admission.following(visit.request(), url).get());
      if (refusal.isPresent()) {
        return Admission.withWait(
            refused(visit, Admission.TOO_MANY, given, refusal.get().reason()), refusal.get());
      }
      check =
          checks.begin(
              url,
              admission.key(visit.request()),
              endpoint -> admission.following(visit.request(), endpoint).get().isEmpty());
    }
    if (check.isEmpty()) {
      return refused(visit, UNAVAILABLE, given, "too many checks are under way: try again soon")
          .withHeader("Retry-After", BUSY_SECONDS);
    }
    String path = Checks.PATH + check.get().id();
    return (isBrowser(visit) ? Response.empty(SEE_OTHER) : Answers.json(ACCEPTED, check.get()))
        .withHeader("Location", path)
        .withHeader("Cache-Control", "no-store");
  }

  /** {@code GET /check?url=}: the newest check of a feed; none is begun. */
  private Response newest(Visit visit) {
    String given = visit.query("url");
    if (given.isEmpty()) {
      return isBrowser(visit)
          ? Response.empty(SEE_OTHER).withHeader("Location", "/publish")
          : refused(visit, BAD_REQUEST, "", "name the feed: /check?url=https://…");
    }
    String url;
    try {
      url = TopicField.of("url", given, bridges);
    } catch (BadFieldException e) {
      return refused(visit, BAD_REQUEST, given, e.error().detail());
    }
    return checks
        .newest(url)
        .map(check -> answer(visit, check))
        .orElseGet(
            () ->
                refused(
                    visit, NOT_FOUND, given, "this feed was not checked lately: begin a check"));
  }

  /** {@code GET /check/{id}}: a check, for 24 hours. */
  private Response show(Visit visit) {
    return checks
        .find(visit.variable("id"))
        .map(check -> answer(visit, check))
        .orElseGet(
            () ->
                refused(
                    visit,
                    NOT_FOUND,
                    "",
                    "there is no such check: a check is kept for 24 hours, and until the gateway"
                        + " restarts"));
  }

  private Response answer(Visit visit, FeedCheck check) {
    if (!isBrowser(visit)) {
      return Answers.json(OK, check)
          .withHeader("Cache-Control", "no-store")
          .withHeader("Vary", "Accept");
    }
    Response page = visit.page("check", "Check of a feed", "publish", Map.of("check", check));
    return check.ended() ? page : page.withHeader("Refresh", LOOK_AGAIN_SECONDS);
  }

  private Response refused(Visit visit, int status, String url, String reason) {
    return isBrowser(visit) ? publish(visit, status, url, reason) : Answers.problem(status, reason);
  }

  private static boolean isBrowser(Visit visit) {
    return visit.request().headers().all("Accept").stream()
        .anyMatch(accept -> accept.contains("text/html"));
  }
}
