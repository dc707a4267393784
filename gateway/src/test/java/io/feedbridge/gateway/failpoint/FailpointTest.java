package io.feedbridge.gateway.failpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A failpoint ends its process when it is armed, and does nothing when it is not. */
class FailpointTest {

  /** Passes a point five times, in a process of its own. */
  static final class Passer {
    private Passer() {}

    public static void main(String[] args) {
      for (int i = 0; i < 5; i++) {
        Failpoint.AFTER_COMMIT.reached();
        System.out.print(i);
      }
    }
  }

  private record Run(int code, String printed) {}

  private static Run run(String armed) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-D" + Failpoint.PROPERTY + "=" + armed,
                Passer.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), printed);
  }

  @Test
  void an_armed_point_ends_the_process_at_the_passing_that_was_named() throws Exception {
    assertThat(run("after-commit:3")).isEqualTo(new Run(Failpoint.HALTED, "01"));
  }

  @Test
  void without_a_number_it_is_the_first_passing() throws Exception {
    assertThat(run("after-commit")).isEqualTo(new Run(Failpoint.HALTED, ""));
  }

  @Test
  void another_point_is_inert() throws Exception {
    assertThat(run("before-commit")).isEqualTo(new Run(0, "01234"));
  }

  @Test
  void an_unarmed_point_runs_its_step_once() {
    AtomicInteger runs = new AtomicInteger();
    Failpoint.MID_WAL_CHECKPOINT.during(runs::incrementAndGet);
    assertThat(runs).hasValue(1);
  }
}
