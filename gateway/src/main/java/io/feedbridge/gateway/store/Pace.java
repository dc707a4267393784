package io.feedbridge.gateway.store;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a feed is to be looked at: its own rhythm, and what its origin asks for.
 *
 * @param pollAt when its next regular poll is due, whatever is fetched before that
 * @param recheckAt when a feed that was pinged and turned out unchanged is fetched once more
 * @param gap the usual time between two entries, as far as it is known
 * @param newestAt when its newest entry appeared, as far as it is known
 * @param period how long until the next poll as far as its rhythm alone counts
 * @param moving where it redirects to for good, not believed yet
 * @param shown entries that its document had when it was last read; 0 where that is not known
 * @param asked what its document and its origin ask for
 */
public record Pace(
    @Nullable Instant pollAt,
    @Nullable Instant recheckAt,
    @Nullable Duration gap,
    @Nullable Instant newestAt,
    @Nullable Duration period,
    @Nullable Moving moving,
    int shown,
    Asked asked) {

  /** Of a feed that was never fetched. */
  public static final Pace UNKNOWN = new Pace(null, null, null, null, null, null, 0, Asked.NOTHING);

  public Pace {
    // A store of an earlier version says nothing of it.
    asked = asked == null ? Asked.NOTHING : asked;
  }

  /** The same with another plan. */
  public Pace planned(@Nullable Instant poll, @Nullable Instant recheck) {
    return new Pace(poll, recheck, gap, newestAt, period, moving, shown, asked);
  }

  /** The same with other wishes of the origin. */
  public Pace asking(Asked wishes) {
    return new Pace(pollAt, recheckAt, gap, newestAt, period, moving, shown, wishes);
  }

  /** The same with another redirect. */
  public Pace movingTo(@Nullable Moving elsewhere) {
    return new Pace(pollAt, recheckAt, gap, newestAt, period, elsewhere, shown, asked);
  }

  /** The same with another number of entries in the document. */
  public Pace showing(int entries) {
    return new Pace(pollAt, recheckAt, gap, newestAt, period, moving, entries, asked);
  }

  /** The same with another period. */
  public Pace every(Duration other) {
    return new Pace(pollAt, recheckAt, gap, newestAt, other, moving, shown, asked);
  }

  /** The same with another rhythm. */
  public Pace beating(@Nullable Duration usual, @Nullable Instant newest) {
    return new Pace(pollAt, recheckAt, usual, newest, period, moving, shown, asked);
  }

  /**
   * A permanent redirect.
   *
   * @param to the URL that answered in the end
   * @param since when it was seen first, and at each fetch from then on
   */
  public record Moving(String to, Instant since) {}

  /**
   * What is asked of whoever polls a feed; none of it is believed beyond the gateway's own bounds.
   *
   * @param ttl how long the document says that it may be cached
   * @param fresh how long HTTP says so, of the last answer
   * @param cycle how often the syndication module says that it is updated
   * @param base a time from which those cycles count
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

    /** Of a feed that asks for nothing. */
    public static final Asked NOTHING = new Asked(null, null, null, null, List.of(), List.of());

    public Asked {
      skipHours = skipHours == null ? List.of() : List.copyOf(skipHours);
      skipDays = skipDays == null ? List.of() : List.copyOf(skipDays);
    }

    /** The same after an answer that says something else of its freshness. */
    public Asked withFresh(@Nullable Duration other) {
      return new Asked(ttl, other, cycle, base, skipHours, skipDays);
    }
  }
}
