package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * What the benchmarks must hold, as ratios within one run: no machine's numbers are those of
 * another.
 */
class GoalsBench {
  private static final double MEGABYTES = 1024 * 1024;

  private final Map<String, Double> micros = new TreeMap<>();
  private final Map<String, Double> bytes = new TreeMap<>();

  private void run(String benchmarks, int... entries) throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("NormalizerBench\\.(" + benchmarks + ")$")
            .forks(Integer.getInteger("bench.forks", 2))
            .warmupIterations(5)
            .measurementIterations(30)
            .warmupTime(TimeValue.milliseconds(600))
            .measurementTime(TimeValue.milliseconds(100))
            .jvmArgs("-Xmx1g")
            .addProfiler(GCProfiler.class);
    for (int count : entries) {
      options.param("entries", Integer.toString(count));
    }
    Collection<RunResult> results = new Runner(options.build()).run();
    for (RunResult result : results) {
      String name =
          result.getPrimaryResult().getLabel()
              + " "
              + result.getParams().getParam("format")
              + " "
              + result.getParams().getParam("entries");
      // The best iteration: what else the machine does only ever adds
      micros.put(name, result.getPrimaryResult().getStatistics().getMin());
      bytes.put(name, result.getSecondaryResults().get("gc.alloc.rate.norm").getScore());
    }
  }

  private double ratio(String one, String other) {
    double ratio = micros.get(one) / micros.get(other);
    System.out.printf("%s is %.3f times %s%n", one, ratio, other);
    return ratio;
  }

  @Test
  void a_fetch_costs_no_more_than_it_must() throws RunnerException {
    run(".*", 100);
    for (String feed : new String[] {" rss 100", " atom 100"}) {
      double allocated = bytes.get("fullToJson" + feed) / MEGABYTES;
      System.out.printf("fullToJson%s allocates %.1f MB%n", feed, allocated);
      double full = ratio("fullToJson" + feed, "romeAsShipped" + feed);
      double told = ratio("fullToJsonInNoLanguage" + feed, "romeAsShipped" + feed);
      double nothing = ratio("nothingNew" + feed, "woodstoxScan" + feed);
      double one = ratio("oneNew" + feed, "woodstoxScan" + feed);
      assertThat(allocated).as("MB of fullToJson" + feed).isLessThan(6);
      assertThat(full).as("fullToJson / romeAsShipped" + feed).isLessThan(0.35);
      assertThat(told).as("fullToJsonInNoLanguage / romeAsShipped" + feed).isLessThan(0.5);
      assertThat(nothing).as("nothingNew / woodstoxScan" + feed).isLessThan(2);
      assertThat(one).as("oneNew / woodstoxScan" + feed).isLessThan(2.5);
    }
  }

  @Test
  void cost_grows_linearly_to_ten_thousand_entries() throws RunnerException {
    run("fullToJson|nothingNew|oneNew", 1_000, 10_000);
    for (String benchmark : new String[] {"fullToJson", "nothingNew", "oneNew"}) {
      for (String format : new String[] {" rss ", " atom "}) {
        double ratio = ratio(benchmark + format + "10000", benchmark + format + "1000");
        assertThat(ratio).as(benchmark + format).isLessThan(10 * 1.6);
      }
    }
  }
}
