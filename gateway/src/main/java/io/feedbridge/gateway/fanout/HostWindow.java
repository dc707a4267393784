package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.schedule.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one host, who waits for it, and the circuit breaker. Guarded by {@link
 * HostWindows}.
 *
 * <pre>
 *   UNKNOWN ──silence──▶ SILENT ──the last of several in a row──▶ OPEN
 *      │                  │  ▲                                     │
 *      └─────answer──┐    │  └──silence──┐                         │
 *                    ▼    ▼              │                         │
 *                  ANSWERING ────────────┘ ◀────────answer─────────┘
 * </pre>
 */
final class HostWindow {

  /**
   * Places of a host that has not shown yet how much it takes; each answer makes it one more. More
   * than {@link #SILENCES_TO_OPEN}, so that a dead host is found out with its first deliveries.
   */
  static final int FIRST_SIZE = 8;

  /** After so many deliveries in a row without an answer a host is only probed. */
  static final int SILENCES_TO_OPEN = 5;

  /** The pause before the first probe; each is twice the one before, less up to half at random. */
  static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

  static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  /**
   * A host that had nothing to do for so long begins with {@link #FIRST_SIZE} again: what it took
   * then is no promise now, and one that died meanwhile should cost no more than one nobody knows.
   */
  static final Duration STALE_AFTER = Duration.ofSeconds(10);

  /** Doublings after which a pause is the longest in any case. */
  private static final int MAX_DOUBLINGS = 10;

  /** What was heard of a host last. */
  enum State {
    UNKNOWN,
    ANSWERING,
    SILENT,
    OPEN
  }

  final String host;
  private final int most;
  final Deque<HostWindows.Waiting> waiting = new ArrayDeque<>();

  /** The same of endpoints. */
  final Deque<HostWindows.Waiting> endpoints = new ArrayDeque<>();

  /** Catch-up's own place in the queue: it waits for one place at a time at each host. */
  HostWindows.@Nullable Waiting ticket;

  /** Whether it may stand in one of the {@link HostLines}, which see to that. */
  boolean inLine;

  int inFlight;

  /** Of those in flight the ones of catch-up. */
  int catchingUp;

  /** Of those in flight the ones to endpoints. */
  int toEndpoints;

  private State state = State.UNKNOWN;
  private int size;
  private int silences;
  private int probes;
  private boolean probeDue;
  private Timer.@Nullable Scheduled nextProbe;
  private Instant usedAt = Instant.MIN;

  /**
   * A host of which nothing is known.
   *
   * @param most deliveries to it at once
   */
  HostWindow(String host, int most) {
    this.host = host;
    this.most = most;
    size = Math.min(FIRST_SIZE, most);
  }

  State state() {
    return state;
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  boolean isSilent() {
    return state == State.SILENT || isOpen();
  }

  boolean isAnswering() {
    return state == State.ANSWERING;
  }

  int probes() {
    return probes;
  }

  Instant usedAt() {
    return usedAt;
  }

  /** Those of a kind that wait, one after the other. */
  Deque<HostWindows.Waiting> waiting(HostWindows.Kind kind) {
    return switch (kind) {
      case ROUND -> waiting;
      case ENDPOINT -> endpoints;
      case CATCH_UP -> throw new IllegalArgumentException("catch-up has one ticket");
    };
  }

  /** Whether the host itself takes one more of this kind: rounds do not probe. */
  boolean hasRoom(HostWindows.Kind kind) {
    return isOpen() ? kind != HostWindows.Kind.ROUND && probeDue && inFlight == 0 : inFlight < size;
  }

  /** Places that are free. */
  int room() {
    return isOpen() ? 0 : Math.max(0, size - inFlight);
  }

  /** Whether somebody waits for a place that the host has. */
  boolean wants(HostWindows.Kind kind) {
    boolean somebody =
        kind == HostWindows.Kind.CATCH_UP ? ticket != null : !waiting(kind).isEmpty();
    return somebody && hasRoom(kind);
  }

  /** The next of those who wait. */
  HostWindows.Waiting next(HostWindows.Kind kind) {
    if (kind != HostWindows.Kind.CATCH_UP) {
      return waiting(kind).remove();
    }
    HostWindows.Waiting next = Objects.requireNonNull(ticket, "somebody waits");
    ticket = null;
    return next;
  }

  /** Whether somebody waits for a place. */
  boolean isAwaited() {
    return !waiting.isEmpty() || !endpoints.isEmpty() || ticket != null;
  }

  /** Whether nobody is under way to it, nor waits. */
  boolean isIdle() {
    return inFlight == 0 && !isAwaited();
  }

  /**
   * Somebody took a place.
   *
   * @return whether it is the probe
   */
  boolean entered(HostWindows.Kind kind, Instant now) {
    if (inFlight == 0 && usedAt.isBefore(now.minus(STALE_AFTER))) {
      size = Math.min(size, FIRST_SIZE);
    }
    usedAt = now;
    count(kind, 1);
    boolean probe = isOpen();
    probeDue &= !probe;
    return probe;
  }

  void left(HostWindows.Kind kind, Instant now) {
    usedAt = now;
    count(kind, -1);
  }

  private void count(HostWindows.Kind kind, int one) {
    inFlight += one;
    catchingUp += kind == HostWindows.Kind.CATCH_UP ? one : 0;
    toEndpoints += kind == HostWindows.Kind.ENDPOINT ? one : 0;
  }

  /** It answered: it takes one more at once, or, if it was open, begins small. */
  void answered() {
    if (isOpen()) {
      cancelProbe();
      size = Math.min(FIRST_SIZE, most);
    } else {
      size = Math.min(size + 1, most);
    }
    silences = 0;
    state = State.ANSWERING;
  }

  /** It did not answer; says whether it is to be opened. */
  boolean silent() {
    silences++;
    size = Math.max(1, size / 2);
    state = State.SILENT;
    return silences >= SILENCES_TO_OPEN;
  }

  void open() {
    state = State.OPEN;
    probes = 0;
  }

  /** The next probe is sent after a pause: one has found nobody there, or it is the first. */
  void pause(Timer timer, RandomGenerator random, Runnable whenOver) {
    cancelProbe();
    Duration grown = FIRST_PAUSE.multipliedBy(1L << Math.min(probes, MAX_DOUBLINGS));
    Duration pause = grown.compareTo(LONGEST_PAUSE) < 0 ? grown : LONGEST_PAUSE;
    long half = pause.toMillis() / 2;
    Duration jittered = Duration.ofMillis(half + random.nextLong(half + 1));
    probes++;
    nextProbe = timer.at(timer.clock().instant().plus(jittered), whenOver);
  }

  /** The pause is over, or the probe that was to be sent was not. */
  void probeIsDue() {
    nextProbe = null;
    probeDue = isOpen();
  }

  void cancelProbe() {
    probeDue = false;
    if (nextProbe != null) {
      nextProbe.cancel();
      nextProbe = null;
    }
  }
}
