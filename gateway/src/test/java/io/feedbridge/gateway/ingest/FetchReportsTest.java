package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.fetch.FetchResult.Way;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.feeds.Validators;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class FetchReportsTest {

  private static final String URL = "http://feeds.test/";

  @Test
  void operators_are_told_of_a_feed_that_is_gone_and_back_and_not_of_a_new_one() {
    Clock clock = Clock.systemUTC();
    ActivityLog activity = new ActivityLog(clock);
    List<Notice> told = new ArrayList<>();
    activity.onNotice(told::add);
    FetchReports reports =
        new FetchReports(new Meters(new SimpleMeterRegistry(), clock), activity, Traces.off());

    reports.changed(feed(FeedState.NEW), feed(FeedState.ACTIVE));
    reports.changed(feed(FeedState.ACTIVE), feed(FeedState.ACTIVE));
    reports.changed(feed(FeedState.ACTIVE), feed(FeedState.ERROR));
    reports.changed(feed(FeedState.ERROR), feed(FeedState.GONE));
    reports.changed(feed(FeedState.GONE), feed(FeedState.ACTIVE));

    assertThat(told)
        .extracting(Notice::type)
        .containsExactly(Notice.Type.FEED_ERROR, Notice.Type.FEED_GONE, Notice.Type.FEED_BACK);
    assertThat(told).extracting(Notice::about).containsOnly(URL);
  }

  private static FollowedFeed feed(FeedState state) {
    return new FollowedFeed(
        1,
        URL,
        URL,
        FeedKind.FEED,
        state,
        true,
        true,
        0,
        StageBench.START,
        null,
        null,
        FollowedFeed.Fetched.NEVER,
        Validators.NONE,
        Advertised.NOTHING,
        PollPace.UNKNOWN);
  }

  @Test
  void the_time_of_a_failed_fetch_counts() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    Clock clock = Clock.systemUTC();
    FetchReports reports =
        new FetchReports(new Meters(registry, clock), new ActivityLog(clock), Traces.off());
    reports.of(
        feed(FeedState.ACTIVE),
        new FetchResult.Failed(
            null, "no answer", Optional.empty(), Way.straight(URL, Duration.ofSeconds(30))));

    assertThat(
            registry
                .get("feedbridge.fetches")
                .tag("outcome", "failed")
                .timer()
                .totalTime(TimeUnit.SECONDS))
        .isEqualTo(30);
  }
}
