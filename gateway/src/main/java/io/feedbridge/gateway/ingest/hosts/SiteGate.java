package io.feedbridge.gateway.ingest.hosts;

import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.ingest.hosts.LearntPace.Change;
import io.feedbridge.gateway.store.feeds.SitePace;
import io.feedbridge.gateway.store.feeds.SitePaces;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the requests to a site at the pace that the site permits, or that the operator gives. A
 * fetch that comes too early is told the time of its turn, and is let pass when it comes again
 * then. Followed feeds and first looks share the pace. Safe for use by several threads.
 */
public final class SiteGate {

  /**
   * The most sites whose paces are remembered; the one that was asked longest ago goes. Sites with
   * a given pace never go, of which there are at most {@link GivenPaces#MAX}.
   */
  public static final int MAX_SITES = 10_000;

  /** The most turns of all sites. */
  public static final int MAX_TURNS = 50_000;

  private static final Logger log = LoggerFactory.getLogger(SiteGate.class);

  private final GivenPaces given;
  private final SitePaces store;
  private final Duration longest;
  private final Clock clock;

  /** The sites with a pace, in the order in which they were asked; guarded by this. */
  private final Map<String, PacedSite> sites = new LinkedHashMap<>(16, 0.75f, true);

  /** Writes to the store, which are handed over without the lock; guarded by this. */
  private final Deque<Supplier<CompletableFuture<Void>>> writes = new ArrayDeque<>();

  /** Held while a write is handed over, which does not block: the store sees them in order. */
  private final Object handover = new Object();

  /** Guarded by this. */
  private final SharedAddresses addresses = new SharedAddresses();

  private int turns;
  private long putOff;

  /** A site and the pace that is given for it; zero for none. */
  private record Named(String site, Duration given) {}

  /** Bid to a fetch that comes too early. */
  public record Wait(Instant at, String reason) {}

  /**
   * A turn that was put off.
   *
   * @param told when its fetch is to ask again at the earliest, never after the turn
   */
  public record Deferred(Instant at, Instant told) {}

  /**
   * Knows the paces that are stored. Blocks on storage.
   *
   * @param longest the longest rest that is granted
   */
  public SiteGate(GivenPaces given, SitePaces store, Duration longest, Clock clock) {
    this.given = given;
    this.store = store;
    this.longest = longest;
    this.clock = clock;
    Instant now = clock.instant();
    List<SitePace> stored = new ArrayList<>(store.newest(MAX_SITES));
    // The first one is the first to go.
    Collections.reverse(stored);
    for (SitePace known : stored) {
      PacedSite paced = new PacedSite(givenFor(known.site()), longest);
      paced.pace.remember(known, now);
      paced.isKept = true;
      // When the last request was sent is not known.
      paced.turns.sent(now, paced.pace.now(now));
      sites.put(known.site(), paced);
    }
    writes.add(() -> store.keepNewest(MAX_SITES));
    write();
  }

  private Duration givenFor(String site) {
    return given
        .of(site, site)
        .filter(one -> one.pattern().equals(site))
        .map(GivenPaces.Given::pace)
        .orElse(Duration.ZERO);
  }

  private Named named(Origin origin) {
    return given
        .of(origin.host(), Site.authority(origin))
        .map(one -> new Named(one.pattern(), one.pace()))
        .orElseGet(() -> new Named(Site.of(origin).name(), Duration.ZERO));
  }

  /**
   * Whether a request comes too early. Never blocks.
   *
   * @param key of the feed
   * @return empty if it may wait for its host, and then {@link #pass}
   */
  public Optional<Wait> early(Origin origin, long key, Haste haste) {
    return ask(origin, key, haste, false);
  }

  /**
   * Asks to send a request now: others may have been sent since it was not too early. Never blocks.
   *
   * @param key of the feed
   * @return empty if it is sent
   */
  public Optional<Wait> pass(Origin origin, long key, Haste haste) {
    return ask(origin, key, haste, true);
  }

