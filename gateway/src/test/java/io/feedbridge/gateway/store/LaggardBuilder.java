package io.feedbridge.gateway.store;

import java.net.URI;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Laggards for tests, and the same ones after a step. */
public final class LaggardBuilder {

  private final long subscriptionId;
  private final long feedId;
  private String host;
  private long cursor;
  private @Nullable Long sentTo;
  private int attempts;
  private Instant nextAttemptAt;
  private boolean inFlight;
  private @Nullable String error;

  private LaggardBuilder(
      long subscriptionId, long feedId, String host, long cursor, Instant nextAttemptAt) {
    this.subscriptionId = subscriptionId;
    this.feedId = feedId;
    this.host = host;
    this.cursor = cursor;
    this.nextAttemptAt = nextAttemptAt;
  }

  /** One that may be tried at once. */
  public static LaggardBuilder of(Subscription subscription, long cursor, Instant dueAt) {
    String host = URI.create(subscription.callback()).getAuthority();
    return new LaggardBuilder(subscription.id(), subscription.feedId(), host, cursor, dueAt);
  }

  public static LaggardBuilder of(Laggard laggard) {
    return new LaggardBuilder(
            laggard.subscriptionId(),
            laggard.feedId(),
            laggard.host(),
            laggard.cursor(),
            laggard.nextAttemptAt())
        .sending(laggard.sentTo())
        .failed(laggard.attempts(), laggard.nextAttemptAt(), laggard.error());
  }

  /** A request with the document up to there is under way. */
  public LaggardBuilder inFlight(long upTo) {
    inFlight = true;
    return sending(upTo);
  }

  public LaggardBuilder sending(@Nullable Long upTo) {
    sentTo = upTo;
    return this;
  }

  /** It got everything up to there. */
  public LaggardBuilder got(long upTo) {
    cursor = upTo;
    return sending(null).failed(0, nextAttemptAt, null);
  }

  public LaggardBuilder failed(int inARow, Instant nextAttempt, @Nullable String why) {
    attempts = inARow;
    nextAttemptAt = nextAttempt;
    error = why;
    inFlight = false;
    return this;
  }

  public LaggardBuilder host(String other) {
    host = other;
    return this;
  }

  public Laggard build() {
    return new Laggard(
        subscriptionId, feedId, host, cursor, sentTo, attempts, nextAttemptAt, inFlight, error);
  }
}
