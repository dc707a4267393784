package io.feedbridge.gateway.store.sqlite.search;

import java.util.Optional;

/**
 * The one row of the index's table of that name.
 *
 * @param position of the log up to which the index has the entries
 * @param trimmed position of the log up to which entries were removed with their events
 * @param boot the run of the operating system in which the index is open; empty if it was closed
 */
record IndexState(long position, long trimmed, Owner owner, String boot) {

  /** The position of an index that is empty. */
  static final long NOTHING = -1;

  static final IndexState NONE = new IndexState(NOTHING, 0, new Owner("", 0), "");

  /** A store, and the epoch of the process that has opened it. */
  record Owner(String store, long epoch) {}

  /**
   * Why the index does not fit a store; empty if it fits.
   *
   * @param now the run of the operating system
   * @param head of the store's log
   */
  Optional<String> unfit(Owner other, String now, long head) {
    if (position < 0) {
      return Optional.empty();
    }
    if (!boot.isEmpty() && !boot.equals(now)) {
      return Optional.of("the machine stopped before the index was closed");
    }
    if (!owner.store.equals(other.store)) {
      return Optional.of("it belongs to another store");
    }
    if (owner.epoch != other.epoch && owner.epoch != other.epoch - 1) {
      return Optional.of("the store was opened without it");
    }
    return position > head
        ? Optional.of("an older state of the store was restored")
        : Optional.empty();
  }
}
