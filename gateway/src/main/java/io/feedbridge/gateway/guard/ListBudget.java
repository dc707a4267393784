package io.feedbridge.gateway.guard;

import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * The feeds that begin for a list in an hour: a list whose feeds change all the time is held back.
 * Kept in memory: a restart fills the budgets. Thread-safe.
 */
public final class ListBudget {

  /** Feeds of one list that begin in an hour. */
  public static final int FEEDS_AN_HOUR = 10_000;

  private final Buckets lists;

  /** Full budgets. */
  public ListBudget(Clock clock) {
    lists = new Buckets(new Rate(FEEDS_AN_HOUR, Duration.ofHours(1)), clock);
  }

  /**
   * Takes the budget of some feeds of a list.
   *
   * @return how long the list waits for it; empty if it was taken
   */
  public Optional<Duration> take(long listId, int feeds) {
    return lists.take(Long.toString(listId), feeds);
  }
}
