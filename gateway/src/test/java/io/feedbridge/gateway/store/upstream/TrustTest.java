package io.feedbridge.gateway.store.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.Json;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a following is found wanting, and for how long. */
class TrustTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private static Trust after(String arrivals) {
    Trust trust = Trust.NEW;
    for (int i = 0; i < arrivals.length(); i++) {
      trust = arrivals.charAt(i) == Trust.PUSHED ? trust.pushed(1, NOW) : trust.polled(1, 0, NOW);
    }
    return trust;
  }

  @ParameterizedTest
  @CsvSource({
    "p,             false",
    "m,             false",
    "mm,            true",
    "pmpm,          false",
    "mpmpm,         true",
    "mpmpppppppp,   false",
    "mpmpppppppm,   false",
    "ppppppppppmpm, false",
    "mpppmpppm,     true",
  })
  void two_entries_in_a_row_or_three_of_the_last_ten_are_too_many(String arrivals, boolean misses) {
    assertThat(after(arrivals).misses()).isEqualTo(misses);
  }

  @Test
  void two_entries_that_one_poll_finds_are_two_in_a_row() {
    assertThat(Trust.NEW.polled(2, 0, NOW).misses()).isTrue();
  }

  @Test
  void what_a_poll_finds_moments_before_it_is_pushed_is_no_miss() {
    Trust found = Trust.NEW.polled(0, 2, NOW);
    assertThat(found.misses()).isFalse();

    Trust pushed = found.pushed(0, NOW.plus(Trust.PUSH_TIME).minusMillis(1));

    assertThat(pushed.arrivals()).isEmpty();
    assertThat(pushed.polled(1, 0, NOW.plus(Duration.ofDays(1))).misses()).isFalse();
  }

  @Test
  void what_is_not_pushed_in_time_was_missed_all_the_same() {
    Trust found = Trust.NEW.polled(0, 1, NOW);

    Instant later = NOW.plus(Trust.PUSH_TIME);
    assertThat(found.pushed(1, later).arrivals()).isEqualTo("mp");
    assertThat(found.polled(0, 1, later).arrivals()).isEqualTo("m");
    assertThat(found.polled(0, 1, later).polled(0, 1, later.plus(Trust.PUSH_TIME)).misses())
        .as("a feed whose entries are always as new as its fetch")
        .isTrue();
  }

  @Test
  void a_store_of_an_earlier_version_has_nothing_that_was_found_early() {
    Trust read = Json.read("{\"demotions\":1,\"arrivals\":\"pm\"}", Trust.class);

    assertThat(read.polled(1, 0, NOW).arrivals()).isEqualTo("pmm");
    assertThat(read.awaits(NOW)).isFalse();
  }

  @Test
  void pauses_grow_to_a_week() {
    assertThat(Trust.pause(1)).isEqualTo(Duration.ofHours(6));
    assertThat(Trust.pause(2)).isEqualTo(Duration.ofHours(12));
    assertThat(Trust.pause(1_000)).isEqualTo(Duration.ofDays(7));
  }

  @Test
  void ten_pushes_in_a_row_prove_it() {
    Trust demoted = Trust.NEW.demoted(true).demoted(true);

    assertThat(demoted.pushed(Trust.PROOF - 1, NOW).demotions()).isEqualTo(2);
    assertThat(demoted.pushed(Trust.PROOF, NOW).demotions()).isZero();
  }
}
