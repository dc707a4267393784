package io.feedbridge.rsscloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RenewalPolicyTest {

  private static final Instant REGISTERED = Instant.parse("2026-02-03T04:05:06Z");

  @Test
  void registrations_expire_after_25_hours() {
    assertThat(RssCloud.REGISTRATION_LIFETIME).isEqualTo(Duration.ofHours(25));
  }

  @Test
  void a_registration_is_dropped_after_three_consecutive_errors() {
    assertThat(RssCloud.ERRORS_BEFORE_REMOVAL).isEqualTo(3);
  }

  @Test
  void renewal_is_due_between_23_and_24_hours_and_spread_over_the_hour() {
    assertThat(RenewalPolicy.renewAt(REGISTERED, 0))
        .isEqualTo(REGISTERED.plus(Duration.ofHours(23)));
    assertThat(RenewalPolicy.renewAt(REGISTERED, 0.5))
        .isEqualTo(REGISTERED.plus(Duration.ofMinutes(23 * 60 + 30)));
    Random random = new Random(4);
    for (int i = 0; i < 1000; i++) {
      assertThat(RenewalPolicy.renewAt(REGISTERED, random.nextDouble()))
          .isBetween(REGISTERED.plus(Duration.ofHours(23)), REGISTERED.plus(Duration.ofHours(24)));
    }
    assertThat(RenewalPolicy.renewAt(REGISTERED, Math.nextDown(1.0)))
        .isBefore(REGISTERED.plus(Duration.ofHours(24)));
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.0, Double.NaN, Double.POSITIVE_INFINITY})
  void randomness_outside_of_0_to_1_is_a_mistake_of_the_caller(double random) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RenewalPolicy.renewAt(REGISTERED, random));
  }
}
