package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Hints;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The times at which feeds are fetched again: a fetch that finds news shortens the period, a fetch
 * that finds none lengthens it, and the origin's hints are a floor. Pure.
 *
 * @param min the shortest period
 * @param max the longest
 * @param backup the period of the poll that watches over a feed followed by push
 * @param recheck the time after which a pinged feed that turned out unchanged is fetched once more;
 *     zero for never
 * @param spread whether times are moved a little, each feed's by an amount of its own, so that
 *     feeds that began together do not stay so
 */
public record PollSchedule(
    Duration min, Duration max, Duration backup, Duration recheck, boolean spread) {

  /** The period of a feed whose rhythm is not known yet. */
  private static final Duration START = Duration.ofMinutes(15);

  /**
   * No wait for a silent feed is longer than this share of the silence, or of the feed's usual gap.
   */
  private static final int SHARE_OF_SILENCE = 4;

  /** As a rule, at most this share of a document's entries is to be new between two polls. */
  private static final int SHARE_OF_DOCUMENT = 4;

  /**
   * The shortest period of a resource that is no feed, unless feeds have a shorter one than by
   * default.
   */
  private static final Duration CONTENT_MIN = Duration.ofMinutes(5);

  private static final Duration DEFAULT_MIN = Duration.ofMinutes(1);

  /** The most that a time is moved by spreading: this part of the wait, and no more than that. */
  private static final int SPREAD_PART = 10;

  private static final Duration SPREAD_MOST = Duration.ofMinutes(15);
  private static final int SPREAD_STEPS = 1_000;

  /** The pauses after failed fetches that a ping asked for. */
  private static final List<Duration> PING_RETRIES =
      List.of(
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofMinutes(10));

  private static final int MAX_DOUBLINGS = 16;

  /** The period after a fetch, of a feed with this rhythm. */
  public Duration after(
      Duration period, boolean found, boolean first, PollPace rhythm, Instant now) {
    if (first || period.isZero()) {
      return within(START);
    }
    if (found) {
      return within(period.dividedBy(2));
    }
    Duration longer = within(period.multipliedBy(3).dividedBy(2));
    Duration longest = longest(rhythm, now);
    return longer.compareTo(longest) > 0 ? longest : longer;
  }

  /**
   * A feed with an entry a day is not left alone for a day, nor is one that is silent for a month
   * polled as often as before.
   */
  private Duration longest(PollPace rhythm, Instant now) {
    Duration gap = rhythm.gap();
    Instant newest = rhythm.newestAt();
    if (gap == null || newest == null) {
      return max;
    }
    Duration silence = Duration.between(newest, now);
    Duration wait = (silence.compareTo(gap) > 0 ? silence : gap).dividedBy(SHARE_OF_SILENCE);
    return within(wait.compareTo(START) < 0 ? START : wait);
  }

  /**
   * The period of the poll that watches over a feed followed by push. The period is shorter than
   * the usual one if, by the feed's rhythm, the document would by then have lost missed entries.
   */
  Duration watch(PollPace rhythm) {
    Duration gap = rhythm.gap();
    if (gap == null || rhythm.shown() == 0) {
      return backup;
    }
    Duration kept = gap.multipliedBy(rhythm.shown()).dividedBy(SHARE_OF_DOCUMENT);
    Duration wait = kept.compareTo(START) < 0 ? START : kept;
    return wait.compareTo(backup) < 0 ? wait : backup;
  }

  /** The shortest period for this kind of resource. */
  public Duration floor(FeedKind kind) {
    boolean raised = kind == FeedKind.CONTENT && min.compareTo(DEFAULT_MIN) >= 0;
    return raised && min.compareTo(CONTENT_MIN) < 0 ? CONTENT_MIN : min;
  }

  /**
   * When to fetch next after waiting this long at least: not before the origin wants it, as far as
   * the longest period allows, and in no hour or day that it wants to be spared.
   *
   * @param url whose hash spreads the times of different feeds
   */
  public Instant next(Instant now, Duration wait, PollPace.Asked asked, String url) {
    Instant earliest = now.plus(wait);
    Instant wanted = wanted(now, asked);
    Instant latest = now.plus(max.compareTo(wait) > 0 ? max : wait);
    Instant planned =
        wanted.isAfter(earliest) ? (wanted.isAfter(latest) ? latest : wanted) : earliest;
    if (spread) {
      planned = planned.plus(share(Duration.between(now, planned), url));
    }
    Instant allowed = asked.allowed(planned);
    return spread && !allowed.equals(planned)
        ? allowed.plus(share(Duration.ofMinutes(SPREAD_PART), url))
        : allowed;
  }

  /** The period as it is kept to in the end. */
  Duration effective(Instant now, Duration period, PollPace.Asked asked) {
    Duration wanted = Duration.between(now, wanted(now, asked));
    Duration longer = wanted.compareTo(period) > 0 ? wanted : period;
    return longer.compareTo(max) > 0 ? max : longer;
  }

  private static Instant wanted(Instant now, PollPace.Asked asked) {
    Instant wanted = now;
    for (Duration floor : new Duration[] {asked.ttl(), asked.fresh()}) {
      if (floor != null && now.plus(floor).isAfter(wanted)) {
        wanted = now.plus(floor);
      }
    }
    Duration cycle = asked.cycle();
    if (cycle == null) {
      return wanted;
    }
    Instant updated = asked.base() == null ? now.plus(cycle) : aligned(now, asked.base(), cycle);
    return updated.isAfter(wanted) ? updated : wanted;
  }

  /** The end of the current cycle, where cycles are counted from a base. */
  private static Instant aligned(Instant now, Instant base, Duration cycle) {
    // A store of an earlier version may have a shorter one.
    long length = Math.max(1, cycle.toSeconds());
    long into = Math.floorMod(Duration.between(base, now).toSeconds(), length);
    return now.plusSeconds(length - into);
  }

  private static Duration share(Duration wait, String url) {
    Duration most = wait.dividedBy(SPREAD_PART);
    Duration bounded = most.compareTo(SPREAD_MOST) > 0 ? SPREAD_MOST : most;
    return bounded
        .multipliedBy(Math.floorMod(url.hashCode(), SPREAD_STEPS))
        .dividedBy(SPREAD_STEPS);
  }

  /** When to try again after so many failures in a row. */
  Instant afterFailure(
      Instant now, Duration period, int failures, boolean pinged, Optional<Duration> retryAfter) {
    Duration pause =
        pinged && failures <= PING_RETRIES.size()
            ? PING_RETRIES.get(failures - 1)
            : within(
                (period.isZero() ? START : period)
                    .multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS)));
    return now.plus(
        retryAfter.filter(asked -> asked.compareTo(pause) > 0).map(this::bounded).orElse(pause));
  }

  /**
   * When to try again a topic that was never read, after so many failures in a row: first soon,
   * unless its origin answered that it is not there, then within the hour, then at ever longer
   * pauses.
   */
  Instant afterFirstLook(Instant now, int failures, FetchResult.Failed failed) {
    Integer code = failed.code();
    boolean isTold = code != null && code < FetchResult.SERVER_ERROR;
    int step = isTold ? failures + PING_RETRIES.size() - 1 : failures;
    if (failed.isEarly()) {
      return now.plus(bounded(failed.retryAfter().orElse(Duration.ZERO)));
    }
    int doublings = Math.min(step - PING_RETRIES.size(), MAX_DOUBLINGS);
    Duration pause =
        step <= PING_RETRIES.size()
            ? PING_RETRIES.get(step - 1)
            : within(START.multipliedBy(1L << doublings));
    return now.plus(
        failed
            .retryAfter()
            .filter(asked -> asked.compareTo(pause) > 0)
            .map(this::bounded)
            .orElse(pause));
  }

  /** The pause that an origin asks for, bounded by the longest period. */
  Duration bounded(Duration asked) {
    return asked.compareTo(max) > 0 ? max : asked;
  }

  private Duration within(Duration period) {
    if (period.compareTo(min) < 0) {
      return min;
    }
    return period.compareTo(max) > 0 ? max : period;
  }

  /** The polling hints of the document and of HTTP. */
  public static PollPace.Asked asked(Optional<Feed> parsed, FetchResult.Way way) {
    Hints hints = parsed.map(Feed::hints).orElse(Hints.NONE);
    return new PollPace.Asked(
        hints.ttl(),
        way.fresh(),
        hints.updatePeriod(),
        hints.updateBase(),
        hints.skipHours(),
        hints.skipDays());
  }
}
