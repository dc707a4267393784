package io.feedbridge.gateway.retention;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.log.Log.Trimmed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.Bridges;
import io.feedbridge.gateway.store.sql.feeds.FeedHistory;
import io.feedbridge.gateway.store.sql.feeds.Pings;
import io.feedbridge.gateway.store.sql.subscriptions.EndedSubscriptions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes events from the log that are older than it is kept (rule L13), old pings and ended
 * subscriptions, and lets go of feeds whose bridged feeds are not read any more: in batches, so
 * that no commit is long, and with other writes between them.
 */
public final class Retention implements AutoCloseable {

  /** Events stay this much longer than they must. */
  static final Duration PERIOD = Duration.ofHours(1);

  /** Events of one commit, and laggards that jump in it. */
  static final int MAX_EVENTS = 500;

  /** Bytes of one commit; a single event may be longer. */
  static final long MAX_BYTES = 8L << 20;

  /** How long sites that pinged are listed in the archives of past hours. */
  static final Duration PINGS_KEPT = Duration.ofDays(30);

  /** Pings of one commit. */
  static final int MAX_PINGS = 5_000;

  /** Steps of feeds' histories that one commit looks at. */
  static final int MAX_STEPS = 5_000;

  /** Ended subscriptions that one commit looks at. */
  static final int MAX_ENDED = 5_000;

  private static final Logger log = LoggerFactory.getLogger(Retention.class);

  /** How long a feed is followed after the last read of its bridged feed. */
  static final Duration BRIDGED_KEPT = Duration.ofDays(30);

  /** Feeds let go of in one commit. */
  static final int MAX_BRIDGED = 500;

  /** Bytes of free space in the store that stay for the events to come. */
  static final long FREE_KEPT = 64L << 20;

  /** Bytes of free space that one commit gives back to the disk. */
  static final long MAX_GIVEN_BACK = 1L << 20;

  /** The pause between two such commits, for other writes. */
  private static final Duration GIVE_BACK_PAUSE = Duration.ofMillis(100);

  /** The time for which the store keeps documents and entries of a feed without a follower. */
  static final Duration LEFT_KEPT = Duration.ofDays(1);

  /** Fingerprints of such feeds that one commit removes. */
  static final int MAX_LEFT = 2_000;

  private final Log events;
  private final Feeds feeds;
  private final Bridges bridges;
  private final Pings pings;
  private final FeedHistory history;
  private final EndedSubscriptions endedSubscriptions;
  private final Duration kept;
  private final Meters meters;
  private final Clock clock;
  private final Pump pump;

  /** The events removed and the laggards that jumped in the run under way; for its step alone. */
  private long removed;

  private long jumped;

  /**
   * Wires the stage; {@link #start} starts it.
   *
   * @param kept how long events are kept
   * @param executor for the pump, which blocks
   */
  public Retention(Store store, Duration kept, Executor executor, Timer timer, Meters meters) {
    this.kept = kept;
    this.meters = meters;
    events = store.log();
    feeds = store.feeds();
    bridges = store.bridges();
    pings = store.pings();
    history = store.feedHistory();
    endedSubscriptions = store.endedSubscriptions();
    clock = timer.clock();
    pump = new Pump("retention", this::step, executor, timer);
  }

  /** Removes events that are too old already, and looks again every hour. */
  public void start() {
    pump.start();
  }

  /** One batch. */
  private Optional<Instant> step() {
    Instant now = clock.instant();
    Trimmed batch = events.trim(now.minus(kept), MAX_EVENTS, MAX_BYTES, now).join();
    removed += batch.events();
    jumped += batch.laggards();
    meters.eventsRemoved(batch.events());
    if (batch.more()) {
      Failpoint.MID_RETENTION.reached();
      return Optional.of(now);
    }
    report();
    int forgotten = pings.trim(now.minus(PINGS_KEPT), MAX_PINGS).join();
    int unread = bridges.expire(now.minus(BRIDGED_KEPT), MAX_BRIDGED).join();
    int steps = history.trim(now.minus(kept), MAX_STEPS).join();
    int ended = endedSubscriptions.trim(now.minus(kept), MAX_ENDED).join();
    boolean left = feeds.freeLeft(now.minus(LEFT_KEPT), now, MAX_LEFT).join();
    if (forgotten == MAX_PINGS
        || unread == MAX_BRIDGED
        || steps == MAX_STEPS
        || ended == MAX_ENDED
        || left) {
      return Optional.of(now);
    }
    long given = events.giveBack(FREE_KEPT, MAX_GIVEN_BACK).join();
    return Optional.of(now.plus(given > 0 ? GIVE_BACK_PAUSE : PERIOD));
  }

  private void report() {
    if (removed > 0) {
      log.atInfo().addKeyValue("events", removed).log("Old events were removed");
    }
    if (jumped > 0) {
      log.atWarn()
          .addKeyValue("subscriptions", jumped)
          .log("Events that subscribers missed were too old to keep");
    }
    removed = 0;
    jumped = 0;
  }

  @Override
  public void close() {
    pump.close();
  }
}
