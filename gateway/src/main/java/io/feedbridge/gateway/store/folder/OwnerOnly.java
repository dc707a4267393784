package io.feedbridge.gateway.store.folder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Permissions for files that hold secrets of subscribers: only the owner may read them. Where files
 * have no POSIX permissions, the permissions of the folder apply.
 */
public final class OwnerOnly {

  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");

  private OwnerOnly() {}

  /** For the creation of a file. */
  public static FileAttribute<?>[] file(Path file) {
    return attributes(file, FILE);
  }

  /** For the creation of a folder. */
  public static FileAttribute<?>[] folder(Path folder) {
    return attributes(folder, FOLDER);
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    return hasPermissions(path)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  /** Takes the permissions of other users away from a file, if it exists and has any. */
  public static void restrict(Path file) throws IOException {
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
