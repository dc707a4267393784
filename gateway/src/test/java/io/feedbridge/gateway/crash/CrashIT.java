package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The gateway is killed at every failpoint and at random moments, under load, and no promise is
 * broken. {@code -Dcrash.seed} repeats the plan of a run, {@code -Dcrash.kills} sets its length;
 * the profile {@code crash} makes it a long one.
 */
class CrashIT {

  private static final int KILLS = 12;
  private static final int CROWD = 600;

  @Test
  void L16_no_kill_breaks_a_promise(@TempDir Path folder) throws IOException {
    long seed = Long.getLong("crash.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    int kills = Integer.getInteger("crash.kills", KILLS);
    System.out.println("crash.seed=" + seed + " crash.kills=" + kills);
    long since = System.nanoTime();
    CrashRun run = new CrashRun(folder.resolve("data"), seed, kills, CROWD);

    Report report = run.run();

    Duration took = Duration.ofNanos(System.nanoTime() - since);
    String table = report.table(seed, run.notPlanted(), took, run.errors().size());
    System.out.println(table);
    Files.writeString(Path.of(System.getProperty("basedir", "."), "target", "crash.txt"), table);
    assertThat(report.faults()).as(table).isEmpty();
    assertThat(report.kills()).isGreaterThanOrEqualTo(kills);
    assertThat(report.ends()).as(table).containsKeys(run.plantedPoints().toArray(String[]::new));
    assertThat(report.pairs()).isPositive();
  }
}
