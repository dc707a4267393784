package io.feedbridge.gateway.ingest.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.PollPace;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The adaptive period and the pauses after failures. */
class PollScheduleTest {

  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

  private final PollSchedule pollSchedule =
      new PollSchedule(
          Duration.ofMinutes(1), Duration.ofHours(24), Duration.ofHours(24), Duration.ZERO, false);

  @Test
  void the_period_stays_within_its_bounds_however_often_it_is_adapted() {
    Duration shorter = Duration.ofMinutes(15);
    Duration longer = Duration.ofMinutes(15);
    for (int i = 0; i < 100; i++) {
      shorter = pollSchedule.after(shorter, true, false, PollPace.UNKNOWN, NOW);
      longer = pollSchedule.after(longer, false, false, PollPace.UNKNOWN, NOW);
    }
    assertThat(shorter).isEqualTo(Duration.ofMinutes(1));
    assertThat(longer).isEqualTo(Duration.ofHours(24));
  }

  @Test
  void it_starts_at_15_minutes_or_the_nearest_bound() {
    assertThat(pollSchedule.after(Duration.ZERO, false, true, PollPace.UNKNOWN, NOW))
        .isEqualTo(Duration.ofMinutes(15));
    PollSchedule slow =
        new PollSchedule(
            Duration.ofHours(1), Duration.ofHours(2), Duration.ofHours(24), Duration.ZERO, false);
    assertThat(slow.after(Duration.ZERO, true, true, PollPace.UNKNOWN, NOW))
        .isEqualTo(Duration.ofHours(1));
    PollSchedule quick =
        new PollSchedule(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofHours(1),
            Duration.ZERO,
            false);
    assertThat(quick.after(Duration.ZERO, false, true, PollPace.UNKNOWN, NOW))
        .isEqualTo(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 16, 17, 1_000, Integer.MAX_VALUE})
  void failures_double_the_pause_up_to_the_longest_period_without_overflow(int failures) {
    Duration year = Duration.ofDays(365);
    PollSchedule longest =
        new PollSchedule(Duration.ofSeconds(1), year, year, Duration.ZERO, false);

    Instant at = longest.afterFailure(NOW, year, failures, false, Optional.empty());

    assertThat(at).isEqualTo(NOW.plus(year));
  }

  @Test
  void a_Retry_After_never_shortens_a_pause() {
    assertThat(
            pollSchedule.afterFailure(
                NOW, Duration.ofHours(1), 1, false, Optional.of(Duration.ofSeconds(1))))
        .isEqualTo(NOW.plus(Duration.ofHours(2)));
    assertThat(
            pollSchedule.afterFailure(
                NOW, Duration.ofHours(1), 1, true, Optional.of(Duration.ofMinutes(1))))
        .isEqualTo(NOW.plus(Duration.ofMinutes(1)));
  }

  @Nested
  class What_the_origin_asks_for {

    private static PollPace.Asked asked(
        @Nullable Duration ttl, @Nullable Duration fresh, @Nullable Duration cycle) {
      return new PollPace.Asked(ttl, fresh, cycle, null, List.of(), List.of());
    }

    private static PollPace.Asked skipping(List<Integer> hours, List<DayOfWeek> days) {
      return new PollPace.Asked(null, null, null, null, hours, days);
    }

    private Instant next(Duration wait, PollPace.Asked asked) {
      return pollSchedule.next(NOW, wait, asked, "http://news.example/");
    }

    private Instant at(String time) {
      return Instant.parse(time);
    }

    @Test
    void readers_SHOULD_respect_ttl() {
      Duration quarter = Duration.ofMinutes(15);
      assertThat(next(quarter, asked(Duration.ofHours(2), null, null)))
          .isEqualTo(NOW.plus(Duration.ofHours(2)));
      assertThat(next(Duration.ofHours(3), asked(Duration.ofHours(2), null, null)))
          .isEqualTo(NOW.plus(Duration.ofHours(3)));
    }

    @Test
    void readers_MUST_respect_HTTP_caching() {
      assertThat(next(Duration.ofMinutes(15), asked(null, Duration.ofHours(2), null)))
          .isEqualTo(NOW.plus(Duration.ofHours(2)));
    }

    @Test
    void readers_SHOULD_respect_the_syndication_module() {
      assertThat(next(Duration.ofMinutes(15), asked(null, null, Duration.ofMinutes(30))))
          .isEqualTo(NOW.plus(Duration.ofMinutes(30)));
    }

    @Test
    void with_an_updateBase_the_next_update_counts_not_the_last_look() {
      PollPace.Asked daily =
          new PollPace.Asked(
              null, null, Duration.ofDays(1), at("2000-01-01T12:30:00Z"), List.of(), List.of());

      assertThat(next(Duration.ofMinutes(15), daily)).isEqualTo(at("2026-11-20T12:30:00Z"));
    }

