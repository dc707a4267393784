package io.feedbridge.gateway.bench;

import io.feedbridge.gateway.bench.data.StorePlace;
import io.feedbridge.gateway.bench.parts.Cores;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs scenarios, one after the other, and prints their results. */
public final class Bench {

  private final Plan plan;
  private final Clock clock;
  private final Progress progress;

  public Bench(Plan plan, Clock clock, Progress progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Whether processes can be put on processors of their own here. */
  public static boolean canPin() {
    return Cores.canBePinned();
  }

  /**
   * Runs all of the plan.
   *
   * @param json whether to write JSON at the end, in place of a table after each scenario
   * @throws BenchException if one could not be run, or a delivery was missing, doubled or wrong
   */
  public void run(PrintWriter out, boolean json) throws BenchException, IOException {
    try {
      if (plan.store().equals(Optional.of(Plan.OWN_SERVER))) {
        Files.createDirectories(plan.folder());
        try (OwnServer server = OwnServer.start(plan.folder(), OwnServer.places())) {
          runAll(Optional.of(server.url()), out, json);
        }
      } else {
        runAll(plan.store(), out, json);
      }
    } finally {
      empty(plan.folder());
    }
  }

  private void runAll(Optional<String> server, PrintWriter out, boolean json)
      throws BenchException, IOException {
    List<Result> results = new ArrayList<>();
    for (Scenario scenario : plan.scenarios()) {
      Path folder = Files.createDirectories(plan.folder().resolve(scenario.letter()));
      try (Stores stores = new Stores(server)) {
        results.add(run(scenario, stores, folder));
      }
      // Stores are large, and the next scenario has its own.
      empty(folder);
      progress.ended();
      if (!json) {
        Report.table(results.get(results.size() - 1), out);
      }
    }
    if (json) {
      Report.json(results, out);
    }
  }

  private Result run(Scenario scenario, Stores stores, Path folder)
      throws BenchException, IOException {
    if (scenario == Scenario.G) {
      return new LargeFanoutRun(plan, stores, folder, clock, progress).run();
    }
    // The simulated gateway of (i) is one of the embedded store.
    StorePlace store = scenario == Scenario.I ? new StorePlace(folder, null) : stores.in(folder);
    return switch (scenario) {
      case A, B, C, D, G -> new FanoutRun(plan, scenario, store, clock, progress).run();
      case E -> new IntakeRun(plan, store, clock, progress).run();
      case F -> new PingRun(plan, store, clock, progress).run();
      case F2 -> new ColdPingRun(plan, store, clock, progress).run();
      case J -> new RegistrationRun(plan, store, clock, progress).run();
      case K -> new ColdStartRun(plan, store, clock, progress).run();
      case H -> new StartRun(plan, store, clock, progress).run();
      case I -> new IdleRun(plan, store, clock, progress).run();
      case M -> new SearchRun(plan, store, clock, progress).run();
    };
  }

  /** Removes the folder and its files. */
  private static void empty(Path folder) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(folder)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    } catch (NoSuchFileException gone) {
      return;
    }
    for (Path each : deepestFirst) {
      Files.deleteIfExists(each);
    }
  }
}
