package io.feedbridge.gateway.delivery.hosts;

import io.feedbridge.gateway.schedule.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The known state of one host, the deliveries that wait for it, and the circuit breaker. Guarded by
 * {@link HostBulkheads}.
 *
 * <pre>
 *   UNKNOWN ──silence──▶ SILENT ──the last of several in a row──▶ OPEN
 *      │                  │  ▲                                     │
 *      └─────answer──┐    │  └──silence──┐                         │
 *                    ▼    ▼              │                         │
 *                  ANSWERING ────────────┘ ◀────────answer─────────┘
 * </pre>
 */
public final class HostBulkhead implements KnownHosts.Known {

  /**
   * Places of a host that has not shown yet how much it takes; each answer makes it one more. More
   * than {@link #SILENCES_TO_OPEN}, so that a dead host is found out with its first deliveries.
   */
  public static final int FIRST_SIZE = 8;

  /** After so many deliveries in a row without an answer a host is only probed. */
  public static final int SILENCES_TO_OPEN = 5;

  /** The pause before the first probe; each is twice the one before, less up to half at random. */
  static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

  public static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  /**
   * A host that had no delivery for so long begins with {@link #FIRST_SIZE} again: its capacity may
   * have changed, and one that died meanwhile should cost no more than an unknown host.
   */
  static final Duration STALE_AFTER = Duration.ofSeconds(10);

  /** Doublings after which a pause is the longest in any case. */
  private static final int MAX_DOUBLINGS = 10;

  /** The weight of the answers before in the smoothed latency. */
  private static final int SMOOTHED_OVER = 10;

  private static final Logger log = LoggerFactory.getLogger(HostBulkhead.class);

  final String host;
  private final int most;
  final Deque<HostBulkheads.Waiting> waiting = new ArrayDeque<>();

  /** Deliveries to endpoints that wait. */
  final Deque<HostBulkheads.Waiting> endpoints = new ArrayDeque<>();

  /** Deliveries that wait, to endpoints that were silent when heard of last. */
  final Deque<HostBulkheads.Waiting> silentEndpoints = new ArrayDeque<>();

  final SilentCallbacks silentCallbacks = new SilentCallbacks();

  /** Catch-up's own place in the queue: it waits for one place at a time at each host. */
  HostBulkheads.@Nullable Waiting ticket;

  /** Whether it may stand in one of the {@link HostLines}, which see to that. */
  boolean inLine;

  int inFlight;

  /** Deliveries of catch-up among the deliveries in flight. */
  int catchingUp;

  /** Deliveries to endpoints among the deliveries in flight. */
  int toEndpoints;

  private CalledHost.State state = CalledHost.State.UNKNOWN;
  private int size;
  private int silences;
  private int probes;
  private boolean probeDue;

  /**
   * Whether a callback that was not found silent may be tried though the host is open: once in each
   * pause, so that callbacks that answer do not wait for it.
   */
  private boolean trialDue;

  private Timer.@Nullable Scheduled nextProbe;
  private @Nullable Instant probedAt;
  private @Nullable Duration latency;
  private Instant usedAt = Instant.MIN;

  /**
   * A host of which nothing is known.
   *
   * @param most deliveries to it at once
   */
  HostBulkhead(String host, int most) {
    this.host = host;
    this.most = most;
    size = Math.min(FIRST_SIZE, most);
  }

  @Override
  public boolean isUnknown() {
    return state == CalledHost.State.UNKNOWN;
  }

  boolean isOpen() {
    return state == CalledHost.State.OPEN;
  }

  boolean isSilent() {
    return state == CalledHost.State.SILENT || isOpen();
  }

  boolean isAnswering() {
    return state == CalledHost.State.ANSWERING;
  }

  int probes() {
    return probes;
  }

  @Override
  public Instant usedAt() {
    return usedAt;
  }

  /** The waiting deliveries of a kind, in the order of their arrival. */
  Deque<HostBulkheads.Waiting> waiting(DeliveryKind kind) {
    return switch (kind) {
      case ROUND -> waiting;
      case ENDPOINT -> endpoints;
      case CATCH_UP -> throw new IllegalArgumentException("catch-up has one permit");
    };
  }

  /**
   * Whether the host itself takes one more of this kind, to a callback that was not found silent.
   * Rounds do not probe, and catch-up does nothing else at an open host.
   */
  boolean hasRoom(DeliveryKind kind) {
    if (!isOpen()) {
      return inFlight < size;
    }
    return (kind != DeliveryKind.CATCH_UP && trialDue)
        || (kind != DeliveryKind.ROUND && probeDue && inFlight == 0);
  }

  /** Whether the host takes one more delivery to a callback that was silent when heard of last. */
  boolean hasRoomForSilent() {
    return isOpen() ? probeDue && inFlight == 0 : inFlight < size && hasPartForSilent();
  }

  /** Whether a callback that was not found silent may be tried now though the host is open. */
  boolean isTrialDue() {
    return trialDue;
  }

  /** Whether one more of the deliveries under way may be to a callback silent by itself. */
  boolean hasPartForSilent() {
    return silentCallbacks.hasRoom(size);
  }

  /** Places that are free. */
  int room() {
    return isOpen() ? 0 : Math.max(0, size - inFlight);
  }

