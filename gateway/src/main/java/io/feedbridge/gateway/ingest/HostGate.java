package io.feedbridge.gateway.ingest;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.schedule.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets fetches pass, a few at a time to each host and with a pause between polls of one host. Who
 * would have to wait long is told when to come again, so that what waits here is bounded. Hosts
 * that do not answer share a part of the places, so that they cannot take all of them. Safe for use
 * by several threads.
 */
final class HostGate {

  /** Fetches at once from one host. */
  static final int PER_HOST = 2;

  /** Fetches at once in all. */
  static final int AT_ONCE = 64;

  /** Of those, the ones from hosts that did not answer when they were last asked. */
  static final int AT_SILENT_HOSTS = AT_ONCE / 4;

  /** Fetches that wait for one host. */
  static final int WAITING_PER_HOST = 16;

  /** Fetches that wait in all. */
  static final int MAX_WAITING = 1_024;

  /** Hosts of which it is remembered that they were silent, or asked to be left alone. */
  private static final int MAX_REMEMBERED = 50_000;

  private static final Duration SILENCE_REMEMBERED = Duration.ofHours(1);

  /** When a host that was silent is tried again while others like it have all their places. */
  static final Duration SILENT_PAUSE = Duration.ofMinutes(1);

  private static final Duration SHORTEST_STEP = Duration.ofMillis(100);

  private final Duration pause;
  private final Timer timer;

  /** Hosts at which something is under way or waits, or was a moment ago; guarded by this. */
  private final Map<String, Host> hosts = new LinkedHashMap<>();

  private final Cache<String, Instant> closedUntil;
  private final Cache<String, Boolean> silent;

  private int running;
  private int runningAtSilent;
  private int waiting;
  private boolean closed;

  /**
   * A gate.
   *
   * @param pause between polls of one host
   * @param longestRest for which a host may ask to be left alone
   */
  HostGate(Duration pause, Duration longestRest, Timer timer) {
    this.pause = pause;
    this.timer = timer;
    closedUntil =
        Caffeine.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterWrite(longestRest)
            .ticker(() -> TimeUnit.MILLISECONDS.toNanos(timer.clock().millis()))
            .build();
    silent =
        Caffeine.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterWrite(SILENCE_REMEMBERED)
            .ticker(() -> TimeUnit.MILLISECONDS.toNanos(timer.clock().millis()))
            .build();
  }

  /** Why something is fetched; what is named first goes first. */
  enum Haste {
    /** Somebody says that it changed: it does not wait for the pause. */
    PING,
    /** Somebody may wait for the first fetch. */
    FIRST,
    /** It is time to look. */
    POLL
  }

  /** A fetch that was let pass. */
  final class Pass {
    private final String name;
    private final boolean atSilent;
    private final Instant began;

    private Pass(String name, boolean atSilent, Instant began) {
      this.name = name;
      this.atSilent = atSilent;
      this.began = began;
    }

    /**
     * The fetch is over.
     *
     * @param answered whether there was any answer
     */
    void leave(boolean answered) {
      left(this, answered);
    }
  }

  /** Begins the fetch; must return at once. */
  interface Start {
    void run(Pass pass);
  }

  private static final class Host {
    private final Map<Haste, Deque<Start>> waiting = new EnumMap<>(Haste.class);
    private int running;
    private Instant nextPoll = Instant.MIN;
    private Instant nextComing = Instant.MIN;
    private Duration took = Duration.ZERO;
    private Timer.@Nullable Scheduled wake;

    private int waits() {
      return waiting.values().stream().mapToInt(Deque::size).sum();
    }

    private boolean isIdle(Instant now) {
      return running == 0
          && waits() == 0
          && !nextPoll.isAfter(now)
          && !nextComing.isAfter(now)
          && wake == null;
    }
  }

