package io.feedbridge.gateway.ingest.hosts;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.ingest.hosts.OriginWindow.Standing;
import io.feedbridge.gateway.schedule.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Admits fetches. Each host gets as many at once as it takes well ({@link OriginWindow}), and polls
 * of one host keep a pause. Pings go before first fetches, and first fetches before polls. {@link
 * FetchPermits} shares the permits among hosts. A fetch that finds no room to wait is told when to
 * come again, so that memory has a bound. Safe for use by several threads.
 */
public final class HostGate {

  /** Polls at once from one host. */
  static final int POLLS_PER_HOST = 2;

  /** Polls that wait for one host. */
  public static final int WAITING_POLLS_PER_HOST = 16;

  /** Polls that wait in all. */
  static final int MAX_WAITING_POLLS = 1_024;

  /** Fetches that wait for one host. */
  static final int WAITING_PER_HOST = 1_024;

  /** Fetches that wait in all. */
  public static final int MAX_WAITING = 4_096;

  /** Fetches that wait for hosts that are not known to be prompt. */
  static final int WAITING_FOR_UNPROVEN = MAX_WAITING / 2;

  /** The most hosts whose windows are remembered. */
  private static final int MAX_REMEMBERED = 50_000;

  private static final Duration REMEMBERED = Duration.ofDays(1);

  /**
   * The pause before a slow host is tried again while other slow hosts have taken all their
   * permits.
   */
  static final Duration SLOW_PAUSE = Duration.ofMinutes(1);

  /** The shortest time between two polls of one host that are put off. */
  private static final Duration SHORTEST_STEP = Duration.ofMillis(100);

  /** The shortest time between two pings or first fetches of one host that are put off. */
  private static final Duration HASTY_STEP = Duration.ofMillis(5);

  /** The shortest pause of a ping or a first fetch that found no room to wait. */
  static final Duration HASTY_PAUSE = Duration.ofSeconds(1);

  private final Duration pause;
  private final Timer timer;

  /** Hosts at which a fetch is under way or waits, or was a moment ago; guarded by this. */
  private final Map<String, Host> hosts = new LinkedHashMap<>();

  private final HostPauses pauses;
  private final Cache<String, OriginWindow> windows;
  private final FetchPermits places = new FetchPermits();

  private int waiting;
  private int waitingPolls;
  private int waitingForUnproven;
  private Timer.@Nullable Scheduled look;
  private boolean closed;

  /**
   * A gate.
   *
   * @param pause between polls of one host
   * @param pauses that servers asked for
   */
  public HostGate(Duration pause, HostPauses pauses, Timer timer) {
    this.pause = pause;
    this.pauses = pauses;
    this.timer = timer;
    windows =
        Caffeine.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterWrite(REMEMBERED)
            .ticker(() -> TimeUnit.MILLISECONDS.toNanos(timer.clock().millis()))
            .build();
  }

  /** Begins the fetch; must return at once. */
  public interface Start {
    void run(Pass pass);
  }

  /** The answer to a request for admission. */
  public sealed interface Answer {}

  /** There was no room to wait. */
  public record ComeAgain(Instant at, String reason) implements Answer {}

  /** A fetch that waits or was begun. */
  public final class Ticket implements Answer {
    private final Host host;
    private final Haste haste;
    private final boolean unproven;
    private final Start start;

    /** Guarded by the gate. */
    private boolean waits = true;

    private Ticket(Host host, Haste haste, Start start) {
      this.host = host;
      this.haste = haste;
      this.start = start;
      unproven = host.window.standing() != Standing.PROMPT;
    }

    public boolean waits() {
      synchronized (HostGate.this) {
        return waits;
      }
    }

    /**
     * Waits no more.
     *
     * @return false if the fetch was begun; then nothing changes
     */
    public boolean withdraw() {
      synchronized (HostGate.this) {
        if (!waits) {
          return false;
        }
        host.queue(haste).remove(this);
        waitsNoMore(this);
        return true;
      }
    }
  }

  /** A fetch that was let pass. */
  public final class Pass {
    private final Host host;
    private final Haste haste;
    private final FetchPermits.Place place;
    private boolean over;

