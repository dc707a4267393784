package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One walk over a feed's healthy subscriptions, in turns: it gives its thread back after a while if
 * other feeds wait, and whenever it has to wait itself.
 *
 * <p>The walk sends as fast as the hosts take it and keeps in memory only who has not answered yet.
 * The checkpoint is the highest id below which everyone has answered 2xx or has a laggard row (rule
 * L4). It never waits for a slow answer (rule L3): whoever has not answered when the walk is {@link
 * #MAX_AHEAD} deliveries further, or at its end, gets a row once {@link Patience} is over. A host
 * that was waited for in vain is not waited for again; if others answer it is passed over, and so
 * is one that is open: its subscriptions are not even read, and get their rows all together.
 * Requests under way go on, between two turns as well; what comes of them is recorded in their
 * rows. So after a crash at most those in flight and one {@link #CHECKPOINT_INTERVAL} are served
 * twice (rule L16).
 *
 * <p>One turn at a time; answers come from any thread.
 */
final class RoundWalk {

  /** What a crash may double per round, beside what is in flight (rule L16). */
  static final int CHECKPOINT_INTERVAL = 1_000;

  /**
   * Subscriptions served between two checkpoints, the second of which is begun only when the first
   * is written.
   */
  static final int PAGE = CHECKPOINT_INTERVAL / 4;

  /** Subscriptions whose ids are looked up at once. */
  static final int LOOK_AHEAD = 4 * PAGE;

  /** Pages after which a walk lets other feeds have their turn. */
  static final int PAGES_PER_TURN = 4;

  /** Subscribers fewer than which are no reason for a checkpoint. */
  static final int FEW = PAGE / 5;

  /** Deliveries that are made before the first of them begins: one wake-up serves them all. */
  static final int AT_ONCE = 25;

  /** Deliveries by which a walk may be ahead of the first one that is not answered. */
  static final int MAX_AHEAD = CHECKPOINT_INTERVAL - 2 * PAGE - FEW;

  /** Hosts that are passed over all together; those of more have a row each. */
  static final int MAX_PASSED = 1_000;

  /**
   * How long a walk keeps its thread while it waits and nobody else wants it: hosts that are well
   * answer within that, and a walk that is taken up again must read its events again.
   */
  static final Duration MOMENT = Duration.ofMillis(50);

  /** How long the end of a walk waits for answers that trickle in. */
  static final Duration LONGEST_END = Duration.ofSeconds(3);

  private final Progress progress;
  private final Tally tally;
  private final Rounds rounds;
  private final RoundRequests requests;
  private final HostWindows windows;
  private final Settlement settlement;
  private final Clock clock;
  private final Resting resting;
  private final BooleanSupplier stopping;
  private final Patience patience = new Patience(System::nanoTime);

  /** Ids of those who come after the page at hand. */
  private final List<Long> ahead = new ArrayList<>();

  /** Up to which id all that are neither {@link #ahead} nor on the page need not be looked for. */
  private long seenUpTo;

  /** Those of the page at hand that the walk has not come to. */
  private final Deque<Recipient> page = new ArrayDeque<>();

  private final SlowHosts slow = new SlowHosts();

  /** Hosts that are passed over, and the subscription after which. */
  private final Map<String, Long> passed = new HashMap<>();

  /** The last subscription that the walk came to. */
  private long walked;

  /**
   * Subscribers whom the walk came to since the last checkpoint, served or not: a round of few has
   * none before its end, which writes what one would.
   */
  private int sinceCheckpoint;

  private boolean pageBegun;
  private boolean atEnd;

  /** What it waits for, if it does, and since when. */
  private volatile @Nullable Rest rest;

  private long restsSince;

  /** Whether there is another event for the feed. */
  private volatile boolean hurried;

  private BooleanSupplier othersWait = () -> false;

  /** As of when the page was read that is being served, by {@link RoundRequests#asOfNow}. */
  private long pageReadAt;

  RoundWalk(
      Progress progress,
      Tally tally,
      Rounds rounds,
      RoundRequests requests,
      HostWindows windows,
      Settlement settlement,
      Clock clock,
      Resting resting,
      BooleanSupplier stopping) {
    this.progress = progress;
    this.tally = tally;
    this.walked = progress.round().checkpoint();
    this.rounds = rounds;
    this.requests = requests;
    this.windows = windows;
    this.settlement = settlement;
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
      // There may be many walks between two turns.
      ahead.clear();
      requests.endTurn();
    }
  }

  private End walkOn() {
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
      lookAhead();
    }
    List<Long> next = ahead.subList(0, Math.min(PAGE, ahead.size()));
    pageReadAt = requests.asOfNow();
    page.addAll(requests.recipients(next));
    // All up to the next one are served, laggards or passed over.
    walked = next.size() == ahead.size() ? seenUpTo : next.get(next.size() - 1);
    next.clear();
    pageBegun = !page.isEmpty();
  }

  private void lookAhead() {
    long feedId = progress.round().feedId();
    Rounds.Stretch stretch = rounds.recipients(feedId, walked, passed.keySet(), LOOK_AHEAD);
    atEnd = stretch.upTo() == walked || requests.isEmpty();
    seenUpTo = stretch.upTo();
    ahead.addAll(stretch.recipients());
  }

  private void checkpoint() {
    sinceCheckpoint = 0;
    long first = tally.made() - MAX_AHEAD;
    progress.await();
    progress.checkpoint(
        tally.cut(walked, delivery -> delivery.number < first, this::leaveBehind), passed);
  }

  /** Leaves the round at a checkpoint, from which another walk can go on. Blocks. */
  void leave() {
    progress.await();
    // Those of the page that were not served are to be walked again.
    long upTo = page.isEmpty() ? walked : page.element().subscription.id() - 1;
    progress.checkpoint(tally.cut(upTo, everyone -> true, this::leaveBehind), passed);
    progress.await();
  }

  private End end() {
    @Nullable Rest last = rest;
    if (last == null) {
      progress.passOver(walked, passed);
      last = tally.untilAll(LONGEST_END, () -> hurried);
    }
    rest = last;
    if (!isOverInAMoment(last)) {
      return End.RESTS;
    }
    progress.await();
    progress.close(tally.cut(walked, everyone -> true, this::leaveBehind));
    return End.ENDED;
  }

  private boolean isOverInAMoment(Rest wait) {
    return tally.await(wait, othersWait.getAsBoolean() ? Duration.ZERO : MOMENT);
  }

  /** Waits until nobody is too far behind whose host answers; false if the walk is to rest. */
  private boolean awaitBehind() {
    @Nullable Rest wait = rest;
    rest = null;
    if (wait == null) {
      wait = tally.untilNoneBehind(MAX_AHEAD, this::isUnawaited, patience);
      restsSince = System.nanoTime();
      if (!isOverInAMoment(wait)) {
        rest = wait;
        return false;
      }
    }
    if (!wait.hasCome()) {
      patience.inVain(System.nanoTime() - restsSince);
      slow.add(tally.silent(MAX_AHEAD));
    }
    return true;
  }

  private boolean isUnawaited(String host) {
    return slow.contains(host) || windows.isSilent(host);
  }

  private void servePage() {
    while (!page.isEmpty()) {
      List<RoundDelivery> made = new ArrayList<>(AT_ONCE);
      int looked = 0;
      for (Recipient next : page) {
        if (looked == AT_ONCE) {
          break;
        }
        make(next, tally.made() + made.size()).ifPresent(made::add);
        looked++;
      }
      for (RoundDelivery delivery : made) {
        tally.add(delivery);
        windows.enter(delivery.host, delivery);
      }
      for (int i = 0; i < looked; i++) {
        page.remove();
      }
      sinceCheckpoint += looked;
    }
  }

  /** Empty where there is nothing to send, or not now. */
  private Optional<RoundDelivery> make(Recipient recipient, long number) {
    Subscription subscription = recipient.subscription;
    long after = requests.after(subscription);
    if (isPassedWithOthers(recipient)) {
      return Optional.empty();
    }
    if (isPassed(recipient.host)) {
      progress.passOver(subscription, after);
      return Optional.empty();
    }
    Optional<Call> call;
    try {
      call = requests.prepare(recipient);
    } catch (RuntimeException e) {
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
                this, recipient, pageReadAt, it, after, number, progress.perhapsSentTo()));
  }

  /** Whether it was looked up before its host was passed over, and gets its row with the others. */
  private boolean isPassedWithOthers(Recipient recipient) {
    Long from = passed.get(recipient.host);
    return from != null && recipient.subscription.id() > from;
  }

  /** Whether nobody is to be sent anything at this host, and nobody is to wait for it. */
  private boolean isPassed(String host) {
    if (passed.containsKey(host)) {
      return true;
    }
    boolean open = windows.holdsBack(host);
    if (!open && !(slow.contains(host) && windows.isFull(host))) {
      return false;
    }
    if ((open || slow.isToBePassed(host)) && passed.size() < MAX_PASSED) {
      passed.put(host, walked);
    }
    return true;
  }

  /** There is another event for the feed: the end of the walk waits for nobody who is silent. */
  void hurry(long head) {
    if (head > progress.round().to() && !hurried) {
      hurried = true;
      resting.lookAnew();
    }
  }

  /** What the walk waits for after a turn that ended with {@link End#RESTS}. */
  Rest rest() {
    return Objects.requireNonNull(rest, "the walk does not rest");
  }

  private Laggard leaveBehind(RoundDelivery delivery) {
    return windows.withdraw(delivery.host, delivery)
        ? progress.notBegun(delivery)
        : delivery.inFlight(progress.round().to(), clock.instant());
  }

  /**
   * Ends a walk whose turn failed: completes when nothing is being written, and then no request of
   * it is under way any more; each ends within its timeout.
   */
  CompletableFuture<Void> landing() {
    return progress.landing().thenCompose(landed -> lastAnswer());
  }

  private CompletableFuture<Void> lastAnswer() {
    List<CompletableFuture<Verdict>> underWay = new ArrayList<>();
    for (RoundDelivery delivery : tally.takeAll()) {
      if (!windows.withdraw(delivery.host, delivery)) {
        underWay.add(delivery.verdict);
      }
    }
    return CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new));
  }

  CompletableFuture<Verdict> send(RoundDelivery delivery, HostWindows.Place place) {
    return requests.send(delivery, place);
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
    if (verdict.outcome().isAnswer()) {
      slow.answered(delivery.host, delivery.beganAt());
    }
    if (verdict instanceof Verdict.CutOff) {
      // It keeps the checkpoint below it.
      return;
    }
    if (verdict instanceof Verdict.Failed failed) {
      Laggard row = delivery.failed(progress.round().to(), clock.instant(), failed);
      var unused = tally.failed(delivery, row);
      moved();
      return;
    }
    if (verdict instanceof Verdict.Served served) {
      // Before the walk knows, so that no checkpoint comes first.
      settlement.succeeded(delivery.subscription, served);
    }
    if (tally.answered(delivery) && verdict instanceof Verdict.Ended) {
      settlement.end(delivery.subscription.id());
    }
    moved();
  }
}