  /**
   * Asks to fetch from a host.
   *
   * @param start called once, now or later, unless the gate is closed before
   * @return when to come again, if there is no room to wait; then nothing is called
   */
  Optional<Instant> ask(String name, Haste haste, Start start) {
    List<Runnable> begun = new ArrayList<>();
    synchronized (this) {
      Instant now = timer.clock().instant();
      Instant open = closedUntil.getIfPresent(name);
      if (open != null && open.isAfter(now)) {
        return Optional.of(open);
      }
      Host host = hosts.computeIfAbsent(name, any -> new Host());
      if (silent.getIfPresent(name) != null && runningAtSilent >= AT_SILENT_HOSTS) {
        return Optional.of(now.plus(SILENT_PAUSE));
      }
      if (host.waits() >= WAITING_PER_HOST || waiting >= MAX_WAITING) {
        return Optional.of(comeAgain(host, now));
      }
      host.waiting.computeIfAbsent(haste, any -> new ArrayDeque<>()).add(start);
      waiting++;
      letPass(begun);
    }
    begun.forEach(Runnable::run);
    return Optional.empty();
  }

  /** Behind those that wait, at the pace at which the host is fetched from. */
  private Instant comeAgain(Host host, Instant now) {
    Duration each = host.took.dividedBy(PER_HOST);
    Duration step = pause.compareTo(each) > 0 ? pause : each;
    step = step.compareTo(SHORTEST_STEP) > 0 ? step : SHORTEST_STEP;
    Instant first = now.plus(step.multipliedBy(host.waits()));
    host.nextComing = (host.nextComing.isAfter(first) ? host.nextComing : first).plus(step);
    return host.nextComing;
  }

  /** A host asks to be left alone. */
  synchronized void rest(String name, Instant until) {
    closedUntil.asMap().merge(name, until, (one, other) -> one.isAfter(other) ? one : other);
  }

  private void left(Pass pass, boolean answered) {
    List<Runnable> begun = new ArrayList<>();
    synchronized (this) {
      Instant now = timer.clock().instant();
      running--;
      runningAtSilent -= pass.atSilent ? 1 : 0;
      if (answered) {
        silent.invalidate(pass.name);
      } else {
        silent.put(pass.name, true);
      }
      Host host = hosts.get(pass.name);
      if (host != null) {
        host.running--;
        host.took = host.took.plus(Duration.between(pass.began, now)).dividedBy(2);
      }
      letPass(begun);
    }
    begun.forEach(Runnable::run);
  }

  private void wake(Host host) {
    List<Runnable> begun = new ArrayList<>();
    synchronized (this) {
      host.wake = null;
      letPass(begun);
    }
    begun.forEach(Runnable::run);
  }

  /** Hosts take turns: one from which something was begun goes behind the others. */
  private void letPass(List<Runnable> begun) {
    Instant now = timer.clock().instant();
    boolean more = true;
    while (more && running < AT_ONCE && !closed) {
      more = false;
      List<Map.Entry<String, Host>> served = new ArrayList<>();
      for (Iterator<Map.Entry<String, Host>> all = hosts.entrySet().iterator();
          all.hasNext() && running < AT_ONCE; ) {
        Map.Entry<String, Host> one = all.next();
        Host host = one.getValue();
        Optional<Runnable> next = next(one.getKey(), host, now);
        if (next.isPresent()) {
          begun.add(next.get());
          all.remove();
          served.add(Map.entry(one.getKey(), host));
        } else if (host.isIdle(now)) {
          all.remove();
        }
      }
      served.forEach(one -> hosts.put(one.getKey(), one.getValue()));
      more = !served.isEmpty();
    }
  }

  private Optional<Runnable> next(String name, Host host, Instant now) {
    boolean isSilent = silent.getIfPresent(name) != null;
    if (host.running >= PER_HOST || (isSilent && runningAtSilent >= AT_SILENT_HOSTS)) {
      return Optional.empty();
    }
    for (Haste haste : Haste.values()) {
      Deque<Start> queue = host.waiting.get(haste);
      if (queue == null || queue.isEmpty()) {
        continue;
      }
      if (haste != Haste.PING && host.nextPoll.isAfter(now)) {
        wakeAt(host, host.nextPoll);
        return Optional.empty();
      }
      if (haste != Haste.PING) {
        host.nextPoll = now.plus(pause);
      }
      Start start = queue.remove();
      waiting--;
      running++;
      runningAtSilent += isSilent ? 1 : 0;
      host.running++;
      Pass pass = new Pass(name, isSilent, now);
      return Optional.of(() -> start.run(pass));
    }
    return Optional.empty();
  }

  private void wakeAt(Host host, Instant at) {
    if (host.wake == null) {
      host.wake = timer.at(at, () -> wake(host));
    }
  }

  /** Lets nobody pass any more. */
  synchronized void close() {
    closed = true;
  }
}
