package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.explain.Explanation;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.EventView;
import io.feedbridge.gateway.web.api.model.FeedView;
import io.feedbridge.gateway.web.api.model.ImportReport;
import io.feedbridge.gateway.web.api.model.ListView;
import io.feedbridge.gateway.web.api.model.StepView;
import io.feedbridge.gateway.web.api.model.SubscriptionView;
import io.feedbridge.gateway.web.console.kit.CallFailedException;
import io.feedbridge.gateway.web.console.kit.Calls;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.Listed;
import io.feedbridge.gateway.web.console.view.PageLinks;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /feeds}: the followed feeds, one of them, new ones, and lists of them as OPML. */
public final class FeedPages {

  static final String SECTION = "feeds";

  /** A list with the fields of its form around it. */
  private static final int MAX_UPLOAD = Opml.MAX_BYTES + (64 << 10);

  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    desk.get(routes, "/feeds", FeedPages::list);
    desk.get(routes, "/feeds/new", visit -> preview(visit, OK, visit.query("url"), "", null));
    desk.postLater(routes, "/feeds/new", FeedPages::preview);
    desk.get(routes, "/feeds/export", FeedPages::export);
    desk.post(routes, "/feeds", FeedPages::follow);
    desk.upload(routes, "/feeds/import", MAX_UPLOAD, FeedPages::importList);
    desk.get(routes, "/feeds/{id}", FeedPages::feed);
    desk.post(routes, "/feeds/{id}/refresh", FeedPages::refresh);
    desk.post(routes, "/feeds/{id}/unfollow", FeedPages::unfollow);
  }

  private static Response list(Visit visit) {
    PageLinks links = visit.filter("/feeds", "q", "state", "upstream", "sort");
    Listed<FeedView> feeds =
        visit
            .api()
            .list(
                Calls.path(
                    "/feeds",
                    "q",
                    links.value("q"),
                    "state",
                    links.value("state"),
                    "upstream",
                    links.value("upstream"),
                    "sort",
                    links.value("sort"),
                    "page",
                    visit.query("page"),
                    "total",
                    "true"),
                FeedView.class);
    return visit.page(
        "feeds", "Feeds", SECTION, Map.of("feeds", feeds, "pages", visit.pages(links, feeds)));
  }

  /**
   * How a feed would be followed, before it is. A form of the console alone asks for it, since
   * another site can have a browser open any link.
   */
  private static CompletionStage<Response> preview(Visit visit) {
    String url = visit.field("url");
    if (url.isEmpty()) {
      return CompletableFuture.completedFuture(preview(visit, OK, url, "", null));
    }
    return visit
        .api()
        .getLater(Calls.path("/explain", "url", url), Explanation.class)
        .thenCompose(explanation -> visit.later(() -> preview(visit, OK, url, "", explanation)))
        .exceptionally(failure -> preview(visit, failure, url));
  }

  private static Response preview(Visit visit, Throwable thrown, String url) {
    CallFailedException call = CallFailedException.in(thrown);
    return preview(visit, call.status(), url, reason(call, "url"), null);
  }

  private static Response preview(
      Visit visit, int status, String url, String error, @Nullable Explanation explanation) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("url", url);
    values.put("error", error);
    values.put("explanation", explanation);
    return visit.page(status, "feednew", "Follow a feed", SECTION, values);
  }

  /** The reason of a field, or of the whole call. */
  static String reason(CallFailedException call, String field) {
    return call.errors().getOrDefault(field, call.detail());
  }

  private static Response follow(Visit visit) {
    String url = visit.field("url");
    try {
      FeedView feed = visit.api().post("/feeds", Map.of("url", url), FeedView.class);
      return Visit.go("/feeds/" + feed.id(), "followed");
    } catch (CallFailedException e) {
      return preview(visit, e.status(), url, reason(e, "url"), null);
    }
  }

  private static Response importList(Visit visit, Map<String, byte[]> files) {
    byte[] opml = files.getOrDefault("opml", new byte[0]);
    if (opml.length == 0) {
      return Desk.problem(visit, BAD_REQUEST, "Choose an OPML file first.");
    }
    ImportReport report = visit.api().post("/import", "text/x-opml", opml, ImportReport.class);
    return visit.page(
        "imported", "Imported feeds", SECTION, Map.of("report", report.refusedFirst()));
  }

  private static Response export(Visit visit) {
    return visit
        .api()
        .raw("/export")
        .withHeader("Content-Disposition", "attachment; filename=\"feedbridge.opml\"")
        .withHeader("Cache-Control", "no-store")
        .withHeader("X-Content-Type-Options", "nosniff");
  }

  private static Response feed(Visit visit) {
    Optional<FeedView> found = visit.api().find("/feeds/" + visit.variable("id"), FeedView.class);
    if (found.isEmpty()) {
      return Desk.problem(visit, NOT_FOUND, "No feed of this number is followed.");
    }
    FeedView feed = found.get();
    Listed<SubscriptionView> subscribers =
        visit
            .api()
            .list(
                Calls.path("/subscriptions", "topic", feed.url(), "limit", "20"),
                SubscriptionView.class);
    Listed<StepView> steps =
        visit
            .api()
            .list(
                Calls.path(
                    "/feeds/" + feed.id() + "/history",
                    "limit",
                    "20",
                    "cursor",
                    visit.query("cursor")),
                StepView.class);
    Listed<EventView> events =
        visit
            .api()
            .list(
                Calls.path("/events", "topic", feed.url(), "order", "newest", "limit", "10"),
                EventView.class);
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("feed", feed);
    values.put("subscribers", subscribers);
    values.put("steps", steps);
    values.put("events", events.items());
    values.put("members", feed.list() == null ? null : members(visit, feed));
    return visit.page("feed", feed.name(), SECTION, values);
  }

  private static Listed<ListView.Member> members(Visit visit, FeedView feed) {
    return visit
        .api()
        .list(
            Calls.path(
                "/feeds/" + feed.id() + "/members",
                "limit",
                "100",
                "cursor",
                visit.query("members")),
            ListView.Member.class);
  }

  private static Response refresh(Visit visit) {
    String id = visit.variable("id");
    visit.api().run("POST", "/feeds/" + id + "/refresh");
    return Visit.go("/feeds/" + id, "refreshed");
  }

  private static Response unfollow(Visit visit) {
    String force = visit.field("force").equals("true") ? "true" : "";
    visit.api().run("DELETE", Calls.path("/feeds/" + visit.variable("id"), "force", force));
    return Visit.go("/feeds", "unfollowed");
  }
}
