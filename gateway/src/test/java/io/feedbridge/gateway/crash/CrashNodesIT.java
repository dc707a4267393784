package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.crash.NodesRun.Fault;
import io.feedbridge.gateway.store.postgres.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes meet faults of every kind, under load, and no promise is broken. A short run draws
 * half of the kinds. {@code -Dcrash.seed} repeats the plan of a run, {@code -Dcrash.faults} sets
 * its length; {@code -Drun=CrashNodesIT} makes it a long one.
 */
class CrashNodesIT {

  /** The kinds of faults of a run that looks for the cause of a broken promise. */
  private static List<Fault> kinds() {
    String only = System.getProperty("crash.only", "");
    return only.isEmpty()
        ? List.of(Fault.values())
        : Stream.of(only.split(",")).map(Fault::valueOf).toList();
  }

  @TempDir Path folder;

  /** Nodes have seconds to take over and to stop in, so that other tests must not take theirs. */
  @Test
  @Tag("alone")
  void L15_L16_no_fault_of_three_nodes_breaks_a_promise() throws IOException {
    long seed = Long.getLong("crash.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    int faults = Integer.getInteger("crash.faults", 9);
    System.out.println("crash.seed=" + seed + " crash.faults=" + faults);
    long since = System.nanoTime();
    try (TestServer server = TestServer.durable()) {
      NodesRun run =
          new NodesRun(folder, server, null, seed, NodesRun.plan(seed, faults, kinds()), 100);

      Report report = run.run();

      Duration took = Duration.ofNanos(System.nanoTime() - since);
      String table = report.table(seed, Set.of(), took, run.errors().size());
      System.out.println(table);
      Files.writeString(
          Path.of(System.getProperty("basedir", "."), "target", "crash-nodes.txt"), table);
      Files.writeString(
          Path.of(System.getProperty("basedir", "."), "target", "crash-nodes-journal.txt"),
          run.journal(report));
      assertThat(report.faults()).as(table).isEmpty();
      assertThat(run.epochs()).isSorted();
      assertThat(report.pairs()).isPositive();
      assertThat(report.topic().events()).isPositive();
    }
  }

  /** A stop is given up after 9.5 s, so that other tests must not take the processors. */
  @Test
  @Tag("alone")
  void L16_a_rolling_restart_fails_no_request_that_is_repeated_once_after_Retry_After() {
    long seed = Long.getLong("crash.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    try (TestServer server = TestServer.durable()) {
      RollingRun run = new RollingRun(folder, server, seed, 40);

      Report report = run.run();

      System.out.println("[rolling] crash.seed=" + seed + " " + run.callers());
      run.handovers().forEach(line -> System.out.println("[rolling] " + line));
      assertThat(run.callers().failed()).isEmpty();
      assertThat(report.faults()).isEmpty();
      assertThat(report.pairs()).isPositive();
    }
  }
}
