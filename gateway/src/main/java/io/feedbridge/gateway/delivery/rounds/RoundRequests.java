package io.feedbridge.gateway.delivery.rounds;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.send.Bundle;
import io.feedbridge.gateway.delivery.send.DeliveryResult;
import io.feedbridge.gateway.delivery.send.EventDocuments;
import io.feedbridge.gateway.delivery.send.Recipient;
import io.feedbridge.gateway.delivery.send.Recipients;
import io.feedbridge.gateway.delivery.send.Sender;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one pass: the document that each subscriber is sent of the round's events.
 * Prepared by one thread at a time, sent by any thread.
 */
final class RoundRequests {

  private final long feedId;
  private final long from;
  private final long to;
  private final Recipients recipients;
  private final EventDocuments documents;
  private final Sender sender;

  /** Kept for one turn only: there may be many passes between two turns. */
  private @Nullable Bundle bundle;

  /** Why the events cannot be read; kept for one turn only. */
  private @Nullable Throwable unreadable;

  RoundRequests(Round round, Recipients recipients, EventDocuments documents, Sender sender) {
    feedId = round.feedId();
    from = round.from();
    to = round.to();
    this.recipients = recipients;
    this.documents = documents;
    this.sender = sender;
  }

  /** Forgets the events until the next turn reads them again. */
  void endTurn() {
    bundle = null;
    unreadable = null;
  }

  /**
   * Whether none of the events is left in the log. Events that cannot be read are there: each
   * subscriber gets a row, and catch-up skips the damaged event. A round that failed because of it
   * would fail for ever.
   */
  boolean isEmpty() {
    try {
      return bundle().isEmpty();
    } catch (RuntimeException | Error e) {
      if (StoreException.isGeneral(e)) {
        throw e;
      }
      return false;
    }
  }

  private Optional<Bundle> bundle() {
    if (unreadable != null) {
      throw new IllegalStateException("the events cannot be read: " + unreadable, unreadable);
    }
    if (bundle == null) {
      try {
        bundle = read().orElse(null);
      } catch (RuntimeException | Error e) {
        unreadable = StoreException.isGeneral(e) ? null : e;
        throw e;
      }
    }
    return Optional.ofNullable(bundle);
  }

  private Optional<Bundle> read() {
    return documents.bundle(feedId, from, to);
  }

  /** The number of changes of subscriptions so far; a later read sees all of them. */
  long asOfNow() {
    return recipients.asOfNow();
  }

  /** The subscribers with these ids that have not ended. Blocks. */
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
    return events.flatMap(them -> sender.prepare(recipient, them, after, 0));
  }

  /** Records that no request could be made for a subscriber. */
  DeliveryResult.Failed unmakeable(Subscription subscription, Throwable why) {
    return sender.unmakeable(subscription, Attempt.Kind.ROUND, to, 1, why);
  }

  /**
   * Sends with the secret and the format that the subscription has now (rule L7). Completes with
   * the outcome, never exceptionally.
   */
  CompletableFuture<DeliveryResult> send(RoundDelivery delivery, HostBulkheads.Permit permit) {
    Recipient asRead = delivery.recipient;
    if (recipients.isCurrent(asRead, delivery.readAt)) {
      return send(asRead, delivery.call, permit);
    }
    return recipients
        .read(asRead.subscription, now -> remake(delivery, now))
        .thenCompose(
            remade ->
                remade
                    .map(it -> send(it.recipient, it.call, permit))
                    .orElseGet(RoundRequests::nothingToSend))
        .exceptionally(why -> unmakeable(asRead.subscription, why));
  }

  private record Remade(Recipient recipient, Call call) {}

  private Optional<Remade> remake(RoundDelivery delivery, Recipient now) {
    return prepare(read(), now, delivery.after).map(call -> new Remade(now, call));
  }

  private CompletableFuture<DeliveryResult> send(
      Recipient recipient, Call call, HostBulkheads.Permit permit) {
    return sender.send(recipient, call, permit, Attempt.Kind.ROUND, to, 1);
  }

  /**
   * The result of a delivery to a subscription that has ended, or that wants no part of it any
   * more.
   */
  private static CompletableFuture<DeliveryResult> nothingToSend() {
    return CompletableFuture.completedFuture(DeliveryResult.SERVED);
  }
}
