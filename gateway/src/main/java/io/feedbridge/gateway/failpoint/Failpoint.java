package io.feedbridge.gateway.failpoint;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A moment in which a crash would be most harmful if the code around it were wrong. {@code
 * -Dfeedbridge.failpoint=after-commit:3} halts the process, with no shutdown hook and nothing
 * flushed, when the third thread comes to {@link #AFTER_COMMIT}; without the number it is the
 * first. Without the property passing one costs a comparison.
 */
public enum Failpoint {
  /** The rows of a commit are inserted; the commit is not. */
  BEFORE_COMMIT,
  /** A commit is on disk, and no acknowledgement is sent. */
  AFTER_COMMIT,
  /** A topic was fetched, and nothing of it is recorded. */
  AFTER_FETCH,
  /** A round is open, and nothing of it is sent. */
  ROUND_OPENED,
  /** Deliveries of a round were sent, and no checkpoint covers them. */
  BEFORE_CHECKPOINT,
  /** Every subscriber in a round was served or has a row, and the round is open still. */
  BEFORE_ROUND_CLOSE,
  /** Laggards are marked in flight, and nothing is sent to them. */
  LAGGARDS_CLAIMED,
  /** A laggard has answered, and its row does not record it. */
  BEFORE_SETTLEMENT,
  /** A callback has confirmed a request, and the store does not record it. */
  BEFORE_CONFIRMATION,
  /** An upstream subscription is marked as asked for, and the hub or cloud was not asked. */
  BEFORE_UPSTREAM_REQUEST,
  /** In the transaction of a migration. */
  MID_MIGRATION,
  /** While the write-ahead log is copied into the database. */
  MID_WAL_CHECKPOINT,
  /** Some of the rows that are too old were removed, and more are to be. */
  MID_RETENTION,
  /** While a backup is being written. */
  MID_BACKUP,
  /** Work that a stop left open is marked as such, and none is resumed. */
  MID_RECOVERY,
  /** Some parts of the gateway were stopped, others were not. */
  MID_SHUTDOWN;

  /** The system property that names a failpoint. */
  public static final String PROPERTY = "feedbridge.failpoint";

  /** The exit code of a process that was ended here. */
  public static final int HALTED = 86;

  /** How often it is to be reached; 0 where it is not armed. */
  private final long last;

  // It counts only in a process that is to be ended.
  @SuppressWarnings("ImmutableEnumChecker")
  private final AtomicLong reached = new AtomicLong();

  Failpoint() {
    String[] armed = System.getProperty(PROPERTY, "").split(":", 2);
    boolean mine = armed[0].equals(label());
    last = mine ? (armed.length > 1 ? Long.parseLong(armed[1]) : 1) : 0;
  }

  /** The name in the system property: {@code after-commit}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Ends the process here if that was asked for. */
  public void reached() {
    if (last > 0 && reached.incrementAndGet() == last) {
      Runtime.getRuntime().halt(HALTED);
    }
  }

  /**
   * Runs a step that this class cannot enter, such as a statement of the database; where this point
   * is armed the process ends at some moment while it runs, or right after it.
   */
  public void during(Runnable step) {
    if (last > 0 && reached.incrementAndGet() == last) {
      new Thread(() -> Runtime.getRuntime().halt(HALTED), label()).start();
      step.run();
      Runtime.getRuntime().halt(HALTED);
    }
    step.run();
  }
}
