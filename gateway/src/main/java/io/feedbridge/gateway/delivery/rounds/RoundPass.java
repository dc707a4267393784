package io.feedbridge.gateway.delivery.rounds;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.laggards.Settlement;
import io.feedbridge.gateway.delivery.send.DeliveryResult;
import io.feedbridge.gateway.delivery.send.Recipient;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a feed's healthy subscriptions, in turns: it gives its thread back after a while if
 * other feeds wait, and whenever it has to wait itself.
 *
 * <p>The pass sends as fast as the hosts take deliveries, and keeps only unanswered ones in memory.
 * The checkpoint is the highest id below which every subscriber has answered 2xx or has a laggard
 * row (rule L4). It never waits for a slow answer (rule L3): a subscriber that has not answered
 * when the pass is {@link #MAX_AHEAD} deliveries further, or at its end, gets a row once {@link
 * WaitBudget} is over. A host that was waited for in vain is not waited for again. It is passed
 * over if other hosts answer, and so is an open host: its subscriptions are not even read, and get
 * their rows all together. Requests under way go on, between two turns as well; their outcomes are
 * recorded in their rows. So after a crash at most the subscribers in flight and one {@link
 * #CHECKPOINT_INTERVAL} are served twice (rule L16).
 *
 * <p>One turn at a time; answers come from any thread.
 */
final class RoundPass {

  /** Deliveries that a crash may repeat per round, beside the ones in flight (rule L16). */
  static final int CHECKPOINT_INTERVAL = 1_000;

  /**
   * Subscriptions served between two checkpoints, the second of which is begun only when the first
   * is written.
   */
  static final int PAGE = CHECKPOINT_INTERVAL / 4;

  /** Pages after which a pass lets other feeds have their turn. */
  static final int PAGES_PER_TURN = 4;

  /** Fewer subscribers than this are no reason for a checkpoint. */
  static final int FEW = PAGE / 5;

  /** Deliveries that are made before the first of them begins: one wake-up serves them all. */
  static final int AT_ONCE = 25;

  /** Deliveries by which a pass may be ahead of the first one that is not answered. */
  static final int MAX_AHEAD = CHECKPOINT_INTERVAL - 2 * PAGE - FEW;

  /**
   * How long a pass keeps its thread while it waits and no other pass wants it: healthy hosts
   * answer within that time, and a pass that is resumed must read its events again.
   */
  static final Duration MOMENT = Duration.ofMillis(50);

  private final Progress progress;
  private final Told told = new Told();
  private final Tally tally;
  private final RoundRequests requests;
  private final HostBulkheads windows;
  private final Settlement settlement;
  private final Clock clock;
  private final ParkedPasses parked;
  private final BooleanSupplier stopping;
  private final WaitBudget patience = new WaitBudget(System::nanoTime);

  /** The subscriptions after the page at hand. */
  private final LookAhead ahead;

  /** Subscribers of the page at hand that the pass has not come to. */
  private final Deque<Recipient> page = new ArrayDeque<>();

  private final PassedHosts passed;

  /** The last subscription that the pass came to. */
  private long reached;

  /**
   * Subscribers that the pass came to since the last checkpoint, served or not. A round of few
   * subscribers has no checkpoint before its end, which writes the same rows.
   */
  private int sinceCheckpoint;

  private boolean pageBegun;
  private boolean atEnd;

  /** The wait of the pass; null while it does not wait. */
  private volatile @Nullable Parked rest;

  private long restsSince;

  /** Whether there is another event for the feed. */
  private volatile boolean hurried;

  private BooleanSupplier othersWait = () -> false;

  /** {@link RoundRequests#asOfNow} from before the page being served was read. */
  private long pageReadAt;

  RoundPass(
      Progress progress,
      Rounds rounds,
      RoundRequests requests,
      HostBulkheads windows,
      Settlement settlement,
      Clock clock,
      ParkedPasses parked,
      BooleanSupplier stopping) {
    this.progress = progress;
    tally = progress.tally();
    this.reached = progress.round().checkpoint();
    ahead = new LookAhead(rounds);
    this.requests = requests;
    this.windows = windows;
    passed = new PassedHosts(windows);
    this.settlement = settlement;
    this.clock = clock;
    this.parked = parked;
    this.stopping = stopping;
  }

  /** How a turn ended. */
  enum End {
    /** The pass leaves other feeds their turn, and goes on when it has the next one. */
    YIELDED,
    /** The pass goes on when its {@link #rest} is over. */
    RESTS,
    /** The round is closed, or left at a checkpoint, once the pass is {@link #written}. */
    ENDED
  }

  /**
   * Continues the pass. Blocks.
   *
   * @param othersWait whether other feeds wait for a turn
   * @throws CompletionException if the store fails; the round then stays open, and another pass
   *     resumes it from its checkpoint after {@link #landing} (rule L2)
   */
  End turn(BooleanSupplier othersWait) {
    try {
      this.othersWait = othersWait;
      return goOn();
    } finally {
      // There may be many passes between two turns.
      ahead.clear();
      requests.endTurn();
    }
  }

  private End goOn() {
    progress.begin();
    int pages = 0;
    while (!stopping.getAsBoolean()) {
      if (atEnd) {
        return end();
      }
      if (pageBegun) {
        servePage();
        if (!awaitBehind()) {
          return End.RESTS;
        }
        pageBegun = false;
        if (sinceCheckpoint >= FEW) {
          checkpoint();
        }
        pages++;
        if (pages >= PAGES_PER_TURN && othersWait.getAsBoolean()) {
          return End.YIELDED;
        }
      } else {
        readPage();
      }
    }
    leave();
    return End.ENDED;
  }

  private void readPage() {
    if (ahead.isEmpty()) {
      boolean none = ahead.look(progress.round().feedId(), reached, passed.all().keySet());
      atEnd = none || requests.isEmpty();
    }
    pageReadAt = requests.asOfNow();
    LookAhead.Page next = ahead.next(PAGE);
    page.addAll(requests.recipients(next.ids()));
    reached = next.upTo();
    pageBegun = !page.isEmpty();
  }

  private void checkpoint() {
    sinceCheckpoint = 0;
    long first = tally.made() - MAX_AHEAD;
    progress.await();
    progress.checkpoint(
        tally.cut(reached, delivery -> delivery.number < first, this::leaveBehind), passed.all());
  }

  /** Leaves the round at a checkpoint, from which another pass can go on. Blocks. */
  void leave() {
    progress.await();
    // Subscribers of the page that were not served belong to the next pass.
    long upTo = page.isEmpty() ? reached : page.element().subscription.id() - 1;
    progress.checkpoint(tally.cut(upTo, everyone -> true, this::leaveBehind), passed.all());
    progress.await();
  }

  private End end() {
    @Nullable Parked last = rest;
    if (last == null) {
      progress.passOver(reached, passed.all());
      last = tally.untilAll(RoundPasses.LONGEST_END, () -> hurried);
    }
    rest = last;
    if (!isOverInAMoment(last)) {
      return End.RESTS;
    }
    progress.await();
    progress.close(tally.cut(reached, everyone -> true, this::leaveBehind));
    return End.ENDED;
  }

  private boolean isOverInAMoment(Parked wait) {
    return tally.await(wait, othersWait.getAsBoolean() ? Duration.ZERO : MOMENT);
  }

  /**
   * Waits for the answers of answering hosts that are too far behind; false if the pass must be
   * parked.
   */
  private boolean awaitBehind() {
    @Nullable Parked wait = rest;
    rest = null;
    if (wait == null) {
      wait = tally.untilNoneBehind(MAX_AHEAD, passed::isUnawaited, patience);
      restsSince = System.nanoTime();
      if (!isOverInAMoment(wait)) {
        rest = wait;
        return false;
      }
    }
    if (!wait.hasCome()) {
      patience.inVain(System.nanoTime() - restsSince);
      passed.slow(tally.silent(MAX_AHEAD));
    }
    return true;
  }

  private void servePage() {
    while (!page.isEmpty()) {
      List<Recipient> next = page.stream().limit(AT_ONCE).toList();
      List<RoundDelivery> made = new ArrayList<>(AT_ONCE);
      for (Recipient recipient : next) {
        make(recipient, tally.made() + made.size()).ifPresent(made::add);
      }
      for (RoundDelivery delivery : made) {
        tally.add(delivery);
        windows.enter(delivery.host, delivery);
      }
      next.forEach(served -> page.remove());
      sinceCheckpoint += next.size();
    }
  }

  /** Empty where there is nothing to send, or not now. */
  private Optional<RoundDelivery> make(Recipient recipient, long number) {
    Subscription subscription = recipient.subscription;
    long after = requests.after(subscription);
    if (passed.isPassedWithOthers(recipient)) {
      return Optional.empty();
    }
    if (passed.isPassed(recipient, reached)) {
      progress.passOver(subscription, after);
      return Optional.empty();
    }
    Optional<Call> call;
    try {
      call = requests.prepare(recipient);
    } catch (RuntimeException | Error e) {
      tally.owe(
          RoundDelivery.unmakeable(
              subscription,
              after,
              progress.round().to(),
              clock.instant(),
              requests.unmakeable(subscription, e)));
      return Optional.empty();
    }
    return call.map(
        it ->
            new RoundDelivery(
                told, recipient, pageReadAt, it, after, number, progress.isResumed()));
  }

  /** There is another event for the feed: the end of the pass does not wait for silent hosts. */
  void hurry(long head) {
    if (head > progress.round().to() && !hurried) {
      hurried = true;
      parked.lookAnew();
    }
  }

  /** The wait of the pass after a turn that ended with {@link End#RESTS}. */
  Parked rest() {
    return Objects.requireNonNull(rest, "the pass does not rest");
  }

  private Laggard leaveBehind(RoundDelivery delivery) {
    return windows.withdraw(delivery.host, delivery)
        ? progress.notBegun(delivery)
        : delivery.inFlight(progress.round().to(), clock.instant());
  }

  /** Completes when all of the pass is in the store; fails if the store did. */
  CompletableFuture<Void> written() {
    return progress.written();
  }

  /**
   * Ends a pass whose turn failed: completes when no write and no request of it is under way any
   * more; each request ends within its timeout.
   */
  CompletableFuture<Void> landing() {
    return progress.landing().thenCompose(landed -> lastAnswer());
  }

  private CompletableFuture<Void> lastAnswer() {
    List<CompletableFuture<DeliveryResult>> underWay = new ArrayList<>();
    for (RoundDelivery delivery : tally.takeAll()) {
      if (!windows.withdraw(delivery.host, delivery)) {
        underWay.add(delivery.result);
      }
    }
    return CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new));
  }

  /** Wakes the pass if the condition that it waits for holds now. */
  private void moved() {
    @Nullable Parked waits = rest;
    if (waits != null && waits.hasCome()) {
      parked.look();
    }
  }

  /** Receives the progress and the results of the pass's deliveries. */
  private final class Told implements RoundDelivery.Pass {

    @Override
    public CompletableFuture<DeliveryResult> send(
        RoundDelivery delivery, HostBulkheads.Permit permit) {
      return requests.send(delivery, permit);
    }

    @Override
    public void began(RoundDelivery delivery) {
      tally.began(delivery);
      moved();
    }

    @Override
    public void answered(RoundDelivery delivery, DeliveryResult result) {
      if (result.outcome().isAnswer()) {
        passed.answered(delivery.host, delivery.beganAt());
      }
      if (result instanceof DeliveryResult.CutOff) {
        // The delivery stays unanswered and keeps the checkpoint below it.
        return;
      }
      if (result instanceof DeliveryResult.Served served) {
        // Before the pass knows, so that no checkpoint comes first.
        settlement.succeeded(delivery.subscription, served);
      }
      Optional<Laggard> row = delivery.row(result, progress.round().to(), clock.instant());
      boolean mine =
          row.isPresent() ? tally.answered(delivery, row.get()) : tally.answered(delivery);
      if (mine && result instanceof DeliveryResult.Ended) {
        settlement.end(delivery.subscription, delivery.after, progress.round().to());
      }
      moved();
    }
  }
}
