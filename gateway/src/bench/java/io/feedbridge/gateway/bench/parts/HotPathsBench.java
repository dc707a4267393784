package io.feedbridge.gateway.bench.parts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the benchmarks, and holds them to what they must be beside their own references: no
 * machine's numbers are those of another.
 */
class HotPathsBench {

  private final Map<String, Double> micros = new TreeMap<>();

  private void run(String benchmarks) throws RunnerException {
    var options =
        new OptionsBuilder()
            .include("\\." + benchmarks + "\\.")
            .forks(Integer.getInteger("bench.forks", 1))
            .warmupIterations(5)
            .measurementIterations(20)
            .warmupTime(TimeValue.milliseconds(500))
            .measurementTime(TimeValue.milliseconds(200))
            .jvmArgs("-Xmx256m", "--enable-native-access=ALL-UNNAMED")
            .build();
    for (RunResult result : new Runner(options).run()) {
      // The best iteration: what else the machine does only ever adds.
      micros.put(
          result.getPrimaryResult().getLabel(), result.getPrimaryResult().getStatistics().getMin());
    }
  }

  private double ratio(String one, String other) {
    double ratio = micros.get(one) / micros.get(other);
    System.out.printf("%s is %.3f times %s%n", one, ratio, other);
    return ratio;
  }

  @Test
  void a_signature_costs_little_more_than_its_hash_and_a_document_no_more_than_a_few()
      throws RunnerException {
    run("DeliveryBench");

    assertThat(ratio("signWebSub", "bareHmac")).isLessThan(1.25);
    assertThat(ratio("signWebhook", "bareHmac")).isLessThan(1.5);
    // Once for each event, where signatures are for each delivery.
    for (String document : new String[] {"renderAtom", "renderJson", "renderRss"}) {
      assertThat(ratio(document, "bareHmac")).as(document).isLessThan(10);
    }
  }

  @Test
  void a_path_with_a_variable_is_found_nearly_as_fast_as_a_plain_one() throws RunnerException {
    run("RoutingBench");

    assertThat(ratio("pathWithVariable", "plainPath")).isLessThan(6);
    assertThat(ratio("noSuchPath", "plainPath")).isLessThan(6);
  }

  @Test
  void a_row_costs_little_more_than_sqlite_takes_and_far_less_among_others()
      throws RunnerException {
    run("WriterBench");

    assertThat(ratio("oneRow", "bareRow")).isLessThan(2);
    assertThat(ratio("oneRowOfManyThatWait", "oneRow")).isLessThan(0.2);
  }
}
