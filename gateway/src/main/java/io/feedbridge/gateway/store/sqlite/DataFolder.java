package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.folder.FolderLock;
import io.feedbridge.gateway.store.folder.OwnerOnly;
import io.feedbridge.gateway.vault.KeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The names and permissions of the store's files in the data folder. */
final class DataFolder {

  private static final String FILE = "feedbridge.db";
  private static final String SEARCH = "feedbridge-search.db";

  private DataFolder() {}

  /** The database of a folder. */
  static Path database(Path folder) {
    return folder.resolve(FILE);
  }

  /** The write-ahead log of a database: commits that are not in it yet. */
  static Path wal(Path database) {
    return database.resolveSibling(database.getFileName() + "-wal");
  }

  /** Whether a name in the folder is one of the store's own, or that of its key. */
  static boolean isOwnName(Path name) {
    return name.toString().startsWith(FILE)
        || name.toString().startsWith(SEARCH)
        || name.toString().startsWith(KeyFile.NAME)
        || name.toString().equals(FolderLock.FILE);
  }

  /**
   * Makes an empty database if there is none, and takes the permissions of other users away: SQLite
   * gives the files that it adds the permissions of this file.
   */
  static void makeDatabase(Path folder) {
    Path database = database(folder);
    try {
      if (Files.notExists(database)) {
        Files.createFile(database, OwnerOnly.file(database));
      }
      for (Path file : List.of(database, wal(database), folder.resolve(FILE + "-shm"))) {
        OwnerOnly.restrict(file);
      }
    } catch (IOException e) {
      throw StoreException.unusable("the store " + database, e);
    }
  }
}
