package io.feedbridge.gateway.delivery.rounds;

import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.laggards.Settlement;
import io.feedbridge.gateway.delivery.send.EventDocuments;
import io.feedbridge.gateway.delivery.send.Recipients;
import io.feedbridge.gateway.delivery.send.Sender;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.deliveries.Rounds;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The order in which feeds have their passes: feeds take turns, so that feeds with a million
 * subscribers do not hold up one with three.
 *
 * <p>A few passes have a thread at a time, and none while the store opens or closes its round.
 * Passes that yielded stand in one line, new ones and parked ones that go on in another, and the
 * head of either is taken in turn: a short pass is over with its first turn and waits for none of
 * the long ones, and neither do the long ones starve. A pass that waits for answers has no thread
 * ({@link ParkedPasses}). At most {@link #MAX_WALKS} are in memory; while more feeds are due, a
 * pass that yields goes back to the store, at its checkpoint, and is found there when the others
 * have had their turn.
 *
 * <p>Safe for use by several threads.
 */
public final class RoundPasses {

  /** Passes that have a thread at once. */
  public static final int MAX_TURNS = 8;

  /** Subscribers that a pass reads and serves between two checkpoints. */
  public static final int SUBSCRIBERS = RoundPass.PAGE;

  /** Deliveries that a crash may repeat per round, beside the ones in flight (rule L16). */
  public static final int CHECKPOINT_INTERVAL = RoundPass.CHECKPOINT_INTERVAL;

  /** How long a pass waits on its way for a host that does not answer. */
  public static final Duration LONGEST_WAIT = WaitBudget.LONGEST;

  /** How long the end of a pass waits for answers that trickle in. */
  public static final Duration LONGEST_END = Duration.ofSeconds(3);

  /** Passes in memory. */
  static final int MAX_WALKS = 256;

  /**
   * Passes that wait for a turn while the store is not asked for more: further ones would only
   * wait.
   */
  private static final int ENOUGH = 2 * MAX_TURNS;

  /** Feeds to ask the store for at once: some of them are not in memory, if there are so many. */
  public static final int PAGE = 2 * MAX_WALKS;

  private static final Logger log = LoggerFactory.getLogger(RoundPasses.class);

  private final Executor executor;
  private final ParkedPasses parked;

  /** Opens a feed's next round; empty if one is open, or there is none. */
  private final LongFunction<CompletableFuture<Optional<Round>>> opening;

  /** Makes the pass over the round that was opened, or is open; empty if there is none. */
  private final BiFunction<Long, Optional<Round>, Optional<RoundPass>> making;

  private final Ended ended;

  // All fields from here on are guarded by this.

  private final Map<Long, Runner> runners = new HashMap<>();

  /** New passes, and passes that were parked. */
  private final Deque<Runner> fresh = new ArrayDeque<>();

  private final Deque<Runner> yielded = new ArrayDeque<>();
  private boolean freshHadTheLast;
  private int turns;

  /** Where to go on asking the store, so that each feed there has its turn. */
  private long askedUpTo;

  /** Whether the store has feeds that had no room in here. */
  private boolean more;

  /** Whether a pass has ended and {@link #ended} was not called, since enough others waited. */
  private boolean untold;

  private boolean closed;

  /**
   * The parts that passes work with.
   *
   * @param stopping whether passes are to leave their rounds at a checkpoint
   */
  public record Means(
      Rounds rounds,
      Recipients recipients,
      EventDocuments documents,
      Sender sender,
      HostBulkheads windows,
      Settlement settlement,
      Meters meters,
      Clock clock,
      BooleanSupplier stopping) {

    private RoundPass pass(Round round, boolean resumed, ParkedPasses parked) {
      Failpoint.ROUND_OPENED.reached();
      Tally tally = new Tally(windows::isFull, sender::heardOut);
      Progress progress = new Progress(round, resumed, rounds, tally, settlement, meters, clock);
      RoundRequests requests = new RoundRequests(round, recipients, documents, sender);
      return new RoundPass(
          progress, rounds, requests, windows, settlement, clock, parked, stopping);
    }
  }

  /** Wires the part; the executor's tasks block. */
  public RoundPasses(Executor executor, Means means, Ended ended) {
    this.executor = executor;
    this.ended = ended;
    parked = new ParkedPasses(executor);
    opening = feedId -> means.rounds.open(feedId, means.clock.instant());
    // An open round is read only here, where no other pass works on the feed: when the pump saw the
    // feed as due, a pass may have been about to close its round (rule L2).
    making =
        (feedId, opened) ->
            opened
                .or(() -> means.rounds.current(feedId))
                .map(round -> means.pass(round, opened.isEmpty(), parked));
  }

  RoundPasses(
      Executor executor,
      ParkedPasses parked,
      LongFunction<CompletableFuture<Optional<Round>>> opening,
      BiFunction<Long, Optional<Round>, Optional<RoundPass>> making,
      Ended ended) {
    this.executor = executor;
    this.parked = parked;
    this.opening = opening;
    this.making = making;
    this.ended = ended;
  }

  /** Called when there is room for another feed, or a feed may be due again. */
  public interface Ended {
    /** A pass has ended; must return at once. */
    void ended(boolean failed);
  }

  private static final class Runner {
    final long feedId;

    /** Whether the store has answered the open. */
    private boolean isOpened;

    /** The round that the store has opened, if it had one to open. */
    private Optional<Round> opened = Optional.empty();

    volatile @Nullable RoundPass pass;

    Runner(long feedId) {
      this.feedId = feedId;
    }

    /** The newest head that the runner was told; the pass may not be made yet. */
    private volatile long head;

    void hurry(long newest) {
      head = newest;
      @Nullable RoundPass under = pass;
      if (under != null) {
        under.hurry(newest);
      }
    }
  }

  /**
   * Adds a pass for each feed that is due and has none yet, as far as there is room. One thread at
   * a time.
   *
   * @param due reads a page of the feeds that are due after an id
   */
  public void fill(LongFunction<List<Rounds.Due>> due) {
    long begin = askedUpTo();
    boolean all = take(due.apply(begin));
    if (all && begin > 0) {
      // From the first id on again.
      take(due.apply(0));
    }
    beginTurns();
  }

  private synchronized long askedUpTo() {
    return askedUpTo;
  }

  /** Whether every feed on the page has a pass, and there are no more pages. */
  private synchronized boolean take(List<Rounds.Due> page) {
    more = page.size() >= PAGE;
    for (Rounds.Due due : page) {
      @Nullable Runner known = runners.get(due.feedId());
      if (known != null) {
        known.hurry(due.head());
      } else if (closed || runners.size() >= MAX_WALKS) {
        more = true;
        return false;
      } else {
        Runner runner = new Runner(due.feedId());
        runners.put(due.feedId(), runner);
        fresh.add(runner);
      }
      askedUpTo = due.feedId();
    }
    if (!more) {
      askedUpTo = 0;
    }
    return !more;
  }

  private void beginTurns() {
    int begun;
    synchronized (this) {
      begun = Math.min(MAX_TURNS - turns, fresh.size() + yielded.size());
      turns += begun;
    }
    for (int i = 0; i < begun; i++) {
      try {
        executor.execute(this::turn);
      } catch (RejectedExecutionException stopping) {
        endTurn();
      }
    }
  }

  private synchronized void endTurn() {
    turns--;
  }

  private void turn() {
    Optional<Runner> runner = next();
    if (isToTell()) {
      ended.ended(false);
    }
    runner.ifPresent(this::goOn);
    endTurn();
    beginTurns();
  }

  private synchronized boolean isToTell() {
    boolean tell = untold && !isEnough();
    untold &= !tell;
    return tell;
  }

  private synchronized boolean isEnough() {
    return fresh.size() + yielded.size() >= ENOUGH;
  }

  private synchronized Optional<Runner> next() {
    freshHadTheLast = yielded.isEmpty() || (!freshHadTheLast && !fresh.isEmpty());
    return Optional.ofNullable(freshHadTheLast ? fresh.poll() : yielded.poll());
  }

  private void goOn(Runner runner) {
    try {
      if (runner.pass == null && !isClosed()) {
        if (!runner.isOpened) {
          open(runner);
          return;
        }
        runner.pass = making.apply(runner.feedId, runner.opened).orElse(null);
      }
      @Nullable RoundPass pass = runner.pass;
      if (pass == null) {
        end(runner, false);
        return;
      }
      pass.hurry(runner.head);
      goOn(runner, pass);
    } catch (RuntimeException | Error e) {
      interrupted(runner, e);
    }
  }

  private void open(Runner runner) {
    var unused =
        opening
            .apply(runner.feedId)
            .whenComplete(
                (round, failure) -> {
                  if (failure == null) {
                    runner.isOpened = true;
                    runner.opened = round;
                    standInLine(runner, fresh);
                  } else {
                    interrupted(runner, failure);
                  }
                });
  }

  /** The round stays open in the store and is resumed at its checkpoint. */
  private void interrupted(Runner runner, Throwable cause) {
    log.atError().addKeyValue("feed", runner.feedId).setCause(cause).log("A round was interrupted");
    @Nullable RoundPass pass = runner.pass;
    CompletableFuture<Void> landing =
        pass == null ? CompletableFuture.completedFuture(null) : pass.landing();
    var unused = landing.whenComplete((landed, never) -> end(runner, true));
  }

  private void goOn(Runner runner, RoundPass pass) {
    switch (pass.turn(this::othersWait)) {
      case RESTS -> parked.add(pass.rest(), () -> standInLine(runner, fresh));
      case ENDED -> {
        var unused =
            pass.written()
                .whenComplete(
                    (done, failure) -> {
                      if (failure == null) {
                        end(runner, false);
                      } else {
                        interrupted(runner, failure);
                      }
                    });
      }
      case YIELDED -> {
        if (isFull()) {
          pass.leave();
          end(runner, false);
        } else {
          standInLine(runner, yielded);
        }
      }
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized boolean othersWait() {
    return more || !fresh.isEmpty() || !yielded.isEmpty();
  }

  private synchronized boolean isFull() {
    return more && runners.size() >= MAX_WALKS;
  }

  private void standInLine(Runner runner, Deque<Runner> line) {
    synchronized (this) {
      line.add(runner);
    }
    beginTurns();
  }

  private void end(Runner runner, boolean failed) {
    synchronized (this) {
      runners.remove(runner.feedId);
      notifyAll();
      if (!failed && isEnough()) {
        untold = true;
        return;
      }
    }
    ended.ended(failed);
  }

  /** Lets every pass come to a checkpoint, and waits for that at most so long. */
  public void close(Duration atMost) {
    synchronized (this) {
      closed = true;
    }
    parked.close();
    Waits.until(this, runners::isEmpty, atMost);
  }
}
