package io.feedbridge.gateway.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * The long run: {@code mvn -Drun=IntakeFuzz verify}, for {@code fuzz.minutes}, with {@code
 * fuzz.seed} or one of its own, which it logs.
 */
class IntakeFuzz {

  @TempDir Path data;

  @Test
  void made_up_feeds_leave_no_request_unanswered_and_stop_no_other_feed() {
    Duration time =
        Duration.ofSeconds((long) (60 * Double.parseDouble(property("fuzz.minutes", "10"))));
    long seed = Long.parseLong(property("fuzz.seed", Long.toString(new Random().nextLong())));
    long end = System.nanoTime() + time.toNanos();
    var log = LoggerFactory.getLogger(IntakeFuzz.class);
    // Tests show warnings and errors alone, and the seed is what repeats a run.
    log.warn("Fuzzing for {} with -Dfuzz.seed={}", time, seed);
    try (FuzzedGateway fuzzed = new FuzzedGateway(data, seed)) {
      while (System.nanoTime() - end < 0) {
        fuzzed.round();
      }
      fuzzed.assertWell();
      assertThat(fuzzed.rounds()).isPositive();
      log.warn("{} rounds", fuzzed.rounds());
    }
  }

  private static String property(String name, String otherwise) {
    String value = System.getProperty(name, "");
    return value.isEmpty() ? otherwise : value;
  }
}
