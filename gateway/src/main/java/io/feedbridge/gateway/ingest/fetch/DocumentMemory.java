package io.feedbridge.gateway.ingest.fetch;

import io.feedbridge.gateway.client.Room;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The memory of documents, from their first byte until they are digested. Received bytes have a
 * bound for all documents together; a fetch that finds no room is repeated later. Digesting takes
 * many times the document's length, and so long documents are digested a few at a time, while
 * documents of the usual size pass them by. Safe for use by several threads.
 */
public final class DocumentMemory {

  /** Bytes of a document of the usual size. */
  public static final int USUAL = 256 * 1024;

  /** Bytes of all documents that are held, counting each document up to the usual size. */
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
  public Held hold() {
    return new Held();
  }

  /** Bytes that are held now. */
  public synchronized int heldBytes() {
    return held + heldBeyond;
  }

  /** The memory that one fetch holds. */
  public final class Held implements Room {
    private int taken;
    private int digested;
    private boolean over;

    @Override
    public boolean take(int bytes) {
      synchronized (DocumentMemory.this) {
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

    /** Bytes that were received so far. */
    public int bytes() {
      synchronized (DocumentMemory.this) {
        return taken;
      }
    }

    /**
     * Runs a step once a document may be digested: at once, or on the thread that makes room.
     *
     * @param bytes the length of the document
     * @param step must return at once and not throw
     */
    public void whenDigestible(int bytes, Runnable step) {
      boolean now;
      synchronized (DocumentMemory.this) {
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
    public void letGo() {
      List<Runnable> next = new ArrayList<>();
      synchronized (DocumentMemory.this) {
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
    // A single document is digested whatever its length, so that no document waits for ever.
    if (digesting > 0 && digesting + bytes > LONG_AT_ONCE) {
      return false;
    }
    digesting += bytes;
    one.digested += bytes;
    return true;
  }
}
