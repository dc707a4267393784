package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.Version;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The root command, which only leads to the others. */
@Command(
    name = "feedbridge",
    description = "A gateway between the push protocols of the feed world.",
    mixinStandardHelpOptions = true,
    versionProvider = FeedbridgeCommand.Versions.class,
    synopsisSubcommandLabel = "COMMAND")
final class FeedbridgeCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      spec.commandLine().usage(spec.commandLine().getOut());
    }
  }

  static final class Versions implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"feedbridge " + Version.current()};
    }
  }
}
