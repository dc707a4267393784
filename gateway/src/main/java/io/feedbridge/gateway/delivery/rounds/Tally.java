package io.feedbridge.gateway.delivery.rounds;

import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.deliveries.Laggard;
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
 * The deliveries of a pass that are not answered, and the rows that are owed to subscribers:
 * together they determine its checkpoints (rule L4). The pass's thread adds and cuts; answers come
 * from any thread.
 *
 * <p>It also makes the waits of the pass and bounds them: for deliveries that the pass has left too
 * far behind, and at its end for the last ones. On the way a host is waited for only while it
 * answers ({@link WaitBudget}).
 */
final class Tally {

  private final Predicate<String> isFull;
  private final Supplier<CompletableFuture<Void>> hearOut;

  /** In the order in which they were made, which is the order of the ids. */
  private final Set<RoundDelivery> unanswered = new LinkedHashSet<>();

  /** The hosts of the unanswered deliveries. */
  private final Map<String, Moves> hosts = new HashMap<>();

  private List<Laggard> owed = new ArrayList<>();
  private long made;

  /** When the last answer came, or the pass reached its end, by {@link System#nanoTime}. */
  private long movedAt;

  /** When a delivery began last, to any host. */
  private long beganAt = System.nanoTime();

  /** The pass waits, or waited last, for deliveries below this number. */
  private long awaitedBelow = Long.MIN_VALUE;

  private boolean someUnawaited;

  private static final class Moves {
    int unanswered;
    boolean answered;
    long answeredAt;
  }

  /**
   * A tally without deliveries.
   *
   * @param isFull whether a host takes no more deliveries until one is answered
   * @param hearOut completes when all answers are read that had arrived by then
   */
  Tally(Predicate<String> isFull, Supplier<CompletableFuture<Void>> hearOut) {
    this.isFull = isFull;
    this.hearOut = hearOut;
  }

  /**
   * The rows and deliveries of one checkpoint.
   *
   * @param upTo the checkpoint
   * @param rows of all subscribers up to it that were not served, and perhaps of some beyond it
   * @param late deliveries of these rows that are under way, whose outcomes belong into the rows
   */
  record Cut(long upTo, List<Laggard> rows, List<RoundDelivery> late) {}

  /** Turns a delivery that is left behind into its row. */
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

  /** Takes a delivery out; false if it was cut before, so that its outcome belongs into its row. */
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

  /**
   * Waking the pass costs more than the rest of an answer's handling, and most answers end no wait.
   */
  private boolean mayEndWait(RoundDelivery delivery) {
    return delivery.number < awaitedBelow
        && (someUnawaited
            || unanswered.isEmpty()
            || unanswered.iterator().next().number >= awaitedBelow);
  }

  /** Takes a delivery out and owes its subscriber the row from this moment on. */
  synchronized boolean answered(RoundDelivery delivery, Laggard row) {
    boolean mine = answered(delivery);
    if (mine) {
      owed.add(row);
    }
    // The pass may no longer have to wait for this host.
    notifyAll();
    return mine;
  }

  /**
   * Waits on this thread until the wait is over, or for the given time; returns whether it is over.
   */
  boolean await(Parked wait, Duration atMost) {
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
   * Waits until no delivery to an answering host is further behind than the given number.
   *
   * @param most deliveries by which one may be behind
   * @param unawaited hosts that are not waited for
   */
  Parked untilNoneBehind(long most, Predicate<String> unawaited, WaitBudget patience) {
    ReadBarrier hearing = new ReadBarrier(hearOut);
    return new Parked(
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

  /** When the last delivery that is behind will have been silent for too long, as of now. */
  private synchronized long givenUpAt(long most, Predicate<String> unawaited, WaitBudget patience) {
    long quiet = patience.quietNanos();
    long now = System.nanoTime();
    return behind(most, unawaited).stream()
        .mapToLong(delivery -> earlier(movedAt(delivery) + quiet, latest(delivery, quiet)))
        .reduce(now, Tally::later);
  }

  /** Answers of its host to other requests extend a delivery's wait only to this time. */
  private static long latest(RoundDelivery delivery, long quiet) {
    return delivery.hasBegun()
        ? delivery.beganAt() + WaitBudget.TIMES * quiet
        : delivery.since + WaitBudget.LONGEST.toNanos();
  }

  /**
   * When a delivery moved last: it began, its host answered a request, or another one began while
   * its host had room.
   */
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

  /** Hosts of deliveries further behind than that, which do not answer, or too slowly. */
  synchronized Set<String> silent(long most) {
    long now = System.nanoTime();
    Set<String> silent = new HashSet<>();
    for (RoundDelivery delivery : behind(most, silent::contains)) {
      boolean tooSlow =
          !delivery.hasBegun() && now - delivery.since >= WaitBudget.LONGEST.toNanos();
      if (tooSlow || now - movedAt(delivery) >= WaitBudget.QUIET.toNanos()) {
        silent.add(delivery.host);
      }
    }
    return silent;
  }

  /**
   * Until the last answers, as long as some arrive.
   *
   * @param hurried whether another event waits for delivery, so that silent hosts are left behind
   */
  synchronized Parked untilAll(Duration atMost, BooleanSupplier hurried) {
    awaitedBelow = Long.MAX_VALUE;
    someUnawaited = false;
    movedAt = System.nanoTime();
    long end = movedAt + atMost.toNanos();
    return new Parked(
        () -> size() == 0,
        () ->
            earlier(
                end,
                movedAt()
                    + (hurried.getAsBoolean() ? WaitBudget.QUIET : WaitBudget.LONGEST).toNanos()));
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
   * Takes out the rows and deliveries of a checkpoint, with the deliveries that the test selects.
   *
   * @param reached the last subscription that the pass came to
   */
  synchronized Cut cut(long reached, Predicate<RoundDelivery> leaves, LeaveBehind leaveBehind) {
    List<RoundDelivery> late = new ArrayList<>();
    unanswered.removeIf(
        delivery -> {
          if (!leaves.test(delivery)) {
            return false;
          }
          Laggard row = leaveBehind.rowOf(delivery);
          owed.add(row);
          if (row.state() == Laggard.State.IN_FLIGHT) {
            late.add(delivery);
          }
          forget(delivery);
          return true;
        });
    // The lowest of all: deliveries that are taken back after a failed checkpoint come last.
    long upTo =
        unanswered.stream()
            .mapToLong(delivery -> delivery.subscription.id() - 1)
            .min()
            .orElse(reached);
    List<Laggard> rows = owed;
    owed = new ArrayList<>();
    return new Cut(upTo, rows, late);
  }

  /** Removes and returns all deliveries that are not answered. */
  synchronized List<RoundDelivery> takeAll() {
    List<RoundDelivery> all = List.copyOf(unanswered);
    unanswered.clear();
    hosts.clear();
    return all;
  }
}
