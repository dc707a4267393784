package io.feedbridge.gateway.manual;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The pages of the manual: every Markdown file of the project, by its path from the top. */
final class Pages {

  /** The top of the project; the tests run in the folder of a module. */
  static final Path TOP = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");

  private Pages() {}

  /** All of them, sorted. */
  static List<Path> all() throws IOException {
    try (Stream<Path> files = Files.walk(TOP)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .filter(file -> !TOP.relativize(file).toString().contains("target/"))
          .sorted()
          .toList();
    }
  }

  /** The text of a page without its blocks of code, each of which is as many empty lines. */
  static String prose(Path page) throws IOException {
    return FENCED
        .matcher(Files.readString(page))
        .replaceAll(block -> "\n".repeat((int) block.group().lines().count() - 1));
  }
}
