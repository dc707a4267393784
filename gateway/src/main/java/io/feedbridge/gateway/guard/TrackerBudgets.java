package io.feedbridge.gateway.guard;

import java.time.Clock;
import java.time.Duration;

/**
 * The entries that trackers get in a day: each tracker, and all together. A tracker that got few
 * entries is spared from the budget of all. Kept in memory: a restart fills the budgets.
 * Thread-safe.
 */
public final class TrackerBudgets {

  /** Entries of one tracker in a day. */
  static final int TRACKER_ENTRIES_PER_DAY = 10_000;

  /** Entries of all trackers in a day, each entry counted for each tracker that gets it. */
  static final int ALL_ENTRIES_PER_DAY = 1_000_000;

  /** Entries of one tracker in a day that need no room in the budget of all trackers. */
  static final int SPARED = 500;

  private static final Duration DAY = Duration.ofDays(1);
  private static final String ALL = "";

  private final Buckets each;
  private final Buckets spared;
  private final Buckets all;
  private final Buckets told;

  /** Full budgets. */
  public TrackerBudgets(Clock clock) {
    each = new Buckets(new Rate(TRACKER_ENTRIES_PER_DAY, DAY), clock);
    spared = new Buckets(new Rate(SPARED, DAY), clock);
    all = new Buckets(new Rate(ALL_ENTRIES_PER_DAY, DAY), clock);
    told = new Buckets(new Rate(1, DAY), clock);
  }

  /** Takes the budget of one entry of a tracker; returns whether there was one. */
  public boolean take(long trackerId) {
    String key = Long.toString(trackerId);
    if (each.take(key, 1).isPresent()) {
      return false;
    }
    if (spared.take(key, 1).isEmpty()) {
      all.charge(ALL, 1);
      return true;
    }
    return all.take(ALL, 1).isEmpty();
  }

  /** Whether a refusal is the first of a tracker within a day. */
  public boolean isFirstRefusal(long trackerId) {
    return told.take(Long.toString(trackerId), 1).isEmpty();
  }
}
