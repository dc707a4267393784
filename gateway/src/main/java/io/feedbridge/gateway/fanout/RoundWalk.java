package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Round;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * One walk over a feed's healthy subscriptions.
 *
 * <p>The walk sends as fast as the hosts take it and keeps in memory only who has not answered yet.
 * The checkpoint is the highest id below which everyone has answered 2xx or has a laggard row (rule
 * L4). It never waits for a slow answer (rule L3): whoever has not answered when the walk is {@link
 * #MAX_AHEAD} deliveries further, or at its end, gets a row after {@link #PATIENCE}, and so does
 * whoever finds its host's queue full. Requests under way go on; what comes of them is recorded in
 * their rows. So after a crash at most those in flight and one {@link #CHECKPOINT_INTERVAL} are
 * served twice (rule L16).
 */
final class RoundWalk {

  /** What a crash may double per round, beside what is in flight (rule L16). */
  static final int CHECKPOINT_INTERVAL = 500;

  /** Subscriptions read at once; there is a checkpoint after each so many. */
  static final int PAGE = CHECKPOINT_INTERVAL / 2;

  /** Deliveries by which a walk may be ahead of the first one that is not answered. */
  static final int MAX_AHEAD = CHECKPOINT_INTERVAL - PAGE;

  /** Deliveries of one walk that wait for room at one host. */
  static final int MAX_WAITING_PER_HOST = 1_000;

  /**
   * Deliveries that a host must begin within {@link #PATIENCE} for its full queue to be awaited.
   */
  static final int QUICK = 250;

  /** How long a host, or an answer, is waited for without enough moving. */
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
  private final Tally tally = new Tally();

  private Round round;
  private long walked;

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
      List<Subscription> page = nextPage();
      while (!page.isEmpty()) {
        page.forEach(this::serve);
        tally.awaitBehind(MAX_AHEAD);
        long first = tally.made() - MAX_AHEAD;
        checkpoint(delivery -> delivery.number < first);
        page = nextPage();
      }
      if (stopping.getAsBoolean()) {
        checkpoint(everyone -> true);
      } else {
        tally.awaitAll(LONGEST_WAIT);
        close();
      }
    } catch (RuntimeException | Error e) {
      awaitLanding();
      throw e;
    }
  }

  private List<Subscription> nextPage() {
    return stopping.getAsBoolean() ? List.of() : rounds.recipients(round.feedId(), walked, PAGE);
  }

  private void serve(Subscription subscription) {
    walked = subscription.id();
    long after = Math.max(round.from(), subscription.start());
    Optional<Call> call;
    try {
      call = deliveries.prepare(subscription, bundle, after, 0);
    } catch (RuntimeException e) {
      Verdict.Failed failed = Deliveries.unmakeable(subscription.id(), e);
      Instant next = settlement.nextAttempt(1, failed);
      tally.owe(RoundDelivery.unmakeable(subscription, after, round.to(), next, failed.error()));
      return;
    }
    if (call.isEmpty()) {
      return;
    }
    RoundDelivery delivery = new RoundDelivery(this, subscription, call.get(), after, tally.made());
    if (!tally.hasRoom(delivery.host)) {
      tally.owe(delivery.notBegun(clock.instant()));
      return;
    }
    tally.add(delivery);
    windows.enter(delivery.host, delivery);
  }

  private void checkpoint(Predicate<RoundDelivery> leaves) {
    Tally.Cut cut = tally.cut(walked, leaves, this::leaveBehind);
    if (cut.upTo() == round.checkpoint() && cut.rows().isEmpty()) {
      return;
    }
    Failpoint.BEFORE_CHECKPOINT.reached();
    round = new Round(round.feedId(), round.from(), round.to(), cut.upTo());
    commit(cut, rows -> rounds.checkpoint(round, rows));
  }

  private void close() {
    Failpoint.BEFORE_ROUND_CLOSE.reached();
    commit(
        tally.cut(walked, everyone -> true, this::leaveBehind), rows -> rounds.close(round, rows));
  }

  private Laggard leaveBehind(RoundDelivery delivery) {
    return windows.withdraw(delivery.host, delivery)
        ? delivery.notBegun(clock.instant())
        : delivery.inFlight(round.to(), clock.instant());
  }

  private void commit(Tally.Cut cut, Function<List<Laggard>, CompletableFuture<Void>> write) {
    try {
      write.apply(cut.rows()).join();
    } catch (RuntimeException e) {
      // They have no rows, so they must have ended before anybody sends to them again.
      cut.late().forEach(tally::add);
      throw e;
    }
    // Only now does each have the row into which its outcome is written.
    for (RoundDelivery late : cut.late()) {
      Laggard row = late.inFlight(round.to(), clock.instant());
      var unused = late.verdict.thenAccept(verdict -> settlement.settle(row, round.to(), verdict));
    }
  }

  /** Waits until no request of this walk is under way any more; each ends within its timeout. */
  private void awaitLanding() {
    List<CompletableFuture<Verdict>> underWay = new ArrayList<>();
    for (RoundDelivery delivery : tally.takeAll()) {
      if (!windows.withdraw(delivery.host, delivery)) {
        underWay.add(delivery.verdict);
      }
    }
    CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new)).join();
  }

  CompletableFuture<Verdict> send(Subscription subscription, Call call) {
    return deliveries.send(subscription, call);
  }

  void began(RoundDelivery delivery) {
    tally.began(delivery);
  }

  void answered(RoundDelivery delivery, Verdict verdict) {
    if (verdict instanceof Verdict.CutOff) {
      // It keeps the checkpoint below it.
      return;
    }
    if (verdict instanceof Verdict.Failed failed) {
      Instant next = settlement.nextAttempt(1, failed);
      var unused = tally.failed(delivery, delivery.failed(round.to(), next, failed.error()));
    } else if (tally.answered(delivery) && verdict instanceof Verdict.Ended) {
      settlement.end(delivery.subscription.id());
    }
  }

  void left(RoundDelivery delivery) {
    windows.leave(delivery.host);
  }
}
