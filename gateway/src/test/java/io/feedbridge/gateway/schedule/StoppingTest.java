package io.feedbridge.gateway.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StoppingTest {

  @Test
  void its_time_runs_from_the_first_beginning_on() {
    Duration most = Duration.ofMillis(1);
    Stopping stopping = new Stopping(most);
    assertThat(stopping.hasBegun()).isFalse();

    stopping.begin();
    assertThat(stopping.hasBegun()).isTrue();
    assertThat(stopping.left()).isLessThanOrEqualTo(most);
    while (stopping.left().compareTo(Duration.ZERO) > 0) {
      Thread.onSpinWait();
    }
    stopping.begin();
    assertThat(stopping.left()).isLessThanOrEqualTo(Duration.ZERO);
  }
}
