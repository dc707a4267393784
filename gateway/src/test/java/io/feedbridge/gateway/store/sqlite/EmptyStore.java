package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.vault.KeyFile;
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

  /** With its key beside it. */
  private static final Path MADE = make();

  private EmptyStore() {}

  private static Path make() {
    try {
      Path folder = Files.createTempDirectory("empty-store");
      SqliteDatabase.open(folder, Runnable::run).close();
      Path database = DataFolder.database(folder);
      Path made = Files.createTempDirectory("empty");
      Files.move(database, DataFolder.database(made));
      Files.move(folder.resolve(KeyFile.NAME), made.resolve(KeyFile.NAME));
      made.toFile().deleteOnExit();
      DataFolder.database(made).toFile().deleteOnExit();
      made.resolve(KeyFile.NAME).toFile().deleteOnExit();
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
      Files.copy(MADE.resolve(KeyFile.NAME), folder.resolve(KeyFile.NAME));
      Files.copy(DataFolder.database(MADE), database);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
