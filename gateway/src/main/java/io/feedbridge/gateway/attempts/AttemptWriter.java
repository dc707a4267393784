package io.feedbridge.gateway.attempts;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the sets that changed into the file, on a thread of its own. While the file cannot be
 * written they wait, which costs nothing, and the log says so once.
 */
final class AttemptWriter implements AutoCloseable {

  /**
   * How long changes are gathered, so that most attempts are written once instead of twice. A kill
   * of the process loses at most the changes of this time.
   */
  private static final Duration PAUSE = Duration.ofMillis(10);

  /** How long to wait after the file could not be written, because of a full disk, say. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(10);

  /** How long a stop waits for the last changes. */
  private static final Duration STOP_WAIT = Duration.ofSeconds(2);

  private static final Logger log = LoggerFactory.getLogger(AttemptWriter.class);

  private final AttemptFile file;
  private final ExchangeFile exchanges;
  private final AtomicReferenceArray<@Nullable AttemptSet> sets;

  /** A bit for each set that differs from the file. */
  private final AtomicLongArray changed;

  private final Thread thread = new Thread(this::run, "attempts-writer");

  /** Whether the thread waits for a change. */
  private volatile boolean idle;

  private volatile boolean closed;

  /** Whether the last write failed; for the thread alone. */
  private boolean failing;

  AttemptWriter(
      AttemptFile file, ExchangeFile exchanges, AtomicReferenceArray<@Nullable AttemptSet> sets) {
    this.file = file;
    this.exchanges = exchanges;
    this.sets = sets;
    changed = new AtomicLongArray((sets.length() + Long.SIZE - 1) / Long.SIZE);
  }

  void start() {
    thread.start();
  }

  /** A set has changed; called after the change. Never blocks. */
  void changed(int set) {
    int word = set / Long.SIZE;
    long bit = 1L << set % Long.SIZE;
    long before = changed.get(word);
    while ((before & bit) == 0) {
      long found = changed.compareAndExchange(word, before, before | bit);
      if (found == before) {
        break;
      }
      before = found;
    }
    wake();
  }

  /** An exchange is to be written. Never blocks. */
  void keep(ExchangeFile.Kept kept) {
    exchanges.keep(kept);
    wake();
  }

  ExchangeFile exchanges() {
    return exchanges;
  }

  private void wake() {
    if (idle) {
      idle = false;
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (!closed) {
      if (!anyChanged()) {
        awaitChange();
      }
      if (anyChanged()) {
        write();
        pause(failing ? PAUSE_AFTER_FAILURE : PAUSE);
      }
    }
    write();
  }

  private void awaitChange() {
    idle = true;
    // Looked at again: a change before the flag was set has not woken this thread.
    if (!anyChanged() && !closed) {
      LockSupport.park(this);
    }
    idle = false;
  }

  private void pause(Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0 && !closed; left = end - System.nanoTime()) {
      LockSupport.parkNanos(this, left);
    }
  }

  private boolean anyChanged() {
    for (int word = 0; word < changed.length(); word++) {
      if (changed.get(word) != 0) {
        return true;
      }
    }
    return exchanges.isWaiting();
  }

  private void write() {
    try {
      writeChanged();
      exchanges.write();
      if (failing) {
        log.atInfo().log("The record of attempts is written again");
      }
      failing = false;
    } catch (IOException | RuntimeException e) {
      if (!failing) {
        log.atWarn()
            .addKeyValue("error", String.valueOf(e.getMessage()))
            .log("The record of attempts cannot be written; deliveries go on");
      }
      failing = true;
    }
  }

  private void writeChanged() throws IOException {
    int next = nextChanged(0);
    while (next < sets.length()) {
      int first = next;
      AttemptFile.Batch batch = file.batchAt(first);
      for (; next < sets.length() && batch.takes(next); next = nextChanged(next + 1)) {
        // Cleared before the set is read: a change after that marks it anew.
        changed.accumulateAndGet(next / Long.SIZE, ~(1L << next % Long.SIZE), (a, b) -> a & b);
        AttemptSet set = sets.get(next);
        if (set != null) {
          batch.add(set);
        }
      }
      try {
        batch.write();
      } catch (IOException e) {
        for (int set = first; set < batch.end(); set++) {
          changed(set);
        }
        throw e;
      }
    }
  }

  /** The first set from there on that changed; the number of sets if none did. */
  private int nextChanged(int from) {
    for (int word = from / Long.SIZE; word < changed.length(); word++) {
      long bits = changed.get(word);
      if (word == from / Long.SIZE) {
        bits &= -1L << from % Long.SIZE;
      }
      if (bits != 0) {
        return word * Long.SIZE + Long.numberOfTrailingZeros(bits);
      }
    }
    return sets.length();
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join(STOP_WAIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try (exchanges) {
      file.close();
    } catch (IOException e) {
      log.atWarn().addKeyValue("error", e.getMessage()).log("A file did not close well");
    }
  }
}
