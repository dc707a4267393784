package io.feedbridge.gateway.intake;

import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The registrations at clouds by the URL under which a cloud knows a feed. The store has no index
 * of URLs other than topics, so these are read together, and not for each caller that names an
 * unknown one. Blocks; safe for use by several threads.
 */
final class CloudNames {

  /** URLs that are remembered. */
  static final int MAX_NAMES = 10_000;

  /** The time between two readings at least: a registration is known after this time. */
  static final Duration PAUSE = Duration.ofSeconds(5);

  private final Store store;
  private final Clock clock;
  private Map<String, String> tokens = Map.of();
  private Instant nextReading = Instant.MIN;

  CloudNames(Store store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  /**
   * The token of the registration by a URL.
   *
   * @param url normalised
   */
  Optional<String> token(String url) {
    return store.feeds().byTopic(url).stream()
        .flatMap(feed -> store.upstreamSubscriptions().ofFeed(feed.id()).stream())
        .filter(following -> following.kind() == UpstreamSubscription.Kind.RSSCLOUD)
        .filter(following -> following.isNamed(url))
        .map(UpstreamSubscription::token)
        .findFirst()
        .or(() -> byOtherUrl(url));
  }

  private synchronized Optional<String> byOtherUrl(String url) {
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
    store
        .upstreamSubscriptions()
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
