package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.sql.Store;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * Ends subscriptions whose lease is over (rule H7). Subscriptions of PuSH 0.3 are requested anew
 * before that, since their subscribers expect the hub to do so (rule H19).
 */
public final class Leases implements AutoCloseable {

  /** A lease granted in the meantime may end before the one that was the next to end. */
  private static final Duration LONGEST_REST = Duration.ofMinutes(1);

  /** Subscriptions that are requested anew, or end, in one transaction. */
  private static final int BATCH = 500;

  private final Store store;
  private final Duration rest;
  private final Clock clock;
  private final Pump pump;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param shortest of the leases that are granted: a lease granted while the part rests ends after
   *     the part has looked again
   * @param executor for the pump, which blocks
   */
  public Leases(Store store, Duration shortest, Executor executor, Timer timer) {
    this.store = store;
    rest = shortest.compareTo(LONGEST_REST) < 0 ? shortest : LONGEST_REST;
    clock = timer.clock();
    pump = new Pump("leases", this::step, executor, timer);
  }

  /**
   * Unfollows feeds that a stop during a registration left without subscriptions, then watches
   * leases.
   */
  public void start() {
    store.feeds().unfollowUnused().join();
    pump.start();
  }

  private Optional<Instant> step() {
    int refreshed = store.subscriptions().refresh(clock.instant(), BATCH).join();
    if (refreshed == BATCH) {
      return Optional.of(clock.instant());
    }
    int ended = store.subscriptions().expire(clock.instant(), BATCH).join();
    if (ended == BATCH) {
      return Optional.of(clock.instant());
    }
    Instant latest = clock.instant().plus(rest);
    return Stream.of(
            Optional.of(latest),
            store.subscriptions().nextExpiry(),
            store.subscriptions().nextRefresh())
        .flatMap(Optional::stream)
        .min(Comparator.naturalOrder());
  }

  @Override
  public void close() {
    pump.close();
  }
}