  /**
   * Gives a fetch its turn at a time or later, as another site does not take it before. Never
   * blocks.
   *
   * @param key of the feed
   * @return its turn, never before the time; at the time where none is needed or to be had
   */
  public synchronized Deferred defer(Origin origin, long key, Instant at) {
    PacedSite paced = known(named(origin));
    Instant now = clock.instant();
    if (paced == null || paced.pace.isNone(now)) {
      return new Deferred(at, now);
    }
    int before = paced.turns.size();
    boolean isFull = turns >= MAX_TURNS;
    Deferred turn = paced.turns.defer(key, at, paced.pace(now), paced.pace.rest(), isFull, now);
    turns += paced.turns.size() - before;
    return turn == null ? new Deferred(at, now) : turn;
  }

  /**
   * Asks to send a request of a first look now, which takes no turn. Never blocks.
   *
   * @return empty if it is sent
   */
  public Optional<Wait> look(Origin origin) {
    return ask(
        origin,
        true,
        false,
        (paced, rest, isLast, now) -> paced.turns.look(paced.pace.now(now), rest, now));
  }

  private Optional<Wait> ask(Origin origin, long key, Haste haste, boolean isLast) {
    return ask(
        origin,
        isLast,
        true,
        (paced, rest, isOver, now) ->
            paced.turns.ask(key, haste, paced.pace(now), rest, turns >= MAX_TURNS, isOver, now));
  }

  private interface Question {
    @Nullable Instant ask(PacedSite paced, Instant rest, boolean isLast, Instant now);
  }

  private Optional<Wait> ask(Origin origin, boolean isLast, boolean takesTurn, Question question) {
    Optional<Wait> wait = answer(named(origin), isLast, takesTurn, question);
    write();
    return wait;
  }

  private synchronized Optional<Wait> answer(
      Named site, boolean isLast, boolean takesTurn, Question question) {
    PacedSite paced = known(site);
    if (paced == null) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    if (paced.pace.isNone(now)) {
      if (!paced.isGiven) {
        remove(site.site, paced);
      }
      return Optional.empty();
    }
    if (takesTurn) {
      paced.wanted(now);
    }
    int before = paced.turns.size();
    Instant rest = paced.pace.rest();
    Instant at = question.ask(paced, rest, false, now);
    Instant others = at == null ? paced.askOthers(takesTurn, now) : null;
    if (others != null) {
      at = question.ask(paced, others.isAfter(rest) ? others : rest, false, now);
    } else if (at == null && isLast) {
      at = question.ask(paced, rest, true, now);
    }
    turns += paced.turns.size() - before;
    if (at == null) {
      if (isLast) {
        paced.sent(now);
      }
      return Optional.empty();
    }
    putOff++;
    return Optional.of(new Wait(at, paced.reason(now)));
  }

  private @Nullable PacedSite known(Named site) {
    PacedSite paced = sites.get(site.site);
    return paced == null && !site.given.isZero() ? add(site) : paced;
  }

  private PacedSite add(Named site) {
    if (sites.size() >= MAX_SITES) {
      sites.entrySet().stream()
          .filter(one -> !one.getValue().isGiven)
          .findFirst()
          .ifPresent(eldest -> remove(eldest.getKey(), eldest.getValue()));
    }
    PacedSite paced = new PacedSite(site.given, longest);
    sites.put(site.site, paced);
    return paced;
  }

  private void remove(String site, PacedSite paced) {
    sites.remove(site);
    addresses.leave(paced.member);
    turns -= paced.turns.size();
    forget(site, paced);
  }

  private void forget(String site, PacedSite paced) {
    if (paced.isKept) {
      paced.isKept = false;
      writes.add(() -> store.forget(site));
    }
  }

  /**
   * Counts a request that is sent without {@link #pass}, as the fetch has asked its site before.
   * Never blocks.
   *
   * @param sentAt when the first request on the way was sent
   */
  public synchronized void sentBesides(Origin origin, Instant sentAt) {
    PacedSite paced = known(named(origin));
    Instant now = clock.instant();
    if (paced != null && !paced.pace.isNone(now)) {
      paced.pace.answered(sentAt);
      paced.sentBesides(now);
      respace(paced, now);
    }
  }

