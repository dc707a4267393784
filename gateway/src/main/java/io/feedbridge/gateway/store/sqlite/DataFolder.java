package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.vault.KeyFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;

/** The folder of the store, for one process at a time. */
final class DataFolder implements AutoCloseable {

  private static final String FILE = "feedbridge.db";
  private static final String SEARCH = "feedbridge-search.db";
  private static final String LOCK = "feedbridge.lock";

  private final Path folder;
  private final FileChannel lock;

  private DataFolder(Path folder, FileChannel lock) {
    this.folder = folder;
    this.lock = lock;
  }

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
        || name.toString().equals(LOCK);
  }

  /**
   * Locks a folder, and makes it if need be.
   *
   * @throws StoreException if another process has it, or it cannot be used
   */
  static DataFolder lock(Path folder) {
    try {
      make(folder);
      Path file = folder.resolve(LOCK);
      FileChannel channel =
          FileChannel.open(
              file,
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
              OwnerOnly.file(file));
      if (!isLocked(channel)) {
        channel.close();
        throw new StoreException(
            "the data folder %s is in use by another gateway: stop that one, or choose another folder"
                    .formatted(folder)
                + " with --data");
      }
      return new DataFolder(folder, channel);
    } catch (IOException e) {
      throw StoreException.unusable("the data folder " + folder, e);
    }
  }

  private static void make(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path parent = folder.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Files.createDirectory(folder, OwnerOnly.folder(folder));
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException openInThisProcess) {
      return false;
    }
  }

  Path database() {
    return database(folder);
  }

  /**
   * Makes an empty database if there is none, and takes the permissions of other users away: SQLite
   * gives the files that it adds the permissions of this file.
   */
  void makeDatabase() {
    Path database = database();
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

  /** Releases the folder to other processes. */
  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw new StoreException("the data folder's lock cannot be released", e);
    }
  }
}
