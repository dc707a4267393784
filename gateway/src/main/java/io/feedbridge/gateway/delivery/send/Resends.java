package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Sends subscribers single events once more, at an operator's request. No cursor moves, no failure
 * counts, and no answer ends a subscription: the record of attempts is all that changes. Safe for
 * use by several threads.
 */
public final class Resends {

  /** Events under way at once. */
  public static final int MAX = 16;

  /** Events under way at one host. */
  static final int MAX_AT_HOST = 4;

  private final EventDocuments documents;
  private final Sender sender;
  private final Permits<String, Void> permits = new Permits<>(Permits.Bounds.of(MAX_AT_HOST, MAX));

  public Resends(EventDocuments documents, Sender sender) {
    this.documents = documents;
    this.sender = sender;
  }

  /**
   * Sends an event of the subscription's feed, in its format and signed as it is now. Blocks until
   * the request is made.
   *
   * @return the attempt's id on record; empty where the event is not in the log any more, or is no
   *     news to the subscriber
   * @throws RejectedExecutionException if {@link #MAX} are under way, or {@link #MAX_AT_HOST} at
   *     the callback's host
   */
  public Optional<CompletableFuture<Long>> send(Subscription subscription, long eventId) {
    Recipient recipient = new Recipient(subscription);
    Optional<Call> call =
        documents
            .bundle(subscription.feedId(), eventId - 1, eventId)
            .flatMap(bundle -> sender.prepare(recipient, bundle, eventId - 1, 0));
    if (call.isEmpty()) {
      return Optional.empty();
    }
    if (!permits.tryTake(recipient.host)) {
      throw new RejectedExecutionException("too many events are being sent once more");
    }
    return Optional.of(
        sender
            .resend(recipient, call.get(), eventId)
            .whenComplete((id, failure) -> permits.giveBack(recipient.host)));
  }
}
