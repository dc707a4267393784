package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.store.Round;
import io.feedbridge.gateway.store.Subscription;
import java.util.List;
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
  private final Recipients recipients;
  private final Documents documents;
  private final Deliveries deliveries;

  /** Kept for one turn only: there may be many walks between two turns. */
  private @Nullable Bundle bundle;

  RoundRequests(Round round, Recipients recipients, Documents documents, Deliveries deliveries) {
    feedId = round.feedId();
    from = round.from();
    to = round.to();
    this.recipients = recipients;
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
    return recipients.asOfNow();
  }

  /** The subscribers with these ids who have not ended. Blocks. */
  List<Recipient> recipients(List<Long> ids) {
    return recipients.of(ids);
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
  Optional<Call> prepare(Recipient recipient) {
    return prepare(bundle(), recipient, after(recipient.subscription));
  }

  private Optional<Call> prepare(Optional<Bundle> events, Recipient recipient, long after) {
    return events.flatMap(them -> deliveries.prepare(recipient, them, after, 0));
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
    Recipient asRead = delivery.recipient;
    if (recipients.isCurrent(asRead, delivery.readAt)) {
      return send(asRead, delivery.call, place);
    }
    return recipients
        .read(asRead.subscription, now -> remake(delivery, now))
        .thenCompose(
            remade ->
                remade
                    .map(it -> send(it.recipient, it.call, place))
                    .orElseGet(RoundRequests::nothingToSend))
        .exceptionally(why -> unmakeable(asRead.subscription, why));
  }

  private record Remade(Recipient recipient, Call call) {}

  private Optional<Remade> remake(RoundDelivery delivery, Recipient now) {
    return prepare(read(), now, delivery.after).map(call -> new Remade(now, call));
  }

  private CompletableFuture<Verdict> send(Recipient recipient, Call call, HostWindows.Place place) {
    return deliveries.send(recipient, call, place, Attempt.Kind.ROUND, to, 1);
  }

  /** What comes of a delivery to one that has ended, or wants nothing of it any more. */
  private static CompletableFuture<Verdict> nothingToSend() {
    return CompletableFuture.completedFuture(Verdict.SERVED);
  }
}
