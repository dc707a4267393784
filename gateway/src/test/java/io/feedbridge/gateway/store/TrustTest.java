package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a following is found wanting, and for how long. */
class TrustTest {

  private static Trust after(String arrivals) {
    Trust trust = Trust.NEW;
    for (int i = 0; i < arrivals.length(); i++) {
      trust = trust.after(1, arrivals.charAt(i) == Trust.PUSHED);
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
    assertThat(Trust.NEW.after(2, false).misses()).isTrue();
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

    assertThat(demoted.after(Trust.PROOF - 1, true).demotions()).isEqualTo(2);
    assertThat(demoted.after(Trust.PROOF, true).demotions()).isZero();
  }
}
