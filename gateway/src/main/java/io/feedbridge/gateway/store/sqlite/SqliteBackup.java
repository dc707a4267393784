package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.folder.OwnerOnly;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.vault.KeyFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;

/**
 * Copies a store into one file, as of one moment: each transaction that was committed when the copy
 * began, and no part of a later one. It takes no lock that the gateway needs; the gateway may run
 * or not.
 */
public final class SqliteBackup {

  private static final String SOUND = "ok";

  private final Path database;
  private final Path file;
  private final Path part;

  private SqliteBackup(Path database, Path file) {
    this.database = database;
    this.file = file;
    part = file.resolveSibling(file.getFileName() + ".part");
  }

  /**
   * Writes a backup. The file appears under its name only when it is whole, sound and on disk.
   *
   * @param folder of the store
   * @param replace whether a file of this name may be replaced
   * @return the size of the backup in bytes
   * @throws StoreException if it cannot be made; the message is fit for the operator, and nothing
   *     is left of it
   */
  public static long write(Path folder, Path file, boolean replace) {
    Path database = DataFolder.database(folder);
    if (Files.notExists(database)) {
      throw new StoreException("there is no store in %s to back up".formatted(folder));
    }
    try {
      refuse(folder, file, replace)
          .ifPresent(
              why -> {
                throw new StoreException(why);
              });
      return new SqliteBackup(database, file.toAbsolutePath()).write();
    } catch (IOException e) {
      throw StoreException.unusable("the backup file " + file, e);
    }
  }

  /**
   * Puts a backup and its key into a folder without a store. The store appears under its name only
   * when it is whole, sound and on disk.
   *
   * @param key of the store that was backed up
   * @return the size of the backup in bytes
   * @throws StoreException if it cannot be done; the message is fit for the operator, and nothing
   *     is left of it
   */
  public static long restore(Path file, Path key, Path folder) {
    for (Path given : List.of(file, key)) {
      if (!Files.isReadable(given) || Files.isDirectory(given)) {
        throw new StoreException("there is no file %s that can be read".formatted(given));
      }
    }
    try {
      Files.createDirectories(folder, OwnerOnly.folder(folder));
      try (Stream<Path> there = Files.list(folder)) {
        if (there.anyMatch(one -> DataFolder.isOwnName(one.getFileName()))) {
          throw new StoreException(
              "%s has a store already: name an empty folder".formatted(folder));
        }
      }
      return new SqliteBackup(file, DataFolder.database(folder).toAbsolutePath()).put(key);
    } catch (IOException e) {
      throw StoreException.unusable("the folder " + folder, e);
    }
  }

  /** Removes a restored store that cannot be opened. */
  public static void undo(Path folder) {
    try (Stream<Path> there = Files.list(folder)) {
      for (Path one : there.filter(path -> DataFolder.isOwnName(path.getFileName())).toList()) {
        Files.deleteIfExists(one);
      }
    } catch (IOException e) {
      throw StoreException.unusable("the folder " + folder, e);
    }
  }

  /**
   * Gives the files of a store to the owner of their folder: a service that runs as another user
   * must be able to open the store that root restores for it.
   */
  public static void giveToOwner(Path folder) {
    try (Stream<Path> there = Files.list(folder)) {
      UserPrincipal owner = Files.getOwner(folder);
      for (Path one : there.filter(path -> DataFolder.isOwnName(path.getFileName())).toList()) {
        // A link in the folder of that user must not give away a file of another one.
        FileOwnerAttributeView view =
            Files.getFileAttributeView(
                one, FileOwnerAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        if (!view.getOwner().equals(owner)) {
          view.setOwner(owner);
        }
      }
    } catch (IOException e) {
      throw StoreException.unusable("the folder " + folder, e);
    }
  }

  private long put(Path key) throws IOException {
    Path ownKey = file.resolveSibling(KeyFile.NAME);
    boolean whole = false;
    try {
      copy(database, part);
      copy(key, ownKey);
      verify("%s is no sound backup".formatted(database));
      long bytes = Files.size(part);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      forceName();
      whole = true;
      return bytes;
    } finally {
      if (!whole) {
        Files.deleteIfExists(part);
        Files.deleteIfExists(ownKey);
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createFile(to, OwnerOnly.file(to));
    try (OutputStream out = Files.newOutputStream(to)) {
      Files.copy(from, out);
    }
    force(to, StandardOpenOption.WRITE);
  }

  private static Optional<String> refuse(Path folder, Path file, boolean replace)
      throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    if (file.getFileName() == null || parent == null || Files.isDirectory(file)) {
      return Optional.of("%s is a folder: name a file in it".formatted(file));
    }
    if (!Files.isDirectory(parent)) {
      return Optional.of("there is no folder %s".formatted(parent));
    }
    if (Files.isSameFile(parent, folder) && DataFolder.isOwnName(file.getFileName())) {
      return Optional.of("%s is a file of the store itself".formatted(file));
    }
    return Files.exists(file) && !replace
        ? Optional.of("%s exists: choose another name, or replace it with --force".formatted(file))
        : Optional.empty();
  }

  private long write() throws IOException {
    boolean whole = false;
    try {
      Files.deleteIfExists(part);
      Files.createFile(part, OwnerOnly.file(part));
      Failpoint.MID_BACKUP.during(this::copy);
      verify("the backup %s was not written well".formatted(file));
      force(part, StandardOpenOption.WRITE);
      long bytes = Files.size(part);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      forceName();
      whole = true;
      return bytes;
    } finally {
      if (!whole) {
        Files.deleteIfExists(part);
      }
    }
  }

  /**
   * Copies the store in one reading transaction, without the commits that the gateway makes
   * meanwhile.
   */
  private void copy() {
    if (size(database) == 0) {
      // SQLite would take a log beside it for a foreign one, and remove it.
      throw new StoreException("the store %s is empty".formatted(database));
    }
    try {
      Connections.jdbi(Connections.reading(database))
          .useHandle(
              handle -> {
                SqliteMoveSource.refuseMoved(database, handle);
                handle.createUpdate("VACUUM INTO :part").bind("part", part.toString()).execute();
              });
    } catch (JdbiException e) {
      throw new StoreException(
          "the store %s cannot be backed up into %s: %s"
              .formatted(database, file, SqliteFailures.reason(e, database)),
          e);
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw StoreException.unusable("the store " + file, e);
    }
  }

  private void verify(String otherwise) {
    Jdbi copy = Connections.jdbi(Connections.reading(part));
    String found;
    try {
      found =
          copy.withHandle(
              handle -> handle.createQuery("PRAGMA quick_check(1)").mapTo(String.class).one());
    } catch (JdbiException e) {
      throw new StoreException(otherwise + ": " + StorageFailure.words(e), e);
    }
    if (!found.equals(SOUND)) {
      throw new StoreException(otherwise + ": " + found);
    }
  }

  private static void force(Path path, StandardOpenOption how) throws IOException {
    try (FileChannel channel = FileChannel.open(path, how)) {
      channel.force(true);
    }
  }

  /** So that the name, too, outlives a power cut, where folders can be forced to disk. */
  private void forceName() throws IOException {
    Path parent = file.getParent();
    if (parent != null && parent.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      force(parent, StandardOpenOption.READ);
    }
  }
}
