package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.Gateway;
import io.feedbridge.gateway.Node;
import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.cli.options.TableOptions;
import io.feedbridge.gateway.config.Option;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Problems;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.config.SettingsReader;
import io.feedbridge.gateway.offline.NativeFolder;
import io.feedbridge.gateway.store.StoreException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** {@code feedbridge serve}: runs the gateway until it is told to stop. */
@Command(
    name = "serve",
    description = "Runs the gateway until it is stopped by SIGTERM or Ctrl-C.",
    footer = {
      "",
      "Every option can also be set by an environment variable (FEEDBRIDGE_ and the flag in"
          + " capitals, with _ for -: FEEDBRIDGE_POLL_MIN) or by a key in the file that --config"
          + " names (the flag without its dashes: poll-min). The command line wins over the"
          + " environment, and the environment over the file.",
      "Times are a number and a unit: 90s, 15m, 24h, 7d. Networks are in CIDR notation, separated"
          + " by commas: 10.0.0.0/8,fd00::/8. An option with NETWORKS or PATTERNS may be given several"
          + " times."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true)
final class ServeCommand implements Callable<Integer> {

  /**
   * The longest time in which a start that is asked to end may come to its end, after which the
   * rest of a stop is left for closing it. A start that is cut off loses nothing, as a kill does.
   */
  private static final Duration STARTING = Duration.ofSeconds(5);

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Unmatched private List<String> unmatched = new ArrayList<>();

  private final ConfigFile file;

  private final TableOptions options;

  @SuppressWarnings("UnusedVariable") // Picocli reads it.
  @Mixin
  private final CommandSpec model;

  ServeCommand(ConfigFile file) {
    this(file, Options.ALL);
  }

  ServeCommand(ConfigFile file, List<Option<?>> table) {
    this.file = file;
    options = new TableOptions(table);
    model = options.model();
  }

  @Spec
  void setSpec(CommandSpec spec) {
    this.spec = spec;
    options.showSections(spec);
  }

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    Problems problems = new Problems();
    unmatched.forEach(word -> problems.add(withoutValue(word), "there is no such option"));
    file.check(options.keys(), problems);
    Optional<Settings> settings = new SettingsReader(problems).read(options.values(problems));
    if (settings.isEmpty()) {
      problems.found().forEach(err::println);
      err.println("feedbridge serve --help shows all options");
      return ExitCode.USAGE;
    }
    try {
      options
          .values(problems)
          .find(Options.TMP)
          .ifPresent(tmp -> NativeFolder.use(tmp, settings.get().data()));
      return serve(settings.get());
    } catch (IOException | StoreException e) {
      err.println(e.getMessage());
      return ExitCode.SOFTWARE;
    }
  }

  /** The value of a misspelled option may be a secret. */
  private static String withoutValue(String word) {
    return word.replaceFirst("=.*", "");
  }

  private static int serve(Settings settings) throws IOException, InterruptedException {
    Optional<Secret> database = settings.storage().database();
    if (database.isPresent()) {
      return run(
          () -> Node.start(settings, database.get(), Clock.systemUTC()), node -> node.awaitEnd());
    }
    return run(
        () -> Gateway.start(settings, Clock.systemUTC()),
        gateway -> {
          // Only a signal ends the process from here on.
          new CountDownLatch(1).await();
          return true;
        });
  }

  /** A start of the program. */
  private interface Start<T extends AutoCloseable> {
    T run() throws IOException;
  }

  /** The end of a program that has started: true if it was closed, false if it has failed. */
  private interface End<T> {
    boolean await(T running) throws InterruptedException;
  }

  /** Starts a program, has it closed by a signal, and waits for its end. */
  private static <T extends AutoCloseable> int run(Start<T> start, End<T> end)
      throws IOException, InterruptedException {
    CompletableFuture<Optional<T>> started = new CompletableFuture<>();
    // From before the start, so that a signal in the middle of it is obeyed like any other.
    GracefulStop onSignal = GracefulStop.with(() -> stop(started));
    T running;
    try {
      running = start.run();
      started.complete(Optional.of(running));
    } finally {
      if (started.complete(Optional.empty())) {
        onSignal.withdraw();
      }
    }
    if (end.await(running)) {
      return 0;
    }
    // A stop by a signal would exit with 0, and the service manager would not start it again.
    onSignal.withdraw();
    return ExitCode.SOFTWARE;
  }

  private static <T extends AutoCloseable> void stop(CompletableFuture<Optional<T>> started) {
    try {
      Optional<T> running = started.get(STARTING.toMillis(), TimeUnit.MILLISECONDS);
      if (running.isPresent()) {
        running.get().close();
      }
    } catch (TimeoutException e) {
      LoggerFactory.getLogger(ServeCommand.class)
          .info("The start was not over when the process was asked to end, and was cut off");
    } catch (Exception e) {
      throw new IllegalStateException("the gateway did not stop well", e);
    }
  }
}
