package io.feedbridge.gateway.ingest.throttle;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.guard.FirstFetches;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.work.Via;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Budgets in fetches and in bytes for work that strangers cause: fetches, and appends to the log.
 * Fetches past a budget are put off, never dropped. Budgets are kept in memory: a restart fills
 * them. Safe for use by several threads.
 */
public final class FetchBudgets {

  /**
   * Fetches for pings of one feed that bring nothing, each {@link #PINGS_PERIOD}. The ways by which
   * pings come have a budget each: forged deliveries do not hold back a publisher's pings.
   */
  static final int PINGS_IN_VAIN = 10;

  /** Fetches for pings of all feeds of a host that bring nothing, each {@link #PINGS_PERIOD}. */
  static final int HOST_PINGS_IN_VAIN = 600;

  /** The longest that a ping is held back because earlier pings brought no news. */
  static final Duration PINGS_PERIOD = Duration.ofMinutes(10);

  /** The time after news in which a ping without news is no ping in vain: its news may be known. */
  static final Duration OVERLAP = Duration.ofSeconds(30);

  /** Bytes from one host in an hour that bring no new entry, unpacked. */
  static final long HOST_BYTES_PER_HOUR = 512L << 20;

  /** Bytes of {@link #HOST_BYTES_PER_HOUR} that the pings of one caller take. */
  static final long CALLER_BYTES_PER_HOUR = HOST_BYTES_PER_HOUR / 16;

  /** Bytes that a caller gets back for a ping that brings news: publishers ping in vain as well. */
  static final long BYTES_OF_NEWS = 1L << 20;

  /**
   * Bytes that a host has sent beyond the received ones when a fetch is cut off: they lie in the
   * buffers of both sockets.
   */
  public static final long UNREAD_BYTES = 4L << 20;

  /** How long a first fetch is put off without an answer to the request that waits for it. */
  public static final Duration LONGEST_FIRST_WAIT = Duration.ofMinutes(5);

  /** How long a fetch waits at most for the bytes of its host. */
  static final Duration LONGEST = Duration.ofDays(1);

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  /** A fetch that waits for its host's bytes is expected to take as much at least. */
  private static final long LEAST_EXPECTED = 64L << 10;

  /** One fetch, less the loss in rounding. */
  private static final double ONE = 0.999;

  private static final int MAX_FEEDS = 100_000;

  private final Allowances<Way> pings;
  private final Allowances<String> hostPings;
  private final Allowances<String> hostBytes;
  private final Allowances<Caller> callerBytes;
  private final EventBudgets events;
  private final UnconfirmedBytes unconfirmed;
  private final FirstFetches first;
  private final Networks exempt;

  /** Ways by which a ping brought news: other feeds of the host do not hold such pings back. */
  private final Cache<Way, Boolean> trusted;

  /** When a ping of a feed brought news last. */
  private final Cache<Long, Instant> brought;

  private final WaitingLine byteLine;
  private final WaitingLine firstLine;

  /** A way by which pings of a feed come. */
  private record Way(long feedId, Via via) {}

  /** A caller whose pings have feeds of a host fetched. */
  private record Caller(String address, String host) {}

  /**
   * Full budgets; the guard has the budgets of first fetches.
   *
   * @param exempt networks of callers without a share; callers of this machine have none either
   */
  public FetchBudgets(FirstFetches first, Networks exempt, Feeds feeds, Clock clock) {
    this.first = first;
    this.exempt = exempt;
    pings = new Allowances<>(PINGS_IN_VAIN, PINGS_PERIOD, clock);
    hostPings = new Allowances<>(HOST_PINGS_IN_VAIN, PINGS_PERIOD, clock);
    hostBytes = new Allowances<>(HOST_BYTES_PER_HOUR, HOUR, clock);
    callerBytes = new Allowances<>(CALLER_BYTES_PER_HOUR, HOUR, clock);
    events = new EventBudgets(clock);
    unconfirmed = new UnconfirmedBytes(feeds);
    trusted = remembering(clock);
    brought = remembering(clock);
    byteLine = new WaitingLine(clock);
    firstLine = new WaitingLine(clock);
  }

