package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.Pace;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * How long until a feed is fetched again: a fetch that finds something shortens the period, one
 * that finds nothing lengthens it, and what the origin asks for is a floor. Pure.
 *
 * @param min the shortest period
 * @param max the longest
 * @param backup the period of the poll that watches over a feed followed by push
 * @param recheck after what time a pinged feed that turned out unchanged is fetched once more; zero
 *     for never
 * @param spread whether times are moved a little, each feed's by an amount of its own, so that
 *     feeds that began together do not stay so
 */
public record Cadence(
    Duration min, Duration max, Duration backup, Duration recheck, boolean spread) {

  /** Of a feed whose rhythm is not known yet. */
  private static final Duration START = Duration.ofMinutes(15);

  /** Of a feed that is silent no wait is longer than this share of the silence, or of its gap. */
  private static final int SHARE_OF_SILENCE = 4;

  /** Of what a document holds no more than this share is to come between two polls, as a rule. */
  private static final int SHARE_OF_DOCUMENT = 4;

  /** The shortest period of what is no feed, unless feeds have a shorter one than by default. */
  private static final Duration CONTENT_MIN = Duration.ofMinutes(5);

  private static final Duration DEFAULT_MIN = Duration.ofMinutes(1);

  /** The most that a time is moved by spreading: this part of the wait, and no more than that. */
  private static final int SPREAD_PART = 10;

  private static final Duration SPREAD_MOST = Duration.ofMinutes(15);
  private static final int SPREAD_STEPS = 1_000;

  private static final int HOURS_OF_A_WEEK = 7 * 24;

  /** After a fetch that a ping asked for and that failed. */
  private static final List<Duration> PING_RETRIES =
      List.of(
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofMinutes(10));

  private static final int MAX_DOUBLINGS = 16;

  /** The period after a fetch, of a feed with this rhythm. */
  Duration after(Duration period, boolean found, boolean first, Pace rhythm, Instant now) {
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
  private Duration longest(Pace rhythm, Instant now) {
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
   * The period of the poll that watches over a feed followed by push: shorter than usual where the
   * document would have lost by then what was missed, as far as the feed's rhythm tells.
   */
  Duration watch(Pace rhythm) {
    Duration gap = rhythm.gap();
    if (gap == null || rhythm.shown() == 0) {
      return backup;
    }
    Duration kept = gap.multipliedBy(rhythm.shown()).dividedBy(SHARE_OF_DOCUMENT);
    Duration wait = kept.compareTo(START) < 0 ? START : kept;
    return wait.compareTo(backup) < 0 ? wait : backup;
  }

  /** The shortest period for this kind of resource. */
  Duration floor(FeedKind kind) {
    boolean raised = kind == FeedKind.CONTENT && min.compareTo(DEFAULT_MIN) >= 0;
    return raised && min.compareTo(CONTENT_MIN) < 0 ? CONTENT_MIN : min;
  }

  /**
   * When to fetch next after waiting this long at least: not before the origin wants it, as far as
   * the longest period allows, and in no hour or day that it wants to be spared.
   *
   * @param url whose hash spreads the times of different feeds
   */
  Instant next(Instant now, Duration wait, Pace.Asked asked, String url) {
    Instant earliest = now.plus(wait);
    Instant wanted = wanted(now, asked);
    Instant latest = now.plus(max.compareTo(wait) > 0 ? max : wait);
    Instant planned =
        wanted.isAfter(earliest) ? (wanted.isAfter(latest) ? latest : wanted) : earliest;
    if (spread) {
      planned = planned.plus(share(Duration.between(now, planned), url));
    }
    Instant allowed = allowed(planned, asked);
    return spread && !allowed.equals(planned)
        ? allowed.plus(share(Duration.ofMinutes(SPREAD_PART), url))
        : allowed;
  }

  /** The period as it is kept to in the end. */
  Duration effective(Instant now, Duration period, Pace.Asked asked) {
    Duration wanted = Duration.between(now, wanted(now, asked));
    Duration longer = wanted.compareTo(period) > 0 ? wanted : period;
    return longer.compareTo(max) > 0 ? max : longer;
  }

  private static Instant wanted(Instant now, Pace.Asked asked) {
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

  /** The end of the cycle that is under way, of those that count from a base. */
  private static Instant aligned(Instant now, Instant base, Duration cycle) {
    long into = Math.floorMod(Duration.between(base, now).toSeconds(), cycle.toSeconds());
    return now.plusSeconds(cycle.toSeconds() - into);
  }

  /** The first minute after the hours and days to be spared; who names all of them names none. */
  private static Instant allowed(Instant planned, Pace.Asked asked) {
    ZonedDateTime time = planned.atZone(ZoneOffset.UTC);
    for (int hours = 0; hours <= HOURS_OF_A_WEEK; hours++) {
      DayOfWeek day = time.getDayOfWeek();
      if (!asked.skipDays().contains(day) && !asked.skipHours().contains(time.getHour())) {
        return time.toInstant();
      }
      time = time.truncatedTo(ChronoUnit.HOURS).plusHours(1);
    }
    return planned;
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

  /** What an origin asks for, as far as it is granted. */
  Duration bounded(Duration asked) {
    return asked.compareTo(max) > 0 ? max : asked;
  }

  private Duration within(Duration period) {
    if (period.compareTo(min) < 0) {
      return min;
    }
    return period.compareTo(max) > 0 ? max : period;
  }
}
