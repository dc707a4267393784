package io.feedbridge.gateway.cli.offline;

import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.cli.options.TableOptions;
import io.feedbridge.gateway.config.OptionValues;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Problems;
import io.feedbridge.gateway.offline.Migrate;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

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
public final class MigrateCommand extends OfflineCommand {

  /** With defaults from that file. */
  public MigrateCommand(ConfigFile file) {
    super(
        TableOptions.ofServe(
            Options.DATA, Options.STORE_URL, Options.KEY_FILE, Options.TMP, Options.CONFIG),
        file);
  }

  @Override
  void check(OptionValues values, Problems problems) {
    if (problems.none() && values.find(Options.STORE_URL).isEmpty()) {
      problems.add(Options.STORE_URL.name(), "is missing: it names the database to move to");
    }
  }

  @Override
  int run(OptionValues values, Path data) {
    String url = values.get(Options.STORE_URL).text();
    Total total = new Total(out());
    boolean copied =
        Migrate.run(data, values.find(Options.KEY_FILE), url, Clock.systemUTC(), total);
    String name = url.replaceFirst("\\?.*", "");
    out()
        .println(
            copied
                ? "%s is moved to %s: %,d rows".formatted(data, name, total.rows)
                : "%s was copied to %s before, and is moved now".formatted(data, name));
    out().flush();
    return ExitCode.OK;
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
