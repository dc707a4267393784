package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.runtime.Version;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Spec;

/** The root command, which only leads to the others. */
@Command(
    name = "feedbridge",
    description = "A gateway between the push protocols of the feed world.",
    mixinStandardHelpOptions = true,
    versionProvider = FeedbridgeCommand.Versions.class,
    synopsisSubcommandLabel = "COMMAND")
final class FeedbridgeCommand implements Runnable {

  /** The commands under their headings, in the order of {@code --help}. */
  private static final Map<String, List<String>> GROUPS = groups();

  @Spec private @Nullable CommandSpec spec;

  private static Map<String, List<String>> groups() {
    Map<String, List<String>> groups = new LinkedHashMap<>();
    groups.put("Run a gateway", List.of("serve", "demo"));
    groups.put("Its store", List.of("backup", "restore", "migrate", "user"));
    groups.put(
        "Operate a running gateway",
        List.of(
            "status",
            "doctor",
            "feeds",
            "import",
            "migrate-superfeedr",
            "subscriptions",
            "webhooks",
            "deliveries",
            "retry",
            "unsubscribe",
            "token"));
    groups.put(
        "As a publisher or subscriber", List.of("ping", "check", "subscribe", "receive", "tail"));
    groups.put("Look at a feed", List.of("explain", "normalize"));
    groups.put("Other", List.of("bench", "completion"));
    return groups;
  }

  /** Has {@code --help} list the commands under their headings. */
  static CommandLine grouped(CommandLine line) {
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
    line.getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, FeedbridgeCommand::commands);
    return line;
  }

  private static String commands(Help help) {
    Map<String, Help> left = new LinkedHashMap<>(help.subcommands());
    StringBuilder text = new StringBuilder();
    GROUPS.forEach(
        (heading, names) -> {
          Map<String, Help> group = new LinkedHashMap<>();
          names.stream()
              .filter(left::containsKey)
              .forEach(name -> group.put(name, left.remove(name)));
          text.append("%n%s:%n".formatted(heading)).append(help.commandList(group));
        });
    // A command without a group must not be hidden.
    return left.isEmpty() ? text.toString() : text + help.commandList(left);
  }

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
