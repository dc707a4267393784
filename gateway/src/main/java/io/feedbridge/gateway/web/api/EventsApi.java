package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Log;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.FeedHistory;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Removal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
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

  EventsApi(Store store, BridgedUrls bridges) {
    log = store.log();
    feeds = store.feeds();
    history = store.feedHistory();
    this.bridges = bridges;
  }

  /**
   * An event as the API shows it.
   *
   * @param status whether the feed failed, is gone, or is back
   * @param step the fetch or push that brought it, in the answer for one event; absent in lists,
   *     and once the history of the feed does not have it any more
   */
  record View(
      String id,
      Instant at,
      String topic,
      String via,
      boolean status,
      List<EntryView> entries,
      HistoryApi.@Nullable View step) {

    View broughtBy(HistoryApi.@Nullable View one) {
      return new View(id, at, topic, via, status, entries, one);
    }
  }

  /**
   * An entry of an event, without its content.
   *
   * @param change new, changed, or removed
   */
  record EntryView(String id, @Nullable String title, @Nullable String permalink, String change) {
    static EntryView of(Entry entry, String change) {
      return new EntryView(entry.id(), entry.title(), entry.permalink(), change);
    }

    static EntryView of(Removal removal) {
      return new EntryView(removal.id(), null, null, "removed");
    }
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
    Log.Scope scope =
        feed.<Log.Scope>map(one -> new Log.Scope.Some(Set.of(one.id()))).orElse(Log.Scope.ALL);
    return Answers.json(OK, items(page, from, scope));
  }

  /** {@code GET /events/{id}}. */
  Response get(Request request) {
    return event(request)
        .map(event -> Answers.json(OK, view().apply(event).broughtBy(step(event))))
        .orElseGet(EventsApi::unknown);
  }

  private HistoryApi.@Nullable View step(Event event) {
    return history.ofEvent(event.feedId(), event.seq()).map(HistoryApi.View::of).orElse(null);
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

  private Function<Event, View> view() {
    Map<Long, String> topics = new HashMap<>();
    return event ->
        new View(
            Long.toString(event.seq()),
            event.at(),
            topics.computeIfAbsent(
                event.feedId(), id -> feeds.byId(id).map(FollowedFeed::topic).orElse("")),
            event.via().name().toLowerCase(Locale.ROOT),
            event.update().statusChanged(),
            Stream.of(
                    event.update().feed().entries().stream().map(e -> EntryView.of(e, "new")),
                    event.update().changed().stream().map(e -> EntryView.of(e, "changed")),
                    event.update().feed().removals().stream().map(EntryView::of))
                .flatMap(views -> views)
                .toList(),
            null);
  }

  private static Optional<Long> position(String text) {
    return text.matches("\\d{1,18}") ? Optional.of(Long.parseLong(text)) : Optional.empty();
  }
}
