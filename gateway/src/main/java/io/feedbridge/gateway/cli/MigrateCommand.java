package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.Migrate;
import io.feedbridge.gateway.NativeFolder;
import io.feedbridge.gateway.config.OptionValues;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Problems;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.store.StoreException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code feedbridge migrate}: moves the embedded store to PostgreSQL. */
@Command(
    name = "migrate",
    description =
        "Moves the store of a stopped gateway from its data folder to an empty PostgreSQL database."
            + " All rows keep their ids and numbers, and secrets stay encrypted with the same key."
            + " Each table is read back and compared before the store in the folder is marked as"
            + " moved. No gateway opens a store that has this mark.",
    footer = {
      "",
      "Afterwards, start the gateway with the same --data and --key-file, and with --store. The data"
          + " folder still has the key file, the record of attempts and the search index.",
      "It may be ended at any time: run it again, and it begins again or finishes. All options can"
          + " also be set by an environment variable or in the file of --config, as for serve. It ends"
          + " with 0 when the store is moved, with 1 when it could not be moved, with 2 when the"
          + " arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
final class MigrateCommand implements Callable<Integer> {

  private static final int FAILED = 1;

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  private final TableOptions options =
      TableOptions.ofServe(
          Options.DATA, Options.STORE_URL, Options.KEY_FILE, Options.TMP, Options.CONFIG);

  @SuppressWarnings("UnusedVariable") // Picocli reads it.
  @Mixin
  private final CommandSpec model = options.model();

  private final ConfigFile properties;

  MigrateCommand(ConfigFile properties) {
    this.properties = properties;
  }

  @Override
  public Integer call() {
    PrintWriter err = spec.commandLine().getErr();
    Problems problems = new Problems();
    properties.checkReadable(problems);
    OptionValues values = options.values(problems);
    Optional<Path> data = values.find(Options.DATA);
    Optional<Secret> store = values.find(Options.STORE_URL);
    if (problems.none() && store.isEmpty()) {
      problems.add(Options.STORE_URL.name(), "is missing: it names the database to move to");
    }
    if (!problems.none() || data.isEmpty() || store.isEmpty()) {
      problems.found().forEach(err::println);
      err.println("feedbridge migrate --help shows all options");
      return ServeCommand.USAGE;
    }
    try {
      values.find(Options.TMP).ifPresent(tmp -> NativeFolder.use(tmp, data.get()));
      run(data.get(), values.find(Options.KEY_FILE), store.get().text());
      return 0;
    } catch (StoreException e) {
      err.println(e.getMessage());
      return FAILED;
    }
  }

  private void run(Path data, Optional<Path> keyFile, String url) {
    PrintWriter out = spec.commandLine().getOut();
    Total total = new Total(out);
    boolean copied = Migrate.run(data, keyFile, url, Clock.systemUTC(), total);
    String name = url.replaceFirst("\\?.*", "");
    out.println(
        copied
            ? "%s is moved to %s: %,d rows".formatted(data, name, total.rows)
            : "%s was copied to %s before, and is moved now".formatted(data, name));
    out.flush();
  }

  /** Prints a line for each table. */
  private static final class Total implements Migrate.Progress {

    private final PrintWriter out;
    private long rows;

    Total(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void copied(String table, long count, long replaced) {
      rows += count;
      out.println("%-16s %,14d".formatted(table, count));
      if (replaced > 0) {
        out.println(
            "  in %,d texts the character U+0000, which PostgreSQL cannot store, became U+FFFD"
                .formatted(replaced));
      }
      out.flush();
    }
  }
}
