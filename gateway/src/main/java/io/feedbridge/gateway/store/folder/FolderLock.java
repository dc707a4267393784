package io.feedbridge.gateway.store.folder;

import io.feedbridge.gateway.store.StoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** A data folder that this process has locked, until it is closed or the process ends. */
public final class FolderLock implements AutoCloseable {

  /** The name of the file that is locked. */
  public static final String FILE = "feedbridge.lock";

  private final FileChannel lock;

  private FolderLock(FileChannel lock) {
    this.lock = lock;
  }

  /**
   * Locks a folder, and makes it if need be.
   *
   * @throws StoreException if another process has it, or it cannot be used
   */
  public static FolderLock of(Path folder) {
    try {
      make(folder);
      Path file = folder.resolve(FILE);
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
      return new FolderLock(channel);
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