    private Pass(Host host, Haste haste, FetchPermits.Place place) {
      this.host = host;
      this.haste = haste;
      this.place = place;
    }

    /** The fetch is over. Twice is once. */
    public void leave(OriginWindow.Ending ending) {
      left(this, ending);
    }
  }

  private static final class Host {
    private final OriginWindow window;
    private final Map<Haste, Deque<Ticket>> waiting = new EnumMap<>(Haste.class);
    private int running;
    private int polls;
    private Instant nextPoll = Instant.MIN;
    private Instant nextComing = Instant.MIN;
    private Instant nextHasty = Instant.MIN;
    private Timer.@Nullable Scheduled wake;

    private Host(OriginWindow window) {
      this.window = window;
    }

    private Deque<Ticket> queue(Haste haste) {
      return waiting.computeIfAbsent(haste, any -> new ArrayDeque<>());
    }

    private int waits() {
      return waiting.values().stream().mapToInt(Deque::size).sum();
    }

    private boolean isIdle(Instant now) {
      return running == 0
          && waits() == 0
          && !nextPoll.isAfter(now)
          && !nextComing.isAfter(now)
          && !nextHasty.isAfter(now)
          && wake == null;
    }
  }

  /**
   * Asks to fetch from an origin.
   *
   * @param start called once, now or later, unless the ticket is withdrawn or the gate is closed
   * @return a ticket, or when to come again; then nothing is called
   */
  public Answer ask(Origin origin, Haste haste, Start start) {
    List<Runnable> begun = new ArrayList<>();
    Ticket ticket;
    synchronized (this) {
      Instant now = timer.clock().instant();
      Optional<Instant> paused = pauses.end(origin);
      if (paused.isPresent()) {
        return new ComeAgain(paused.get(), HostPauses.REASON);
      }
      Host host = hosts.computeIfAbsent(origin.host(), this::known);
      places.recount(now);
      if (host.window.standing() == Standing.SLOW && places.slowAreTaken()) {
        return new ComeAgain(
            now.plus(SLOW_PAUSE),
            "its host is slow, and other slow hosts have all places for such");
      }
      if (!hasRoom(host, haste)) {
        return new ComeAgain(
            haste.isPaced() ? comeAgain(host, now) : comeAgainSoon(host, now),
            "as many fetches of its host wait as may wait at once");
      }
      ticket = new Ticket(host, haste, start);
      host.queue(haste).add(ticket);
      waiting++;
      waitingPolls += haste.isPaced() ? 1 : 0;
      waitingForUnproven += ticket.unproven ? 1 : 0;
      letPass(begun);
    }
    begun.forEach(Runnable::run);
    return ticket;
  }

  private Host known(String name) {
    OriginWindow window = windows.getIfPresent(name);
    return new Host(window == null ? new OriginWindow() : window);
  }

  private boolean hasRoom(Host host, Haste haste) {
    if (haste.isPaced()) {
      return waitingPolls < MAX_WAITING_POLLS
          && host.queue(haste).size() < WAITING_POLLS_PER_HOST
          && host.waits() < WAITING_PER_HOST;
    }
    boolean prompt = host.window.standing() == Standing.PROMPT;
    return waiting < MAX_WAITING
        && host.waits() < WAITING_PER_HOST
        && (prompt || waitingForUnproven < WAITING_FOR_UNPROVEN);
  }

  /** Behind the polls that wait, at the pace at which the host is polled. */
  private Instant comeAgain(Host host, Instant now) {
    Duration step =
        Collections.max(
            List.of(pause, host.window.took().dividedBy(POLLS_PER_HOST), SHORTEST_STEP));
    Instant first = now.plus(step.multipliedBy(host.queue(Haste.POLL).size()));
    host.nextComing = Collections.max(List.of(host.nextComing, first)).plus(step);
    return host.nextComing;
  }

  /** When the host will have taken the fetches that wait, at the pace at which it takes them. */
  private Instant comeAgainSoon(Host host, Instant now) {
    Duration step =
        Collections.max(List.of(host.window.took().dividedBy(host.window.size()), HASTY_STEP));
    Instant first =
        now.plus(Collections.max(List.of(HASTY_PAUSE, step.multipliedBy(host.waits()))));
    host.nextHasty = Collections.max(List.of(host.nextHasty, first)).plus(step);
    return host.nextHasty;
  }

