package io.feedbridge.gateway.web.console;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.api.model.SubscriberId;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.Callers;
import io.feedbridge.gateway.web.common.GuardedHandler;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.stream.ActivityStream;
import io.feedbridge.gateway.web.stream.ActivityView;
import io.feedbridge.gateway.web.stream.StreamCaller;
import io.feedbridge.gateway.web.stream.Wire;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /log}: the gateway's latest activity, for debugging a client of it. JSON where {@code
 * Accept} names that or {@code format=json} stands in the query; as it happens, from {@code
 * Last-Event-ID} on, for {@code text/event-stream} or {@code format=sse}; else the console's live
 * page; {@code feed=}, {@code kind=} and {@code text=} choose. Where the log is public, callers
 * other than operators see no query of a feed's URL, in which private feeds have their secrets, and
 * no caller's address.
 */
public final class LogHandler {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final int OK = 200;
  private static final int SEE_OTHER = 303;
  private static final int BAD_REQUEST = 400;
  private static final int UNAVAILABLE = 503;
  private static final String RETRY_AFTER_SECONDS = "30";
  private static final int SHOWN = 500;
  private static final String LAST_EVENT_ID = "Last-Event-ID";
  private static final String JSON = "application/json";
  private static final String EVENTS = "text/event-stream";
  private static final List<String> FORMATS = List.of("html", "json", "sse");

  private final ActivityLog log;
  private final ActivityStream live;
  private final AdminAccess access;
  private final Callers callers;
  private final Predicate<String> hidden;
  private final boolean open;

  /**
   * A view of a log.
   *
   * @param hidden the topics of feeds of which operators alone see activity; never blocks
   * @param open whether everyone may look
   */
  public LogHandler(
      ActivityLog log,
      ActivityStream live,
      AdminAccess access,
      Callers callers,
      Predicate<String> hidden,
      boolean open) {
    this.hidden = hidden;
    this.log = log;
    this.live = live;
    this.access = access;
    this.callers = callers;
    this.open = open;
  }

  /** Adds its route. */
  public void addTo(Router.Builder routes) {
    routes.route("GET", "/log", GuardedHandler.of(this::log));
  }

  /** {@code GET /log}. */
  CompletionStage<Response> log(Request request) {
    Optional<Response> refusal = access.refusal(request);
    return CompletableFuture.completedFuture(
        refusal.isPresent() && !open ? refusal.get() : answer(request, refusal.isEmpty()));
  }

  private Response answer(Request request, boolean operator) {
    try {
      ActivityView view = ActivityView.of(request, operator, hidden);
      Optional<String> format = Page.parameter(request, "format");
      if (format.isPresent() && !FORMATS.contains(format.get())) {
        throw new BadFieldException("format", "it must be one of " + String.join(", ", FORMATS));
      }
      if (isAskedFor(request, format, "sse", EVENTS)) {
        return live(request, view);
      }
      if (!isAskedFor(request, format, "json", JSON)) {
        return page(request);
      }
      List<Entry> shown =
          log.newest(view.wanted(), SHOWN).stream()
              .flatMap(one -> view.of(one).stream())
              .map(Entry::of)
              .toList();
      return Answers.json(OK, new Answers.Items(shown, null));
    } catch (BadFieldException e) {
      return Answers.problem(BAD_REQUEST, "a parameter is wrong", e.error());
    }
  }

  /** The page for people is the console's. */
  private static Response page(Request request) {
    String query = request.rawQuery();
    return Response.empty(SEE_OTHER)
        .withHeader("Location", "/live" + (query.isEmpty() ? "" : "?" + query))
        .withHeader("Vary", "Accept")
        .withHeader("Cache-Control", "no-store");
  }

  private static long id(String text) {
    if (!text.matches("\\d{1,18}")) {
      throw new BadFieldException(LAST_EVENT_ID, "it is not an id of this log");
    }
    return Long.parseLong(text);
  }

  private static boolean isAskedFor(
      Request request, Optional<String> format, String name, String type) {
    return format.isPresent()
        ? format.get().equals(name)
        : request.header("Accept").filter(accept -> accept.contains(type)).isPresent();
  }

  private Response live(Request request, ActivityView view) {
    StreamCaller caller =
        new StreamCaller(
            callers.key(request),
            view.operator() ? () -> access.refusal(request).isEmpty() : () -> true);
    if (live.readers().isFull(caller.key())) {
      return Answers.problem(
              UNAVAILABLE, "the log has as many readers as it can serve, in all or of you")
          .withHeader("Retry-After", RETRY_AFTER_SECONDS);
    }
    // Ids begin anew with each start: one that is not reached yet is of an earlier one.
    long newest = log.newestId();
    long after =
        request
            .header(LAST_EVENT_ID)
            .map(LogHandler::id)
            .map(id -> id > newest ? 0 : id)
            .orElse(newest);
    return Response.live(
            Wire.SSE.contentType(),
            out ->
                live.serve(
                    after,
                    Wire.SSE,
                    one -> view.of(one).map(seen -> Answers.bytes(Entry.of(seen))),
                    caller,
                    out))
        .withHeader("Cache-Control", "no-store")
        .withHeader("X-Accel-Buffering", "no");
  }

  /** An activity as JSON has it. */
  private record Entry(
      String id,
      String at,
      String kind,
      String feed,
      String peer,
      @Nullable String path,
      boolean success,
      String outcome,
      @Nullable String subscriber,
      @Nullable String event) {

    static Entry of(Activity one) {
      return new Entry(
          Long.toString(one.id()),
          time(one),
          Answers.word(one.kind()),
          one.feed(),
          one.peer(),
          one.delivery() == null ? null : one.delivery().path(),
          one.success(),
          one.outcome(),
          subscriberOf(one),
          eventOf(one));
    }
  }

  private static @Nullable String subscriberOf(Activity one) {
    Activity.Delivery delivery = one.delivery();
    return delivery == null ? null : SubscriberId.ofRecord(delivery.subscriber()).toString();
  }

  private static @Nullable String eventOf(Activity one) {
    Activity.Delivery delivery = one.delivery();
    return delivery == null || delivery.event() == 0 ? null : Long.toString(delivery.event());
  }

  /** In UTC, to the millisecond. */
  private static String time(Activity activity) {
    return TIME.format(activity.at());
  }
}
