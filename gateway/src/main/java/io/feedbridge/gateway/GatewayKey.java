package io.feedbridge.gateway;

import io.feedbridge.gateway.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;

/** The gateway's own key, made at the first start and kept beside the store. */
final class GatewayKey {

  private static final String FILE = "feedbridge.key";
  private static final int LENGTH = 32;

  private GatewayKey() {}

  /**
   * Reads the key of a data folder, or makes one that only its owner may read.
   *
   * @throws StoreException if it can be neither read nor made, or is damaged
   */
  static byte[] of(Path folder, SecureRandom random) {
    Path file = folder.resolve(FILE);
    try {
      if (Files.notExists(file)) {
        make(file, random);
      }
      byte[] key = Files.readAllBytes(file);
      if (key.length != LENGTH) {
        throw new StoreException(
            "the key file %s is damaged: restore it from a backup, or remove it and every upstream"
                    .formatted(file)
                + " subscription will be made anew");
      }
      return key;
    } catch (IOException e) {
      throw StoreException.unusable("the key file " + file, e);
    }
  }

  private static void make(Path file, SecureRandom random) throws IOException {
    byte[] key = new byte[LENGTH];
    random.nextBytes(key);
    boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] ownerOnly =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    // Under another name until it is whole: a crash in between leaves no damaged key behind.
    Path whole = file.resolveSibling(FILE + ".new");
    Files.deleteIfExists(whole);
    Files.createFile(whole, ownerOnly);
    Files.write(whole, key, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
    Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
