package io.feedbridge.gateway.delivery;

import io.feedbridge.gateway.delivery.send.DeliveryReports;
import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.deliveries.Laggards;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has laggards that are too far behind jump to the present (rule L13). Steps run one at a time. */
final class Jumps {

  /** How old the oldest event may be that a laggard misses. */
  static final Duration MOST_BEHIND = Duration.ofDays(3);

  /** Laggards that jump in one transaction. */
  static final int BATCH = 500;

  /**
   * A new laggard may miss older events than the others do, so that the look is repeated at least
   * so often.
   */
  private static final Duration LONGEST_REST = Duration.ofMinutes(1);

  private static final Logger log = LoggerFactory.getLogger(Jumps.class);

  private final Laggards laggards;
  private final DeliveryReports reports;
  private final Clock clock;

  Jumps(Laggards laggards, DeliveryReports reports, Clock clock) {
    this.laggards = laggards;
    this.reports = reports;
    this.clock = clock;
  }

  /** One look for laggards that must jump; returns when to look again. Blocks. */
  Optional<Instant> step() {
    Instant now = clock.instant();
    Instant since = now.minus(MOST_BEHIND);
    if (laggards.oldestMissed().filter(at -> !at.isAfter(since)).isPresent()) {
      List<Gap> gaps = laggards.jump(since, Gap.Reason.TOO_FAR_BEHIND, BATCH, now).join();
      gaps.forEach(this::tell);
      if (gaps.size() == BATCH) {
        return Optional.of(now);
      }
    }
    Instant latest = now.plus(LONGEST_REST);
    return Optional.of(
        laggards
            .oldestMissed()
            .map(at -> at.plus(MOST_BEHIND))
            .filter(at -> at.isBefore(latest))
            .orElse(latest));
  }

  private void tell(Gap gap) {
    reports.gap(gap);
    log.atWarn()
        .addKeyValue("subscription", gap.subscriptionId())
        .addKeyValue("feed", gap.feedId())
        .addKeyValue("after", gap.after())
        .addKeyValue("upTo", gap.upTo())
        .addKeyValue("events", gap.events())
        .addKeyValue("reason", gap.reason())
        .log("A subscriber was too far behind: its missed events are skipped");
  }
}
