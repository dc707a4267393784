package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.folder.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * The last process of a data folder, as a file of the folder tells. The folder is locked by this
 * process, so the other one has ended: nothing has to wait for the end of its lease. A copy of the
 * file in another folder tells nothing.
 */
final class NodeFile {

  /** The name of the file. */
  static final String NAME = "feedbridge.node";

  private final Path file;

  NodeFile(Path folder) {
    file = folder.resolve(NAME);
  }

  /** The incarnation of the process that used the folder before. */
  Optional<String> previous() {
    try {
      String[] words = Files.readString(file).strip().split(" ", 2);
      return words.length == 2 && words[1].equals(place())
          ? Optional.of(words[0])
          : Optional.empty();
    } catch (NoSuchFileException first) {
      return Optional.empty();
    } catch (IOException e) {
      throw StoreException.unusable("the file " + file, e);
    }
  }

  /** Has the next process of the folder know this one. */
  void write(String incarnation) {
    try {
      if (!Files.exists(file)) {
        Files.createFile(file, OwnerOnly.file(file));
      }
      Files.writeString(
          file, incarnation + " " + place() + "\n", StandardOpenOption.TRUNCATE_EXISTING);
    } catch (IOException e) {
      throw StoreException.unusable("the file " + file, e);
    }
  }

  /** Differs for each file of a machine, where the file system can tell. */
  private String place() throws IOException {
    return String.valueOf(Files.readAttributes(file, BasicFileAttributes.class).fileKey());
  }
}
