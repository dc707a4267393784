package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.FeedStep;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Log;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.EventTitles;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.Page;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/feeds/{id}/history}: the steps of a feed, the newest first. */
final class HistoryApi {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final Store store;

  HistoryApi(Store store) {
    this.store = store;
  }

  /**
   * A step as the API shows it; see {@link FeedStep}.
   *
   * @param kind fetch, push, or none
   * @param outcome such as news or unchanged
   * @param lastAt the time of the last of several equal steps
   * @param times how many equal steps this one stands for
   * @param status of the origin's answer; absent if there was none
   * @param stateBefore absent if the step did not change the feed's state
   * @param firstEventId the first event that the step appended; absent if it appended none
   * @param lastEventId the last event that the step appended
   * @param title of an entry of the first event; absent where the log has the event no more
   * @param reports how many pings, pushes and polls the step stands for
   * @param arrivals the first of them
   */
  record View(
      String id,
      Instant at,
      Instant lastAt,
      long times,
      String kind,
      String outcome,
      String via,
      @Nullable Long status,
      @Nullable String message,
      String state,
      @Nullable String stateBefore,
      int newEntries,
      int changedEntries,
      @Nullable String firstEventId,
      @Nullable String lastEventId,
      @Nullable String title,
      long reports,
      List<Arrival> arrivals) {

    static View of(FeedStep step, EventTitles titles) {
      FeedStep.Kind kind = step.kind();
      return new View(
          Long.toString(step.id()),
          step.at(),
          step.lastAt(),
          step.times(),
          label(kind),
          label(step.outcome()),
          label(step.via()),
          step.code(),
          step.message(),
          label(step.state()),
          step.stateBefore() == null ? null : label(step.stateBefore()),
          step.fresh(),
          step.changed(),
          step.firstSeq() == null ? null : step.firstSeq().toString(),
          step.lastSeq() == null ? null : step.lastSeq().toString(),
          titles.of(step.firstSeq()),
          step.reports(),
          step.arrivals().stream()
              .map(one -> new Arrival(label(one.via()), one.at(), one.sender()))
              .toList());
    }
  }

  /**
   * The arrival of a ping, push or poll.
   *
   * @param sender the caller's IP address, or the URL of the hub or cloud; absent if the gateway
   *     itself made it
   */
  record Arrival(String via, Instant at, @Nullable String sender) {}

  /** {@code GET /feeds/{id}/history}. */
  Response list(Request request) {
    Page page = Page.of(request);
    long behind = ItemId.behind(page);
    Optional<FollowedFeed> feed = ItemId.in(request).flatMap(store.feeds()::byId);
    if (feed.isEmpty()) {
      return Answers.problem(NOT_FOUND, "no such feed is known");
    }
    List<FeedStep> found =
        store
            .feedHistory()
            .of(feed.get().id(), behind == 0 ? Long.MAX_VALUE : behind, page.limit() + 1);
    EventTitles titles = titles(store.log(), found);
    return Answers.json(
        OK, page.items(found, step -> View.of(step, titles), step -> Long.toString(step.id())));
  }

  /** The titles of the first events of some steps. */
  static EventTitles titles(Log log, List<FeedStep> steps) {
    return EventTitles.of(
        log,
        steps.stream()
            .map(FeedStep::firstSeq)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet()));
  }

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
