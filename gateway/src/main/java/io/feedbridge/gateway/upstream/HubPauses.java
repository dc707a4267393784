package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The pauses of hubs that say that they are busy, or fail, and the pace of requests to each hub. A
 * hub is host and port: its topics share the pause. After it one request is sent; another pause
 * follows unless that one is answered: as long as the hub names, or twice as long. Pauses are
 * stored. Safe for use by several threads.
 */
final class HubPauses {

  /** Requests to one hub in a second. */
  static final int MAX_PER_SECOND = 20;

  /** The first pause of a hub that names none. */
  static final Duration SHORTEST = Duration.ofSeconds(10);

  /** The pause that is not doubled any more. */
  static final Duration LONGEST = Duration.ofHours(1);

  /** The pause that is not doubled any more, of a hub that names its pauses. */
  static final Duration LONGEST_IF_NAMED = Duration.ofMinutes(2);

  /** The longest pause that is granted to a hub that names it ({@code Retry-After}). */
  static final Duration LONGEST_ASKED = Duration.ofDays(1);

  /** Hubs whose pauses are remembered; the one that was heard the longest ago is dropped. */
  static final int MAX_REMEMBERED = 2_000;

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Upstreams store;

  /** By host, the one that was heard the longest ago first; guarded by this, like the paces. */
  private final Map<String, Pause> pauses = new LinkedHashMap<>();

  /** The requests to each host within the last second, the oldest first. */
  private final Map<String, Deque<Instant>> paces = new HashMap<>();

  /**
   * A pause.
   *
   * @param probe the id of the upstream subscription whose request is under way after the end
   */
  private record Pause(Instant until, Duration length, @Nullable Long probe) {

    boolean isProbe(long id) {
      return probe != null && probe == id;
    }

    Pause probedBy(@Nullable Long id) {
      return new Pause(until, length, id);
    }
  }

  HubPauses(Upstreams store) {
    this.store = store;
  }

  /** Reads the pauses of before the start. Blocks. */
  synchronized void read() {
    for (Upstreams.Pause pause : store.pauses(MAX_REMEMBERED)) {
      pauses.merge(
          CallbackHost.of(pause.hub()),
          new Pause(pause.until(), pause.length(), null),
          (one, other) -> one.until.isAfter(other.until) ? one : other);
    }
  }

  /** Hosts of hubs that have not answered since their pause began. */
  synchronized Set<String> hosts() {
    return Set.copyOf(pauses.keySet());
  }

  /** Hosts that may not be asked now. */
  synchronized Set<String> passed(Instant now) {
    // Nothing has been due at these for long.
    pauses.values().removeIf(pause -> pause.until.plus(LONGEST_ASKED).isBefore(now));
    paces.values().removeIf(pace -> isOver(pace.getLast(), now));
    Set<String> passed = new HashSet<>();
    pauses.forEach(
        (host, pause) -> {
          if (pause.probe != null || pause.until.isAfter(now)) {
            passed.add(host);
          }
        });
    paces.forEach(
        (host, pace) -> {
          if (isFull(pace, now)) {
            passed.add(host);
          }
        });
    return passed;
  }

  private static boolean isOver(Instant request, Instant now) {
    return !request.plus(SECOND).isAfter(now);
  }

  private static boolean isFull(Deque<Instant> pace, Instant now) {
    return pace.size() >= MAX_PER_SECOND && !isOver(pace.getFirst(), now);
  }

  /** When a host may first be asked that may not be asked now. */
  synchronized Optional<Instant> next(Instant now) {
    return Stream.concat(
            pauses.values().stream().map(Pause::until),
            paces.values().stream()
                .filter(pace -> isFull(pace, now))
                .map(pace -> pace.getFirst().plus(SECOND)))
        .filter(end -> end.isAfter(now))
        .min(Instant::compareTo);
  }

  /** Whether a request may be sent now. */
  boolean mayAsk(UpstreamSubscription following, Instant now) {
    return !passed(now).contains(following.host());
  }

  /** A request is sent. */
  synchronized void asked(UpstreamSubscription following, Instant now) {
    pauses.computeIfPresent(following.host(), (host, pause) -> pause.probedBy(following.id()));
    if (following.kind() == UpstreamSubscription.Kind.WEBSUB) {
      Deque<Instant> pace =
          paces.computeIfAbsent(following.host(), host -> new ArrayDeque<>(MAX_PER_SECOND + 1));
      pace.addLast(now);
      if (pace.size() > MAX_PER_SECOND) {
        pace.removeFirst();
      }
    }
  }

  /** A request is over, whether the hub answered or not. */
  synchronized void ended(UpstreamSubscription following) {
    pauses.computeIfPresent(
        following.host(),
        (host, pause) -> pause.isProbe(following.id()) ? pause.probedBy(null) : pause);
  }

  /**
   * A hub answered a request, or failed to.
   *
   * @return when the request may be repeated, if the answer is a pause
   */
  synchronized Optional<Instant> heard(
      UpstreamSubscription asked, UpstreamEndpoint.Answer answer, Instant now) {
    if (asked.kind() != UpstreamSubscription.Kind.WEBSUB) {
      return Optional.empty();
    }
    Pause before = pauses.get(asked.host());
    boolean probe = before != null && before.isProbe(asked.id());
    if (answer instanceof UpstreamEndpoint.Answer.Busy busy) {
      return Optional.of(pause(asked, before, busy.retryAfter().orElse(Duration.ZERO), now));
    }
    // A hub that is overloaded answers some requests, and leaves others without an answer.
    if (before != null && probe && answer.heard().filter(heard -> !heard).isPresent()) {
      return Optional.of(pause(asked, before, Duration.ZERO, now));
    }
    if (probe && answer.heard().isPresent()) {
      pauses.remove(asked.host());
      var unused = store.resumed(asked.host());
    }
    return Optional.empty();
  }

  private Instant pause(
      UpstreamSubscription asked, @Nullable Pause before, Duration wish, Instant now) {
    Duration granted = shorter(wish, LONGEST_ASKED);
    Pause pause;
    if (before == null) {
      Duration length = longer(granted, SHORTEST);
      pause = new Pause(now.plus(length), length, null);
    } else if (before.isProbe(asked.id())) {
      Duration longest = wish.isZero() ? LONGEST : LONGEST_IF_NAMED;
      Duration length = longer(granted, shorter(before.length.multipliedBy(2), longest));
      pause = new Pause(now.plus(length), length, null);
    } else {
      // It was sent before the pause began.
      Instant end = now.plus(granted);
      pause = end.isAfter(before.until) ? new Pause(end, before.length, before.probe) : before;
    }
    if (!pause.equals(before)) {
      pauses.remove(asked.host());
      pauses.put(asked.host(), pause);
      if (pauses.size() > MAX_REMEMBERED) {
        pauses.remove(pauses.keySet().iterator().next());
      }
      // If it is lost with the process, the hub is asked once more.
      var unused =
          store.paused(new Upstreams.Pause(asked.endpoint(), pause.until, pause.length), now);
    }
    return pause.until;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
