package io.feedbridge.gateway.ingest.hosts;

import io.feedbridge.gateway.store.feeds.SitePace;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time between two requests that one site permits. A refusal doubles it, or sets it by the
 * requests that the site answered between two rests; good answers relax it slowly, and for a day
 * not to the pace that was refused. Not thread-safe.
 */
final class LearntPace {

  /** The pace after the first refusal that names none. */
  static final Duration START = Duration.ofSeconds(10);

  /** The slowest pace that is learnt. */
  static final Duration LONGEST = Duration.ofHours(1);

  /** A faster pace than this is none. */
  static final Duration SHORTEST = Duration.ofSeconds(1);

  /** Good answers in a row after which the pace is an eighth faster. */
  static final int RELAXED_AFTER = 32;

  /** Servers tell a reset in whole seconds, rounded down by some. */
  private static final Duration ROUNDED = Duration.ofSeconds(1);

  /** For how long the pace stays slower than the pace that was refused. */
  static final Duration MINDFUL = Duration.ofDays(1);

  private final Duration given;
  private final Duration longestRest;
  private Duration pace;
  private Duration refusedPace = Duration.ZERO;
  private Instant refusedAt = Instant.EPOCH;
  private Instant raisedAt = Instant.MIN;
  private Instant rest = Instant.EPOCH;

  /** The end of the last rest; null before the first. */
  private @Nullable Instant began;

  /** When the first of the {@link #answered} requests was sent. */
  private @Nullable Instant first;

  /** Requests that the site answered since the last rest. */
  private int answered;

  private int good;
  private Duration spread = Duration.ZERO;
  private Instant spreadUntil = Instant.EPOCH;

  /** How an answer changed a pace. */
  enum Change {
    NONE,
    /** The site rests, and its pace is as it was. */
    REST,
    SLOWER,
    FASTER
  }

  /**
   * The pace of a site that has answered nothing.
   *
   * @param given by the operator, which is never exceeded; zero for none
   * @param longestRest the longest rest that is granted
   */
  LearntPace(Duration given, Duration longestRest) {
    this.given = given;
    this.longestRest = longestRest;
    pace = given;
  }

  /** Goes on with a pace that was learnt before. */
  void remember(SitePace known, Instant now) {
    pace = atMost(longer(known.pace(), given), longer(LONGEST, given));
    refusedPace = known.refusedPace();
    refusedAt = known.refusedAt();
    Instant latest = now.plus(longestRest);
    rest = known.restUntil().isAfter(latest) ? latest : known.restUntil();
    began = rest.isAfter(now) ? rest : null;
  }

  SitePace known(String site, Instant now) {
    return new SitePace(site, pace, refusedPace, refusedAt, rest, now);
  }

  /** The time between two requests now; zero if they need none. */
  Duration now(Instant now) {
    return spreadUntil.isAfter(now) ? longer(pace, spread) : pace;
  }

  /** Before which no request may be sent. */
  Instant rest() {
    return rest;
  }

  /** When it last refused a request; {@link Instant#EPOCH} if it refused none. */
  Instant refusedAt() {
    return refusedAt;
  }

  /** Whether it holds anything up, now or later. */
  boolean isNone(Instant now) {
    return now(now).isZero() && !rest.isAfter(now);
  }

  /**
   * Learns from an answer.
   *
   * @param sentAt when its request was sent
   */
  Change learn(SiteAnswer answer, Instant sentAt, Instant now) {
    Duration before = pace;
    boolean refused = answer.isRefusal();
    Optional<Duration> asked = answer.rest().map(time -> atMost(time, longestRest));
    if (!refused) {
      answered(sentAt);
    }
    spread(answer.limit(), now);
    if (!refused && asked.isEmpty()) {
      relax(now);
    } else {
      good = 0;
      Instant end = now.plus(asked.orElse(Duration.ZERO));
      Duration permitted = asked.isPresent() ? permitted(end) : Duration.ZERO;
      if (refused) {
        refused(permitted, sentAt, now);
      } else {
        spent(permitted, now);
      }
      rest(answer.retryAfter().isPresent() ? end : end.plus(ROUNDED), now);
    }
    int order = pace.compareTo(before);
    if (order != 0) {
      return order > 0 ? Change.SLOWER : Change.FASTER;
    }
    return asked.isPresent() && rest.isAfter(now.plus(pace)) ? Change.REST : Change.NONE;
  }

