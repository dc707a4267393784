package io.feedbridge.gateway.ingest.hosts;

import java.time.Duration;
import java.util.Optional;

/**
 * The part of an answer that tells the pace of its site.
 *
 * @param code the HTTP status
 * @param retryAfter the time for which the site asks to be left alone
 * @param limit the requests that are left
 */
public record SiteAnswer(int code, Optional<Duration> retryAfter, RateLimit limit) {

  private static final int FORBIDDEN = 403;
  private static final int TOO_MANY_REQUESTS = 429;

  /** Whether the site refuses the request for its rate. */
  public boolean isRefusal() {
    return code == TOO_MANY_REQUESTS
        || (code == FORBIDDEN && (retryAfter.isPresent() || limit.isSpent()));
  }

  /** The time for which the site is to rest; empty if the answer does not say. */
  Optional<Duration> rest() {
    if (!isRefusal()) {
      return Optional.ofNullable(limit.isSpent() ? limit.reset() : null);
    }
    return retryAfter.or(() -> Optional.ofNullable(limit.reset()));
  }
}
