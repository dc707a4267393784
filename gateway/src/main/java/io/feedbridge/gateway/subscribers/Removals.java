package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.sql.Store;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Ends, at the top of each hour, subscriptions that too many notifications in a row did not reach;
 * one that was reached or renewed since is not among them.
 */
public final class Removals implements AutoCloseable {

  /** Subscriptions that end in one transaction. */
  private static final int BATCH = 500;

  private final Store store;
  private final Clock clock;
  private final Pump pump;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor for the pump, which blocks
   */
  public Removals(Store store, Executor executor, Timer timer) {
    this.store = store;
    clock = timer.clock();
    pump = new Pump("removals", this::step, executor, timer);
  }

  /** Makes up for an hour that struck while the gateway was stopped, then waits for the next. */
  public void start() {
    pump.start();
  }

  private Optional<Instant> step() {
    Instant now = clock.instant();
    List<Long> ended = store.subscriptions().endFailed(now, BATCH).join();
    return Optional.of(
        ended.size() == BATCH ? now : now.truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS));
  }

  @Override
  public void close() {
    pump.close();
  }
}
