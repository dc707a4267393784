package io.feedbridge.gateway.store.feeds;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The poll schedule of a feed: its own period, and the requests of its origin.
 *
 * @param pollAt when its next regular poll is due, whatever is fetched before that
 * @param recheckAt when a feed that was pinged and turned out unchanged is fetched once more
 * @param gap the usual time between two entries, as far as it is known
 * @param newestAt when its newest entry appeared, as far as it is known
 * @param period the time until the next poll, before the requests of its origin are applied
 * @param moving the target of a permanent redirect that is not confirmed yet
 * @param shown entries that its document had when it was last read; 0 where that is not known
 * @param asked the requests of its document and its origin
 */
public record PollPace(
    @Nullable Instant pollAt,
    @Nullable Instant recheckAt,
    @Nullable Duration gap,
    @Nullable Instant newestAt,
    @Nullable Duration period,
    @Nullable Moving moving,
    int shown,
    Asked asked) {

  /** Of a feed that was never fetched. */
  public static final PollPace UNKNOWN =
      new PollPace(null, null, null, null, null, null, 0, Asked.NOTHING);

  public PollPace {
    // A store of an earlier version says nothing of it.
    asked = asked == null ? Asked.NOTHING : asked;
  }

  /** The same schedule with another plan. */
  public PollPace planned(@Nullable Instant poll, @Nullable Instant recheck) {
    return new PollPace(poll, recheck, gap, newestAt, period, moving, shown, asked);
  }

  /** The same schedule with other requests of the origin. */
  public PollPace asking(Asked wishes) {
    return new PollPace(pollAt, recheckAt, gap, newestAt, period, moving, shown, wishes);
  }

  /** The same schedule with another redirect. */
  public PollPace movingTo(@Nullable Moving elsewhere) {
    return new PollPace(pollAt, recheckAt, gap, newestAt, period, elsewhere, shown, asked);
  }

  /** The same schedule with another number of entries in the document. */
  public PollPace showing(int entries) {
    return new PollPace(pollAt, recheckAt, gap, newestAt, period, moving, entries, asked);
  }

  /** The same schedule with another period. */
  public PollPace every(Duration other) {
    return new PollPace(pollAt, recheckAt, gap, newestAt, other, moving, shown, asked);
  }

  /** The same schedule with another usual time between two entries. */
  public PollPace beating(@Nullable Duration usual, @Nullable Instant newest) {
    return new PollPace(pollAt, recheckAt, usual, newest, period, moving, shown, asked);
  }

  /**
   * A permanent redirect.
   *
   * @param to the URL that answered in the end
   * @param since when it was seen first, and at each fetch from then on
   */
  public record Moving(String to, Instant since) {}

  /**
   * The requests of a feed to its pollers; the gateway respects each within its own bounds.
   *
   * @param ttl how long the document says that it may be cached
   * @param fresh how long the HTTP headers of the last answer allow it to be cached
   * @param cycle how often the syndication module says that it is updated
   * @param base a time from which the cycles count
   * @param skipHours hours of the day in GMT in which it is not to be polled
   * @param skipDays days of the week in GMT likewise
   */
  public record Asked(
      @Nullable Duration ttl,
      @Nullable Duration fresh,
      @Nullable Duration cycle,
      @Nullable Instant base,
      List<Integer> skipHours,
      List<DayOfWeek> skipDays) {

    private static final int HOURS_OF_A_WEEK = 7 * 24;

    /** Of a feed that asks for nothing. */
    public static final Asked NOTHING = new Asked(null, null, null, null, List.of(), List.of());

    public Asked {
      skipHours = skipHours == null ? List.of() : List.copyOf(skipHours);
      skipDays = skipDays == null ? List.of() : List.copyOf(skipDays);
    }

    /**
     * The first time, from a planned time on, that is in no skipped hour and on no skipped day: the
     * planned time itself, or the begin of an hour. The planned time is returned if all hours are
     * skipped.
     */
    public Instant allowed(Instant planned) {
      ZonedDateTime time = planned.atZone(ZoneOffset.UTC);
      for (int hours = 0; hours <= HOURS_OF_A_WEEK; hours++) {
        if (!skipDays.contains(time.getDayOfWeek()) && !skipHours.contains(time.getHour())) {
          return time.toInstant();
        }
        time = time.truncatedTo(ChronoUnit.HOURS).plusHours(1);
      }
      return planned;
    }

    /** The same requests after an answer with another freshness. */
    public Asked withFresh(@Nullable Duration other) {
      return new Asked(ttl, other, cycle, base, skipHours, skipDays);
    }
  }
}
