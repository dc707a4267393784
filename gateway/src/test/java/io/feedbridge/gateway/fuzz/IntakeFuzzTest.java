package io.feedbridge.gateway.fuzz;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few rounds of the fuzzing with a fixed seed; the long run is {@link IntakeFuzz}. */
class IntakeFuzzTest {

  private static final long SEED = 20_261_122;

  @TempDir Path data;

  @Test
  void made_up_feeds_leave_no_request_unanswered_and_stop_no_other_feed() {
    try (FuzzedGateway fuzzed = new FuzzedGateway(data, SEED)) {
      fuzzed.round();
      fuzzed.round();
      fuzzed.assertWell();
    }
  }
}
