package io.feedbridge.gateway.config;

import io.feedbridge.gateway.guard.UrlPatterns;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Reads patterns of URLs; {@code @} stands before the name of a file that has one a line. */
final class PatternReader {

  private static final String FILE = "@";
  private static final String COMMENT = "#";

  /** A file with the most patterns that are permitted, each of them long. */
  private static final long MAX_FILE = 4L << 20;

  private final Consumer<String> wrong;

  /** Tells every problem there. */
  PatternReader(Consumer<String> wrong) {
    this.wrong = wrong;
  }

  /** All good patterns; empty if there are too many. Blocks. */
  Optional<UrlPatterns> read(Stream<String> parts) {
    List<String> good =
        parts
            .flatMap(part -> part.startsWith(FILE) ? lines(part) : Stream.of(part))
            .filter(this::isPattern)
            .toList();
    if (good.size() > UrlPatterns.MAX) {
      wrong.accept("there are more than %d patterns".formatted(UrlPatterns.MAX));
      return Optional.empty();
    }
    return Optional.of(UrlPatterns.parse(good));
  }

  private boolean isPattern(String text) {
    try {
      UrlPatterns unused = UrlPatterns.parse(List.of(text));
      return true;
    } catch (IllegalArgumentException e) {
      wrong.accept(String.valueOf(e.getMessage()));
      return false;
    }
  }

  private Stream<String> lines(String name) {
    try {
      Path file = Path.of(name.substring(FILE.length()));
      if (Files.size(file) > MAX_FILE) {
        wrong.accept("'%s' has more than %d bytes".formatted(file, MAX_FILE));
        return Stream.empty();
      }
      return Files.readAllLines(file).stream()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith(COMMENT));
    } catch (MalformedInputException e) {
      wrong.accept("'%s' is not text in UTF-8".formatted(name));
    } catch (IOException | InvalidPathException e) {
      wrong.accept("'%s' names no file that can be read".formatted(name));
    }
    return Stream.empty();
  }
}