  /**
   * Learns from an answer. Blocks only on storage.
   *
   * @param origin that answered, in the end
   * @param sentAt when the request was sent
   */
  public void learn(Origin origin, SiteAnswer answer, Instant sentAt) {
    Named site = named(origin);
    synchronized (this) {
      PacedSite paced = known(site);
      Instant now = clock.instant();
      if (paced == null) {
        if (!answer.isRefusal() && !answer.limit().isFew()) {
          return;
        }
        paced = add(site);
      }
      Change change = paced.learn(answer, sentAt, now);
      paced.member = addresses.answered(paced.member, answer, paced.pace.refusedAt(), sentAt, now);
      if (change != Change.NONE || paced.isSlowed(now)) {
        respace(paced, now);
      }
      changed(site.site, paced, change, now);
      if (paced.pace.isNone(now) && !paced.isGiven) {
        remove(site.site, paced);
      }
    }
    write();
  }

  private void respace(PacedSite paced, Instant now) {
    int before = paced.turns.size();
    paced.laid = paced.pace(now);
    paced.turns.respace(paced.laid, paced.pace.rest(), now);
    turns += paced.turns.size() - before;
  }

  /** Whether two origins have one pace. */
  public boolean isOneSite(Origin one, Origin other) {
    return one.equals(other) || named(one).equals(named(other));
  }

  private void changed(String site, PacedSite paced, Change change, Instant now) {
    Duration pace = paced.pace.now(now);
    switch (change) {
      case NONE -> {}
      case REST -> {
        Duration rest = Duration.between(now, paced.pace.rest());
        if (rest.compareTo(pace.multipliedBy(2).plus(PacedSite.SHORT_REST)) > 0) {
          keep(site, paced, now);
        }
      }
      case SLOWER -> {
        log(site, paced, pace, "A slower pace of a site is learnt");
        keep(site, paced, now);
      }
      case FASTER -> {
        log(site, paced, pace, "A faster pace of a site is tried");
        if (paced.pace.isNone(now)) {
          forget(site, paced);
        } else {
          keep(site, paced, now);
        }
      }
    }
  }

  private static void log(String site, PacedSite paced, Duration pace, String event) {
    log.atInfo()
        .addKeyValue("site", site)
        .addKeyValue("pace", pace)
        .addKeyValue("rest", paced.pace.rest())
        .log(event);
  }

  private void keep(String site, PacedSite paced, Instant now) {
    SitePace known = paced.pace.known(site, now);
    paced.isKept = true;
    writes.add(() -> store.keep(known));
  }

  private void write() {
    if (!hasWrites()) {
      return;
    }
    synchronized (handover) {
      for (Supplier<CompletableFuture<Void>> next = next(); next != null; next = next()) {
        var unused =
            next.get()
                .exceptionally(
                    failure -> {
                      log.atWarn().setCause(failure).log("The pace of a site could not be stored");
                      return null;
                    });
      }
    }
  }

  private synchronized boolean hasWrites() {
    return !writes.isEmpty();
  }

  private synchronized @Nullable Supplier<CompletableFuture<Void>> next() {
    return writes.poll();
  }

  /** The time between two requests to a site, and the end of the rest that it asked for. */
  public record Pace(String site, Duration each, boolean given, Instant restUntil) {}

  /** The pace at which an origin is sent requests; empty if it has none. */
  public synchronized Optional<Pace> pace(Origin origin) {
    Named named = named(origin);
    Instant now = clock.instant();
    return Optional.ofNullable(sites.get(named.site))
        .map(paced -> new Pace(named.site, paced.pace(now), paced.isGiven, paced.pace.rest()));
  }

  /** Sites with a pace. */
  public synchronized int paced() {
    return sites.size();
  }

  /** Fetches that were told a later time since the start. */
  public synchronized long putOff() {
    return putOff;
  }
}
