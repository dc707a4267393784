package io.feedbridge.gateway.delivery.laggards;

import java.util.IdentityHashMap;

/**
 * The bytes of documents that are on their way to laggards. A document that is sent to several
 * laggards counts once. Hosts that have not answered yet, or not at last, share a part: however
 * large the documents are that they leave unread, the rest is for hosts that answer. Thread-safe.
 */
final class DocumentBytes {

  private final long most;
  private final long mostUnproven;

  /** How many deliveries have each body; guarded by this. */
  private final IdentityHashMap<byte[], Integer> all = new IdentityHashMap<>();

  /** Deliveries of each body to hosts that have not proven themselves; guarded by this. */
  private final IdentityHashMap<byte[], Integer> unproven = new IdentityHashMap<>();

  private long bytes;
  private long unprovenBytes;

  /**
   * A budget that nothing is taken from.
   *
   * @param most bytes in all
   * @param mostUnproven of them, to hosts that have not proven themselves
   */
  DocumentBytes(long most, long mostUnproven) {
    this.most = most;
    this.mostUnproven = mostUnproven;
  }

  /** Bytes that are free for a host; below 0 where one document was larger than all of it. */
  synchronized long room(boolean proven) {
    long left = most - bytes;
    return proven ? left : Math.min(left, mostUnproven - unprovenBytes);
  }

  /**
   * Takes the bytes of a body unless there is no room; a body above the whole budget goes alone.
   */
  synchronized boolean take(byte[] body, boolean proven) {
    boolean isHeld = proven ? all.containsKey(body) : unproven.containsKey(body);
    boolean isAlone = proven ? bytes == 0 : unprovenBytes == 0;
    boolean fits = body.length <= room(proven) || (isAlone && bytes <= most);
    if (!isHeld && !fits) {
      return false;
    }
    if (all.merge(body, 1, Integer::sum) == 1) {
      bytes += body.length;
    }
    if (!proven && unproven.merge(body, 1, Integer::sum) == 1) {
      unprovenBytes += body.length;
    }
    return true;
  }

  /** Gives back the bytes that {@link #take} took. */
  synchronized void giveBack(byte[] body, boolean proven) {
    if (isLast(all, body)) {
      bytes -= body.length;
    }
    if (!proven && isLast(unproven, body)) {
      unprovenBytes -= body.length;
    }
  }

  private static boolean isLast(IdentityHashMap<byte[], Integer> held, byte[] body) {
    return held.computeIfPresent(body, (same, count) -> count == 1 ? null : count - 1) == null;
  }
}
