package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.Laggard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Who of a walk has not answered, and who is owed a row: what its checkpoints are made of (rule
 * L4). The walk's thread adds and cuts; answers come from any thread.
 *
 * <p>It also says what the walk waits for, and for how long: for those it has left too far behind,
 * and at its end for the last ones. On the way a host is waited for only while it answers ({@link
 * Patience}).
 */
final class Tally {

  private final Predicate<String> isFull;
  private final Supplier<CompletableFuture<Void>> hearOut;

  /** In the order in which they were made, which is that of the ids. */
  private final Set<RoundDelivery> unanswered = new LinkedHashSet<>();

  /** The hosts of those. */
  private final Map<String, Moves> hosts = new HashMap<>();

  private List<Laggard> owed = new ArrayList<>();
  private long made;

  /** When the last answer came, or the end of the walk, by {@link System#nanoTime}. */
  private long movedAt;

  /** When a delivery began last, to whichever host. */
  private long beganAt = System.nanoTime();

  /** The walk waits, or waited last, for those of a lower number; not for all of them. */
  private long awaitedBelow = Long.MIN_VALUE;

  private boolean someUnawaited;

  private static final class Moves {
    int unanswered;
    boolean answered;
    long answeredAt;
  }

  /**
   * An empty one.
   *
   * @param isFull whether a host takes no more deliveries until one is answered
   * @param hearOut completes when all answers are read that had come by then
   */
  Tally(Predicate<String> isFull, Supplier<CompletableFuture<Void>> hearOut) {
    this.isFull = isFull;
    this.hearOut = hearOut;
  }

  /**
   * What is to be committed at once.
   *
   * @param upTo the checkpoint
   * @param rows of all up to it who were not served, and perhaps of some beyond it
   * @param late those of them whose requests are under way and whose outcomes belong into the rows
   */
  record Cut(long upTo, List<Laggard> rows, List<RoundDelivery> late) {}

  /** Turns one that is left behind into its row. */
  interface LeaveBehind {
    /** The row; in flight if the delivery has begun. */
    Laggard rowOf(RoundDelivery delivery);
  }

  synchronized long made() {
    return made;
  }

  synchronized void add(RoundDelivery delivery) {
    made++;
    unanswered.add(delivery);
    hosts.computeIfAbsent(delivery.host, host -> new Moves()).unanswered++;
  }

  private void forget(RoundDelivery delivery) {
    hosts.computeIfPresent(delivery.host, (host, moves) -> --moves.unanswered == 0 ? null : moves);
  }

  synchronized void owe(Laggard row) {
    owed.add(row);
  }

  synchronized void began(RoundDelivery delivery) {
    beganAt = System.nanoTime();
    delivery.beganAt(beganAt);
  }

  /** Takes one out; false if it was cut before, so that its outcome belongs into its row. */
  synchronized boolean answered(RoundDelivery delivery) {
    movedAt = System.nanoTime();
    Moves moves = hosts.get(delivery.host);
    if (moves != null) {
      moves.answered = true;
      moves.answeredAt = movedAt;
    }
    boolean mine = unanswered.remove(delivery);
    if (mine) {
      forget(delivery);
    }
    if (mayEndWait(delivery)) {
      notifyAll();
    }
    return mine;
  }

  /** Waking the walk costs more than all else that an answer does, and most answers end no wait. */
  private boolean mayEndWait(RoundDelivery delivery) {
    return delivery.number < awaitedBelow
        && (someUnawaited
            || unanswered.isEmpty()
            || unanswered.iterator().next().number >= awaitedBelow);
  }

  /** The same, with the row that it is owed from this moment on. */
  synchronized boolean failed(RoundDelivery delivery, Laggard row) {
    boolean mine = answered(delivery);
    if (mine) {
      owed.add(row);
    }
    // Its host may be one from now on for which it is not waited.
    notifyAll();
    return mine;
  }

  /** Waits on this thread until that is over, at most so long; whether it is. */
  boolean await(Rest wait, Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    boolean over = wait.isOver();
    while (!over && System.nanoTime() - end < 0) {
      long left = Math.min(end - System.nanoTime(), wait.nanosLeft());
      Waits.until(this, wait::hasCome, Duration.ofNanos(Math.max(left, 0)));
      over = wait.isOver();
    }
    return over;
  }

  /**
   * Until nobody whose host answers is further behind than that.
   *
   * @param unawaited hosts for which it is not waited
   */
  Rest untilNoneBehind(long most, Predicate<String> unawaited, Patience patience) {
    Hearing hearing = new Hearing(hearOut);
    return new Rest(
        () -> behind(most, unawaited).isEmpty(),
        () -> hearing.atLeastUntilHeard(givenUpAt(most, unawaited, patience)));
  }

