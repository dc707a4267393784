package io.feedbridge.gateway.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The completion script for fish, which picocli does not write. */
final class FishCompletion {

  private final List<String> lines = new ArrayList<>();

  private FishCompletion() {}

  /** The script for a command and all below it. */
  static String of(CommandSpec root) {
    FishCompletion script = new FishCompletion();
    script.add(root, List.of());
    return String.join("\n", script.lines);
  }

  private void add(CommandSpec command, List<String> path) {
    String here =
        path.stream()
            .map(name -> "__fish_seen_subcommand_from " + name)
            .collect(Collectors.joining("; and "));
    String names = String.join(" ", command.subcommands().keySet());
    for (CommandLine sub : command.subcommands().values()) {
      line(
          command,
          here.isEmpty()
              ? "__fish_use_subcommand"
              : here + "; and not __fish_seen_subcommand_from " + names,
          "-f -a " + sub.getCommandName(),
          sub.getCommandSpec().usageMessage().description());
    }
    for (OptionSpec option : command.options()) {
      line(command, here, option(option), option.description());
    }
    for (CommandLine sub : command.subcommands().values()) {
      List<String> deeper = new ArrayList<>(path);
      deeper.add(sub.getCommandName());
      add(sub.getCommandSpec(), deeper);
    }
  }

  private static String option(OptionSpec option) {
    StringBuilder text = new StringBuilder();
    for (String name : option.names()) {
      text.append(name.startsWith("--") ? "-l " : "-s ")
          .append(name.replaceFirst("^-+", ""))
          .append(' ');
    }
    if (option.arity().max() == 0) {
      return text.toString().strip();
    }
    Iterable<String> values = option.completionCandidates();
    return values == null
        ? text.append("-r").toString()
        : text.append("-x -a ")
            .append(
                quoted(
                    StreamSupport.stream(values.spliterator(), false)
                        .collect(Collectors.joining(" "))))
            .toString();
  }

  private void line(CommandSpec command, String condition, String what, String[] description) {
    lines.add(
        "complete -c %s%s %s -d %s"
            .formatted(
                command.root().name(),
                condition.isEmpty() ? "" : " -n " + quoted(condition),
                what,
                quoted(firstSentence(description))));
  }

  /** A list has room for one sentence beside a name. */
  private static String firstSentence(String[] description) {
    String text =
        description.length == 0
            ? ""
            : CommandLine.Help.Ansi.OFF.string(description[0].replace("%n", " "));
    return text.replaceFirst("(?s)\\.\\s.*", "").replaceFirst("\\.$", "");
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
