package io.feedbridge.gateway.ingest;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How long until a feed is fetched again: a fetch that finds something shortens the period, one
 * that finds nothing lengthens it.
 *
 * @param min the shortest period
 * @param max the longest
 * @param backup the period of the poll that watches over a feed followed by push
 */
public record Cadence(Duration min, Duration max, Duration backup) {

  /** Of a feed whose rhythm is not known yet. */
  private static final Duration START = Duration.ofMinutes(15);

  /** After a fetch that a ping asked for and that failed. */
  private static final List<Duration> PING_RETRIES =
      List.of(
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofMinutes(10));

  private static final int MAX_DOUBLINGS = 16;

  /** The period after a fetch. */
  Duration after(Duration period, boolean found, boolean first) {
    if (first || period.isZero()) {
      return within(START);
    }
    return within(found ? period.dividedBy(2) : period.multipliedBy(3).dividedBy(2));
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

  private Duration bounded(Duration asked) {
    return asked.compareTo(max) > 0 ? max : asked;
  }

  private Duration within(Duration period) {
    if (period.compareTo(min) < 0) {
      return min;
    }
    return period.compareTo(max) > 0 ? max : period;
  }
}