  private synchronized List<RoundDelivery> behind(long most, Predicate<String> unawaited) {
    List<RoundDelivery> behind = new ArrayList<>();
    awaitedBelow = made - most;
    someUnawaited = false;
    for (RoundDelivery delivery : unanswered) {
      if (delivery.number >= made - most) {
        break;
      }
      if (unawaited.test(delivery.host)) {
        someUnawaited = true;
      } else {
        behind.add(delivery);
      }
    }
    return behind;
  }

  /** When the last of them will have been silent for too long, as things are. */
  private synchronized long givenUpAt(long most, Predicate<String> unawaited, Patience patience) {
    long quiet = patience.quietNanos();
    long now = System.nanoTime();
    return behind(most, unawaited).stream()
        .mapToLong(delivery -> earlier(movedAt(delivery) + quiet, latest(delivery, quiet)))
        .reduce(now, Tally::later);
  }

  /** Whatever its host does for others, one that is under way has a few times that. */
  private static long latest(RoundDelivery delivery, long quiet) {
    return delivery.hasBegun()
        ? delivery.beganAt() + Patience.TIMES * quiet
        : delivery.since + Patience.LONGEST.toNanos();
  }

  /** When it moved last: it began, or its host answered somebody, or there was room elsewhere. */
  private long movedAt(RoundDelivery delivery) {
    Moves moves = hosts.get(delivery.host);
    long at = delivery.since;
    if (delivery.hasBegun()) {
      at = later(at, delivery.beganAt());
    } else if (!isFull.test(delivery.host)) {
      at = later(at, beganAt);
    }
    return moves != null && moves.answered ? later(at, moves.answeredAt) : at;
  }

  /** Hosts of those further behind than that which answer nobody, or too slowly for them all. */
  synchronized Set<String> silent(long most) {
    long now = System.nanoTime();
    Set<String> silent = new HashSet<>();
    for (RoundDelivery delivery : behind(most, silent::contains)) {
      boolean tooSlow = !delivery.hasBegun() && now - delivery.since >= Patience.LONGEST.toNanos();
      if (tooSlow || now - movedAt(delivery) >= Patience.QUIET.toNanos()) {
        silent.add(delivery.host);
      }
    }
    return silent;
  }

  /**
   * Until the last answers, as long as some arrive.
   *
   * @param hurried whether there is another event to deliver, so that whoever is silent is left
   */
  synchronized Rest untilAll(Duration atMost, BooleanSupplier hurried) {
    awaitedBelow = Long.MAX_VALUE;
    someUnawaited = false;
    movedAt = System.nanoTime();
    long end = movedAt + atMost.toNanos();
    return new Rest(
        () -> size() == 0,
        () ->
            earlier(
                end,
                movedAt()
                    + (hurried.getAsBoolean() ? Patience.QUIET : Patience.LONGEST).toNanos()));
  }

  private static long earlier(long one, long other) {
    return one - other < 0 ? one : other;
  }

  private static long later(long one, long other) {
    return one - other < 0 ? other : one;
  }

  private synchronized long movedAt() {
    return movedAt;
  }

  private synchronized int size() {
    return unanswered.size();
  }

  /**
   * Leaves behind whom the test says, and takes out what is to be committed.
   *
   * @param walked the last subscription that the walk came to
   */
  synchronized Cut cut(long walked, Predicate<RoundDelivery> leaves, LeaveBehind leaveBehind) {
    List<RoundDelivery> late = new ArrayList<>();
    unanswered.removeIf(
        delivery -> {
          if (!leaves.test(delivery)) {
            return false;
          }
          Laggard row = leaveBehind.rowOf(delivery);
          owed.add(row);
          if (row.inFlight()) {
            late.add(delivery);
          }
          forget(delivery);
          return true;
        });
    // The lowest of all: who is taken back after a checkpoint that failed comes last.
    long upTo =
        unanswered.stream()
            .mapToLong(delivery -> delivery.subscription.id() - 1)
            .min()
            .orElse(walked);
    List<Laggard> rows = owed;
    owed = new ArrayList<>();
    return new Cut(upTo, rows, late);
  }

  /** Everyone who has not answered; nobody is left in here. */
  synchronized List<RoundDelivery> takeAll() {
    List<RoundDelivery> all = List.copyOf(unanswered);
    unanswered.clear();
    hosts.clear();
    return all;
  }
}
