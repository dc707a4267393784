package io.feedbridge.gateway.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.guard.PasswordTries.Standing;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** How many passwords callers may try. */
class PasswordTriesTest {

  private static final Clock STILL =
      Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);
  private static final int PER_CALLER = 10;

  private final PasswordTries tries =
      new PasswordTries(new Rate(PER_CALLER, Duration.ofMinutes(1)), STILL);

  @Test
  void a_caller_has_so_many_wrong_passwords() {
    for (int i = 0; i < PER_CALLER; i++) {
      assertThat(tries.begin("caller", "user" + i)).isEmpty();
    }

    assertThat(tries.begin("caller", "another")).isPresent();
    assertThat(tries.begin("another", "user")).isEmpty();
  }

  @Test
  void right_passwords_do_not_count() {
    for (int i = 0; i < 20 * PER_CALLER; i++) {
      assertThat(tries.begin("caller", "user")).isEmpty();
      tries.right("caller", "user");
    }

    assertThat(tries.standing("caller", "user")).isEqualTo(Standing.KNOWN);
  }

  @Test
  void an_account_has_so_many_of_all_callers_but_the_owner_is_not_locked_out() {
    assertThat(tries.begin("owner", "user")).isEmpty();
    tries.right("owner", "user");

    for (int i = 0; i < PasswordTries.ACCOUNT.count(); i++) {
      assertThat(tries.begin("stranger" + i, "user")).isEmpty();
    }

    assertThat(tries.begin("stranger0", "user")).isPresent();
    assertThat(tries.begin("owner", "user")).isEmpty();
  }

  @Test
  void the_limit_of_an_account_refuses_no_caller_that_has_not_failed() {
    for (int i = 0; i < 3 * PasswordTries.ACCOUNT.count(); i++) {
      assertThat(tries.begin("stranger" + i, "user")).isEmpty();
    }

    assertThat(tries.begin("owner at a new address", "user")).isEmpty();
  }

  @Test
  void wrong_passwords_make_a_caller_suspect() {
    assertThat(tries.standing("caller", "user")).isEqualTo(Standing.NEW);
    assertThat(tries.begin("caller", "user")).isEmpty();

    assertThat(tries.standing("caller", "user")).isEqualTo(Standing.SUSPECT);
  }
}