  private static <K, V> Cache<K, V> remembering(Clock clock) {
    return Caffeine.newBuilder()
        .maximumSize(MAX_FEEDS)
        .expireAfterWrite(DAY)
        .ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
        .build();
  }

  /** Whether so much was appended today that nothing more of a feed is taken, pushed or fetched. */
  public Optional<HeldBack> flooding(FollowedFeed feed, Instant now) {
    return events.before(feed, now);
  }

  /**
   * Whether a fetch has to wait. Blocks on the store.
   *
   * @param pings that asked for it
   */
  public Optional<HeldBack> before(FollowedFeed feed, Pings pings, Instant now) {
    return (feed.hasBaseline() ? Optional.<HeldBack>empty() : beforeFirst(feed, now))
        .or(() -> unconfirmed.before(feed, now))
        .or(() -> inVain(feed, pings, now));
  }

  /** Whether a first fetch has to wait until its host bears one more that finds no feed. */
  public Optional<HeldBack> beforeFirst(FollowedFeed feed, Instant now) {
    String host = Origin.of(feed.url()).host();
    return first
        .wait(feed.url())
        .map(
            wait ->
                new HeldBack(
                    first.reason(feed.url()),
                    firstLine.next(
                        host, now.plus(wait), first.step(), now.plus(LONGEST_FIRST_WAIT))));
  }

  /** A feed whose pings bring news waits for nothing. */
  private Optional<HeldBack> inVain(FollowedFeed feed, Pings by, Instant now) {
    Set<Via> ways = by.ways();
    String host = Origin.of(feed.url()).host();
    boolean pinged = !ways.isEmpty();
    if (pinged && isSpent(feed, ways, now)) {
      return Optional.of(
          new HeldBack(
              "the fetches for the last %d pings brought no new entry".formatted(PINGS_IN_VAIN),
              when(feed, ways, 1, now)));
    }
    boolean clean =
        feed.kind() != FeedKind.CONTENT
            && ways.stream().allMatch(way -> pings.isFull(new Way(feed.id(), way), now));
    if (pinged && !clean && hostPings.left(host, now) < ONE) {
      // By then the feed has a full budget of its own, if it is not pinged in vain again.
      return Optional.of(
          new HeldBack(
              "the fetches for the last %d pings of feeds at %s brought no new entry"
                  .formatted(HOST_PINGS_IN_VAIN, host),
              when(feed, ways, PINGS_IN_VAIN, now).plus(pings.time(1))));
    }
    boolean trustedWay =
        ways.stream().anyMatch(way -> trusted.getIfPresent(new Way(feed.id(), way)) != null);
    if (!trustedWay && !by.callers().isEmpty()) {
      Optional<Instant> share = callersShare(by.callers(), host, now);
      if (share.isPresent()) {
        return Optional.of(
            new HeldBack(
                "the pings of one caller took %d MiB from %s within an hour without a new entry"
                    .formatted(CALLER_BYTES_PER_HOUR >> 20, host),
                share.get()));
      }
    }
    return trustedWay || hostBytes.left(host, now) > 0
        ? Optional.empty()
        : Optional.of(
            new HeldBack(
                "%s sent more than %d MiB within an hour without a new entry"
                    .formatted(host, HOST_BYTES_PER_HOUR >> 20),
                inLine(host, now)));
  }

  /** When the first of the callers has bytes of the host left; empty if one has some now. */
  private Optional<Instant> callersShare(Set<String> addresses, String host, Instant now) {
    List<Caller> callers = addresses.stream().map(one -> new Caller(one, host)).toList();
    return callers.stream().anyMatch(one -> isExempt(one) || callerBytes.left(one, now) > 0)
        ? Optional.empty()
        : callers.stream()
            .map(one -> callerBytes.when(one, LEAST_EXPECTED, now))
            .min(Instant::compareTo);
  }

  private boolean isExempt(Caller caller) {
    return Networks.address(caller.address)
        .filter(address -> address.isLoopbackAddress() || exempt.contains(address))
        .isPresent();
  }

