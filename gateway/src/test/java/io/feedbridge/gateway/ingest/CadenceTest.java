package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The adaptive period and the pauses after failures. */
class CadenceTest {

  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

  private final Cadence cadence =
      new Cadence(Duration.ofMinutes(1), Duration.ofHours(24), Duration.ofHours(24));

  @Test
  void the_period_stays_within_its_bounds_however_often_it_is_adapted() {
    Duration shorter = Duration.ofMinutes(15);
    Duration longer = Duration.ofMinutes(15);
    for (int i = 0; i < 100; i++) {
      shorter = cadence.after(shorter, true, false);
      longer = cadence.after(longer, false, false);
    }
    assertThat(shorter).isEqualTo(Duration.ofMinutes(1));
    assertThat(longer).isEqualTo(Duration.ofHours(24));
  }

  @Test
  void it_starts_at_15_minutes_or_the_nearest_bound() {
    assertThat(cadence.after(Duration.ZERO, false, true)).isEqualTo(Duration.ofMinutes(15));
    Cadence slow = new Cadence(Duration.ofHours(1), Duration.ofHours(2), Duration.ofHours(24));
    assertThat(slow.after(Duration.ZERO, true, true)).isEqualTo(Duration.ofHours(1));
    Cadence quick = new Cadence(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofHours(1));
    assertThat(quick.after(Duration.ZERO, false, true)).isEqualTo(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 16, 17, 1_000, Integer.MAX_VALUE})
  void failures_double_the_pause_up_to_the_longest_period_without_overflow(int failures) {
    Duration year = Duration.ofDays(365);
    Cadence longest = new Cadence(Duration.ofSeconds(1), year, year);

    Instant at = longest.afterFailure(NOW, year, failures, false, Optional.empty());

    assertThat(at).isEqualTo(NOW.plus(year));
  }

  @Test
  void a_Retry_After_never_shortens_a_pause() {
    assertThat(
            cadence.afterFailure(
                NOW, Duration.ofHours(1), 1, false, Optional.of(Duration.ofSeconds(1))))
        .isEqualTo(NOW.plus(Duration.ofHours(2)));
    assertThat(
            cadence.afterFailure(
                NOW, Duration.ofHours(1), 1, true, Optional.of(Duration.ofMinutes(1))))
        .isEqualTo(NOW.plus(Duration.ofMinutes(1)));
  }
}
