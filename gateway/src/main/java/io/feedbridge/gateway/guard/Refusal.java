package io.feedbridge.gateway.guard;

import java.time.Duration;

/**
 * Why something is too much, and when it would not be.
 *
 * @param reason a sentence
 */
public record Refusal(String reason, Duration pause) {

  /** For {@code Retry-After}: whole seconds, one at least. */
  public long seconds() {
    return Math.max(1, pause.plusMillis(999).toSeconds());
  }

  static Refusal of(String what, Rate rate, Duration wait) {
    Refusal refusal = new Refusal("", wait);
    return new Refusal(
        "too many %s: %s; try again in %d s".formatted(what, rate, refusal.seconds()), wait);
  }
}
