package io.feedbridge.gateway.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pauses between attempts. */
class BackOffTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  /** Always the greatest number of a range, so that the whole pause is waited. */
  private static final RandomGenerator GREATEST =
      new Random(0) {
        private static final long serialVersionUID = 1L;

        @Override
        public long nextLong(long bound) {
          return bound - 1;
        }
      };

  private static final RandomGenerator LEAST =
      new Random(0) {
        private static final long serialVersionUID = 1L;

        @Override
        public long nextLong(long bound) {
          return 0;
        }
      };

  @ParameterizedTest
  @CsvSource({
    "1, PT5S",
    "2, PT30S",
    "3, PT2M",
    "4, PT10M",
    "5, PT30M",
    "6, PT1H",
    "7, PT2H",
    "8, PT2H",
    "1000000, PT2H"
  })
  void pauses_grow_to_two_hours_with_jitter_down_to_a_second(int failures, Duration longest) {
    assertThat(pause(GREATEST, failures, Optional.empty())).isEqualTo(longest);
    assertThat(pause(LEAST, failures, Optional.empty())).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void the_jitter_uses_the_whole_of_its_range() {
    BackOff backOff = new BackOff(new Random(7));
    List<Duration> pauses =
        java.util.stream.Stream.generate(() -> backOff.next(NOW, 3, Optional.empty()))
            .limit(1_000)
            .map(at -> Duration.between(NOW, at))
            .toList();

    assertThat(pauses)
        .allMatch(pause -> pause.compareTo(Duration.ofMinutes(2)) <= 0)
        .allMatch(pause -> pause.compareTo(Duration.ofSeconds(1)) >= 0)
        .anyMatch(pause -> pause.compareTo(Duration.ofSeconds(10)) < 0)
        .anyMatch(pause -> pause.compareTo(Duration.ofSeconds(110)) > 0);
  }

  @ParameterizedTest
  @CsvSource({"PT0S, PT5S", "PT3S, PT5S", "PT1M, PT1M", "PT24H, PT24H", "PT25H, PT24H"})
  void a_wish_longer_than_the_pause_is_respected_up_to_a_day(Duration wish, Duration waited) {
    assertThat(pause(GREATEST, 1, Optional.of(wish))).isEqualTo(waited);
  }

  private static Duration pause(
      RandomGenerator random, int failures, Optional<Duration> retryAfter) {
    return Duration.between(NOW, new BackOff(random).next(NOW, failures, retryAfter));
  }
}
