package io.feedbridge.gateway.ingest.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.feeds.Validators;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EventBudgetsTest {

  private static final Instant NOW = StageBench.START;
  private static final long HEAVY = 60L << 20;

  private final EventBudgets budgets = new EventBudgets(new ManualTimer(NOW).clock());

  private static FollowedFeed feed(long id, String host) {
    String url = "http://" + host + "/" + id;
    return new FollowedFeed(
        id,
        url,
        url,
        FeedKind.FEED,
        FeedState.ACTIVE,
        true,
        true,
        0,
        NOW,
        null,
        null,
        FollowedFeed.Fetched.NEVER,
        Validators.NONE,
        Advertised.NOTHING,
        PollPace.UNKNOWN);
  }

  @Test
  void feeds_of_one_host_share_a_budget_whatever_its_ports_and_feeds_with_little_are_spared() {
    FollowedFeed little = feed(1_000, "flood.example");
    budgets.appended(little, 10_000, NOW);
    for (int i = 0; i < 20; i++) {
      budgets.appended(feed(i, "flood.example:" + (8_000 + i)), HEAVY, NOW);
    }

    HeldBack first = budgets.before(feed(0, "flood.example:8000"), NOW).orElseThrow();
    HeldBack second = budgets.before(feed(1, "flood.example:8001"), NOW).orElseThrow();

    assertThat(first.reason()).contains("feeds at flood.example").contains("1024 MiB");
    assertThat(first.until()).isAfter(NOW);
    // One after the other, so that they do not spend it all at once again.
    assertThat(second.until()).isAfter(first.until().plus(Duration.ofMinutes(10)));
    assertThat(budgets.before(little, NOW)).isEmpty();
    assertThat(budgets.before(feed(2_000, "flood.example"), NOW)).isEmpty();
    assertThat(budgets.before(feed(2_001, "other.example"), NOW)).isEmpty();
  }

  @Test
  void all_feeds_together_have_a_budget_that_feeds_with_little_do_not_wait_for() {
    FollowedFeed heavy = feed(1_000, "heavy.example");
    budgets.appended(heavy, 2 * EventBudgets.SPARED, NOW);
    for (int i = 0; i < 150; i++) {
      budgets.appended(feed(i, "flood%d.example".formatted(i)), HEAVY, NOW);
    }

    assertThat(budgets.before(heavy, NOW).orElseThrow().reason())
        .contains("all feeds together")
        .contains("8192 MiB");
    assertThat(budgets.before(feed(2_000, "little.example"), NOW)).isEmpty();
  }

  @Test
  void a_feed_waits_for_the_budgets_of_others_no_longer_than_its_own_is_overdrawn() {
    FollowedFeed heavy = feed(1_000, "heavy.example");
    budgets.appended(heavy, 2 * EventBudgets.SPARED, NOW);
    for (int i = 0; i < 20; i++) {
      budgets.appended(feed(i, "heavy.example"), HEAVY, NOW);
    }

    Instant until = budgets.before(heavy, NOW).orElseThrow().until();

    // A sixty-fourth of a day.
    assertThat(until).isBetween(NOW, NOW.plus(Duration.ofMinutes(23)));
    assertThat(budgets.before(heavy, NOW.plus(Duration.ofMinutes(23)))).isEmpty();
  }
}