  private boolean isSpent(FollowedFeed feed, Set<Via> ways, Instant now) {
    return ways.stream().allMatch(way -> pings.left(new Way(feed.id(), way), now) < ONE);
  }

  /** When the budget of one of the ways has so much at the latest. */
  private Instant when(FollowedFeed feed, Set<Via> ways, double needed, Instant now) {
    return ways.stream()
        .map(way -> pings.when(new Way(feed.id(), way), needed, now))
        .min(Instant::compareTo)
        .orElse(now);
  }

  /**
   * The time of the next fetch in the host's line, when the budget is likely to have room for it.
   */
  private Instant inLine(String host, Instant now) {
    Instant latest = now.plus(LONGEST);
    Instant next =
        byteLine.next(host, hostBytes.when(host, 1, now), hostBytes.time(LEAST_EXPECTED), latest);
    return next.isAfter(latest) ? latest : next;
  }

  /**
   * A fetch was answered.
   *
   * @param before the feed as it was when the fetch was sent
   * @param after the feed as it is now
   */
  public void found(FollowedFeed before, FollowedFeed after) {
    if (!after.hasBaseline() || after.kind() != FeedKind.FEED || after.fetched().failures() > 0) {
      return;
    }
    if (before.hasBaseline()) {
      first.serves(before.url());
      return;
    }
    first.found(before.url());
    if (!Origin.of(after.url()).host().equals(Origin.of(before.url()).host())) {
      // A page led to the feed: two first fetches.
      first.found(after.url());
    }
  }

  /** Bytes of a host arrived for pings; {@link #brought} gives them back if they have news. */
  public void arrived(FollowedFeed feed, Pings by, long bytes, Instant now) {
    spend(feed, by, (double) bytes, now);
  }

  /** The bytes that arrived for pings brought a new entry of a feed. */
  public void brought(FollowedFeed feed, Pings by, long bytes, Instant now) {
    if (feed.kind() != FeedKind.CONTENT) {
      spend(feed, by, -(double) (bytes + BYTES_OF_NEWS), now);
    }
  }

  private void spend(FollowedFeed feed, Pings by, double bytes, Instant now) {
    String host = Origin.of(feed.url()).host();
    by.callers().forEach(one -> callerBytes.spend(new Caller(one, host), bytes, now));
  }

  /**
   * A fetch brought bytes, and no new entry of a feed in them.
   *
   * @param result says where they came from in the end, which is charged as well
   */
  public void fetched(FollowedFeed feed, FetchResult result, long bytes, Instant now) {
    if (bytes == 0) {
      return;
    }
    String host = Origin.of(feed.url()).host();
    hostBytes.spend(host, (double) bytes, now);
    String last = result.url().map(url -> Origin.of(url).host()).orElse(host);
    if (!last.equals(host)) {
      hostBytes.spend(last, (double) bytes, now);
    }
  }

  /**
   * A fetch was recorded.
   *
   * @param ways by which pings asked for it; nothing is counted where none did
   */
  public void pinged(FollowedFeed feed, Set<Via> ways, boolean news, Instant now) {
    if (ways.isEmpty()) {
      return;
    }
    if (news && feed.kind() != FeedKind.CONTENT) {
      ways.forEach(way -> trusted.put(new Way(feed.id(), way), true));
      brought.put(feed.id(), now);
      return;
    }
    Instant newest = brought.getIfPresent(feed.id());
    if (newest != null && newest.plus(OVERLAP).isAfter(now)) {
      // The fetch before this one may have found the news that this ping told of.
      return;
    }
    for (Via via : ways) {
      Way way = new Way(feed.id(), via);
      pings.spend(way, 1, now);
      if (pings.left(way, now) < ONE) {
        trusted.invalidate(way);
      }
    }
    hostPings.spend(Origin.of(feed.url()).host(), 1, now);
  }

  /** An outcome was recorded. Blocks on the store. */
  public void recorded(Outcome outcome) {
    events.appended(outcome.feed(), outcome.eventBytes(), outcome.at());
    unconfirmed.recorded(outcome);
  }
}
