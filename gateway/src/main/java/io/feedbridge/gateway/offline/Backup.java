package io.feedbridge.gateway.offline;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sqlite.SqliteBackup;
import java.nio.file.Path;

/** A copy of everything a gateway knows, whether it runs or not, and its way back. */
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

  /**
   * Makes a data folder of a backup, and opens it once. Blocks for as long as that takes.
   *
   * @param key the key file of the gateway that was backed up
   * @param data an empty folder, or none yet
   * @return the size of the backup in bytes
   * @throws io.feedbridge.gateway.store.StoreException if it cannot be done, or the key is another
   *     one, with a message for the operator; the folder is then without a store
   */
  public static long restore(Path file, Path key, Path data) {
    long bytes = SqliteBackup.restore(file, key, data);
    try {
      OfflineStore.open(data).close();
      SqliteBackup.giveToOwner(data);
      return bytes;
    } catch (StoreException e) {
      SqliteBackup.undo(data);
      throw e;
    }
  }
}
