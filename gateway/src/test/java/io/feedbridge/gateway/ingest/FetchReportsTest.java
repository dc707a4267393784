package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.fetch.FetchResult.Way;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.store.Advertised;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.PollPace;
import io.feedbridge.gateway.store.Validators;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class FetchReportsTest {

  private static final String URL = "http://feeds.test/";

  @Test
  void the_time_of_a_failed_fetch_counts() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    Clock clock = Clock.systemUTC();
    FetchReports reports =
        new FetchReports(new Meters(registry, clock), new ActivityLog(clock), Traces.off());
    FollowedFeed feed =
        new FollowedFeed(
            1,
            URL,
            URL,
            FeedKind.FEED,
            FeedState.ACTIVE,
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

    reports.of(
        feed,
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
