package io.feedbridge.gateway.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** The gateway's clock never goes back, and comes to agree with the system's again. */
class SteadyClockTest {

  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final SetClock system = new SetClock();
  private final SteadyClock clock = new SteadyClock(system);

  private static final class SetClock extends Clock {
    private Instant now = START;

    void pass(Duration by) {
      now = now.plus(by);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }
  }

  /** Time passes, and the clock is read every second of it. */
  private void read(Duration during) {
    for (Instant end = system.now.plus(during); system.now.isBefore(end); ) {
      Instant before = clock.instant();
      system.pass(SECOND);
      assertThat(clock.instant()).isAfter(before);
    }
  }

  @Test
  void it_is_the_system_clock_while_that_goes_on() {
    read(HOUR);
    system.pass(Duration.ofNanos(1_234_567));

    assertThat(clock.instant()).isEqualTo(system.instant());
    assertThat(clock.ahead()).isZero();
  }

  @Test
  void it_follows_a_step_forward_at_once() {
    system.pass(Duration.ofDays(40));

    assertThat(clock.instant()).isEqualTo(system.instant());
  }

  @Test
  void it_does_not_go_back_with_the_system_clock() {
    system.pass(HOUR.negated());

    assertThat(clock.instant()).isEqualTo(START);
    assertThat(clock.ahead()).isEqualTo(HOUR);
    system.pass(SECOND);
    assertThat(clock.instant()).isEqualTo(START.plusMillis(900));
    assertThat(SteadyClock.systemOf(clock).instant()).isEqualTo(system.instant());
  }

  @Test
  void a_wait_is_a_ninth_longer_at_most_after_a_step_back() {
    Instant due = clock.instant().plus(Duration.ofMinutes(15));
    system.pass(HOUR.negated());
    clock.instant();

    read(Duration.ofMinutes(17));

    assertThat(clock.instant()).isAfter(due);
  }

  @Test
  void it_agrees_with_the_system_clock_again_after_ten_times_the_step() {
    system.pass(HOUR.negated());
    clock.instant();

    read(HOUR.multipliedBy(10));

    assertThat(clock.instant()).isEqualTo(system.instant());
  }

  @Test
  void a_step_forward_after_one_back_ends_the_difference() {
    system.pass(HOUR.negated());
    Instant before = clock.instant();

    system.pass(HOUR);

    assertThat(clock.instant()).isEqualTo(before).isEqualTo(system.instant());
  }

  @Test
  void steps_back_add_up() {
    system.pass(HOUR.negated());
    clock.instant();
    system.pass(HOUR.negated());

    assertThat(clock.instant()).isEqualTo(START);
    assertThat(clock.ahead()).isEqualTo(HOUR.multipliedBy(2));
  }
}
