package io.feedbridge.gateway.store.feeds;

import org.jspecify.annotations.Nullable;

/**
 * The popularity and the quality of a feed.
 *
 * @param readers the number of readers that its subscribers stand for
 * @param recent the recent new entries that count for the rank
 * @param renamed recent entries whose content was known under another id
 * @param repaired whether its last document had to be repaired before it could be read
 */
public record Standing(long readers, int recent, int renamed, boolean repaired) {

  /** The standing of a feed that was never read. */
  public static final Standing UNKNOWN = new Standing(0, 0, 0, false);

  /** Past this number of recent entries, both counts are halved. */
  private static final int MAX_RECENT = 50;

  /** The part of the way to the worst rank that a repair adds. */
  private static final double REPAIR = 0.1;

  private static final double ROUNDING = 1_000;

  /** The same standing with another number of readers. */
  public Standing readBy(long count) {
    return new Standing(count, recent, renamed, repaired);
  }

  /** The same standing after a document. */
  public Standing after(int fresh, int knownUnderAnotherId, boolean wasRepaired) {
    Standing counted =
        new Standing(readers, recent + fresh, renamed + knownUnderAnotherId, wasRepaired);
    while (counted.recent > MAX_RECENT) {
      counted = new Standing(readers, counted.recent / 2, counted.renamed / 2, wasRepaired);
    }
    return counted;
  }

  /** Grows with the logarithm of the readers; absent without readers. */
  @Nullable Double popularity() {
    return readers == 0 ? null : rounded(Math.log10(1.0 + readers));
  }

  /** The rank from 0 to 1; higher values mean less trust. */
  @Nullable Double bozoRank() {
    double share = recent == 0 ? 0 : (double) renamed / recent;
    return rounded(repaired ? share + (1 - share) * REPAIR : share);
  }

  private static double rounded(double value) {
    return Math.round(value * ROUNDING) / ROUNDING;
  }
}
