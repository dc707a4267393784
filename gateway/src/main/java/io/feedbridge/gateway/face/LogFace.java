package io.feedbridge.gateway.face;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.stream.ActivityStream;
import io.feedbridge.gateway.stream.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * {@code GET /log}: what the gateway did lately, for whoever debugs a client of it. A page for
 * people, or JSON where {@code Accept} names that or {@code format=json} stands in the query; as it
 * happens, from {@code Last-Event-ID} on, for {@code text/event-stream} or {@code format=sse};
 * {@code feed=} and {@code kind=} choose. Where the log is open to everyone, whoever is no operator
 * sees no query of a feed's URL, in which private feeds have their secrets.
 */
final class LogFace {

  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int UNAVAILABLE = 503;
  private static final String RETRY_AFTER_SECONDS = "30";
  private static final int SHOWN = 500;
  private static final String LAST_EVENT_ID = "Last-Event-ID";
  private static final String JSON = "application/json";
  private static final String EVENTS = "text/event-stream";
  private static final List<String> FORMATS = List.of("html", "json", "sse");
  private static final List<String> KINDS =
      Arrays.stream(Activity.Kind.values()).map(LogFace::label).toList();

  private final ActivityLog log;
  private final ActivityStream live;
  private final AdminAccess access;
  private final boolean open;

  /**
   * A view of a log.
   *
   * @param open whether everyone may look
   */
  LogFace(ActivityLog log, ActivityStream live, AdminAccess access, boolean open) {
    this.log = log;
    this.live = live;
    this.access = access;
    this.open = open;
  }

  /** {@code GET /log}. */
  CompletionStage<Response> log(Request request) {
    Optional<Response> refusal = access.refusal(request);
    return CompletableFuture.completedFuture(
        refusal.isPresent() && !open ? refusal.get() : answer(request, refusal.isEmpty()));
  }

  private Response answer(Request request, boolean operator) {
    Predicate<Activity> wanted = any -> true;
    try {
      Optional<String> feed = Page.parameter(request, "feed");
      if (feed.isPresent()) {
        wanted = wanted.and(activity -> activity.feed().equals(feed.get()));
      }
      Optional<String> kind = Page.parameter(request, "kind");
      if (kind.isPresent()) {
        if (!KINDS.contains(kind.get())) {
          throw new BadFieldException("kind", "it is one of " + String.join(", ", KINDS));
        }
        wanted = wanted.and(activity -> name(activity).equals(kind.get()));
      }
      Optional<String> format = Page.parameter(request, "format");
      if (format.isPresent() && !FORMATS.contains(format.get())) {
        throw new BadFieldException("format", "it is one of " + String.join(", ", FORMATS));
      }
      if (isAskedFor(request, format, "sse", EVENTS)) {
        return live(request, wanted, operator);
      }
      boolean json = isAskedFor(request, format, "json", JSON);
      List<Activity> shown =
          log.newest(wanted, SHOWN).stream()
              .map(activity -> operator ? activity : activity.withoutQuery())
              .toList();
      return json
          ? Answers.json(OK, new Answers.Items(shown.stream().map(Entry::of).toList(), null))
          : page(shown);
    } catch (BadFieldException e) {
      return Answers.problem(BAD_REQUEST, "a parameter is wrong", e.error());
    }
  }

  private static long id(String text) {
    if (!text.matches("\\d{1,18}")) {
      throw new BadFieldException(LAST_EVENT_ID, "it is no id of this log");
    }
    return Long.parseLong(text);
  }

  private static boolean isAskedFor(
      Request request, Optional<String> format, String name, String type) {
    return format.isPresent()
        ? format.get().equals(name)
        : request.header("Accept").filter(accept -> accept.contains(type)).isPresent();
  }

  private Response live(Request request, Predicate<Activity> wanted, boolean operator) {
    if (live.readers().isFull()) {
      return Answers.problem(UNAVAILABLE, "as many look on as can be served")
          .withHeader("Retry-After", RETRY_AFTER_SECONDS);
    }
    // Ids begin anew with each start: one that is not reached yet is of an earlier one.
    long newest = log.newestId();
    long after =
        request
            .header(LAST_EVENT_ID)
            .map(LogFace::id)
            .map(id -> id > newest ? 0 : id)
            .orElse(newest);
    return Response.live(
            Wire.SSE.contentType(),
            out ->
                live.serve(
                    after,
                    Wire.SSE,
                    one ->
                        Optional.of(one)
                            .filter(wanted)
                            .map(seen -> operator ? seen : seen.withoutQuery())
                            .map(seen -> Answers.bytes(Entry.of(seen))),
                    out))
        .withHeader("Cache-Control", "no-store")
        .withHeader("X-Accel-Buffering", "no");
  }

  /** An activity as JSON has it. */
  private record Entry(
      String id,
      Instant at,
      String kind,
      String feed,
      String peer,
      boolean success,
      String outcome) {

    static Entry of(Activity one) {
      return new Entry(
          Long.toString(one.id()),
          one.at(),
          name(one),
          one.feed(),
          one.peer(),
          one.success(),
          one.outcome());
    }
  }

  private static String name(Activity activity) {
    return label(activity.kind());
  }

  private static String label(Activity.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static Response page(List<Activity> shown) {
    StringBuilder rows = new StringBuilder();
    for (Activity one : shown) {
      rows.append("<tr><td>").append(one.at());
      for (String cell :
          List.of(
              name(one), one.feed(), one.peer(), one.success() ? "ok" : "failed", one.outcome())) {
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
        <table>
        <tr><th>Time</th><th>What</th><th>Feed</th><th>Who</th><th></th><th>Outcome</th></tr>
        %s</table>
        </html>
        """
            .formatted(rows);
    return Response.of(OK, "text/html; charset=utf-8", page.getBytes(StandardCharsets.UTF_8))
        .withHeader("Content-Security-Policy", "default-src 'none'")
        .withHeader("Cache-Control", "no-store");
  }
}
