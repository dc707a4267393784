package io.feedbridge.gateway.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FeedCredentials.Auth;
import io.feedbridge.gateway.store.feeds.FeedCredentials.Scheme;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.work.Via;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long a ping waits for its fetch. */
class PingOutcomesTest {

  private static final String TOPIC = "http://news.example/feed";

  private final ManualTimer timer = new ManualTimer(StageBench.START);
  @TempDir Path data;
  private StageBench bench;
  private PingOutcomes outcomes;
  private FollowedFeed feed;

  @BeforeEach
  void start() {
    bench = new StageBench(data, timer, store -> store, work -> work);
    feed = bench.subscribed(TOPIC, Format.ATOM);
    outcomes = new PingOutcomes(bench.store(), Runnable::run, timer);
    outcomes.start();
  }

  @AfterEach
  void stop() {
    outcomes.close();
    bench.close();
  }

  @Test
  void a_ping_waits_five_seconds_for_a_fetch_that_does_not_end() {
    CompletableFuture<PingOutcomes.Known> answer = outcomes.of(List.of(TOPIC), outcomes.now());

    timer.advance(PingOutcomes.WAIT.minusMillis(1));
    assertThat(answer).isNotDone();
    timer.advance(Duration.ofMillis(1));
    assertThat(answer).isCompletedWithValue(new PingOutcomes.Known(Map.of(), Map.of()));
  }

  @Test
  void a_ping_learns_of_a_private_feed_only_that_it_asks_for_credentials() {
    FeedCredentials credentials =
        new FeedCredentials(new Auth(Scheme.BASIC, "ann", "geheim"), Map.of(), null, null);
    bench.store().privateFeeds().set(TOPIC, credentials, timer.now()).join();
    CompletableFuture<PingOutcomes.Known> answer = outcomes.of(List.of(TOPIC), outcomes.now());

    FollowedFeed.Fetched before = feed.fetched();
    FollowedFeed.Fetched failed =
        new FollowedFeed.Fetched(
            null,
            403,
            "the origin answered with status 403" + FetchResult.CREDENTIALS_NOT_SENT,
            Duration.ofHours(1),
            1,
            false,
            timer.now(),
            null,
            before.maintenance(),
            before.standing(),
            null,
            null,
            null,
            null);
    bench
        .store()
        .feeds()
        .record(OutcomeBuilder.of(feed, timer.now()).fetched(failed).build())
        .join();

    bench.until(
        () -> {
          timer.advance(Duration.ofMillis(1));
          return answer.isDone();
        });
    assertThat(answer)
        .isCompletedWithValue(
            new PingOutcomes.Known(Map.of(TOPIC, FollowedFeed.ASKS_FOR_CREDENTIALS), Map.of()));
  }

  @Test
  void a_ping_does_not_wait_for_a_fetch_that_a_budget_holds_back() {
    CompletableFuture<PingOutcomes.Known> answer = outcomes.of(List.of(TOPIC), outcomes.now());

    bench.light(feed, Via.PING);
    bench
        .store()
        .feeds()
        .holdBack(
            bench.work().take(1).get(0).position(),
            new HeldBack("too many pings in vain", timer.now().plusSeconds(60)),
            null)
        .join();

    bench.until(
        () -> {
          timer.advance(Duration.ofMillis(1));
          return answer.isDone();
        });
    assertThat(timer.now()).isBefore(StageBench.START.plus(PingOutcomes.WAIT));
    assertThat(answer)
        .isCompletedWithValue(
            new PingOutcomes.Known(
                Map.of(),
                Map.of(
                    TOPIC,
                    "at %s: too many pings in vain".formatted(StageBench.START.plusSeconds(60)))));
  }
}
