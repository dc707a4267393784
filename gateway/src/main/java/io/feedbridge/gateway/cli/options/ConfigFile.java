package io.feedbridge.gateway.cli.options;

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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The optional properties file, whose keys are the flags without their dashes; or a folder with
 * such files: {@value #MAIN}, and then the files of {@value #MORE} by name. The later value wins. A
 * package owns the first file, and the operator the others.
 */
public final class ConfigFile {

  private static final String FLAG = Options.CONFIG.name();
  private static final String MAIN = "feedbridge.properties";
  private static final String MORE = "conf.d";

  private final Properties properties = new Properties();
  private final Map<String, Path> setBy = new HashMap<>();
  private final @Nullable String problem;

  private ConfigFile(@Nullable String name) {
    problem = name == null ? null : load(name);
  }

  /** Returns the problem of the first file that cannot be read. */
  private @Nullable String load(String name) {
    Path file = Path.of("");
    try {
      file = Path.of(name);
      for (Path one : files(file)) {
        file = one;
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(one, StandardCharsets.UTF_8)) {
          read.load(reader);
        }
        properties.putAll(read);
        read.stringPropertyNames().forEach(key -> setBy.put(key, one));
      }
      return null;
    } catch (IOException | IllegalArgumentException e) {
      return "'%s' cannot be read: %s"
          .formatted(file.toString().isEmpty() ? name : file, reason(e));
    }
  }

  private static List<Path> files(Path named) throws IOException {
    if (!Files.isDirectory(named)) {
      return List.of(named);
    }
    List<Path> files = new ArrayList<>();
    files.add(named.resolve(MAIN));
    if (Files.exists(named.resolve(MORE))) {
      try (Stream<Path> more = Files.list(named.resolve(MORE))) {
        more.filter(file -> file.toString().endsWith(".properties")).sorted().forEach(files::add);
      }
    }
    return files;
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
   * The file or folder that the arguments, or else the environment, name. It is looked for before
   * the arguments are parsed, because it supplies the defaults of the others.
   */
  public static ConfigFile namedBy(String[] args, Map<String, String> environment) {
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
  public void check(Collection<String> known, Problems problems) {
    checkReadable(problems);
    for (String key : new TreeSet<>(properties.stringPropertyNames())) {
      if (!known.contains(key)) {
        problems.add(FLAG, "there is no option '%s', which %s sets".formatted(key, setBy.get(key)));
      }
    }
  }

  /** Notes that the file cannot be read, for a command to which not all of it is meant. */
  public void checkReadable(Problems problems) {
    if (problem != null) {
      problems.add(FLAG, problem);
    }
  }
}
