package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.failpoint.Failpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the write-ahead log into the database, between commits. SQLite would do so by itself, in
 * the middle of the commit that made the log long enough, and would not report a reader that keeps
 * it from restarting the log.
 */
final class Checkpoints {

  /** The log is copied whenever it has so much that is not copied. */
  static final long AFTER_BYTES = 4L << 20;

  /** A log file that grew past this is cut off as soon as no reader uses it. */
  static final long CUT_OFF_BYTES = 64L << 20;

  /** SQLite's default, which each file of the gateway has. */
  private static final long PAGE_BYTES = 4_096;

  private static final long AFTER_PAGES = AFTER_BYTES / PAGE_BYTES;

  /** How long a commit may be held up by a reader that keeps the log from being cut off. */
  private static final int CUT_OFF_WAIT_MILLIS = 50;

  private static final Logger log = LoggerFactory.getLogger(Checkpoints.class);

  private final Path wal;
  private final int busyWaitMillis;

  /** The length of the log, in pages, when copying it was last tried. */
  private long triedAt;

  private boolean grown;

  /**
   * For the writer's thread alone.
   *
   * @param busyWaitMillis the connection's own, restored after each change
   */
  Checkpoints(Path wal, int busyWaitMillis) {
    this.wal = wal;
    this.busyWaitMillis = busyWaitMillis;
  }

  /** How much of the log there is, and how much of that is in the database. */
  private record Progress(boolean busy, long pages, long copied) {}

  /** Copies the log if enough was written since it was last copied. */
  void afterCommit(Handle handle) {
    Progress now = checkpoint(handle, "NOOP");
    if (now.pages < triedAt) {
      // SQLite has restarted the log.
      triedAt = 0;
    }
    if (now.pages - Math.max(now.copied, triedAt) >= AFTER_PAGES) {
      run(handle);
    }
  }

  /** Copies the log to the database. The part that a reader still needs stays. */
  void run(Handle handle) {
    Failpoint.MID_WAL_CHECKPOINT.during(() -> triedAt = checkpoint(handle, "PASSIVE").pages);
    long bytes = walBytes(wal);
    if (bytes > CUT_OFF_BYTES) {
      bytes = cutOff(handle);
    }
    boolean growing = bytes > CUT_OFF_BYTES;
    if (growing && !grown) {
      log.atWarn()
          .addKeyValue("bytes", bytes)
          .log("The write-ahead log grows: something reads from an old state of the store");
    }
    grown = growing;
  }

  private long cutOff(Handle handle) {
    handle.execute("PRAGMA busy_timeout = " + CUT_OFF_WAIT_MILLIS);
    try {
      if (!checkpoint(handle, "TRUNCATE").busy) {
        triedAt = 0;
      }
    } finally {
      handle.execute("PRAGMA busy_timeout = " + busyWaitMillis);
    }
    return walBytes(wal);
  }

  private static Progress checkpoint(Handle handle, String mode) {
    return handle
        .createQuery("PRAGMA wal_checkpoint(" + mode + ")")
        .map(
            (row, context) ->
                new Progress(
                    row.getBoolean("busy"), row.getLong("log"), row.getLong("checkpointed")))
        .one();
  }

  /** The size of the log's file; 0 where there is none. */
  static long walBytes(Path wal) {
    try {
      return Files.size(wal);
    } catch (IOException absent) {
      return 0;
    }
  }
}
