package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.config.Problems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** The options of every command that works on the store of a gateway, whether that runs or not. */
final class StoreOptions {

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      defaultValue = "./feedbridge-data",
      showDefaultValue = Visibility.ALWAYS,
      description = "The folder of the store.")
  private String data = "";

  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description = "The properties file of the gateway, which may name the folder.")
  @SuppressWarnings("UnusedVariable") // Looked for before the arguments are parsed: see ConfigFile.
  private String config = "";

  /** The folder; empty, with a problem, where none can be meant. */
  Optional<Path> folder(Problems problems) {
    return path("--data", data, problems);
  }

  /** What an option names; empty, with a problem, where it is no path. */
  static Optional<Path> path(String option, String value, Problems problems) {
    try {
      if (!value.isBlank()) {
        return Optional.of(Path.of(value));
      }
      problems.add(option, "is empty");
    } catch (InvalidPathException e) {
      problems.add(option, "'%s' is no path: %s".formatted(value, e.getReason()));
    }
    return Optional.empty();
  }
}
