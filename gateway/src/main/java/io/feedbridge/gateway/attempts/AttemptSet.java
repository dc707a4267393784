package io.feedbridge.gateway.attempts;

import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The attempts of the subscriptions that share a set; each subscription has one alone as long as
 * there are not more subscriptions than sets. Safe for use by several threads; no thread holds its
 * lock for longer than a look at {@link #SLOTS} places takes.
 */
final class AttemptSet {

  /** Attempts on record at once. */
  static final int SLOTS = 16;

  /** Longs of all slots together. */
  static final int WORDS = SLOTS * Fields.COUNT;

  /** Delivered attempts up to this number are kept; further ones are replaced first. */
  private static final int DELIVERED_AT_LEAST = SLOTS / 2;

  private static final int NONE = -1;

  private final int index;
  private final long[] words = new long[WORDS];

  /**
   * An empty set.
   *
   * @param index its place among all sets
   */
  AttemptSet(int index) {
    this.index = index;
  }

  int index() {
    return index;
  }

  /** Puts an attempt that begins into the slot that is missed least; says which. */
  synchronized int begin(
      long id, long subscription, long event, long atMillis, long size, Attempt.Kind kind) {
    int slot = victim();
    int at = slot * Fields.COUNT;
    words[at + Fields.ID] = id;
    words[at + Fields.SUBSCRIPTION] = subscription;
    words[at + Fields.EVENT] = event;
    words[at + Fields.AT] = atMillis;
    words[at + Fields.SIZE] = size;
    words[at + Fields.KIND] = Fields.kind(kind);
    words[at + Fields.RESULT] = Fields.UNDER_WAY;
    return slot;
  }

  /**
   * An empty slot; else the oldest delivered one while more than {@link #DELIVERED_AT_LEAST} are
   * kept, so that failures can be seen for longer; else the oldest that ended; else the oldest.
   */
  private int victim() {
    int delivered = 0;
    int oldestDelivered = NONE;
    int oldestEnded = NONE;
    int oldest = NONE;
    for (int slot = 0; slot < SLOTS; slot++) {
      int at = slot * Fields.COUNT;
      if (words[at + Fields.ID] == 0) {
        return slot;
      }
      long result = words[at + Fields.RESULT];
      if (Fields.isDelivered(result)) {
        delivered++;
        oldestDelivered = older(slot, oldestDelivered);
      }
      if (result != Fields.UNDER_WAY) {
        oldestEnded = older(slot, oldestEnded);
      }
      oldest = older(slot, oldest);
    }
    if (delivered > DELIVERED_AT_LEAST) {
      return oldestDelivered;
    }
    return oldestEnded == NONE ? oldest : oldestEnded;
  }

  private int older(int slot, int other) {
    boolean isOlder =
        other == NONE
            || words[slot * Fields.COUNT + Fields.ID] < words[other * Fields.COUNT + Fields.ID];
    return isOlder ? slot : other;
  }

  /** Whether the attempt still had its slot; if not, nothing changed. */
  synchronized boolean end(int slot, long id, long result) {
    int at = slot * Fields.COUNT;
    if (words[at + Fields.ID] != id) {
      return false;
    }
    words[at + Fields.RESULT] = result;
    return true;
  }

  /** The attempts of a subscription, newest first. */
  synchronized List<Attempt> of(long subscription) {
    List<Attempt> found = new ArrayList<>();
    for (int at = 0; at < WORDS; at += Fields.COUNT) {
      if (words[at + Fields.ID] != 0 && words[at + Fields.SUBSCRIPTION] == subscription) {
        found.add(Fields.attempt(words, at));
      }
    }
    found.sort(Comparator.comparingLong(Attempt::id).reversed());
    return found;
  }

  /** Appends all slots, each with its check. */
  synchronized void writeTo(LongBuffer target) {
    for (int at = 0; at < WORDS; at += Fields.COUNT) {
      if (words[at + Fields.ID] != 0) {
        words[at + Fields.CHECK] = Fields.check(words, at);
      }
    }
    target.put(words);
  }

  /**
   * Reads all slots as a file has them. Attempts that were under way are marked as cut off; damaged
   * ones are left out.
   *
   * @param sets how many there are, by which a subscription finds its own
   */
  synchronized Loaded readFrom(LongBuffer source, int sets) {
    source.get(words);
    long newest = 0;
    int damaged = 0;
    boolean changed = false;
    for (int at = 0; at < WORDS; at += Fields.COUNT) {
      boolean empty = words[at + Fields.ID] == 0 && words[at + Fields.CHECK] == 0;
      if (empty) {
        continue;
      }
      boolean mine = Math.floorMod(words[at + Fields.SUBSCRIPTION], sets) == index;
      if (!mine || !Fields.areSound(words, at)) {
        Arrays.fill(words, at, at + Fields.COUNT, 0);
        damaged++;
        changed = true;
        continue;
      }
      newest = Math.max(newest, words[at + Fields.ID]);
      if (words[at + Fields.RESULT] == Fields.UNDER_WAY) {
        words[at + Fields.RESULT] = Fields.CUT_OFF;
        changed = true;
      }
    }
    return new Loaded(newest, damaged, changed);
  }

  /**
   * The result of reading a set.
   *
   * @param newest the id of the newest attempt; 0 if there is none
   * @param damaged slots that were left out
   * @param changed whether the set differs from the file
   */
  record Loaded(long newest, int damaged, boolean changed) {}
}
