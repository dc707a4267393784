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

/** {@code feedbridge backup}: copies the store into one file; restore is its way back. */
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
public final class BackupCommand extends OfflineCommand {

  @Parameters(
      paramLabel = "FILE",
      showDefaultValue = Visibility.NEVER,
      description = "Where to write the backup.")
  private String file = "";

  @Option(
      names = "--force",
      defaultValue = "false",
      description = "Replace FILE if it exists, once the new backup is whole.")
  private boolean force;

  /** With defaults from that file. */
  public BackupCommand(ConfigFile file) {
    super(new TableOptions(List.of(Options.DATA, Options.TMP, Options.CONFIG)), file);
  }

  @Override
  void check(OptionValues values, Problems problems) {
    checkFile("FILE", file, problems);
  }

  @Override
  int run(OptionValues values, Path data) {
    long bytes = Backup.write(data, Path.of(file), force);
    out().println("%s is backed up in %s: %,d bytes".formatted(data, file, bytes));
    return ExitCode.OK;
  }
}