  /** A request was refused that others explain: the pace is as it was. */
  Change refusedForOthers(Instant now) {
    good = 0;
    refusedAt = now;
    return Change.NONE;
  }

  /** A request was not refused. */
  void answered(Instant sentAt) {
    if (began != null && !sentAt.isBefore(began)) {
      answered++;
      first = first == null ? sentAt : first;
    }
  }

  /** The pace by the requests that were answered since the last rest; zero if it is not known. */
  private Duration permitted(Instant end) {
    return first == null ? Duration.ZERO : Duration.between(first, end).dividedBy(answered);
  }

  /** The last request of a period was answered: the pace is the one that the period permits. */
  private void spent(Duration permitted, Instant now) {
    if (permitted.isZero()) {
      slower(pace.isZero() ? START : pace, now);
    } else if (permitted.compareTo(part(pace, 33, 32)) > 0) {
      slower(permitted, now);
    } else if (permitted.compareTo(part(pace, 7, 8)) < 0) {
      faster(permitted, now);
    }
  }

  /** Requests that were under way when the pace was raised say nothing of the new one. */
  private void refused(Duration permitted, Instant sentAt, Instant now) {
    refusedAt = now;
    if (!sentAt.isAfter(raisedAt)) {
      return;
    }
    refusedPace = pace;
    Duration doubled = pace.isZero() ? START : pace.multipliedBy(2);
    slower(permitted.isZero() ? doubled : longer(permitted, mindful()), now);
  }

  private void slower(Duration wanted, Instant now) {
    Duration bounded = atMost(wanted, LONGEST);
    if (bounded.compareTo(SHORTEST) >= 0 && bounded.compareTo(pace) > 0) {
      pace = bounded;
      raisedAt = now;
    }
  }

  private void rest(Instant end, Instant now) {
    if (end.isAfter(rest) && end.isAfter(now)) {
      rest = end;
      began = end;
      first = null;
      answered = 0;
    }
  }

  /** The last requests before a reset are spread until then. */
  private void spread(RateLimit limit, Instant now) {
    Long left = limit.remaining();
    Duration reset = limit.reset();
    if (left == null || reset == null) {
      return;
    }
    Duration until = atMost(reset, longestRest);
    boolean isSpread = left > 0 && limit.isFew();
    Duration each = !isSpread ? Duration.ZERO : atMost(until.dividedBy(left), LONGEST);
    spread = each.compareTo(SHORTEST) < 0 ? Duration.ZERO : each;
    spreadUntil = spread.isZero() ? Instant.EPOCH : now.plus(until);
  }

  private void relax(Instant now) {
    good++;
    if (good < RELAXED_AFTER || pace.isZero()) {
      return;
    }
    good = 0;
    faster(part(pace, 7, 8), now);
  }

  private void faster(Duration wanted, Instant now) {
    Duration least = now.isBefore(refusedAt.plus(MINDFUL)) ? longer(given, mindful()) : given;
    Duration bounded = longer(wanted, least);
    pace =
        bounded.compareTo(SHORTEST) < 0 && given.isZero() ? Duration.ZERO : atMost(bounded, pace);
  }

  /** A quarter slower than the pace that was refused. */
  private Duration mindful() {
    return part(refusedPace, 5, 4);
  }

  private static Duration part(Duration time, int over, int under) {
    return time.multipliedBy(over).dividedBy(under);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Duration atMost(Duration time, Duration most) {
    return time.compareTo(most) > 0 ? most : time;
  }
}
