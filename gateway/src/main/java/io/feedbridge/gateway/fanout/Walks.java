package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.Rounds;
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
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whose round is walked when: feeds take turns, so that those with a million subscribers do not
 * hold up one with three.
 *
 * <p>A few walks have a thread at a time. Those that yielded stand in one line and those that have
 * just come in another, and the head of either is taken in turn: a short walk is over with its
 * first turn and waits for none of the long ones, and neither do the long ones starve. A walk that
 * waits for answers has no thread ({@link Resting}). At most {@link #MAX_WALKS} are in memory;
 * while more feeds are due, one that yields goes back to the store, at its checkpoint, and is found
 * there when the others have had their turn.
 *
 * <p>Safe for use by several threads.
 */
final class Walks {

  /** Walks that have a thread at once. */
  static final int MAX_TURNS = 8;

  /** Walks in memory. */
  static final int MAX_WALKS = 256;

  /** Walks that wait for a turn while nobody looks for more: those would only wait as well. */
  private static final int ENOUGH = 2 * MAX_TURNS;

  /** Feeds to ask the store for at once: some of them are not in memory, if there are so many. */
  static final int PAGE = 2 * MAX_WALKS;

  private static final Logger log = LoggerFactory.getLogger(Walks.class);

  private final Executor executor;
  private final Resting resting;
  private final LongFunction<Optional<RoundWalk>> opening;
  private final Ended ended;

  // All of what follows is guarded by this.

  private final Map<Long, Walker> walkers = new HashMap<>();

  /** Walks that have just come, or have rested. */
  private final Deque<Walker> fresh = new ArrayDeque<>();

  private final Deque<Walker> yielded = new ArrayDeque<>();
  private boolean freshHadTheLast;
  private int turns;

  /** Where to go on asking the store, so that each feed there has its turn. */
  private long askedUpTo;

  /** Whether the store has feeds that had no room in here. */
  private boolean more;

  /** Whether a walk has ended and nobody was told, since enough others waited. */
  private boolean untold;

  private boolean closed;

  /**
   * Wires the part.
   *
   * @param opening makes the walk of a feed's open round, or its next; empty if there is none
   */
  Walks(
      Executor executor, Resting resting, LongFunction<Optional<RoundWalk>> opening, Ended ended) {
    this.executor = executor;
    this.resting = resting;
    this.opening = opening;
    this.ended = ended;
  }

  /** Is told that there is room for another feed, or that one may be due again. */
  interface Ended {
    /** A walk has ended; must return at once. */
    void ended(boolean failed);
  }

  private static final class Walker {
    final long feedId;
    volatile @Nullable RoundWalk walk;

    Walker(long feedId) {
      this.feedId = feedId;
    }

    void hurry(long head) {
      @Nullable RoundWalk under = walk;
      if (under != null) {
        under.hurry(head);
      }
    }
  }

  /**
   * Takes in whoever is due and has no walk yet, as far as there is room. One thread at a time.
   *
   * @param due reads a page of those that are due after an id
   */
  void fill(LongFunction<List<Rounds.Due>> due) {
    long begin = askedUpTo();
    boolean all = take(due.apply(begin));
    if (all && begin > 0) {
      // Round again, from the first.
      take(due.apply(0));
    }
    beginTurns();
  }

  private synchronized long askedUpTo() {
    return askedUpTo;
  }

  /** Whether everybody on the page has a walk, and there are no more pages. */
  private synchronized boolean take(List<Rounds.Due> page) {
    more = page.size() >= PAGE;
    for (Rounds.Due due : page) {
      @Nullable Walker known = walkers.get(due.feedId());
      if (known != null) {
        known.hurry(due.head());
      } else if (closed || walkers.size() >= MAX_WALKS) {
        more = true;
        return false;
      } else {
        Walker walker = new Walker(due.feedId());
        walkers.put(due.feedId(), walker);
        fresh.add(walker);
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
    Optional<Walker> walker = next();
    if (isToTell()) {
      ended.ended(false);
    }
    walker.ifPresent(this::walkOn);
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

  private synchronized Optional<Walker> next() {
    freshHadTheLast = yielded.isEmpty() || (!freshHadTheLast && !fresh.isEmpty());
    return Optional.ofNullable(freshHadTheLast ? fresh.poll() : yielded.poll());
  }

  private void walkOn(Walker walker) {
    try {
      if (walker.walk == null && !isClosed()) {
        walker.walk = opening.apply(walker.feedId).orElse(null);
      }
      @Nullable RoundWalk walk = walker.walk;
      if (walk == null) {
        end(walker, false);
        return;
      }
      walkOn(walker, walk);
    } catch (RuntimeException | Error e) {
      // The round stays open in the store and is resumed at its checkpoint.
      log.atError().addKeyValue("feed", walker.feedId).setCause(e).log("A round was interrupted");
      @Nullable RoundWalk walk = walker.walk;
      CompletableFuture<Void> landing =
          walk == null ? CompletableFuture.completedFuture(null) : walk.landing();
      var unused = landing.whenComplete((landed, never) -> end(walker, true));
    }
  }

  private void walkOn(Walker walker, RoundWalk walk) {
    switch (walk.turn(this::othersWait)) {
      case RESTS -> resting.add(walk.rest(), () -> standInLine(walker, fresh));
      case ENDED -> end(walker, false);
      case YIELDED -> {
        if (isFull()) {
          walk.leave();
          end(walker, false);
        } else {
          standInLine(walker, yielded);
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
    return more && walkers.size() >= MAX_WALKS;
  }

  private void standInLine(Walker walker, Deque<Walker> line) {
    synchronized (this) {
      line.add(walker);
    }
    beginTurns();
  }

  private void end(Walker walker, boolean failed) {
    synchronized (this) {
      walkers.remove(walker.feedId);
      notifyAll();
      if (!failed && isEnough()) {
        untold = true;
        return;
      }
    }
    ended.ended(failed);
  }

  /** Lets every walk come to a checkpoint, and waits for that at most so long. */
  void close(Duration atMost) {
    synchronized (this) {
      closed = true;
    }
    resting.close();
    Waits.until(this, walkers::isEmpty, atMost);
  }
}
