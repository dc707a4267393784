package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Round;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One walk over a feed's healthy subscriptions.
 *
 * <p>The walk sends as fast as the hosts take it and keeps in memory only who has not answered yet.
 * The checkpoint is the highest id below which everyone has answered 2xx or has a laggard row (rule
 * L4), so after a crash at most those in flight and one interval are served twice (rule L16). It
 * never waits for a slow answer (rule L3): a host that lets {@link #PATIENCE} pass without taking
 * what waits for it gets laggard rows for the rest, and so does whoever has not answered that long
 * after the walk's end. Their requests go on; what comes of them is recorded in their rows.
 */
final class RoundWalk {

  /** Subscriptions read at once. */
  static final int PAGE = 500;

  /** Deliveries of one walk that wait for room at one host. */
  static final int MAX_WAITING_PER_HOST = 1_000;

  /** How long a host, or the last answers of a walk, are waited for without anything moving. */
  static final Duration PATIENCE = Duration.ofMillis(500);

  /** How long the end of a walk waits for answers that trickle in. */
  static final Duration LONGEST_WAIT = Duration.ofSeconds(3);

  private final Rounds rounds;
  private final Deliveries deliveries;
  private final HostWindows windows;
  private final Settlement settlement;
  private final Clock clock;
  private final Bundle bundle;
  private final BooleanSupplier stopping;

  private Round round;
  private long walked;

  /** Those who have not answered, by subscription id; guarded by this. */
  private final TreeMap<Long, Pending> unanswered = new TreeMap<>();

  /** Those who were not served and have no row yet; guarded by this. */
  private List<Laggard> unserved = new ArrayList<>();

  /** How many deliveries wait at each host; guarded by this. */
  private final Map<String, Integer> waiting = new HashMap<>();

  /** Hosts that were too slow once in this walk: for them it does not wait again. */
  private final Set<String> slow = new HashSet<>();

  RoundWalk(
      Round round,
      Bundle bundle,
      Rounds rounds,
      Deliveries deliveries,
      HostWindows windows,
      Settlement settlement,
      Clock clock,
      BooleanSupplier stopping) {
    this.stopping = stopping;
    this.round = round;
    this.walked = round.checkpoint();
    this.bundle = bundle;
    this.rounds = rounds;
    this.deliveries = deliveries;
    this.windows = windows;
    this.settlement = settlement;
    this.clock = clock;
  }

  /**
   * Walks to the end and closes the round, or leaves it at a checkpoint when the gateway is
   * stopping. Blocks.
   *
   * @throws CompletionException if the store fails; the round then stays open and is walked again
   *     from its checkpoint, after the requests under way have ended (rule L2)
   */
  void run() {
    try {
      while (!stopping.getAsBoolean()) {
        List<Subscription> page = rounds.recipients(round.feedId(), walked, PAGE);
        if (page.isEmpty()) {
          break;
        }
        for (Subscription subscription : page) {
          serve(subscription);
          walked = subscription.id();
        }
        checkpoint();
      }
      awaitAnswers();
      if (stopping.getAsBoolean()) {
        checkpoint();
      } else {
        close();
      }
    } catch (RuntimeException e) {
      awaitLanding();
      throw e;
    }
  }

  private void serve(Subscription subscription) {
    long after = Math.max(round.from(), subscription.start());
    Optional<Call> call;
    try {
      call = deliveries.prepare(subscription, bundle, after, 0);
    } catch (RuntimeException e) {
      owe(subscription, after, Deliveries.unmakeable(subscription.id(), e));
      return;
    }
    if (call.isEmpty()) {
      return;
    }
    Pending pending = new Pending(subscription, call.get(), after);
    if (!hasRoom(pending.host)) {
      leaveBehind(pending, "the host is slower than its deliveries come");
      return;
    }
    synchronized (this) {
      unanswered.put(subscription.id(), pending);
      waiting.merge(pending.host, 1, Integer::sum);
    }
    windows.enter(pending.host, pending);
  }

  private void owe(Subscription subscription, long after, Verdict.Failed failed) {
    Laggard row =
        new Laggard(
            subscription.id(),
            subscription.feedId(),
            Deliveries.host(subscription.callback()),
            after,
            round.to(),
            1,
            settlement.nextAttempt(1, failed),
            false,
            failed.error());
    synchronized (this) {
      unserved.add(row);
    }
  }

  /** Waits for a host with a long queue, once; whether another delivery may be put into it. */
  private boolean hasRoom(String host) {
    if (slow.contains(host)) {
      return waitingAt(host) == 0;
    }
    if (Waits.until(this, () -> waitingAt(host) < MAX_WAITING_PER_HOST, PATIENCE)) {
      return true;
    }
    slow.add(host);
    return false;
  }

  private synchronized int waitingAt(String host) {
    return waiting.getOrDefault(host, 0);
  }

  private synchronized void leaveBehind(Pending pending, String why) {
    unserved.add(pending.laggard(null, 0, clock.instant(), false, why));
  }

  private void checkpoint() {
    List<Laggard> rows;
    synchronized (this) {
      long safe = unanswered.isEmpty() ? walked : unanswered.firstKey() - 1;
      if (safe == round.checkpoint() && unserved.isEmpty()) {
        return;
      }
      round = new Round(round.feedId(), round.from(), round.to(), safe);
      rows = unserved;
      unserved = new ArrayList<>();
    }
    rounds.checkpoint(round, rows).join();
  }

  /** Waits for the last answers as long as some arrive, within {@link #LONGEST_WAIT}. */
  private void awaitAnswers() {
    long last = System.nanoTime() + LONGEST_WAIT.toNanos();
    boolean moving = true;
    while (moving && unansweredCount() > 0 && System.nanoTime() < last) {
      int before = unansweredCount();
      moving = Waits.until(this, () -> unansweredCount() < before, PATIENCE);
    }
  }

  private synchronized int unansweredCount() {
    return unanswered.size();
  }

  private void close() {
    List<Pending> late = new ArrayList<>();
    List<Laggard> rows;
    synchronized (this) {
      for (Pending pending : unanswered.values()) {
        if (windows.withdraw(pending.host, pending)) {
          leaveBehind(pending, "the host is slower than its deliveries come");
        } else {
          unserved.add(pending.laggard(round.to(), 0, clock.instant(), true, null));
          late.add(pending);
        }
      }
      unanswered.clear();
      rows = unserved;
    }
    try {
      rounds.close(round, rows).join();
    } catch (CompletionException e) {
      synchronized (this) {
        late.forEach(pending -> unanswered.put(pending.subscription.id(), pending));
      }
      throw e;
    }
    // Only now does each have the row into which its outcome is written.
    for (Pending pending : late) {
      Laggard row = pending.laggard(round.to(), 0, clock.instant(), true, null);
      var unused =
          pending.verdict.thenAccept(verdict -> settlement.settle(row, round.to(), verdict));
    }
  }

  /** Waits until no request of this walk is under way any more; each ends within its timeout. */
  private void awaitLanding() {
    List<Pending> pendings;
    synchronized (this) {
      pendings = List.copyOf(unanswered.values());
      unanswered.clear();
    }
    for (Pending pending : pendings) {
      if (!windows.withdraw(pending.host, pending)) {
        pending.verdict.join();
      }
    }
  }

  private synchronized void began(Pending pending) {
    waiting.merge(pending.host, -1, Integer::sum);
    notifyAll();
  }

  private void answered(Pending pending, Verdict verdict) {
    synchronized (this) {
      // One that was cut off keeps the checkpoint below it.
      if (verdict instanceof Verdict.CutOff
          || unanswered.remove(pending.subscription.id()) == null) {
        return;
      }
      if (verdict instanceof Verdict.Failed failed) {
        Instant next = settlement.nextAttempt(1, failed);
        unserved.add(pending.laggard(round.to(), 1, next, false, failed.error()));
      }
      notifyAll();
    }
    if (verdict instanceof Verdict.Ended) {
      settlement.end(pending.subscription.id());
    }
  }

  /** One delivery of the walk, from the queue at its host to its answer. */
  private final class Pending implements HostWindows.Waiting {
    final Subscription subscription;
    final String host;
    final CompletableFuture<Verdict> verdict = new CompletableFuture<>();
    private final Call call;
    private final long after;

    Pending(Subscription subscription, Call call, long after) {
      this.subscription = subscription;
      this.call = call;
      this.after = after;
      host = Deliveries.host(subscription.callback());
    }

    @Override
    public void begin() {
      began(this);
      var unused =
          deliveries
              .send(subscription, call)
              .thenAccept(
                  result -> {
                    windows.leave(host);
                    answered(this, result);
                    verdict.complete(result);
                  });
    }

    Laggard laggard(
        @Nullable Long sentTo,
        int attempts,
        Instant next,
        boolean inFlight,
        @Nullable String error) {
      return new Laggard(
          subscription.id(),
          subscription.feedId(),
          host,
          after,
          sentTo,
          attempts,
          next,
          inFlight,
          error);
    }
  }
}
