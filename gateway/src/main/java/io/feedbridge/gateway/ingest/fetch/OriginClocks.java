package io.feedbridge.gateway.ingest.fetch;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.client.Headers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * How far the system clock is from the clocks of origins, by the {@code Date} of their answers. The
 * clocks of many servers are wrong, so the median of many hosts counts. Safe for use by several
 * threads.
 */
final class OriginClocks {

  /** Hosts that are compared with, the ones that answered last. */
  static final int MAX_HOSTS = 100;

  /** The answers of fewer hosts tell nothing. */
  static final int MIN_HOSTS = 3;

  private final Cache<String, Duration> ahead =
      Caffeine.newBuilder().maximumSize(MAX_HOSTS).expireAfterWrite(Duration.ofDays(1)).build();

  OriginClocks() {}

  /** An answer of a host; one from a cache has the date of an earlier time. */
  void saw(String host, Headers answer, Instant now) {
    if (answer.first("Age").isEmpty()) {
      answer
          .first("Date")
          .flatMap(Freshness::date)
          .ifPresent(date -> ahead.put(host, Duration.between(date, now)));
    }
  }

  /**
   * The seconds by which the system clock is ahead of the clocks of origins in the median; negative
   * where it is behind, NaN where too few hosts have answered.
   */
  public double secondsAhead() {
    List<Duration> sorted = ahead.asMap().values().stream().sorted().toList();
    return sorted.size() < MIN_HOSTS
        ? Double.NaN
        : sorted.get(sorted.size() / 2).toMillis() / 1_000.0;
  }
}
