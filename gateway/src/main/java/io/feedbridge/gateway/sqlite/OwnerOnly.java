package io.feedbridge.gateway.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Permissions for what holds subscribers' secrets: nobody but the owner reads it. Where files have
 * no POSIX permissions they are as the folder has them.
 */
final class OwnerOnly {

  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");

  private OwnerOnly() {}

  /** For the creation of a file. */
  static FileAttribute<?>[] file(Path file) {
    return attributes(file, FILE);
  }

  /** For the creation of a folder. */
  static FileAttribute<?>[] folder(Path folder) {
    return attributes(folder, FOLDER);
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    return hasPermissions(path)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  /** Takes away what others may do with a file, if it exists and is open to them. */
  static void restrict(Path file) throws IOException {
    if (Files.exists(file)
        && hasPermissions(file)
        && !FILE.containsAll(Files.getPosixFilePermissions(file))) {
      Files.setPosixFilePermissions(file, FILE);
    }
  }

  private static boolean hasPermissions(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
