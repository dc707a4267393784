package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.store.postgres.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The gateway is killed at every failpoint and at random moments, under load, and no promise is
 * broken, on both engines. {@code -Dcrash.seed} repeats the plan of a run, {@code -Dcrash.kills}
 * sets its length; {@code -Drun=CrashIT} makes it a long one.
 */
class CrashIT {

  /** The length that the property asks for; without it a run is short. */
  private static final Optional<Integer> ASKED =
      Optional.ofNullable(Integer.getInteger("crash.kills"));

  @TempDir Path folder;

  @Test
  void L16_no_kill_breaks_a_promise() throws IOException {
    Engine engine = new Engine.Embedded(data());

    play(
        "crash.txt",
        engine,
        engine.passed(Kill.planted()),
        ASKED.orElse(12),
        ASKED.isPresent() ? 600 : 200);
  }

  @Test
  void L16_no_kill_breaks_a_promise_on_PostgreSQL() throws IOException {
    try (TestServer server = TestServer.durable()) {
      Engine engine = Engine.Database.on(server);
      // Each life comes to these within a moment.
      Set<Failpoint> few = EnumSet.of(Failpoint.BEFORE_COMMIT, Failpoint.AFTER_COMMIT);
      Set<Failpoint> points = ASKED.isPresent() ? engine.passed(Kill.planted()) : few;

      play("crash-postgres.txt", engine, points, ASKED.orElse(5), ASKED.isPresent() ? 600 : 100);
    }
  }

  private Path data() {
    return folder.resolve("data");
  }

  private void play(String file, Engine engine, Set<Failpoint> points, int kills, int crowd)
      throws IOException {
    long seed = Long.getLong("crash.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    System.out.println("crash.seed=" + seed + " crash.kills=" + kills);
    long since = System.nanoTime();
    CrashRun run = new CrashRun(data(), engine, points, seed, kills, crowd);

    Report report = run.run();

    Duration took = Duration.ofNanos(System.nanoTime() - since);
    String table = report.table(seed, run.notPlanted(), took, run.errors().size());
    System.out.println(table);
    Path target = Path.of(System.getProperty("basedir", "."), "target");
    Files.writeString(target.resolve(file), table);
    if (!report.faults().isEmpty()) {
      Files.writeString(target.resolve(file.replace(".txt", "-journal.txt")), run.journal(report));
    }
    assertThat(report.faults()).as(table).isEmpty();
    assertThat(report.kills()).isGreaterThanOrEqualTo(kills);
    assertThat(report.ends()).as(table).containsKeys(run.plantedPoints().toArray(String[]::new));
    assertThat(report.pairs()).isPositive();
  }
}
