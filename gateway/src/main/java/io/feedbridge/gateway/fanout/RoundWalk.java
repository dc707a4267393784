package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Round;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One walk over a feed's healthy subscriptions, in turns: it gives its thread back after a while if
 * other feeds wait, and whenever it has to wait itself.
 *
 * <p>The walk sends as fast as the hosts take it and keeps in memory only who has not answered yet.
 * The checkpoint is the highest id below which everyone has answered 2xx or has a laggard row (rule
 * L4). It never waits for a slow answer (rule L3): whoever has not answered when the walk is {@link
 * #MAX_AHEAD} deliveries further, or at its end, gets a row after {@link #PATIENCE}, and so does
 * whoever finds its host's queue full, or its host open. Requests under way go on, between two
 * turns as well; what comes of them is recorded in their rows. So after a crash at most those in
 * flight and one {@link #CHECKPOINT_INTERVAL} are served twice (rule L16).
 *
 * <p>One turn at a time; answers come from any thread.
 */
final class RoundWalk {

  /** What a crash may double per round, beside what is in flight (rule L16). */
  static final int CHECKPOINT_INTERVAL = 500;

  /** Subscriptions read at once; there is a checkpoint after each so many. */
  static final int PAGE = CHECKPOINT_INTERVAL / 2;

  /** Pages after which a walk lets other feeds have their turn. */
  static final int PAGES_PER_TURN = 2;

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

  /**
   * How long a walk keeps its thread while it waits and nobody else wants it: hosts that are well
   * answer within that, and a walk that is taken up again must read its events again.
   */
  static final Duration MOMENT = Duration.ofMillis(50);

  /** How long the end of a walk waits for answers that trickle in. */
  static final Duration LONGEST_WAIT = Duration.ofSeconds(3);

  private final Rounds rounds;
  private final Renewals renewals;
  private final Documents documents;
  private final Deliveries deliveries;
  private final HostWindows windows;
  private final Settlement settlement;
  private final Meters meters;
  private final Clock clock;
  private final Resting resting;
  private final BooleanSupplier stopping;

  /** Whether it was walked before, so that some past its checkpoint may have their document. */
  private final boolean resumed;

  private final Tally tally = new Tally();

  /** Those of the page at hand that the walk has not come to. */
  private final Deque<Subscription> page = new ArrayDeque<>();

  /** Hosts for which the walk waited in vain. */
  private final Set<String> slow = new HashSet<>();

  private Round round;
  private long walked;
  private boolean pageBegun;
  private boolean atEnd;

  /** What it waits for, if it does. */
  private volatile @Nullable Rest rest;

  private BooleanSupplier othersWait = () -> false;

  /** Kept for one turn only: there may be many walks between two turns. */
  private @Nullable Bundle bundle;

  /** As of when the page was read that is being served, by {@link Renewals#count}. */
  private long pageReadAt;

  RoundWalk(
      Round round,
      boolean resumed,
      Rounds rounds,
      Renewals renewals,
      Documents documents,
      Deliveries deliveries,
      HostWindows windows,
      Settlement settlement,
      Meters meters,
      Clock clock,
      Resting resting,
      BooleanSupplier stopping) {
    this.round = round;
    this.resumed = resumed;
    this.walked = round.checkpoint();
    this.rounds = rounds;
    this.renewals = renewals;
    this.documents = documents;
    this.deliveries = deliveries;
    this.windows = windows;
    this.settlement = settlement;
    this.meters = meters;
    this.clock = clock;
    this.resting = resting;
    this.stopping = stopping;
  }

  /** How a turn ended. */
  enum End {
    /** Others are to have their turn; it goes on when it has the next one. */
    YIELDED,
    /** It goes on when its {@link #rest} is over. */
    RESTS,
    /** The round is closed, or left at a checkpoint because the gateway is stopping. */
    ENDED
  }

  /**
   * Walks on. Blocks.
   *
   * @param othersWait whether other feeds wait for a turn
   * @throws CompletionException if the store fails; the round then stays open and is walked again
   *     from its checkpoint, after {@link #landing} (rule L2)
   */
  End turn(BooleanSupplier othersWait) {
    try {
      this.othersWait = othersWait;
      return walkOn();
    } finally {
      bundle = null;
    }
  }

  private End walkOn() {
    int pages = 0;
    while (!stopping.getAsBoolean()) {
      if (atEnd) {
        return end();
      }
      if (pageBegun) {
        if (!servePage() || !awaitBehind()) {
          return End.RESTS;
        }
        pageBegun = false;
        long first = tally.made() - MAX_AHEAD;
        checkpoint(delivery -> delivery.number < first);
        pages++;
        if (pages >= PAGES_PER_TURN && othersWait.getAsBoolean()) {
          return End.YIELDED;
        }
      }
      pageReadAt = renewals.count();
      page.addAll(rounds.recipients(round.feedId(), walked, PAGE));
      pageBegun = !page.isEmpty();
      atEnd = !pageBegun || bundle().isEmpty();
    }
    leave();
    return End.ENDED;
  }

  /** Leaves the round at a checkpoint, from which another walk can go on. Blocks. */
  void leave() {
    checkpoint(everyone -> true);
  }

  private End end() {
    @Nullable Rest last = rest;
    if (last == null) {
      last = tally.untilAll(LONGEST_WAIT);
    }
    rest = last;
    if (!isOverInAMoment(last)) {
      return End.RESTS;
    }
    close();
    return End.ENDED;
  }

  private boolean isOverInAMoment(Rest wait) {
    return wait.isOver() || (!othersWait.getAsBoolean() && tally.await(wait, MOMENT));
  }

  /** Waits until nobody is too far behind, or has had its time; false if the walk is to rest. */
  private boolean awaitBehind() {
    @Nullable Rest waited = rest;
    rest = null;
    if (waited != null) {
      return true;
    }
    Rest wait = tally.untilNoneBehind(MAX_AHEAD);
    if (isOverInAMoment(wait)) {
      return true;
    }
    rest = wait;
    return false;
  }

  /** Serves the rest of the page; false if the walk is to rest before the next one. */
  private boolean servePage() {
    @Nullable Rest waited = rest;
    if (waited != null && !page.isEmpty()) {
      rest = null;
      if (!waited.hasCome()) {
        slow.add(Deliveries.host(page.element().callback()));
      }
    }
    while (!page.isEmpty()) {
      Subscription next = page.element();
      if (!serve(next)) {
        return false;
      }
      walked = next.id();
      page.remove();
    }
    return true;
  }

  private Optional<Bundle> bundle() {
    if (bundle == null) {
      bundle = documents.bundle(round.feedId(), round.from(), round.to()).orElse(null);
    }
    return Optional.ofNullable(bundle);
  }

  /** False if the walk is to rest before this one. */
  private boolean serve(Subscription subscription) {
    long after = Math.max(round.from(), subscription.start());
    Optional<Call> call;
    try {
      call = bundle().flatMap(events -> deliveries.prepare(subscription, events, after, 0));
    } catch (RuntimeException e) {
      Verdict.Failed failed =
          deliveries.unmakeable(subscription, Attempt.Kind.ROUND, round.to(), 1, e);
      tally.owe(RoundDelivery.unmakeable(subscription, after, round.to(), clock.instant(), failed));
      return true;
    }
    if (call.isEmpty()) {
      return true;
    }
    RoundDelivery delivery =
        new RoundDelivery(
            this,
            subscription,
            pageReadAt,
            call.get(),
            after,
            tally.made(),
            resumed ? round.to() : null);
    if (windows.holdsBack(delivery.host)) {
      tally.owe(notBegun(delivery));
      return true;
    }
    if (tally.isFull(delivery.host)) {
      Rest wait = tally.untilRoom(delivery.host);
      if (slow.contains(delivery.host)) {
        tally.owe(notBegun(delivery));
        return true;
      }
      if (!isOverInAMoment(wait)) {
        rest = wait;
        return false;
      }
    }
    tally.add(delivery);
    windows.enter(delivery.host, delivery);
    return true;
  }

  /** What the walk waits for after a turn that ended with {@link End#RESTS}. */
  Rest rest() {
    return Objects.requireNonNull(rest, "the walk does not rest");
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
        ? notBegun(delivery)
        : delivery.inFlight(round.to(), clock.instant());
  }

  /** The row of one that was not even begun; it is no attempt. */
  private Laggard notBegun(RoundDelivery delivery) {
    if (windows.holdsBack(delivery.host)) {
      meters.heldBack();
      return delivery.heldBack(clock.instant());
    }
    return delivery.notBegun(clock.instant());
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

  /**
   * Ends a walk whose turn failed: completes when no request of it is under way any more; each ends
   * within its timeout.
   */
  CompletableFuture<Void> landing() {
    List<CompletableFuture<Verdict>> underWay = new ArrayList<>();
    for (RoundDelivery delivery : tally.takeAll()) {
      if (!windows.withdraw(delivery.host, delivery)) {
        underWay.add(delivery.verdict);
      }
    }
    return CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new));
  }

  /** Sends with the secret and the format that the subscription has now (rule L7). */
  CompletableFuture<Verdict> send(RoundDelivery delivery, HostWindows.Place place) {
    Subscription asRead = delivery.subscription;
    if (renewals.count() == delivery.readAt) {
      return send(asRead, delivery.call, place);
    }
    return renewals
        .read(asRead.id(), now -> remake(delivery, now))
        .thenCompose(
            remade ->
                remade
                    .map(it -> send(it.subscription, it.call, place))
                    .orElseGet(RoundWalk::nothingToSend))
        .exceptionally(
            why -> deliveries.unmakeable(asRead, Attempt.Kind.ROUND, round.to(), 1, why));
  }

  private record Remade(Subscription subscription, Call call) {}

  private Optional<Remade> remake(RoundDelivery delivery, Subscription now) {
    return documents
        .bundle(round.feedId(), round.from(), round.to())
        .flatMap(events -> deliveries.prepare(now, events, delivery.after, 0))
        .map(call -> new Remade(now, call));
  }

  private CompletableFuture<Verdict> send(
      Subscription subscription, Call call, HostWindows.Place place) {
    return deliveries.send(subscription, call, place, Attempt.Kind.ROUND, round.to(), 1);
  }

  /** What comes of a delivery to one that has ended, or wants nothing of it any more. */
  private static CompletableFuture<Verdict> nothingToSend() {
    return CompletableFuture.completedFuture(Verdict.SERVED);
  }

  void began(RoundDelivery delivery) {
    tally.began(delivery);
    moved();
  }

  /** What the walk waits for may have come. */
  private void moved() {
    @Nullable Rest waits = rest;
    if (waits != null && waits.hasCome()) {
      resting.look();
    }
  }

  void answered(RoundDelivery delivery, Verdict verdict) {
    if (verdict instanceof Verdict.CutOff) {
      // It keeps the checkpoint below it.
      return;
    }
    if (verdict instanceof Verdict.Failed failed) {
      Laggard row = delivery.failed(round.to(), clock.instant(), failed);
      var unused = tally.failed(delivery, row);
      moved();
      return;
    }
    if (verdict instanceof Verdict.Served) {
      // Before the walk knows, so that no checkpoint comes first.
      settlement.succeeded(delivery.subscription);
    }
    if (tally.answered(delivery) && verdict instanceof Verdict.Ended) {
      settlement.end(delivery.subscription.id());
    }
    moved();
  }
}
