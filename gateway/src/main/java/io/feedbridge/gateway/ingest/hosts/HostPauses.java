package io.feedbridge.gateway.ingest.hosts;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BinaryOperator;

/**
 * The pauses that hosts asked for ({@code Retry-After}). Fetches of followed feeds and first looks
 * share one. Safe for use by several threads.
 */
public final class HostPauses {

  /** The reason that is told of a fetch which is not made before a pause ends. */
  public static final String REASON = "its host requested a pause (Retry-After)";

  /** The most hosts whose pauses are remembered. */
  private static final int MAX_REMEMBERED = 50_000;

  private final Duration longest;
  private final Clock clock;
  private final Cache<String, Instant> ends;

  /**
   * Without a pause.
   *
   * @param longest the longest pause that is granted
   */
  public HostPauses(Duration longest, Clock clock) {
    this.longest = longest;
    this.clock = clock;
    ends =
        Caffeine.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterWrite(longest)
            .ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
            .build();
  }

  /** Grants a pause, as far as pauses are granted. A shorter one does not end a longer one. */
  public void grant(Origin origin, Duration asked) {
    Duration granted = asked.compareTo(longest) > 0 ? longest : asked;
    ends.asMap()
        .merge(
            origin.authority(),
            clock.instant().plus(granted),
            (one, other) -> one.isAfter(other) ? one : other);
  }

  /** The ends of the pauses by host, the last one where several ports of it have one. */
  public Map<String, Instant> byHost() {
    Instant now = clock.instant();
    Map<String, Instant> all = new HashMap<>();
    ends.asMap()
        .forEach(
            (authority, end) -> {
              if (now.isBefore(end)) {
                String host = Origin.of("http://" + authority).host();
                all.merge(host, end, BinaryOperator.maxBy(Comparator.naturalOrder()));
              }
            });
    return all;
  }

  /** The end of a host's pause; empty if the host may be asked now. */
  public Optional<Instant> end(Origin origin) {
    return Optional.ofNullable(ends.getIfPresent(origin.authority()))
        .filter(clock.instant()::isBefore);
  }
}
