package io.feedbridge.gateway.metrics;

import io.feedbridge.gateway.store.feeds.Figures;
import io.feedbridge.gateway.store.sql.Store;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One look at the store for all gauges of a scrape. */
final class RecentFigures implements Supplier<Figures> {

  /** How old the store's figures may be; several gauges of one scrape share one look. */
  private static final Duration FIGURES_AGE = Duration.ofSeconds(1);

  /** Of a large store they may be older: counting takes no more than this part of the time. */
  private static final int COUNTING_PART = 20;

  private final Store store;
  private final Clock clock;
  private @Nullable Figures figures;
  private Instant readAgainAt = Instant.MIN;

  RecentFigures(Store store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  @Override
  public synchronized Figures get() {
    Instant now = clock.instant();
    if (figures == null || readAgainAt.isBefore(now)) {
      figures = store.figures();
      Instant read = clock.instant();
      Duration rest = Duration.between(now, read).multipliedBy(COUNTING_PART);
      readAgainAt = read.plus(rest.compareTo(FIGURES_AGE) > 0 ? rest : FIGURES_AGE);
    }
    return figures;
  }
}
