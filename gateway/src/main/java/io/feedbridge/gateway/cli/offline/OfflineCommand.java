package io.feedbridge.gateway.cli.offline;

import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.cli.options.TableOptions;
import io.feedbridge.gateway.config.Kind;
import io.feedbridge.gateway.config.OptionValues;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Problems;
import io.feedbridge.gateway.offline.NativeFolder;
import io.feedbridge.gateway.store.StoreException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command on the store in a data folder: tells all problems of its options at once. */
abstract class OfflineCommand implements Callable<Integer> {

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("UnusedVariable") // Picocli reads it.
  @Mixin
  private final CommandSpec model;

  private final TableOptions options;
  private final ConfigFile file;

  /**
   * A command with options of {@code serve}.
   *
   * @param options among them {@code --data} and {@code --tmp}
   */
  OfflineCommand(TableOptions options, ConfigFile file) {
    this.options = options;
    this.model = options.model();
    this.file = file;
  }

  /** Notes the problems of the command's own options and parameters. */
  abstract void check(OptionValues values, Problems problems);

  /**
   * Runs with options that have no problem.
   *
   * @return the exit code
   * @throws StoreException with a message for the operator
   */
  abstract int run(OptionValues values, Path data);

  @Override
  public final Integer call() {
    Problems problems = new Problems();
    file.checkReadable(problems);
    OptionValues values = options.values(problems);
    check(values, problems);
    Optional<Path> data = values.find(Options.DATA);
    if (!problems.none() || data.isEmpty()) {
      problems.found().forEach(err()::println);
      err().println(spec.qualifiedName() + " --help shows all options");
      return ExitCode.USAGE;
    }
    try {
      values.find(Options.TMP).ifPresent(tmp -> NativeFolder.use(tmp, data.get()));
      return run(values, data.get());
    } catch (StoreException e) {
      err().println(e.getMessage());
      return ExitCode.SOFTWARE;
    }
  }

  /** Notes that a parameter names no file. */
  static void checkFile(String name, String text, Problems problems) {
    Optional<Path> unused = Kind.file().reader().read(text, problem -> problems.add(name, problem));
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
