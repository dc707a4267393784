package io.feedbridge.gateway.bench;

import io.feedbridge.gateway.bench.figures.Figure;
import io.feedbridge.gateway.bench.figures.Goal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/**
 * Scenario (g): a fan-out a hundred times as large as scenario (a), which runs before it, so that
 * the cost of a delivery can be compared. A run that ends shows that the heap suffices: the gateway
 * is not given more than its bound.
 */
final class LargeFanoutRun {

  private static final String CPU = "cpu";

  private final Plan plan;
  private final Stores stores;
  private final Path folder;
  private final Clock clock;
  private final Progress progress;

  LargeFanoutRun(Plan plan, Stores stores, Path folder, Clock clock, Progress progress) {
    this.plan = plan;
    this.stores = stores;
    this.folder = folder;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs both, one after the other. */
  Result run() throws BenchException, IOException {
    Result usual = run(Scenario.A);
    Result large = run(Scenario.G);
    List<Figure> figures = new ArrayList<>(large.figures());
    figures.add(Figure.of("cpuOfA", "(a)'s CPU seconds for as many", usual.value(CPU)));
    figures.add(
        new Figure(
            "cpuRatioToA",
            "CPU of a delivery beside (a)'s",
            large.value(CPU) / usual.value(CPU),
            Goal.atMost(1.35)));
    return new Result(Scenario.G, plan.rounds(), figures);
  }

  private Result run(Scenario scenario) throws BenchException, IOException {
    Path own = Files.createDirectories(folder.resolve(scenario.letter()));
    return new FanoutRun(plan, scenario, stores.in(own), clock, progress).run();
  }
}