  /** Whether a delivery of this kind waits for a permit that the host has. */
  boolean wants(DeliveryKind kind) {
    boolean waits = kind == DeliveryKind.CATCH_UP ? ticket != null : !waiting(kind).isEmpty();
    return (waits && hasRoom(kind)) || (kind == DeliveryKind.ENDPOINT && wantsSilentEndpoint());
  }

  private boolean wantsSilentEndpoint() {
    return !silentEndpoints.isEmpty() && hasRoomForSilent();
  }

  /**
   * Whether the next endpoint is a silent one. It goes first where the host answers, because it has
   * a small part of the places, and last at an open host, which another is more likely to close.
   */
  boolean isSilentNext(DeliveryKind kind) {
    return kind == DeliveryKind.ENDPOINT
        && wantsSilentEndpoint()
        && !(isOpen() && !endpoints.isEmpty());
  }

  /** Removes and returns the next waiting delivery of this kind. */
  HostBulkheads.Waiting next(DeliveryKind kind) {
    if (isSilentNext(kind)) {
      return silentEndpoints.remove();
    }
    if (kind != DeliveryKind.CATCH_UP) {
      return waiting(kind).remove();
    }
    HostBulkheads.Waiting next = Objects.requireNonNull(ticket, "a delivery waits");
    ticket = null;
    return next;
  }

  /** Takes back a round's delivery, or an endpoint's, that waits; false if it does not. */
  boolean withdraw(HostBulkheads.Waiting delivery) {
    return waiting.remove(delivery)
        || endpoints.remove(delivery)
        || silentEndpoints.remove(delivery);
  }

  /** Whether a delivery waits for a permit. */
  boolean isAwaited() {
    return !waiting.isEmpty()
        || !endpoints.isEmpty()
        || !silentEndpoints.isEmpty()
        || ticket != null;
  }

  @Override
  public boolean isIdle() {
    return inFlight == 0 && !isAwaited();
  }

  /**
   * A delivery took a permit.
   *
   * @return whether it is the probe
   */
  boolean entered(DeliveryKind kind, Instant now) {
    if (inFlight == 0 && usedAt.isBefore(now.minus(STALE_AFTER))) {
      size = Math.min(size, FIRST_SIZE);
    }
    usedAt = now;
    count(kind, 1);
    boolean probe = isOpen() && probeDue && inFlight == 1 && kind != DeliveryKind.ROUND;
    probeDue &= !probe;
    trialDue &= probe;
    return probe;
  }

  void left(DeliveryKind kind, Instant now) {
    usedAt = now;
    count(kind, -1);
  }

  private void count(DeliveryKind kind, int one) {
    inFlight += one;
    catchingUp += kind == DeliveryKind.CATCH_UP ? one : 0;
    toEndpoints += kind == DeliveryKind.ENDPOINT ? one : 0;
  }

  /** The state for operators. */
  CalledHost standing() {
    int waits =
        waiting.size() + endpoints.size() + silentEndpoints.size() + (ticket == null ? 0 : 1);
    return new CalledHost(
        host,
        state,
        isOpen() ? 1 : size,
        inFlight,
        waits,
        latency,
        nextProbe == null ? null : probedAt,
        usedAt);
  }

  /** It answered: it takes one more at once, or, if it was open, begins small. */
  void answered(Duration took) {
    latency =
        latency == null
            ? took
            : latency.multipliedBy(SMOOTHED_OVER - 1).plus(took).dividedBy(SMOOTHED_OVER);
    if (isOpen()) {
      cancelProbe();
      size = Math.min(FIRST_SIZE, most);
    } else {
      size = Math.min(size + 1, most);
    }
    silences = 0;
    state = CalledHost.State.ANSWERING;
  }

  /** The host did not answer; returns whether its circuit breaker must open. */
  boolean silent() {
    silences++;
    size = Math.max(1, size / 2);
    state = CalledHost.State.SILENT;
    return silences >= SILENCES_TO_OPEN;
  }

  /** Logs that the host was opened. */
  void logOpen() {
    log.atWarn()
        .addKeyValue("host", host)
        .addKeyValue("silences", SILENCES_TO_OPEN)
        .log("A host does not answer and is only probed from now on");
  }

  /** Logs that the host is served again. */
  void logAnswering(int afterProbes) {
    log.atInfo()
        .addKeyValue("host", host)
        .addKeyValue("probes", afterProbes)
        .log("A host answers again and is served");
  }

  void open() {
    state = CalledHost.State.OPEN;
    probes = 0;
  }

  /** Schedules the next probe after a pause: the host was opened, or a probe got no answer. */
  void pause(Timer timer, RandomGenerator random, Runnable whenOver) {
    cancelProbe();
    Duration grown = FIRST_PAUSE.multipliedBy(1L << Math.min(probes, MAX_DOUBLINGS));
    Duration pause = grown.compareTo(LONGEST_PAUSE) < 0 ? grown : LONGEST_PAUSE;
    long half = pause.toMillis() / 2;
    Duration jittered = Duration.ofMillis(half + random.nextLong(half + 1));
    probes++;
    trialDue = true;
    probedAt = timer.clock().instant().plus(jittered);
    nextProbe = timer.at(probedAt, whenOver);
  }

  /** The pause is over, or the probe that was to be sent was not. */
  void probeIsDue() {
    nextProbe = null;
    probeDue = isOpen();
  }

  void cancelProbe() {
    probeDue = false;
    trialDue = false;
    if (nextProbe != null) {
      nextProbe.cancel();
      nextProbe = null;
    }
  }
}
