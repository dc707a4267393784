package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.FeedStep;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.api.model.StepView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.EventTitles;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.Page;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** {@code /api/v1/feeds/{id}/history}: the steps of a feed, the newest first. */
final class HistoryApi {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final Store store;

  HistoryApi(Store store) {
    this.store = store;
  }

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
        OK, page.items(found, step -> StepView.of(step, titles), step -> Long.toString(step.id())));
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
}
