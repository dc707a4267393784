package io.feedbridge.gateway.cli.offline;

import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.cli.options.TableOptions;
import io.feedbridge.gateway.config.OptionValues;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Problems;
import io.feedbridge.gateway.offline.Backup;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
public final class RestoreCommand extends OfflineCommand {

  @Parameters(paramLabel = "FILE", showDefaultValue = Visibility.NEVER, description = "The backup.")
  private String file = "";

  @Option(
      names = "--key",
      required = true,
      paramLabel = "KEYFILE",
      description = "The key file of the gateway that was backed up (feedbridge-secrets.key).")
  private String key = "";

  /** With defaults from that file. */
  public RestoreCommand(ConfigFile file) {
    super(new TableOptions(List.of(Options.DATA, Options.TMP, Options.CONFIG)), file);
  }

  @Override
  void check(OptionValues values, Problems problems) {
    checkFile("FILE", file, problems);
    checkFile("--key", key, problems);
  }

  @Override
  int run(OptionValues values, Path data) {
    long bytes = Backup.restore(Path.of(file), Path.of(key), data);
    out().println("%s is restored in %s: %,d bytes".formatted(file, data, bytes));
    return ExitCode.OK;
  }
}
