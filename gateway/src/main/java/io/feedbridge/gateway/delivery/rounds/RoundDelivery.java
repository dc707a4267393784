package io.feedbridge.gateway.delivery.rounds;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.send.DeliveryResult;
import io.feedbridge.gateway.delivery.send.Recipient;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One delivery of a pass, from the queue at its host to its answer. */
final class RoundDelivery implements HostBulkheads.Waiting {

  /** The pass over the feed's subscriptions that makes deliveries. Called from any thread. */
  interface Pass {

    /** The delivery has its permit at the host, and is sent next. */
    void began(RoundDelivery delivery);

    /** Sends it; the future never completes exceptionally. */
    CompletableFuture<DeliveryResult> send(RoundDelivery delivery, HostBulkheads.Permit permit);

    /** It was answered, or will not be. */
    void answered(RoundDelivery delivery, DeliveryResult result);
  }

  final Recipient recipient;
  final Subscription subscription;
  final String host;

  /** How many deliveries the pass had made when it made this one. */
  final long number;

  /** When that was, by {@link System#nanoTime}. */
  final long since = System.nanoTime();

  /** Completes once the pass knows the outcome; never exceptionally. */
  final CompletableFuture<DeliveryResult> result = new CompletableFuture<>();

  /** {@link RoundRequests#asOfNow} from before the subscription was read. */
  final long readAt;

  final Call call;

  /** The newest event that the subscriber has. */
  final long after;

  private final Pass pass;
  private volatile boolean begun;
  private volatile long beganAt;

  /**
   * Whether the subscriber may have got the document before a crash, without a row that says so:
   * whatever the result of this delivery is, that document is the next that it gets (rule L12).
   */
  private final boolean mayHaveIt;

  RoundDelivery(
      Pass pass,
      Recipient recipient,
      long readAt,
      Call call,
      long after,
      long number,
      boolean mayHaveIt) {
    this.pass = pass;
    this.mayHaveIt = mayHaveIt;
    this.recipient = recipient;
    subscription = recipient.subscription;
    host = recipient.host;
    this.readAt = readAt;
    this.call = call;
    this.after = after;
    this.number = number;
  }

  /** It begins; when, by {@link System#nanoTime}. */
  void beganAt(long now) {
    beganAt = now;
    begun = true;
  }

  boolean hasBegun() {
    return begun;
  }

  /** When it did; only if it has. */
  long beganAt() {
    return beganAt;
  }

  @Override
  public void begin(HostBulkheads.Permit permit) {
    pass.began(this);
    var unused =
        pass.send(this, permit)
            .thenAccept(
                outcome -> {
                  pass.answered(this, outcome);
                  result.complete(outcome);
                  // Last, so that at a stop nothing is in flight only when its outcome is on its
                  // way to the store.
                  permit.leave();
                });
  }

  /**
   * The row of a delivery that was not begun, which is no attempt: it is due when its host has
   * room.
   */
  Laggard notBegun(long to, Instant now) {
    return unsent(subscription, after, mayHaveIt, to, now, null);
  }

  /** The row of a subscriber that is passed over: it is due when its host has room. */
  static Laggard passedOver(
      Subscription subscription, long after, boolean mayHaveIt, long to, Instant now) {
    return unsent(subscription, after, mayHaveIt, to, now, null);
  }

  private static Laggard unsent(
      Subscription subscription,
      long after,
      boolean mayHaveIt,
      long to,
      Instant next,
      @Nullable String error) {
    Laggard behind = Laggard.behind(subscription, after, next, error);
    return mayHaveIt ? behind.fixed(to) : behind;
  }

  /**
   * The row of a delivery that is under way: it is not due until its request has ended (rule L3).
   */
  Laggard inFlight(long to, Instant now) {
    return Laggard.behind(subscription, after, now, null).inFlight(to);
  }

  /**
   * The row of a subscriber after its delivery: a retry of one that failed repeats its document
   * (rule L12), and a subscriber that wishes so rests after one that it got. Empty for others.
   */
  Optional<Laggard> row(DeliveryResult result, long to, Instant now) {
    if (result instanceof DeliveryResult.Failed failed) {
      return Optional.of(
          failed.counts()
              ? unmakeable(subscription, after, to, now, failed)
              : unsent(subscription, after, mayHaveIt, to, failed.retryAt(now), failed.error()));
    }
    return result instanceof DeliveryResult.Served
        ? Optional.ofNullable(subscription.terms().wished().every())
            .map(every -> Laggard.resting(subscription, to, now.plus(every)))
        : Optional.empty();
  }

  /** The row of a subscriber for which no request could be made. */
  static Laggard unmakeable(
      Subscription subscription, long after, long to, Instant now, DeliveryResult.Failed failed) {
    return Laggard.behind(subscription, after, now, null)
        .failed(to, 1, failed.retryAt(now), failed.error());
  }
}
