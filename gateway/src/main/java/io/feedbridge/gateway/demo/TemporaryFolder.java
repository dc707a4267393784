package io.feedbridge.gateway.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder that is gone, with all that is in it, once it is closed. */
final class TemporaryFolder implements AutoCloseable {

  private final Path path;

  TemporaryFolder(String prefix) throws IOException {
    path = Files.createTempDirectory(prefix);
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(path)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    } catch (NoSuchFileException gone) {
      return;
    }
    for (Path each : deepestFirst) {
      Files.deleteIfExists(each);
    }
  }
}
