package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.delivery.send.EventDocuments;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.FeedHistory;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.web.api.model.EventView;
import io.feedbridge.gateway.web.api.model.StepView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/events}: the log, the oldest first. */
final class EventsApi {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  /** Looks into the log for one part of the list; most of its events may be of other feeds. */
  private static final int MAX_READS = 50;

  private final Log log;
  private final Feeds feeds;
  private final FeedHistory history;
  private final BridgedUrls bridges;
  private final EventDocuments documents;

  EventsApi(Store store, BridgedUrls bridges) {
    documents = new EventDocuments(store, bridges);
    log = store.log();
    feeds = store.feeds();
    history = store.feedHistory();
    this.bridges = bridges;
  }

  /** {@code GET /events}. */
  Response list(Request request) {
    Page page = Page.of(request);
    Optional<String> after = Page.parameter(request, "after");
    if (after.isPresent() && page.position().isPresent()) {
      throw new BadFieldException("after", "it must not be given with a cursor");
    }
    long from =
        page.position()
            .map(text -> position(text).orElseThrow(Page::badCursor))
            .or(
                () ->
                    after.map(
                        text ->
                            position(text)
                                .orElseThrow(
                                    () ->
                                        new BadFieldException(
                                            "after", "it is not the id of an event"))))
            .orElse(0L);
    Optional<String> topic =
        Page.parameter(request, "topic").map(url -> TopicField.of("topic", url, bridges));
    Optional<FollowedFeed> feed = topic.flatMap(feeds::byTopic);
    if (topic.isPresent() && feed.isEmpty()) {
      return Answers.json(OK, new Answers.Items(List.of(), null));
    }
    if (newestFirst(request)) {
      if (after.isPresent()) {
        throw new BadFieldException("after", "it must not be given with order=newest");
      }
      return Answers.json(OK, newest(page, feed.map(FollowedFeed::id).orElse(null)));
    }
    Log.Scope scope =
        feed.<Log.Scope>map(one -> new Log.Scope.Some(Set.of(one.id()))).orElse(Log.Scope.ALL);
    return Answers.json(OK, items(page, from, scope));
  }

  private static boolean newestFirst(Request request) {
    String order = Page.parameter(request, "order").orElse("oldest");
    if (!order.equals("oldest") && !order.equals("newest")) {
      throw new BadFieldException("order", "it must be oldest or newest");
    }
    return order.equals("newest");
  }

  private Answers.Items newest(Page page, @Nullable Long feedId) {
    long before =
        page.position()
            .map(text -> position(text).orElseThrow(Page::badCursor))
            .orElse(Long.MAX_VALUE);
    List<Event> found = log.newest(feedId, before, page.limit() + 1);
    long last = found.isEmpty() ? 0 : found.get(found.size() - 1).seq();
    boolean more =
        found.size() <= page.limit() && last > 0 && !log.newest(feedId, last, 1).isEmpty();
    return more
        ? page.leadingOn(found, view(), Long.toString(last))
        : page.items(found, view(), event -> Long.toString(event.seq()));
  }

  /** {@code GET /events/{id}/document?format=}: the document that brings the event alone. */
  Response document(Request request) {
    Format format = Page.parameter(request, "format").map(EventsApi::format).orElse(Format.ATOM);
    Optional<Event> event = event(request);
    if (event.isEmpty()) {
      return unknown();
    }
    return documents
        .document(event.get(), format)
        .map(
            document ->
                Response.of(OK, document.contentType().value(), document.body())
                    .withHeader("Content-Security-Policy", "default-src 'none'; sandbox")
                    .withHeader("X-Content-Type-Options", "nosniff"))
        .orElseGet(
            () ->
                Answers.problem(
                    NOT_FOUND,
                    format == Format.RAW
                        ? "the event changed no bytes, or the topic's bytes are not kept: they are while a"
                            + " subscriber wants format raw"
                        : "the event has nothing that a document in this format can tell"));
  }

  private static Format format(String name) {
    return Stream.of(Format.values())
        .filter(format -> format != Format.LIGHT)
        .filter(format -> Answers.word(format).equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new BadFieldException(
                    "format", "it must be auto, atom, json, rss, jsonfeed or raw"));
  }

  /** {@code GET /events/{id}}. */
  Response get(Request request) {
    return event(request)
        .map(event -> Answers.json(OK, view().apply(event).broughtBy(step(event))))
        .orElseGet(EventsApi::unknown);
  }

  private @Nullable StepView step(Event event) {
    return history
        .ofEvent(event.feedId(), event.seq())
        .map(step -> StepView.of(step, HistoryApi.titles(log, List.of(step))))
        .orElse(null);
  }

  /** {@code GET /events/{id}/deliveries}. */
  Response deliveries(Request request, EventDeliveries deliveries) {
    EventDeliveries.Part part = deliveries.part(Page.of(request));
    return event(request)
        .map(event -> Answers.json(OK, part.of(event)))
        .orElseGet(EventsApi::unknown);
  }

  private Optional<Event> event(Request request) {
    return position(request.pathVariables().getOrDefault("id", ""))
        .filter(seq -> seq > 0)
        .flatMap(
            seq ->
                log.read(seq - 1, seq, Log.Scope.ALL).events().stream()
                    .filter(event -> event.seq() == seq)
                    .findFirst());
  }

  private static Response unknown() {
    return Answers.problem(NOT_FOUND, "there is no such event in the log, or not any more");
  }

  private Answers.Items items(Page page, long from, Log.Scope scope) {
    List<Event> found = new ArrayList<>();
    long position = from;
    for (int reads = 0; reads < MAX_READS && found.size() <= page.limit(); reads++) {
      Log.Page read = log.read(position, Long.MAX_VALUE, scope);
      found.addAll(read.events());
      if (read.to() <= position) {
        return page.items(found, view(), event -> Long.toString(event.seq()));
      }
      position = read.to();
    }
    if (found.size() > page.limit()) {
      return page.items(found, view(), event -> Long.toString(event.seq()));
    }
    // Not at the end yet: a part may be short, or empty, and still lead on.
    return page.leadingOn(found, view(), Long.toString(position));
  }

  private Function<Event, EventView> view() {
    Map<Long, String> topics = new HashMap<>();
    return event ->
        new EventView(
            Long.toString(event.seq()),
            event.at(),
            Long.toString(event.feedId()),
            topics.computeIfAbsent(
                event.feedId(), id -> feeds.byId(id).map(FollowedFeed::topic).orElse("")),
            Answers.word(event.via()),
            event.update().statusChanged(),
            Stream.of(
                    event.update().feed().entries().stream().map(e -> EventView.Item.of(e, "new")),
                    event.update().changed().stream().map(e -> EventView.Item.of(e, "changed")),
                    event.update().feed().removals().stream().map(EventView.Item::of))
                .flatMap(views -> views)
                .toList(),
            null);
  }

  private static Optional<Long> position(String text) {
    return text.matches("\\d{1,18}") ? Optional.of(Long.parseLong(text)) : Optional.empty();
  }
}
