package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.schedule.BackOff;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** How often one document is tried, which each protocol decides for itself. Thread-safe. */
public sealed interface RetryPolicy {

  /**
   * The next step after a try that failed.
   *
   * @param failures of this document so far, at least 1; after the first it is always tried again
   * @param retryAfter how long the subscriber asked to be left alone
   */
  Next after(Instant now, int failures, Optional<Duration> retryAfter);

  /**
   * Tries until the document is taken, with growing pauses. A subscriber that never takes it falls
   * behind until rule L13 lets it jump; its subscription lives on.
   */
  record Lasting(BackOff backOff) implements RetryPolicy {
    @Override
    public Next after(Instant now, int failures, Optional<Duration> retryAfter) {
      return new Next.Retry(backOff.next(now, failures, retryAfter));
    }
  }

  /**
   * Tries a few times in short order, then gives the document up: the next one says as much. With
   * too many given up in a row the subscription ends at the top of the hour.
   *
   * @param pauses between the tries, not empty. A subscriber's own wish stretches one at most to
   *     the longest of them: a notification that comes much later than its event is worth little
   * @param allowed documents given up in a row
   */
  record Brief(List<Duration> pauses, int allowed, RandomGenerator random) implements RetryPolicy {

    /**
     * A tenth more at most, so that subscribers that failed together do not all come back at once.
     */
    private static final int JITTER = 10;

    public Brief {
      pauses = List.copyOf(pauses);
    }

    @Override
    public Next after(Instant now, int failures, Optional<Duration> retryAfter) {
      if (failures > pauses.size()) {
        Instant topOfHour = now.truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS);
        return new Next.PassOver(allowed, topOfHour);
      }
      Duration pause = pauses.get(failures - 1);
      Duration longest = pauses.stream().max(Duration::compareTo).orElse(pause);
      Duration asked = retryAfter.orElse(Duration.ZERO);
      Duration bounded = asked.compareTo(longest) > 0 ? longest : asked;
      Duration chosen = bounded.compareTo(pause) > 0 ? bounded : pause;
      return new Next.Retry(
          now.plus(chosen).plusMillis(random.nextLong(pause.toMillis() / JITTER + 1)));
    }
  }
}
