package io.feedbridge.gateway.store;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Instant;

/** Laggards for tests, and the same ones after a step. */
public final class LaggardBuilder {

  private Laggard laggard;

  private LaggardBuilder(Laggard laggard) {
    this.laggard = laggard;
  }

  /** One that may be tried at once. */
  public static LaggardBuilder of(Subscription subscription, long cursor, Instant dueAt) {
    return of(Laggard.behind(subscription, cursor, dueAt, null));
  }

  public static LaggardBuilder of(Laggard laggard) {
    return new LaggardBuilder(laggard);
  }

  /** A request with the document up to there is under way. */
  public LaggardBuilder inFlight(long upTo) {
    laggard = laggard.inFlight(upTo);
    return this;
  }

  public LaggardBuilder sending(long upTo) {
    laggard = laggard.fixed(upTo);
    return this;
  }

  /** It got everything up to there. */
  public LaggardBuilder got(long upTo) {
    laggard = laggard.past(upTo, laggard.nextAttemptAt(), null);
    return this;
  }

  public LaggardBuilder failed(int inARow, Instant nextAttempt, String why) {
    laggard = laggard.failed(laggard.documentEnd(), inARow, nextAttempt, why);
    return this;
  }

  public LaggardBuilder dueAt(Instant nextAttempt) {
    laggard = laggard.past(laggard.cursor(), nextAttempt, null);
    return this;
  }

  public LaggardBuilder host(String other) {
    laggard =
        new Laggard(
            laggard.subscriptionId(),
            laggard.feedId(),
            other,
            laggard.cursor(),
            laggard.state(),
            laggard.documentEnd(),
            laggard.attempts(),
            laggard.nextAttemptAt(),
            laggard.error(),
            laggard.digestAt());
    return this;
  }

  public Laggard build() {
    return laggard;
  }
}
