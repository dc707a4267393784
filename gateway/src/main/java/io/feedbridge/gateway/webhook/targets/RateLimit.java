package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** How long to wait, in the JSON of an answer by status 429. */
final class RateLimit {

  private static final int TOO_MANY = 429;
  private static final double LONGEST_SECONDS = 24 * 60 * 60;

  private RateLimit() {}

  /** Discord: {@code {"retry_after": 0.65}}. */
  static Optional<Duration> seconds(Reply reply) {
    return in(reply, "retry_after", 1_000);
  }

  /** Matrix: {@code {"retry_after_ms": 2000}}. */
  static Optional<Duration> milliseconds(Reply reply) {
    return in(reply, "retry_after_ms", 1);
  }

  private static Optional<Duration> in(Reply reply, String name, int unit) {
    if (reply.status() != TOO_MANY) {
      return Optional.empty();
    }
    try {
      return Json.read(reply.body(), Map.class).get(name) instanceof Number wait
              && wait.doubleValue() >= 0
          ? Optional.of(
              Duration.ofMillis(
                  (long) Math.ceil(Math.min(wait.doubleValue() * unit, LONGEST_SECONDS * 1_000))))
          : Optional.empty();
    } catch (StoreException notJson) {
      return Optional.empty();
    }
  }
}
