package io.feedbridge.gateway.store.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pages of the file that are no longer in use. SQLite uses them again; with {@code auto_vacuum =
 * INCREMENTAL} they can be given back to the disk, a few at a time.
 */
final class FreeSpace {

  /**
   * Bytes in use. A file of an earlier version with more of them is not written anew, which would
   * take too long; free pages cost no time.
   */
  static final long MOST_REWRITTEN = 1L << 30;

  private static final long PAGE_BYTES = 4_096;
  private static final int INCREMENTAL = 2;

  private static final Logger log = LoggerFactory.getLogger(FreeSpace.class);

  private FreeSpace() {}

  /**
   * Lets a file give space back from now on. A file of an earlier version is written anew for that,
   * once; if that fails, the file stays as it is.
   */
  static void makeReturnable(Path file, Jdbi writers) {
    makeReturnable(file, writers, MOST_REWRITTEN);
  }

  /** Lets a file give space back, with another bound on the bytes that are written anew. */
  static void makeReturnable(Path file, Jdbi writers, long mostRewritten) {
    try (Handle handle = writers.open()) {
      if (isReturnable(handle)) {
        return;
      }
      if (used(handle) > mostRewritten) {
        log.atInfo()
            .addKeyValue("store", file)
            .log(
                "The store has too much in it to be written anew at a start: it gives no disk space"
                    + " back until you stop the gateway and run PRAGMA auto_vacuum = INCREMENTAL;"
                    + " VACUUM; on it");
        return;
      }
      long start = System.nanoTime();
      handle.execute("PRAGMA auto_vacuum = INCREMENTAL");
      handle.execute("VACUUM");
      handle.createQuery("PRAGMA wal_checkpoint(TRUNCATE)").mapToMap().list();
      log.atDebug()
          .addKeyValue("store", file)
          .addKeyValue("took", Duration.ofNanos(System.nanoTime() - start))
          .log("The store gives disk space back from now on");
    } catch (JdbiException e) {
      log.atWarn()
          .addKeyValue("store", file)
          .setCause(e)
          .log("The store could not be written anew: it gives no disk space back");
    }
  }

  private static boolean isReturnable(Handle handle) {
    return handle.createQuery("PRAGMA auto_vacuum").mapTo(Integer.class).one() == INCREMENTAL;
  }

  /**
   * Gives back a part of the free pages, within a transaction.
   *
   * @param kept bytes of free pages that stay
   * @param most bytes to give back
   * @return bytes that were given back
   */
  static long giveBack(Handle handle, long kept, long most) {
    long free = free(handle);
    long pages = Math.min(free - kept / PAGE_BYTES, most / PAGE_BYTES);
    if (pages <= 0 || !isReturnable(handle)) {
      return 0;
    }
    // A prepared statement would be stepped once, which gives back a single page.
    try (Statement statement = handle.getConnection().createStatement()) {
      statement.executeUpdate("PRAGMA incremental_vacuum(" + pages + ")");
    } catch (SQLException e) {
      throw new ConnectionException(e);
    }
    return (free - free(handle)) * PAGE_BYTES;
  }

  private static long used(Handle handle) {
    long pages = handle.createQuery("PRAGMA page_count").mapTo(Long.class).one();
    long bytes = handle.createQuery("PRAGMA page_size").mapTo(Long.class).one();
    return (pages - free(handle)) * bytes;
  }

  private static long free(Handle handle) {
    return handle.createQuery("PRAGMA freelist_count").mapTo(Long.class).one();
  }
}
