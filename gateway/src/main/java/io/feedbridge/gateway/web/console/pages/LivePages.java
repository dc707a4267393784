package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.console.kit.Desk;
import io.feedbridge.gateway.web.console.kit.Gate;
import io.feedbridge.gateway.web.console.kit.Templates;
import io.feedbridge.gateway.web.console.kit.Visit;
import io.feedbridge.gateway.web.console.view.PageLinks;
import io.feedbridge.gateway.web.console.view.Text;
import io.feedbridge.gateway.web.stream.ActivityStream;
import io.feedbridge.gateway.web.stream.ActivityView;
import io.feedbridge.gateway.web.stream.StreamCaller;
import io.feedbridge.gateway.web.stream.Wire;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * {@code /live}: the gateway's activity, as it happens; {@code /live/log} is its stream. Where the
 * log is public, every visitor sees it without the parts that only operators may see.
 */
public final class LivePages {

  /** Rows of the page at its beginning. */
  static final int SHOWN = 100;

  private static final int UNAVAILABLE = 503;
  private static final String RETRY_AFTER_SECONDS = "30";
  private static final Pattern BREAKS = Pattern.compile("\\R\\s*");
  private static final Pattern ID = Pattern.compile("\\d{1,18}");

  private final ActivityLog log;
  private final ActivityStream live;
  private final Function<Request, String> callers;
  private final Predicate<String> hidden;
  private final boolean open;

  /**
   * The pages of a log.
   *
   * @param callers the key of a request's caller, as limits tell callers apart
   * @param hidden the topics of feeds of which operators alone see activity; never blocks
   * @param open whether everyone may look
   */
  public LivePages(
      ActivityLog log,
      ActivityStream live,
      Function<Request, String> callers,
      Predicate<String> hidden,
      boolean open) {
    this.log = log;
    this.live = live;
    this.callers = callers;
    this.hidden = hidden;
    this.open = open;
  }

  /** Adds their routes. */
  public void addTo(Router.Builder routes, Desk desk) {
    if (open) {
      desk.open(routes, "/live", this::page);
      desk.open(routes, "/live/log", visit -> stream(visit, desk.gate()));
    } else {
      desk.get(routes, "/live", this::page);
      desk.get(routes, "/live/log", visit -> stream(visit, desk.gate()));
    }
  }

  private Response page(Visit visit) {
    PageLinks links = visit.filter("/live", "kind", "feed", "text");
    ActivityView view = view(visit);
    List<Activity> newest =
        log.newest(view.wanted(), SHOWN).stream().flatMap(one -> view.of(one).stream()).toList();
    // The stream goes on behind the newest one that the page shows, whatever its filter.
    String stream =
        new PageLinks("/live/log", links.filter()).next("")
            + (links.isFiltered() ? "&" : "?")
            + "after="
            + log.newestId();
    return visit.page(
        "live",
        "Live",
        "live",
        Map.of(
            "activities", newest, "links", links, "kinds", ActivityView.KINDS, "stream", stream));
  }

  private ActivityView view(Visit visit) {
    return ActivityView.of(visit.request(), visit.standing().operator(), hidden);
  }

  private Response stream(Visit visit, Gate gate) {
    ActivityView view = view(visit);
    StreamCaller caller =
        new StreamCaller(
            callers.apply(visit.request()),
            () -> !view.operator() || gate.standing(visit.request()).operator());
    if (live.readers().isFull(caller.key())) {
      return Response.text(
              UNAVAILABLE, "the log has as many readers as it can serve, in all or of you\n")
          .withHeader("Retry-After", RETRY_AFTER_SECONDS);
    }
    long newest = log.newestId();
    long after =
        visit
            .request()
            .header("Last-Event-ID")
            .or(() -> Optional.of(visit.query("after")))
            .filter(text -> ID.matcher(text).matches())
            .map(Long::parseLong)
            // Ids begin anew with each start: one that is not reached yet is of an earlier one.
            .map(id -> id > newest ? 0L : id)
            .orElse(newest);
    Templates templates = visit.templates();
    return Response.live(
            Wire.SSE.contentType(),
            out ->
                live.serve(
                    after,
                    Wire.SSE,
                    one -> view.of(one).map(seen -> row(templates, visit, seen)),
                    caller,
                    out))
        .withHeader("Cache-Control", "no-store")
        .withHeader("X-Accel-Buffering", "no");
  }

  /** A row in one line, as events of a stream must be. */
  private static byte[] row(Templates templates, Visit visit, Activity activity) {
    Text text = visit.text();
    String html =
        templates.text(
            "activity",
            Map.of("activity", activity, "clock", text, "operator", visit.standing().operator()));
    return BREAKS.matcher(html.strip()).replaceAll(" ").getBytes(StandardCharsets.UTF_8);
  }
}
