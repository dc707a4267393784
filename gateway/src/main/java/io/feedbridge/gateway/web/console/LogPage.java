package io.feedbridge.gateway.web.console;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Html;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The log as a page for a browser: without scripts, and without anything that strangers mark up.
 */
final class LogPage {

  private static final int OK = 200;

  /**
   * Stands for a query that was left out for callers that are no operators: such a URL leads
   * nowhere.
   */
  private static final char CUT = '…';

  private LogPage() {}

  /**
   * The filter that the page's form shows.
   *
   * @param kinds that can be chosen
   */
  record Filter(
      List<String> kinds, Optional<String> kind, Optional<String> feed, Optional<String> text) {}

  static Response of(List<Activity> shown, Filter filter, boolean operator) {
    StringBuilder rows = new StringBuilder();
    for (Activity one : shown) {
      rows.append("<tr><td>").append(LogHandler.time(one));
      rows.append("</td><td>").append(LogHandler.name(one));
      rows.append("</td><td>").append(feed(one.feed(), operator));
      for (String cell : List.of(one.peer(), one.success() ? "ok" : "failed", one.outcome())) {
        rows.append("</td><td>").append(Html.escaped(cell));
      }
      rows.append("</td></tr>\n");
    }
    String page =
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <title>Log</title>
        <h1>Log</h1>
        %s<table>
        <tr><th>Time (UTC)</th><th>Kind</th><th>Feed</th><th>Other side</th><th>Result</th><th>Details</th></tr>
        %s</table>
        </html>
        """
            .formatted(form(filter), rows);
    return Response.of(OK, "text/html; charset=utf-8", page.getBytes(StandardCharsets.UTF_8))
        .withHeader("Content-Security-Policy", "default-src 'none'; form-action 'self'")
        .withHeader("Referrer-Policy", "no-referrer")
        .withHeader("Cache-Control", "no-store");
  }

  /** A link to the feed, and for operators a link to the feed's entry in the API. */
  private static String feed(String feed, boolean operator) {
    boolean web = feed.startsWith("http://") || feed.startsWith("https://");
    if (!web || feed.indexOf(CUT) >= 0) {
      return Html.escaped(feed);
    }
    String link = link(feed, feed);
    String known = "/api/v1/feeds?url=" + URLEncoder.encode(feed, StandardCharsets.UTF_8);
    return operator ? link + " (" + link(known, "API") + ")" : link;
  }

  private static String link(String url, String text) {
    return "<a href=\""
        + Html.escaped(url)
        + "\" rel=\"noreferrer\">"
        + Html.escaped(text)
        + "</a>";
  }

  private static String form(Filter filter) {
    StringBuilder kinds = new StringBuilder("<option value=\"\">all</option>");
    for (String kind : filter.kinds) {
      boolean chosen = filter.kind.filter(kind::equals).isPresent();
      kinds.append(chosen ? "<option selected>" : "<option>").append(kind).append("</option>");
    }
    return """
    <form action="/log" method="get">
    <label>Kind <select name="kind">%s</select></label>
    <label>Feed <input name="feed" type="url" size="50" value="%s"></label>
    <label>Text <input name="text" value="%s"></label>
    <button>Show</button>
    </form>
    """
        .formatted(
            kinds, Html.escaped(filter.feed.orElse("")), Html.escaped(filter.text.orElse("")));
  }
}
