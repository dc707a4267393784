package io.feedbridge.gateway.ingest.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.hosts.LearntPace.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The pace that a site's answers teach. */
class LearntPaceTest {

  private static final Duration DAY = Duration.ofDays(1);

  private final LearntPace pace = new LearntPace(Duration.ZERO, DAY);
  private Instant now = Instant.parse("2026-11-20T12:00:00Z");

  private Change answered(int code, @Nullable Integer retryAfter, RateLimit limit) {
    Optional<Duration> pause = Optional.ofNullable(retryAfter).map(Duration::ofSeconds);
    return pace.learn(new SiteAnswer(code, pause, limit), now, now);
  }

  private Change refused() {
    return answered(429, null, RateLimit.NONE);
  }

  private void good(int times) {
    for (int i = 0; i < times; i++) {
      answered(200, null, RateLimit.NONE);
    }
  }

  private static RateLimit left(long remaining, long seconds) {
    return new RateLimit(remaining, Duration.ofSeconds(seconds));
  }

  private long seconds() {
    return pace.now(now).toSeconds();
  }

  @Test
  void each_refusal_without_a_hint_doubles_the_pace_up_to_the_longest() {
    assertThat(refused()).isEqualTo(Change.SLOWER);
    assertThat(pace.now(now)).isEqualTo(LearntPace.START);
    now = now.plusSeconds(20);
    assertThat(refused()).isEqualTo(Change.SLOWER);
    assertThat(pace.now(now)).isEqualTo(LearntPace.START.multipliedBy(2));
    for (int i = 0; i < 20; i++) {
      now = now.plus(LearntPace.LONGEST);
      refused();
    }
    assertThat(pace.now(now)).isEqualTo(LearntPace.LONGEST);
  }

  @Test
  void requests_that_were_under_way_when_the_pace_was_learnt_count_once() {
    Instant sent = now.minusMillis(300);
    for (int i = 0; i < 16; i++) {
      pace.learn(new SiteAnswer(429, Optional.empty(), RateLimit.NONE), sent, now);
    }
    assertThat(pace.now(now)).isEqualTo(LearntPace.START);
  }

  @Test
  void good_answers_relax_it_but_for_a_day_not_to_the_refused_pace() {
    refused();
    now = now.plusSeconds(10);
    refused();
    good(LearntPace.RELAXED_AFTER - 1);
    assertThat(seconds()).isEqualTo(20);
    good(1);
    assertThat(pace.now(now)).isEqualTo(Duration.ofMillis(17_500));
    good(LearntPace.RELAXED_AFTER * 50);
    assertThat(pace.now(now)).isEqualTo(Duration.ofMillis(12_500));

    now = now.plus(LearntPace.MINDFUL);
    good(LearntPace.RELAXED_AFTER * 50);
    assertThat(pace.isNone(now)).isTrue();
  }

  @Test
  void a_spent_limit_rests_until_its_reset_and_tells_the_pace_the_second_time() {
    answered(200, null, left(0, 30));
    assertThat(pace.rest()).isBetween(now.plusSeconds(30), now.plusSeconds(31));
    assertThat(pace.now(now)).isEqualTo(LearntPace.START);

    now = pace.rest();
    answered(200, null, left(0, 30));
    assertThat(seconds()).isEqualTo(30);
    for (int i = 0; i < 1_000; i++) {
      now = pace.rest().plusMillis(200);
      answered(200, null, left(0, 30));
    }
    assertThat(seconds()).isEqualTo(30);
  }

  @Test
  void a_period_of_many_requests_permits_its_part() {
    answered(200, null, left(0, 100));
    now = pace.rest();
    for (int i = 0; i < 59; i++) {
      answered(200, null, left(59 - i, 3_600 - 10 * i));
      now = now.plusSeconds(10);
    }
    answered(200, null, left(0, 3_600 - 590));
    assertThat(seconds()).isEqualTo(60);
  }

  @Test
  void the_last_requests_of_a_period_are_spread() {
    answered(200, null, left(10, 200));
    assertThat(seconds()).isEqualTo(20);
    now = now.plusSeconds(200);
    assertThat(pace.isNone(now)).isTrue();
  }

  @Test
  void Retry_After_of_a_refusal_is_a_rest() {
    answered(429, 120, RateLimit.NONE);
    assertThat(pace.rest()).isEqualTo(now.plusSeconds(120));
  }

  @Test
  void a_403_counts_only_with_a_hint() {
    assertThat(answered(403, null, RateLimit.NONE)).isEqualTo(Change.NONE);
    assertThat(answered(403, 60, RateLimit.NONE)).isEqualTo(Change.SLOWER);
  }

  @Test
  void a_503_is_its_hosts_alone() {
    assertThat(answered(503, 60, RateLimit.NONE)).isEqualTo(Change.NONE);
    assertThat(pace.isNone(now)).isTrue();
  }

  @Test
  void the_values_of_a_hostile_site_are_bounded() {
    answered(429, 999_999_999, left(0, 999_999_999_999_999L));
    assertThat(pace.rest()).isEqualTo(now.plus(DAY));
    now = pace.rest();
    answered(200, null, left(1, 999_999_999_999_999L));
    answered(200, null, left(0, 999_999_999_999_999L));
    assertThat(pace.now(now)).isLessThanOrEqualTo(LearntPace.LONGEST);
    answered(200, null, left(Long.MAX_VALUE, 0));
    answered(200, null, left(0, 0));
  }

  @Test
  void a_given_pace_is_never_exceeded() {
    LearntPace given = new LearntPace(Duration.ofMinutes(1), DAY);
    for (int i = 0; i < 10_000; i++) {
      given.learn(new SiteAnswer(200, Optional.empty(), RateLimit.NONE), now, now);
    }
    assertThat(given.now(now)).isEqualTo(Duration.ofMinutes(1));
    given.learn(new SiteAnswer(429, Optional.empty(), RateLimit.NONE), now, now);
    assertThat(given.now(now)).isEqualTo(Duration.ofMinutes(2));
  }
}
