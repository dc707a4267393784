package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Verification;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How long a request to subscribe waits for a topic whose first fetch is answered with a server
 * error. Pure.
 */
final class TopicWaitBudget {

  /** When the topic is fetched again, after the request. */
  static final List<Duration> LOOKS =
      List.of(Duration.ofSeconds(5), Duration.ofSeconds(35), Duration.ofSeconds(155));

  /** How often to look whether a fetch that is due has ended. */
  static final Duration TICK = Duration.ofSeconds(1);

  /** How long after the request the topic is given up, whether or not a fetch has ended. */
  static final Duration LONGEST = Duration.ofMinutes(5);

  private static final int SERVER_ERROR = 500;

  private TopicWaitBudget() {}

  /**
   * The next step of a request.
   *
   * @param fetchAt when the topic is to be fetched again; empty while a fetch is awaited
   * @param lookAt when to look at the request again
   */
  record Wait(Optional<Instant> fetchAt, Instant lookAt) {}

  /** The wait that is due next; empty where the request must be denied now. */
  static Optional<Wait> of(Verification request, FollowedFeed feed, Instant now) {
    Integer code = feed.fetched().code();
    Instant lastFetch = feed.fetched().lastFetch();
    if (feed.hasBaseline()
        || code == null
        || code < SERVER_ERROR
        || lastFetch == null
        || now.isAfter(request.requestedAt().plus(LONGEST))) {
      return Optional.empty();
    }
    Instant due = Instant.MIN;
    for (Duration look : LOOKS) {
      Instant at = request.requestedAt().plus(look);
      if (at.isAfter(now)) {
        return Optional.of(
            lastFetch.isBefore(due)
                ? new Wait(Optional.empty(), now.plus(TICK))
                : new Wait(Optional.of(at), at));
      }
      due = at;
    }
    return lastFetch.isBefore(due)
        ? Optional.of(new Wait(Optional.empty(), now.plus(TICK)))
        : Optional.empty();
  }
}
