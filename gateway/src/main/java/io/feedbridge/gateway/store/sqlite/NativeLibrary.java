package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.StoreException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.OSInfo;

/**
 * The folder in which the driver unpacks its native library. By default the driver uses the
 * machine's folder for temporary files, under a new name for each process, and a killed process
 * never removes its copy.
 */
public final class NativeLibrary {

  private static final String FOLDER = "native";
  private static final String CHOSEN = "feedbridge-native-";
  private static final String PROPERTY = "org.sqlite.tmpdir";

  /** More than the library takes. */
  private static final long ROOM_BYTES = 4L << 20;

  private NativeLibrary() {}

  /**
   * Names another folder than the data folder for this process, which must not have opened a store
   * yet. The library is unpacked into a folder in it that only this user can write: another user of
   * the machine could otherwise put another library there.
   *
   * @param tmp a folder that exists or can be made, on a file system that permits execution
   * @param data the data folder; each has its own copy
   * @throws StoreException if the folder cannot be made or belongs to another user
   */
  public static void unpackBelow(Path tmp, Path data) {
    String name = CHOSEN + Integer.toHexString(data.toAbsolutePath().normalize().hashCode());
    Path folder = tmp.toAbsolutePath().resolve(name);
    try {
      Files.createDirectories(tmp);
      makePrivate(folder);
    } catch (IOException e) {
      throw unusable(folder, e);
    }
    System.setProperty(PROPERTY, folder.toString());
  }

  private static void makePrivate(Path folder) throws IOException {
    if (!folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createDirectories(folder);
      return;
    }
    try {
      Files.createDirectory(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder);
      boolean ours =
          isOurs(folder)
              && !Files.isSymbolicLink(folder)
              && !permissions.contains(PosixFilePermission.GROUP_WRITE)
              && !permissions.contains(PosixFilePermission.OTHERS_WRITE);
      if (!ours) {
        throw new IOException("other users can write it", e);
      }
    }
  }

  /** Whether this process's user owns a folder. The name of a user says nothing in a container. */
  private static boolean isOurs(Path folder) throws IOException {
    Path own = Files.createTempFile(folder, "owner", "");
    try {
      return Files.getOwner(own).equals(Files.getOwner(folder));
    } finally {
      Files.delete(own);
    }
  }

  /**
   * The folder {@value #FOLDER} of the data folder; a temporary one where another user owns the
   * data folder, because the owner could put another library there, which root would run.
   */
  private static Path usual(Path data) {
    try {
      if (isOurs(data)) {
        return data.resolve(FOLDER);
      }
      Path folder = Files.createTempDirectory(CHOSEN);
      folder.toFile().deleteOnExit();
      return folder;
    } catch (IOException e) {
      throw unusable(data, e);
    }
  }

  /**
   * Unpacks the library into the data folder, or the folder that was chosen, and loads it, after
   * the removal of copies that earlier processes left there. A folder that the operator named by
   * the driver's own property is left as it is.
   *
   * @param data the data folder, locked by this process, so that no other process uses a removed
   *     copy
   * @throws StoreException if the library cannot be unpacked or run there, with the option that
   *     helps
   */
  static void unpackInto(Path data) {
    String named = System.getProperty(PROPERTY);
    Path folder = named == null ? usual(data) : Path.of(named);
    if (named == null || String.valueOf(folder.getFileName()).startsWith(CHOSEN)) {
      prepare(folder, data);
    }
    System.setProperty(PROPERTY, folder.toAbsolutePath().toString());
    load();
  }

  private static void prepare(Path folder, Path data) {
    try {
      Files.createDirectories(folder);
      List<Path> left;
      try (Stream<Path> files = Files.list(folder)) {
        left = files.toList();
      }
      for (Path file : left) {
        Files.deleteIfExists(file);
      }
      // Told here, because the driver only says that there is no library.
      if (Files.getFileStore(folder).getUsableSpace() < ROOM_BYTES) {
        throw new StoreException(
            "the disk is full: the data folder %s needs %,d bytes for the database's library"
                .formatted(data, ROOM_BYTES));
      }
    } catch (IOException e) {
      throw unusable(folder, e);
    }
  }

  /**
   * Loads the library from the folder chosen, or the machine's folder for temporary files; later
   * calls in the same process do nothing.
   *
   * @throws StoreException if the library cannot be run there, with the option that helps
   */
  static void load() {
    String folder = System.getProperty(PROPERTY, System.getProperty("java.io.tmpdir", ""));
    try {
      SQLiteJDBCLoader.initialize();
    } catch (Exception | LinkageError e) {
      // The driver tells only that it found no library, for each cause.
      throw new StoreException(
          isForThisMachine()
              ? "the database's library cannot be run from %s: if its file system is mounted noexec, name a folder that permits execution with --tmp"
                  .formatted(folder)
              : "the embedded store does not run on %s (%s): see the platforms in docs/operating.md"
                  .formatted(
                      System.getProperty("os.name"),
                      System.getProperty("os.arch").toLowerCase(Locale.ROOT)),
          e);
    }
  }

  /** Asked after a failure alone: the driver starts a process to find the kind of its machine. */
  private static boolean isForThisMachine() {
    String library = "/org/sqlite/native/" + OSInfo.getNativeLibFolderPathForCurrentOS();
    return NativeLibrary.class.getResource(library) != null;
  }

  private static StoreException unusable(Path folder, IOException e) {
    return new StoreException("the folder %s cannot be used: %s".formatted(folder, e), e);
  }
}
