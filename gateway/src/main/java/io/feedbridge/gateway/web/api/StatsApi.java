package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.metrics.Curves;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.Figures;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.api.model.Stats;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.Page;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/stats}: the curves of the last day, and counts of the stored objects. */
final class StatsApi {

  private static final int OK = 200;
  private static final Duration USUAL = Duration.ofHours(1);

  private final Curves curves;
  private final Store store;
  private final Clock clock;

  StatsApi(Curves curves, Store store, Clock clock) {
    this.curves = curves;
    this.store = store;
    this.clock = clock;
  }

  /** {@code GET /stats?since=}; without it, of the last hour. */
  Response get(Request request) {
    Instant since =
        Page.parameter(request, "since").map(StatsApi::time).orElse(clock.instant().minus(USUAL));
    Figures figures = store.figures();
    List<Stats.Feeds> feeds = new ArrayList<>();
    figures
        .feedsBy()
        .forEach(
            (followed, count) ->
                feeds.add(
                    new Stats.Feeds(
                        Answers.word(followed.state()), Answers.word(followed.way()), count)));
    feeds.sort(Comparator.comparing(Stats.Feeds::state).thenComparing(Stats.Feeds::way));
    return Answers.json(
        OK,
        new Stats(
            since,
            curves.since(since),
            feeds,
            figures.websubSubscriptions(),
            figures.rsscloudSubscriptions(),
            store.webhooks().active().size(),
            figures.laggards()));
  }

  /** The value of {@code since}. */
  static Instant time(@Nullable String text) {
    try {
      return Instant.parse(String.valueOf(text));
    } catch (DateTimeException e) {
      throw new BadFieldException("since", "a time such as 2026-11-20T12:00:00Z is needed");
    }
  }
}
