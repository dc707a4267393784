package io.feedbridge.gateway.poll;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Turns feeds whose next fetch is due into work. The timer first adds the work and then puts the
 * feed off a little, unless a fetch has meanwhile set the next time, which must not be overwritten.
 * After a crash in between, the feed is polled twice.
 */
public final class PollTimer implements AutoCloseable {

  /** Feeds in one step. */
  static final int BATCH = 200;

  /**
   * Polls that become due at once when more than a {@link #BATCH} of them are, after a long stop
   * for one: then they are spread, 100 in a second, and no origin meets a burst.
   */
  static final int PER_TICK = 10;

  static final Duration TICK = Duration.ofMillis(100);

  /** When a feed is due again whose fetch has not come to anything by then. */
  static final Duration UNTIL_FETCHED = Duration.ofMinutes(5);

  private final Store store;
  private final Work work;
  private final Clock clock;
  private final Pump pump;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor for the pump, which blocks
   */
  public PollTimer(Store store, Work work, Executor executor, Timer timer) {
    this.store = store;
    this.work = work;
    clock = timer.clock();
    pump = new Pump("polls", this::step, executor, timer);
  }

  /** Begins to poll. */
  public void start() {
    store.onChange(Change.FETCH_DUE, pump::wake);
    pump.start();
  }

  private Optional<Instant> step() {
    Instant now = clock.instant();
    List<FollowedFeed> due = store.feeds().due(now, BATCH);
    if (due.size() == BATCH && store.feeds().spreadDue(now, PER_TICK, TICK).join() > 0) {
      due = store.feeds().due(now, BATCH);
    }
    // Asked for together, they share a commit or two.
    List<CompletableFuture<Void>> done = due.stream().map(feed -> poll(feed, now)).toList();
    done.forEach(CompletableFuture::join);
    return due.size() == BATCH ? Optional.of(now) : store.feeds().nextDue();
  }

  private CompletableFuture<Void> poll(FollowedFeed feed, Instant now) {
    Via via = feed.retryVia() == null ? Via.POLL : feed.retryVia();
    // In this order: whatever ends the process in between, the feed is fetched, perhaps twice. The
    // other way round it would be left alone for minutes.
    return work.add(new WorkItem.Light(feed.id(), via, now))
        .thenCompose(added -> store.feeds().asked(feed, now.plus(UNTIL_FETCHED)));
  }

  /** Polls no more. */
  @Override
  public void close() {
    pump.close();
  }
}
