package io.feedbridge.gateway.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.schedule.ManualTimer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BucketsTest {

  private final ManualTimer timer =
      new ManualTimer(java.time.Instant.parse("2026-01-01T00:00:00Z"));
  private final Buckets buckets = new Buckets(Rate.parse("6/m").orElseThrow(), timer.clock());

  private void takeAll(String key) {
    assertThat(buckets.take(key, 6)).isEmpty();
  }

  @Test
  void so_many_are_there_at_once_and_then_again_as_time_passes() {
    takeAll("a");

    assertThat(buckets.take("a", 1)).contains(Duration.ofSeconds(10));
    timer.advance(Duration.ofSeconds(9));
    assertThat(buckets.peek("a")).contains(Duration.ofSeconds(1));
    timer.advance(Duration.ofSeconds(1));
    assertThat(buckets.peek("a")).isEmpty();
    assertThat(buckets.take("a", 1)).isEmpty();
    assertThat(buckets.take("a", 1)).isPresent();
  }

  @Test
  void whoever_is_refused_has_taken_none() {
    assertThat(buckets.take("a", 5)).isEmpty();

    assertThat(buckets.take("a", 2)).contains(Duration.ofSeconds(10));
    assertThat(buckets.take("a", 1)).isEmpty();
  }

  @Test
  void more_than_ever_fit_are_there_when_the_bucket_is_full() {
    assertThat(buckets.take("a", 100)).isEmpty();
    assertThat(buckets.take("a", 100)).contains(Duration.ofMinutes(1));
  }

  @Test
  void each_key_has_its_own() {
    takeAll("a");

    assertThat(buckets.take("b", 6)).isEmpty();
  }

  @Test
  void what_is_given_back_is_there_again_and_never_more_than_fit() {
    takeAll("a");

    buckets.giveBack("a");
    buckets.giveBack("b");

    assertThat(buckets.take("a", 1)).isEmpty();
    assertThat(buckets.take("a", 1)).isPresent();
    takeAll("b");
    assertThat(buckets.take("b", 1)).isPresent();
  }

  @Test
  void where_there_is_no_limit_nothing_runs_out() {
    Buckets open = new Buckets(Rate.NONE, timer.clock());

    for (int i = 0; i < 1_000; i++) {
      assertThat(open.take("a", 1_000)).isEmpty();
    }
    assertThat(open.peek("a")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "600/m, 600, 60",
    "600/1m, 600, 60",
    "1/24h, 1, 86400",
    "5/d, 5, 86400",
    "7/90s, 7, 90"
  })
  void a_rate_is_a_number_in_a_time(String text, int count, long seconds) {
    assertThat(Rate.parse(text)).contains(new Rate(count, Duration.ofSeconds(seconds)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0/m", "-1/m", "5", "5/", "/m", "5/0m", "5/ms", "5/y", "1.5/m", "999999999/s"})
  void anything_else_is_none(String text) {
    assertThat(Rate.parse(text)).isEmpty();
  }
}
