package io.feedbridge.gateway;

import io.feedbridge.gateway.store.sqlite.SqliteBackup;
import java.nio.file.Path;

/** A copy of everything a gateway knows, whether it runs or not. */
public final class Backup {

  private Backup() {}

  /**
   * Copies the store of a data folder, as of one moment, into a file that only its owner may read.
   * Blocks for as long as that takes; the gateway goes on meanwhile.
   *
   * @param replace whether a file of this name may be replaced
   * @return the size of the file in bytes
   * @throws io.feedbridge.gateway.store.StoreException if it cannot be made, with a message for the
   *     operator; a file of this name is then as it was
   */
  public static long write(Path data, Path file, boolean replace) {
    return SqliteBackup.write(data, file, replace);
  }
}
