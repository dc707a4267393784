package io.feedbridge.gateway.store;

import org.jspecify.annotations.Nullable;

/**
 * How a feed stands with its readers.
 *
 * @param readers who are told of it
 * @param recent new entries that count for its rank, the recent ones
 * @param renamed those of them whose content was known under another id
 * @param repaired whether its last document had to be repaired before it could be read
 */
public record Standing(long readers, int recent, int renamed, boolean repaired) {

  /** Of a feed that was never read. */
  public static final Standing UNKNOWN = new Standing(0, 0, 0, false);

  /** With more entries than that, all that was counted so far counts half. */
  private static final int MAX_RECENT = 50;

  /** What a repair adds of the way to the worst rank. */
  private static final double REPAIR = 0.1;

  private static final double ROUNDING = 1_000;

  /** The same with so many readers. */
  public Standing readBy(long count) {
    return new Standing(count, recent, renamed, repaired);
  }

  /** The same after a document. */
  public Standing after(int fresh, int knownUnderAnotherId, boolean wasRepaired) {
    Standing counted =
        new Standing(readers, recent + fresh, renamed + knownUnderAnotherId, wasRepaired);
    while (counted.recent > MAX_RECENT) {
      counted = new Standing(readers, counted.recent / 2, counted.renamed / 2, wasRepaired);
    }
    return counted;
  }

  /** Grows with the logarithm of the readers; absent where nobody reads. */
  @Nullable Double popularity() {
    return readers == 0 ? null : rounded(Math.log10(1.0 + readers));
  }

  /** From 0 to 1, the greater the less to be trusted. */
  @Nullable Double bozoRank() {
    double share = recent == 0 ? 0 : (double) renamed / recent;
    return rounded(repaired ? share + (1 - share) * REPAIR : share);
  }

  private static double rounded(double value) {
    return Math.round(value * ROUNDING) / ROUNDING;
  }
}
