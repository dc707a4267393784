package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Problems;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The optional properties file, whose keys are the flags without their dashes. */
final class ConfigFile {

  private static final String FLAG = Options.CONFIG.name();

  private final Properties properties = new Properties();
  private final @Nullable String problem;

  private ConfigFile(@Nullable String name) {
    String failure = null;
    if (name != null) {
      try (Reader reader = Files.newBufferedReader(Path.of(name), StandardCharsets.UTF_8)) {
        properties.load(reader);
      } catch (IOException | IllegalArgumentException e) {
        failure = "'%s' cannot be read: %s".formatted(name, reason(e));
      }
    }
    problem = failure;
  }

  /**
   * The reason in words, for failures of which the JDK's message is only the file's name or less.
   */
  private static String reason(Exception e) {
    if (e instanceof NoSuchFileException) {
      return "there is no such file";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    return e instanceof CharacterCodingException
        ? "it is not UTF-8 text"
        : String.valueOf(e.getMessage());
  }

  /**
   * The file that the arguments, or else the environment, name. It is looked for before the
   * arguments are parsed, because it supplies the defaults of the others.
   */
  static ConfigFile namedBy(String[] args, Map<String, String> environment) {
    for (int i = 0; i < args.length; i++) {
      if (args[i].startsWith(FLAG + "=")) {
        return new ConfigFile(args[i].substring(FLAG.length() + 1));
      }
      if (args[i].equals(FLAG) && i + 1 < args.length) {
        return new ConfigFile(args[i + 1]);
      }
    }
    return new ConfigFile(environment.get(Options.CONFIG.variable()));
  }

  Optional<String> value(String key) {
    return Optional.ofNullable(properties.getProperty(key)).map(String::strip);
  }

  /** Notes that the file cannot be read, or has keys that are no options. */
  void check(Collection<String> known, Problems problems) {
    checkReadable(problems);
    for (String key : new TreeSet<>(properties.stringPropertyNames())) {
      if (!known.contains(key)) {
        problems.add(FLAG, "there is no option '%s', which the file sets".formatted(key));
      }
    }
  }

  /** Notes that the file cannot be read, for a command to which not all of it is meant. */
  void checkReadable(Problems problems) {
    if (problem != null) {
      problems.add(FLAG, problem);
    }
  }
}
