package io.feedbridge.gateway.delivery;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.deliveries.Laggards;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Begins the digests of subscriptions that want them: the newest entries of the feed together, at
 * least once in a period, even if none is new. The laggards' part sends them.
 */
public final class Digests implements AutoCloseable {

  /** Digests that begin in one transaction. */
  static final int BATCH = 200;

  /** A new subscription's first digest may be due before the ones that are known. */
  private static final Duration LONGEST_REST = Duration.ofMinutes(1);

  /** How long a digest waits that cannot begin, since its subscriber is sent events. */
  private static final Duration PAUSE = Duration.ofSeconds(15);

  private final Laggards laggards;
  private final Duration every;
  private final Clock clock;
  private final Pump pump;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param every the period of digests
   * @param executor for the pump, which blocks
   */
  public Digests(Laggards laggards, Duration every, Executor executor, Timer timer) {
    this.laggards = laggards;
    this.every = every;
    clock = timer.clock();
    pump = new Pump("digests", this::step, executor, timer);
  }

  /** Begins digests from now on. */
  public void start() {
    pump.start();
  }

  private Optional<Instant> step() {
    Instant now = clock.instant();
    if (laggards.nextDigest().filter(at -> !at.isAfter(now)).isPresent()) {
      int begun = laggards.beginDigests(now, every, BATCH).join();
      return Optional.of(begun > 0 ? now : now.plus(PAUSE));
    }
    Instant latest = now.plus(LONGEST_REST);
    return Optional.of(laggards.nextDigest().filter(at -> at.isBefore(latest)).orElse(latest));
  }

  @Override
  public void close() {
    pump.close();
  }
}
