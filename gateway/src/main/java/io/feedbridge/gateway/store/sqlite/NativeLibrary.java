package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where the driver unpacks its native library. Left to itself it does so in the machine's folder
 * for temporary files, under a new name for each process, and a process that is killed never
 * removes it.
 */
final class NativeLibrary {

  private static final String FOLDER = "native";
  private static final String PROPERTY = "org.sqlite.tmpdir";

  /** More than the library takes. */
  private static final long ROOM_BYTES = 4L << 20;

  private NativeLibrary() {}

  /**
   * Has the library unpacked into the data folder, after the removal of copies that earlier
   * processes left there. A folder chosen by the operator is respected.
   *
   * @param data the data folder, locked by this process, so that no other process uses a removed
   *     copy
   */
  static void unpackInto(Path data) {
    if (System.getProperty(PROPERTY) != null) {
      return;
    }
    Path folder = data.resolve(FOLDER);
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
      throw new StoreException("the folder %s cannot be used: %s".formatted(folder, e), e);
    }
    System.setProperty(PROPERTY, folder.toAbsolutePath().toString());
  }
}
