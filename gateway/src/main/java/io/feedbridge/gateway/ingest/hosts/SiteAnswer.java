package io.feedbridge.gateway.ingest.hosts;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of an answer that tells the pace of its site.
 *
 * @param code the HTTP status
 * @param retryAfter the time for which the site asks to be left alone
 * @param limit the requests that are left
 * @param address from which the answer came; null if it is not known
 */
public record SiteAnswer(
    int code, Optional<Duration> retryAfter, RateLimit limit, @Nullable InetAddress address) {

  private static final int FORBIDDEN = 403;
  private static final int TOO_MANY_REQUESTS = 429;

  /** An answer from an unknown address. */
  SiteAnswer(int code, Optional<Duration> retryAfter, RateLimit limit) {
    this(code, retryAfter, limit, null);
  }

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