    @Test
    void a_cycle_of_less_than_a_second_counts_as_one() {
      Instant base = NOW.minusSeconds(7);
      PollPace.Asked asked =
          new PollPace.Asked(null, null, Duration.ofMillis(900), base, List.of(), List.of());
      assertThat(next(Duration.ofMinutes(1), asked)).isEqualTo(NOW.plusSeconds(60));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"-0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"})
    void a_base_at_the_end_of_time_is_one_like_any_other(String base) {
      PollPace.Asked asked =
          new PollPace.Asked(
              Duration.ofDays(3650),
              Duration.ofDays(3_000_000),
              Duration.ofSeconds(1),
              Instant.parse(base),
              List.of(),
              List.of());
      assertThat(next(Duration.ofMinutes(1), asked)).isEqualTo(NOW.plus(Duration.ofHours(24)));
    }

    @Test
    void poll_max_caps_whatever_is_asked_for() {
      assertThat(next(Duration.ofMinutes(15), asked(Duration.ofDays(3650), null, null)))
          .isEqualTo(NOW.plus(Duration.ofHours(24)));
      assertThat(next(Duration.ofMinutes(15), asked(null, Duration.ofDays(3650), null)))
          .isEqualTo(NOW.plus(Duration.ofHours(24)));
    }

    @Test
    void readers_MUST_respect_skipHours() {
      assertThat(next(Duration.ofMinutes(75), skipping(List.of(13, 14), List.of())))
          .isEqualTo(at("2026-11-20T15:00:00Z"));
      assertThat(next(Duration.ofMinutes(15), skipping(List.of(13, 14), List.of())))
          .isEqualTo(NOW.plus(Duration.ofMinutes(15)));
    }

    @Test
    void readers_MUST_respect_skipDays() {
      // A Friday.
      assertThat(
              next(
                  Duration.ofHours(13),
                  skipping(List.of(0), List.of(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY))))
          .isEqualTo(at("2026-11-23T01:00:00Z"));
    }

    @Test
    void a_feed_that_skips_all_hours_is_polled_all_the_same() {
      List<Integer> all = IntStream.range(0, 24).boxed().toList();

      assertThat(next(Duration.ofMinutes(15), skipping(all, List.of())))
          .isEqualTo(NOW.plus(Duration.ofMinutes(15)));
    }

    @Test
    void poll_times_are_spread_by_URL_and_never_before_what_is_asked_for() {
      PollSchedule spreading =
          new PollSchedule(
              Duration.ofMinutes(1),
              Duration.ofHours(24),
              Duration.ofHours(24),
              Duration.ZERO,
              true);
      Set<Instant> times = new HashSet<>();
      for (int i = 0; i < 100; i++) {
        Instant time =
            spreading.next(
                NOW,
                Duration.ofHours(1),
                asked(Duration.ofHours(2), null, null),
                "http://news.example/" + i);
        assertThat(time)
            .isBetween(NOW.plus(Duration.ofHours(2)), NOW.plus(Duration.ofMinutes(132)));
        times.add(time);
      }
      assertThat(times).hasSizeGreaterThan(50);
    }
  }

  @Test
  void the_backup_poll_comes_before_the_document_has_lost_what_was_missed() {
    PollPace often = PollPace.UNKNOWN.beating(Duration.ofMinutes(40), NOW);

    assertThat(pollSchedule.watch(often)).as("of unknown length").isEqualTo(pollSchedule.backup());
    assertThat(pollSchedule.watch(often.showing(20))).isEqualTo(Duration.ofMinutes(200));
    assertThat(pollSchedule.watch(often.showing(1_000))).isEqualTo(pollSchedule.backup());
    assertThat(pollSchedule.watch(often.beating(Duration.ofSeconds(1), NOW).showing(20)))
        .isEqualTo(Duration.ofMinutes(15));
    assertThat(pollSchedule.watch(PollPace.UNKNOWN.showing(20))).isEqualTo(pollSchedule.backup());
  }

  @Test
  void a_feed_with_a_rhythm_is_looked_at_four_times_between_two_entries() {
    PollPace daily = PollPace.UNKNOWN.beating(Duration.ofDays(1), NOW.minus(Duration.ofHours(3)));
    Duration period = Duration.ofMinutes(15);
    for (int i = 0; i < 50; i++) {
      period = pollSchedule.after(period, false, false, daily, NOW);
    }
    assertThat(period).isEqualTo(Duration.ofHours(6));
  }

  @Test
  void a_feed_that_has_fallen_silent_is_looked_at_ever_more_rarely() {
    PollPace silent = PollPace.UNKNOWN.beating(Duration.ofHours(1), NOW.minus(Duration.ofDays(2)));
    Duration period = Duration.ofMinutes(15);
    for (int i = 0; i < 50; i++) {
      period = pollSchedule.after(period, false, false, silent, NOW);
    }
    assertThat(period).isEqualTo(Duration.ofHours(12));
  }

  @Test
  void what_is_no_feed_is_fetched_every_5_minutes_at_most_unless_poll_min_is_lowered() {
    assertThat(pollSchedule.floor(FeedKind.CONTENT)).isEqualTo(Duration.ofMinutes(5));
    assertThat(pollSchedule.floor(FeedKind.FEED)).isEqualTo(Duration.ofMinutes(1));
    PollSchedule quick =
        new PollSchedule(
            Duration.ofSeconds(30),
            Duration.ofHours(24),
            Duration.ofHours(24),
            Duration.ZERO,
            false);
    assertThat(quick.floor(FeedKind.CONTENT)).isEqualTo(Duration.ofSeconds(30));
  }
}
