package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.store.Round;
import io.feedbridge.gateway.store.Subscription;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one walk: what each subscriber is to be sent of the round's events. Prepared by
 * one turn at a time, sent by any thread.
 */
final class RoundRequests {

  private final long feedId;
  private final long from;
  private final long to;
  private final Renewals renewals;
  private final Documents documents;
  private final Deliveries deliveries;

  /** Kept for one turn only: there may be many walks between two turns. */
  private @Nullable Bundle bundle;

  RoundRequests(Round round, Renewals renewals, Documents documents, Deliveries deliveries) {
    feedId = round.feedId();
    from = round.from();
    to = round.to();
    this.renewals = renewals;
    this.documents = documents;
    this.deliveries = deliveries;
  }

  /** Forgets the events until the next turn reads them again. */
  void endTurn() {
    bundle = null;
  }

  /** Whether none of the events is left in the log. */
  boolean isEmpty() {
    return bundle().isEmpty();
  }

  private Optional<Bundle> bundle() {
    if (bundle == null) {
      bundle = read().orElse(null);
    }
    return Optional.ofNullable(bundle);
  }

  private Optional<Bundle> read() {
    return documents.bundle(feedId, from, to);
  }

  /** Up to when changes of subscriptions are seen by who reads them now. */
  long asOfNow() {
    return renewals.count();
  }

  /** The newest event that a subscriber has. */
  long after(Subscription subscription) {
    return Math.max(from, subscription.start());
  }

  /**
   * The request for a subscriber; empty if none of the events is for it.
   *
   * @throws RuntimeException if it cannot be made, see {@link #unmakeable}
   */
  Optional<Call> prepare(Subscription subscription) {
    return prepare(bundle(), subscription, after(subscription));
  }

  private Optional<Call> prepare(Optional<Bundle> events, Subscription subscription, long after) {
    return events.flatMap(them -> deliveries.prepare(subscription, them, after, 0));
  }

  /** Records that no request could be made for it. */
  Verdict.Failed unmakeable(Subscription subscription, Throwable why) {
    return deliveries.unmakeable(subscription, Attempt.Kind.ROUND, to, 1, why);
  }

  /**
   * Sends with the secret and the format that the subscription has now (rule L7). Completes with
   * the outcome, never exceptionally.
   */
  CompletableFuture<Verdict> send(RoundDelivery delivery, HostWindows.Place place) {
    Subscription asRead = delivery.subscription;
    if (renewals.count() == delivery.readAt) {
      return send(asRead, delivery.call, place);
    }
    return renewals
        .read(asRead.id(), now -> remake(delivery, now))
        .thenCompose(
            remade ->
                remade
                    .map(it -> send(it.subscription, it.call, place))
                    .orElseGet(RoundRequests::nothingToSend))
        .exceptionally(why -> unmakeable(asRead, why));
  }

  private record Remade(Subscription subscription, Call call) {}

  private Optional<Remade> remake(RoundDelivery delivery, Subscription now) {
    return prepare(read(), now, delivery.after).map(call -> new Remade(now, call));
  }

  private CompletableFuture<Verdict> send(
      Subscription subscription, Call call, HostWindows.Place place) {
    return deliveries.send(subscription, call, place, Attempt.Kind.ROUND, to, 1);
  }

  /** What comes of a delivery to one that has ended, or wants nothing of it any more. */
  private static CompletableFuture<Verdict> nothingToSend() {
    return CompletableFuture.completedFuture(Verdict.SERVED);
  }
}
