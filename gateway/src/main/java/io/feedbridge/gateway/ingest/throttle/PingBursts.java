package io.feedbridge.gateway.ingest.throttle;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.work.WorkItem;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Pings come in bursts: by each of a publisher's plug-ins, for each of its entries. The first ping
 * is answered at once; pings that follow soon wait until no more of them come, so that one fetch
 * serves them all (rule L10). Safe for use by several threads.
 */
public final class PingBursts {

  /** Feeds whose last fetch is known; of others a burst may cost one fetch more. */
  private static final int MAX_FEEDS = 100_000;

  private final Pauses pauses;
  private final Cache<Long, Instant> fetched;

  /**
   * How long to wait.
   *
   * @param soon after a fetch for a ping, which makes another one part of the same burst
   * @param quiet how long nothing has to come, and somewhat longer for each ping that waits; zero
   *     for never waiting
   * @param longest how long the first that waits has to wait at most, likewise
   */
  public record Pauses(Duration soon, Duration quiet, Duration longest) {
    /** These pauses with another quiet time. */
    public Pauses withQuiet(Duration other) {
      return new Pauses(soon, other, longest);
    }
  }

  /** The waits of a gateway. */
  public static final Pauses USUAL =
      new Pauses(Duration.ofSeconds(1), Duration.ofMillis(400), Duration.ofSeconds(5));

  /** The more pings there are, the longer it is worth to wait for the last of them. */
  private static final Duration QUIET_PER_PING = Duration.ofMillis(10);

  private static final Duration WAIT_PER_PING = Duration.ofMillis(50);
  private static final Duration MOST_QUIET = Duration.ofSeconds(1);
  private static final Duration MOST_WAIT = Duration.ofSeconds(15);

  /** Knows of no fetch yet. */
  public PingBursts(Pauses pauses, Clock clock) {
    this.pauses = pauses;
    fetched =
        Caffeine.newBuilder()
            .maximumSize(MAX_FEEDS)
            .expireAfterWrite(pauses.soon().plus(MOST_WAIT).plusSeconds(1))
            .ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
            .build();
  }

  /** A fetch for pings is being sent. */
  public void fetched(long feedId, Instant now) {
    if (!pauses.quiet().isZero()) {
      fetched.put(feedId, now);
    }
  }

  /**
   * Until when pings are to wait.
   *
   * @param items in the order in which they came
   */
  public Optional<Instant> waitUntil(long feedId, List<WorkItem> items, Instant now) {
    Instant last = fetched.getIfPresent(feedId);
    Instant first = items.get(0).receivedAt();
    if (last == null || !first.isBefore(last.plus(pauses.soon()))) {
      return Optional.empty();
    }
    int pings = items.size();
    Duration pause = least(pauses.quiet().plus(QUIET_PER_PING.multipliedBy(pings)), MOST_QUIET);
    Duration whole = least(pauses.longest().plus(WAIT_PER_PING.multipliedBy(pings)), MOST_WAIT);
    Instant quiet = items.get(pings - 1).receivedAt().plus(pause);
    Instant latest = first.plus(whole);
    return Optional.of(quiet.isBefore(latest) ? quiet : latest).filter(end -> end.isAfter(now));
  }

  private static Duration least(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