  /** The hosts that were fetched from lately, in no order. */
  public synchronized List<FetchedHost> standings() {
    Map<String, FetchedHost> all = new HashMap<>();
    windows.asMap().forEach((name, window) -> all.put(name, FetchedHost.of(name, window, 0, 0)));
    hosts.forEach(
        (name, host) ->
            all.put(name, FetchedHost.of(name, host.window, host.running, host.waits())));
    return List.copyOf(all.values());
  }

  private void left(Pass pass, OriginWindow.Ending ending) {
    List<Runnable> begun = new ArrayList<>();
    synchronized (this) {
      if (pass.over) {
        return;
      }
      pass.over = true;
      Host host = pass.host;
      Instant now = timer.clock().instant();
      boolean full = host.running >= host.window.size();
      places.leave(pass.place);
      host.running--;
      host.polls -= pass.haste.isPaced() ? 1 : 0;
      host.window.ended(ending, pass.place.age(now), full);
      letPass(begun);
    }
    begun.forEach(Runnable::run);
  }

  private void wake(Runnable woken) {
    List<Runnable> begun = new ArrayList<>();
    synchronized (this) {
      woken.run();
      letPass(begun);
    }
    begun.forEach(Runnable::run);
  }

  /** Hosts take turns: one from which a fetch was begun goes behind the others. */
  private void letPass(List<Runnable> begun) {
    Instant now = timer.clock().instant();
    places.recount(now);
    boolean isShort = false;
    boolean more = true;
    while (more && !closed) {
      more = false;
      List<Map.Entry<String, Host>> served = new ArrayList<>();
      for (Iterator<Map.Entry<String, Host>> all = hosts.entrySet().iterator(); all.hasNext(); ) {
        Map.Entry<String, Host> one = all.next();
        Host host = one.getValue();
        Ticket next = next(host, now);
        if (next != null && places.has(host.window.standing(), next.haste)) {
          begun.add(begin(next, now));
          all.remove();
          served.add(Map.entry(one.getKey(), host));
        } else if (next != null) {
          isShort = true;
        } else if (host.isIdle(now)) {
          all.remove();
          windows.put(one.getKey(), host.window);
        }
      }
      served.forEach(one -> hosts.put(one.getKey(), one.getValue()));
      more = !served.isEmpty();
    }
    if (isShort && look == null) {
      // By then a fetch that takes long may have lost its place.
      look = timer.at(now.plus(OriginWindow.PROMPT), () -> wake(() -> look = null));
    }
  }

  /** The next fetch that the host itself would take. */
  private @Nullable Ticket next(Host host, Instant now) {
    if (host.running >= host.window.size()) {
      return null;
    }
    for (Haste haste : Haste.values()) {
      Ticket first = host.queue(haste).peek();
      if (first == null) {
        continue;
      }
      if (haste.isPaced() && host.nextPoll.isAfter(now)) {
        wakeAt(host, host.nextPoll);
        return null;
      }
      return haste.isPaced() && host.polls >= POLLS_PER_HOST ? null : first;
    }
    return null;
  }

  private Runnable begin(Ticket ticket, Instant now) {
    Host host = ticket.host;
    host.queue(ticket.haste).remove();
    waitsNoMore(ticket);
    host.running++;
    if (ticket.haste.isPaced()) {
      host.polls++;
      host.nextPoll = now.plus(pause);
    }
    Pass pass = new Pass(host, ticket.haste, places.take(host.window, now));
    return () -> ticket.start.run(pass);
  }

  private void waitsNoMore(Ticket ticket) {
    ticket.waits = false;
    waiting--;
    waitingPolls -= ticket.haste.isPaced() ? 1 : 0;
    waitingForUnproven -= ticket.unproven ? 1 : 0;
  }

  private void wakeAt(Host host, Instant at) {
    if (host.wake == null) {
      host.wake = timer.at(at, () -> wake(() -> host.wake = null));
    }
  }

  /** Lets no fetch pass any more. */
  public synchronized void close() {
    closed = true;
  }
}
