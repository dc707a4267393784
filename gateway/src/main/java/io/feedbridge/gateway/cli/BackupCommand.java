package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.Backup;
import io.feedbridge.gateway.NativeFolder;
import io.feedbridge.gateway.config.Kind;
import io.feedbridge.gateway.config.OptionValues;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Problems;
import io.feedbridge.gateway.store.StoreException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge backup}: copies the store into one file; {@link Restore} is its way back. */
@Command(
    name = "backup",
    description =
        "Copies the store of a gateway into one file, as of one moment, whether the gateway runs"
            + " or not. The file has all feeds, subscriptions and undelivered events. It does not"
            + " have the key that encrypts secrets, and cannot be restored without that key: keep"
            + " a copy of the key file too, in another place. Only the owner may read the file.",
    footer = {
      "",
      "feedbridge restore makes a data folder of it.",
      "--data and --config can also be set by an environment variable (FEEDBRIDGE_DATA), as for"
          + " serve. It ends with 0 when the backup is on disk, with 1 when it could not be made,"
          + " with 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
final class BackupCommand implements Callable<Integer> {

  private static final int FAILED = 1;

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description = "Where to write the backup.")
  private String file = "";

  private final TableOptions store =
      new TableOptions(List.of(Options.DATA, Options.TMP, Options.CONFIG));

  @SuppressWarnings("UnusedVariable") // Picocli reads it.
  @Mixin
  private final CommandSpec model = store.model();

  @Option(
      names = "--force",
      defaultValue = "false",
      description = "Replace FILE if it exists, once the new backup is whole.")
  private boolean force;

  private final ConfigFile properties;

  BackupCommand(ConfigFile properties) {
    this.properties = properties;
  }

  @Override
  public Integer call() {
    PrintWriter err = spec.commandLine().getErr();
    Problems problems = new Problems();
    properties.checkReadable(problems);
    OptionValues values = store.values(problems);
    Optional<Path> from = values.find(Options.DATA);
    Optional<Path> to = Kind.file().reader().read(file, problem -> problems.add("FILE", problem));
    if (!problems.found().isEmpty() || from.isEmpty() || to.isEmpty()) {
      problems.found().forEach(err::println);
      err.println("feedbridge backup --help shows all options");
      return ServeCommand.USAGE;
    }
    try {
      values.find(Options.TMP).ifPresent(tmp -> NativeFolder.use(tmp, from.get()));
      long bytes = Backup.write(from.get(), to.get(), force);
      spec.commandLine()
          .getOut()
          .println("%s is backed up in %s: %,d bytes".formatted(from.get(), to.get(), bytes));
      return 0;
    } catch (StoreException e) {
      err.println(e.getMessage());
      return FAILED;
    }
  }

  /** {@code feedbridge restore}: makes a data folder of a backup and its key. */
  @Command(
      name = "restore",
      description =
          "Makes the data folder of a gateway of a backup, and opens it once to see whether the key"
              + " fits. The folder must be without a store. Start the gateway with --data on the folder"
              + " then.",
      footer = {
        "",
        "Events that were undelivered at the time of the backup are delivered again.",
        "--data and --config can also be set by an environment variable (FEEDBRIDGE_DATA), as for"
            + " serve. It ends with 0 when the store is in place, with 1 when it could not be restored,"
            + " with 2 when the arguments are wrong."
      },
      mixinStandardHelpOptions = true,
      sortOptions = false,
      showDefaultValues = true)
  static final class Restore implements Callable<Integer> {

    private static final int FAILED = 1;

    // Set by picocli before it calls the command.
    @SuppressWarnings("NullAway.Init")
    @Spec
    private CommandSpec spec;

    @Parameters(
        paramLabel = "FILE",
        showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
        description = "The backup.")
    private String file = "";

    private final TableOptions store =
        new TableOptions(List.of(Options.DATA, Options.TMP, Options.CONFIG));

    @SuppressWarnings("UnusedVariable") // Picocli reads it.
    @Mixin
    private final CommandSpec model = store.model();

    @Option(
        names = "--key",
        required = true,
        paramLabel = "KEYFILE",
        description = "The key file of the gateway that was backed up (feedbridge-secrets.key).")
    private String key = "";

    private final ConfigFile properties;

    Restore(ConfigFile properties) {
      this.properties = properties;
    }

    @Override
    public Integer call() {
      PrintWriter err = spec.commandLine().getErr();
      Problems problems = new Problems();
      properties.checkReadable(problems);
      OptionValues values = store.values(problems);
      Optional<Path> data = values.find(Options.DATA);
      Optional<Path> from =
          Kind.file().reader().read(file, problem -> problems.add("FILE", problem));
      Optional<Path> with =
          Kind.file().reader().read(key, problem -> problems.add("--key", problem));
      if (!problems.found().isEmpty() || data.isEmpty() || from.isEmpty() || with.isEmpty()) {
        problems.found().forEach(err::println);
        err.println("feedbridge restore --help shows all options");
        return ServeCommand.USAGE;
      }
      try {
        values.find(Options.TMP).ifPresent(tmp -> NativeFolder.use(tmp, data.get()));
        long bytes = Backup.restore(from.get(), with.get(), data.get());
        spec.commandLine()
            .getOut()
            .println("%s is restored in %s: %,d bytes".formatted(from.get(), data.get(), bytes));
        return 0;
      } catch (StoreException e) {
        err.println(e.getMessage());
        return FAILED;
      }
    }
  }
}
