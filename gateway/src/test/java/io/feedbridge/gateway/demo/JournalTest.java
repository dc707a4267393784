package io.feedbridge.gateway.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class JournalTest {

  private final StringWriter shown = new StringWriter();
  private final Journal journal =
      new Journal(new Screen(new PrintWriter(shown), true, false), Clock.systemUTC());

  @Test
  void lines_stand_in_the_order_in_which_things_happened_and_not_in_that_of_their_telling() {
    Instant start = journal.begin("Chapter");
    journal.say(start.plusMillis(12), Actor.SUBSCRIBER, "third");
    journal.say(start.plusMillis(7), Actor.GATEWAY, "second");
    journal.say(start.plusMillis(3), Actor.HUB, "first");
    journal.close(start.plusMillis(13));

    assertThat(shown.toString().lines())
        .containsExactly(
            "",
            "Chapter",
            "     3 ms  hub         first",
            "     7 ms  gateway     second",
            "    12 ms  subscriber  third");
  }

  @Test
  void of_the_same_millisecond_what_was_said_first_comes_first() {
    Instant start = journal.begin("Chapter");
    journal.say(start.plusMillis(1), Actor.CLOUD, "first");
    journal.say(start.plusMillis(1), Actor.CLOUD, "second");
    journal.close(start.plusMillis(2));

    assertThat(shown.toString().lines())
        .endsWith("     1 ms  cloud       first", "     1 ms  cloud       second");
  }

  @Test
  void each_chapter_counts_its_own_time() {
    Instant start = journal.begin("One");
    journal.say(start.plusMillis(5), Actor.HUB, "late");
    journal.close(start.plusMillis(6));

    assertThat(shown.toString()).contains("     5 ms  hub");
  }
}
