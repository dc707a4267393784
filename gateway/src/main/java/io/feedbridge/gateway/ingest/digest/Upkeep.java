package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.store.feeds.FollowedFeed.Maintenance;
import io.feedbridge.gateway.store.feeds.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The daily maintenance of each feed: the counts roll over, the feed is fetched unconditionally so
 * that its hubs and clouds are read again, and entries that it has not had for long are forgotten.
 */
public final class Upkeep {

  /** The maintenance cycle. */
  public static final Duration CYCLE = Duration.ofHours(24);

  /** How long an entry is remembered that the document does not have any more. */
  public static final Duration ENTRIES_REMEMBERED = Duration.ofDays(180);

  private Upkeep() {}

  public static boolean isDue(Maintenance maintenance, Instant now) {
    Instant last = maintenance.at();
    return last != null && !now.isBefore(last.plus(CYCLE));
  }

  /** The counts after a fetch that was answered. */
  static Maintenance after(Maintenance before, int fresh, Instant now) {
    if (before.at() == null) {
      return new Maintenance(now, before.entriesSince() + fresh, before.velocity());
    }
    return isDue(before, now)
        ? new Maintenance(now, fresh, before.entriesSince())
        : new Maintenance(before.at(), before.entriesSince() + fresh, before.velocity());
  }

  /** The counts after a delivery, which is no fetch. */
  static Maintenance pushed(Maintenance before, int fresh) {
    return new Maintenance(before.at(), before.entriesSince() + fresh, before.velocity());
  }

  /**
   * The entries that the store may forget.
   *
   * @param present the ids of the document that was just compared
   */
  static Outcome.@Nullable Stale stale(Maintenance before, List<String> present, Instant now) {
    return isDue(before, now) && !present.isEmpty()
        ? new Outcome.Stale(now.minus(ENTRIES_REMEMBERED), present)
        : null;
  }
}
