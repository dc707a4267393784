package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.postgres.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The harness can fail: a gateway with one mistake is found out, and the gateway itself is not, in
 * the same scenario. One mistake by default; {@code -Dcrash.mutants=all} takes all, on both
 * engines.
 */
class MutantsIT {

  /** Longer than the first pause of a laggard. */
  private static final Duration SHORT = Duration.ofSeconds(12);

  /** Longer than its second. */
  private static final Duration LONG = Duration.ofSeconds(45);

  private static final String LAND =
      "\"UPDATE laggard SET state = 'FIXED' WHERE state = 'IN_FLIGHT' AND \" + UNDER_WAY";

  private static Arguments mutant(
      String name, String file, String text, String by, Scenario.Script script, Rule broken) {
    return Arguments.of(
        Named.of(name, new Mutant(name, file, text, by)), Named.of("killed", script), broken);
  }

  static List<Arguments> mutants() {
    List<Arguments> all = all();
    return "all".equals(System.getProperty("crash.mutants")) ? all : all.subList(0, 1);
  }

  static List<Arguments> all() {
    List<Arguments> mutants = new ArrayList<>();
    mutants.add(
        mutant(
            "a ping is acknowledged before its commit",
            "intake/Intake.java",
            "return work.add(new WorkItem.Light(feedId, via, clock.instant(), known));",
            "var unused = work.add(new WorkItem.Light(feedId, via, clock.instant(), known));"
                + " return CompletableFuture.completedFuture(null);",
            Scenario::killed_while_a_ping_is_being_written,
            Rule.LOST));
    mutants.add(
        mutant(
            "laggards live only as long as the process",
            "store/sql/deliveries/LaggardRows.java",
            LAND,
            "\"DELETE FROM laggard\"",
            Scenario::killed_while_a_laggard_waits,
            Rule.LOST));
    mutants.add(
        mutant(
            "the checkpoint runs ahead of the answers",
            "delivery/rounds/Tally.java",
            "new Cut(upTo, rows, late)",
            "new Cut(reached, rows, late)",
            Scenario::killed_before_a_round_closes,
            Rule.LOST));
    mutants.addAll(further());
    return mutants;
  }

  private static List<Arguments> further() {
    return List.of(
        mutant(
            "a round closes without the rows of those it did not serve",
            "delivery/rounds/Progress.java",
            "rounds.close(round, cut.rows())",
            "rounds.close(round, List.of())",
            Scenario::killed_while_a_laggard_waits,
            Rule.LOST),
        mutant(
            "what was in flight is not landed at a start",
            "store/sql/deliveries/LaggardRows.java",
            LAND,
            "\"UPDATE laggard SET state = 'FIXED' WHERE state = 'LOST'\"",
            Scenario::killed_when_a_laggard_is_claimed,
            Rule.LOST),
        mutant(
            "work is removed when it is taken",
            "store/sql/feeds/SqlWork.java",
            "taken.forEach(assignment -> out.add(assignment.feedId()));",
            "taken.forEach(assignment -> { out.add(assignment.feedId()); database.change((at, effects)"
                + " -> done(at, assignment.position())).join(); });",
            Scenario::killed_after_a_fetch,
            Rule.LOST),
        mutant(
            "a laggard that was served keeps its old cursor",
            "store/sql/deliveries/LaggardRows.java",
            "cursor = :cursor, attempts = :attempts, state = :state, error = :error,",
            "attempts = :attempts, state = :state, error = :error,",
            Scenario::killed_after_a_laggard_was_served,
            Rule.ORDER),
        mutant(
            "a start tries all laggards at once",
            "store/sql/deliveries/LaggardRows.java",
            LAND,
            "\"UPDATE laggard SET state = 'FIXED', next_attempt_at = 0 WHERE state <> 'PARKED'\"",
            Scenario::killed_while_a_laggard_is_to_be_left_alone,
            Rule.RETRY),
        mutant(
            "a round begins anew after a restart",
            "delivery/rounds/RoundPass.java",
            "this.reached = progress.round().checkpoint();",
            "this.reached = 0;",
            Scenario::killed_past_a_checkpoint,
            Rule.DUPLICATES));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void the_judge_finds_the_mistake_and_clears_the_gateway_itself(
      Mutant mutant, Scenario.Script script, Rule broken, @TempDir Path folder) throws IOException {
    judge(mutant, script, broken, folder, Engine.Embedded::new);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  @EnabledIfSystemProperty(named = "crash.mutants", matches = "all")
  void the_judge_finds_the_mistake_and_clears_the_gateway_itself_on_PostgreSQL(
      Mutant mutant, Scenario.Script script, Rule broken, @TempDir Path folder) throws IOException {
    try (TestServer server = TestServer.durable()) {
      judge(mutant, script, broken, folder, data -> Engine.Database.on(server));
    }
  }

  private static void judge(
      Mutant mutant,
      Scenario.Script script,
      Rule broken,
      Path folder,
      Function<Path, Engine> engines)
      throws IOException {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    mutant.compileInto(classes);
    Path mutantData = folder.resolve("mutant");
    Path gatewayData = folder.resolve("gateway");
    Duration within = broken == Rule.LOST || broken == Rule.ORDER ? SHORT : LONG;

    Report ofMutant = Scenario.play(script, mutantData, engines.apply(mutantData), classes, within);
    Report ofGateway = Scenario.play(script, gatewayData, engines.apply(gatewayData), null, within);

    assertThat(ofMutant.count(broken)).as("%s: %s", broken, ofMutant.faults()).isPositive();
    assertThat(ofGateway.faults()).isEmpty();
    assertThat(ofGateway.pairs()).isPositive();
  }
}
