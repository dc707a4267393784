package io.feedbridge.gateway.intake;

import io.feedbridge.gateway.store.UpstreamSubscriptions;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The registrations at clouds that know a feed by another URL than its topic. The store has no
 * index of these URLs, so they are read together, and not for each caller that names an unknown
 * one. Blocks; safe for use by several threads.
 */
final class CloudNames {

  /** URLs that are remembered. */
  static final int MAX_NAMES = 10_000;

  /** The time between two readings at least: a registration is known after this time. */
  static final Duration PAUSE = Duration.ofSeconds(5);

  private final UpstreamSubscriptions upstreamSubscriptions;
  private final Clock clock;
  private Map<String, String> tokens = Map.of();
  private Instant nextReading = Instant.MIN;

  CloudNames(UpstreamSubscriptions upstreamSubscriptions, Clock clock) {
    this.upstreamSubscriptions = upstreamSubscriptions;
    this.clock = clock;
  }

  /**
   * The token of the registration by a URL.
   *
   * @param url normalised
   */
  synchronized Optional<String> token(String url) {
    Instant now = clock.instant();
    // A clock that was set back by much is not waited for.
    if (!tokens.containsKey(url)
        && (!nextReading.isAfter(now) || nextReading.isAfter(now.plus(PAUSE)))) {
      tokens = read();
      nextReading = now.plus(PAUSE);
    }
    return Optional.ofNullable(tokens.get(url));
  }

  private Map<String, String> read() {
    Map<String, String> read = new HashMap<>();
    upstreamSubscriptions
        .namesAtClouds(MAX_NAMES)
        .forEach((name, token) -> read.putIfAbsent(normal(name), token));
    return read;
  }

  private static String normal(String name) {
    try {
      return TopicUrl.normalize(name);
    } catch (BadHubRequestException noTopic) {
      return name;
    }
  }
}
