package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.bench.Bench;
import io.feedbridge.gateway.bench.BenchException;
import io.feedbridge.gateway.bench.Plan;
import io.feedbridge.gateway.bench.Progress;
import io.feedbridge.gateway.bench.Scenario;
import io.feedbridge.gateway.bench.parts.Part;
import io.feedbridge.gateway.store.StoreException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** {@code feedbridge bench}: measures the gateway on this machine. */
@Command(
    name = "bench",
    description =
        "Measures the gateway on this machine, as ratios to references that are measured in the same"
            + " run: gateway, origin, a sink that records every delivery, and references are processes"
            + " of their own, on loopback addresses.",
    footer = {
      "",
      "Rounds of the gateway and of the reference take turns, and the median is shown. It ends"
          + " with 0, or with 1 and the reason when a delivery was missing, doubled or wrong, or"
          + " with 2 when the arguments are wrong. A missed goal is shown, and is no error."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class BenchCommand implements Callable<Integer> {

  private static final int FAILED = 1;
  private static final String MAIN = "io.feedbridge.gateway.cli.Main";

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Option(
      names = "--scenario",
      paramLabel = "LETTERS",
      split = ",",
      description = "The scenarios to run, such as a,c. By default all; --list shows them.")
  private List<String> letters = new ArrayList<>();

  @Option(names = "--list", description = "Show the scenarios, and run none.")
  private boolean list;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How many rounds are measured, after a warm-up (5).")
  private int rounds;

  @Option(
      names = "--scale",
      paramLabel = "X",
      defaultValue = "1",
      description =
          "Multiplies the numbers of feeds, subscriptions and events. The goals are for 1, which is the"
              + " default.")
  private double scale;

  @Option(
      names = "--pin",
      description =
          "Give gateway and references processors of their own, and sink and origin another one."
              + " It needs taskset.")
  private boolean pin;

  @Option(
      names = "--store",
      paramLabel = "URL",
      description =
          "Measure with stores in PostgreSQL: the JDBC URL of a database whose login may make others,"
              + " one for each scenario, or 'postgresql' for a server that the bench starts by"
              + " itself. By default the embedded store; scenario i always has that one.")
  private String store = "";

  @Option(
      names = "--jvm",
      paramLabel = "OPTION",
      description = "A further option of the gateway's JVM, such as -XX:+UseSerialGC. Repeatable.")
  private List<String> jvm = new ArrayList<>();

  @Option(names = "--json", description = "Write the results as JSON.")
  private boolean json;

  private final boolean terminal;

  /**
   * A command.
   *
   * @param terminal whether the output is a terminal
   */
  BenchCommand(boolean terminal) {
    this.terminal = terminal;
  }

  /** The command, with the hidden ones by which it starts its processes. */
  static CommandLine withParts(boolean terminal) {
    CommandLine command = new CommandLine(new BenchCommand(terminal));
    for (Part part : Part.values()) {
      command.addSubcommand(part.word(), new PartCommand(part));
    }
    return command;
  }

  @Override
  public Integer call() {
    QuietLog.begin();
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    if (list) {
      Scenario.all().forEach(one -> out.println("(" + one.letter() + ") " + one.title()));
      return 0;
    }
    List<Scenario> scenarios = scenarios();
    check();
    Thread running = Thread.currentThread();
    CompletableFuture<Integer> end = new CompletableFuture<>();
    // The child processes end by themselves with this one; their files are to be removed as well.
    GracefulStop onSignal =
        GracefulStop.with(
            () -> {
              running.interrupt();
              var unused = end.join();
            });
    int code = FAILED;
    try {
      code = run(scenarios, out, err);
    } finally {
      end.complete(code);
      onSignal.withdraw();
    }
    return code;
  }

  private int run(List<Scenario> scenarios, PrintWriter out, PrintWriter err) {
    try {
      Path folder = Files.createTempDirectory("feedbridge-bench");
      Plan plan = new Plan(scenarios, rounds, scale, pin, store(), jvm, folder, launch());
      Progress progress = new Progress(err, terminal, scenarios.size());
      new Bench(plan, Clock.systemUTC(), progress).run(out, json);
      return 0;
    } catch (BenchException | StoreException | IOException e) {
      err.println(e.getMessage());
      return FAILED;
    }
  }

  private List<Scenario> scenarios() {
    return letters.isEmpty()
        ? Scenario.all()
        : letters.stream()
            .map(
                letter ->
                    Scenario.of(letter)
                        .orElseThrow(() -> wrong("--scenario: there is no '" + letter + "'")))
            .toList();
  }

  private void check() {
    if (rounds < 1) {
      throw wrong("--rounds: at least 1");
    }
    if (!(scale > 0 && scale <= 1)) {
      throw wrong("--scale: more than 0 and at most 1");
    }
    if (!store.isEmpty()
        && !store.equals(Plan.OWN_SERVER)
        && !Plan.DATABASE.matcher(store).matches()) {
      throw wrong("--store: jdbc:postgresql://HOST/DATABASE, or " + Plan.OWN_SERVER);
    }
    if (pin && !Bench.canPin()) {
      throw wrong(
          "--pin needs two processors and the program taskset, and one of them is"
              + " missing here");
    }
  }

  private Optional<String> store() {
    return store.isEmpty() ? Optional.empty() : Optional.of(store);
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** The command that started this program. */
  private static List<String> launch() {
    return List.of(
        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        MAIN);
  }

  /** A process of the bench, which ends with the process that started it. */
  @Command(name = "part", hidden = true)
  static final class PartCommand implements Callable<Integer> {

    private final Part part;

    @Unmatched private List<String> arguments = new ArrayList<>();

    @Parameters(hidden = true)
    private List<String> rest = new ArrayList<>();

    PartCommand(Part part) {
      this.part = part;
    }

    @Override
    public Integer call() throws IOException {
      if (part != Part.GATEWAY) {
        part.play(System.in, System.out, Clock.systemUTC());
        // The end of this process also ends its threads and servers.
        return 0;
      }
      Thread watch = new Thread(() -> endWith(System.in), "bench-watch");
      watch.setDaemon(true);
      watch.start();
      List<String> all = new ArrayList<>(rest);
      all.addAll(arguments);
      return Main.run(all.toArray(String[]::new));
    }

    private static void endWith(InputStream in) {
      try {
        in.transferTo(OutputStream.nullOutputStream());
      } catch (IOException e) {
        // As good as an end.
      }
      System.exit(0);
    }
  }
}
