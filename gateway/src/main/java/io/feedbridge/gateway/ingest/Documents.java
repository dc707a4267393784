package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.client.Room;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The memory that documents take, from their first byte until they are digested. What is received
 * has a bound for all documents together; who finds no room fetches again later. Digesting takes
 * many times what the document has, and so long documents are digested a few at a time, while those
 * of the usual size pass them by. Safe for use by several threads.
 */
final class Documents {

  /** Bytes of a document of the usual size. */
  static final int USUAL = 256 * 1024;

  /** Bytes of all documents that are held, of each as far as it is of the usual size. */
  static final int HELD = 32 << 20;

  /** Bytes of all documents beyond the usual size, so that long ones leave room for the others. */
  static final int HELD_BEYOND = 48 << 20;

  /** Bytes of the long documents that are digested at once: the longest one, or several shorter. */
  static final int LONG_AT_ONCE = Fetcher.MAX_BODY;

  private int held;
  private int heldBeyond;
  private int digesting;

  /** Long documents that wait, as many as there is room to hold; the first has waited longest. */
  private final Deque<Waiting> line = new ArrayDeque<>();

  private record Waiting(Held held, int bytes, Runnable step) {}

  /** Begins to hold a document, of which nothing is there yet. */
  Held hold() {
    return new Held();
  }

  /** Bytes that are held now. */
  synchronized int heldBytes() {
    return held + heldBeyond;
  }

  /** What one fetch holds. */
  final class Held implements Room {
    private int taken;
    private int digested;
    private boolean over;

    @Override
    public boolean take(int bytes) {
      synchronized (Documents.this) {
        int usual = Math.min(USUAL, taken + bytes) - Math.min(USUAL, taken);
        int beyond = bytes - usual;
        if (over || held + usual > HELD || heldBeyond + beyond > HELD_BEYOND) {
          return false;
        }
        held += usual;
        heldBeyond += beyond;
        taken += bytes;
        return true;
      }
    }

    /**
     * Runs a step once a document may be digested: at once, or on the thread of whoever makes room.
     *
     * @param bytes of the document
     * @param step must return at once and not throw
     */
    void whenDigestible(int bytes, Runnable step) {
      boolean now;
      synchronized (Documents.this) {
        now = bytes <= USUAL || (line.isEmpty() && begins(this, bytes));
        if (!now) {
          line.add(new Waiting(this, bytes, step));
        }
      }
      if (now) {
        step.run();
      }
    }

    /** The document is needed no more. Twice is once. */
    void letGo() {
      List<Runnable> next = new ArrayList<>();
      synchronized (Documents.this) {
        if (over) {
          return;
        }
        over = true;
        held -= Math.min(USUAL, taken);
        heldBeyond -= Math.max(0, taken - USUAL);
        digesting -= digested;
        line.removeIf(waiting -> waiting.held == this);
        while (!line.isEmpty() && begins(line.getFirst().held, line.getFirst().bytes)) {
          next.add(line.remove().step);
        }
      }
      next.forEach(Runnable::run);
    }
  }

  private boolean begins(Held one, int bytes) {
    // Alone, whatever its length: nobody waits for ever.
    if (digesting > 0 && digesting + bytes > LONG_AT_ONCE) {
      return false;
    }
    digesting += bytes;
    one.digested += bytes;
    return true;
  }
}
