package io.feedbridge.gateway.sqlite;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/**
 * The store as a first start leaves it, made once and copied for each test that wants one: a copy
 * takes a fraction of the time of all migrations.
 */
public final class EmptyStore {

  private static final Path MADE = make();

  private EmptyStore() {}

  private static Path make() {
    try {
      Path folder = Files.createTempDirectory("empty-store");
      SqliteDatabase.open(folder, Runnable::run).close();
      Path database = DataFolder.database(folder);
      Path made = Files.move(database, Files.createTempFile("empty", ".db"), REPLACE_EXISTING);
      made.toFile().deleteOnExit();
      try (var left = Files.walk(folder)) {
        for (Path file : left.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Puts it into a folder, which is made if need be, unless a store is there. */
  public static void in(Path folder) {
    Path database = DataFolder.database(folder);
    if (Files.exists(database)) {
      return;
    }
    try {
      Files.createDirectories(folder);
      Files.copy(MADE, database);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
