package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.hosts.Reachability;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The deliveries to subscriptions, each in the protocol of its own; knows neither rounds nor
 * laggards. Thread-safe.
 */
public final class Deliveries {

  private final Sender sender;
  private final Map<Protocol, ProtocolAdapter> adapters;
  private final Clock systemClock;

  /**
   * Deliveries by a sender.
   *
   * @param clock of the gateway
   */
  public Deliveries(Sender sender, WebSubAdapter webSub, RssCloudAdapter rssCloud, Clock clock) {
    this.sender = sender;
    adapters = new EnumMap<>(Map.of(Protocol.WEBSUB, webSub, Protocol.RSSCLOUD, rssCloud));
    systemClock = SteadyClock.systemOf(clock);
  }

  /**
   * The request for a subscriber; empty if there is nothing new to it in the bundle.
   *
   * @throws RuntimeException if it cannot be made. That may be this subscriber's own fault, so it
   *     must count against this one alone
   */
  public Optional<Call> prepare(Recipient recipient, Bundle bundle, long after, int retries) {
    return adapter(recipient.subscription).call(recipient, bundle, after, retries);
  }

  /**
   * A request that could not be made, as an outcome; it goes on record like one that was sent.
   *
   * @param eventId the newest event that was to be in it
   * @param number of attempts at this document, from 1
   */
  public DeliveryResult.Failed unmakeable(
      Subscription subscription, Attempt.Kind kind, long eventId, int number, Throwable cause) {
    return DeliveryResult.failed(
        sender.unmakeable(attempt(subscription, kind, eventId, number), 0, cause));
  }

  /**
   * Sends, and puts the attempt on record; never completes exceptionally.
   *
   * @param permit receives the reachability of the host
   * @param eventId the newest event in the document
   * @param number of attempts at this document, from 1
   */
  public CompletableFuture<DeliveryResult> send(
      Recipient recipient,
      Call call,
      HostBulkheads.Permit permit,
      Attempt.Kind kind,
      long eventId,
      int number) {
    Subscription subscription = recipient.subscription;
    return send(recipient, call, attempt(subscription, kind, eventId, number))
        .thenApply(
            ended -> {
              permit.heard(Reachability.of(ended.failure()), subscription.callback());
              return DeliveryResult.of(ended);
            });
  }

  /**
   * Sends at an operator's request: the record of attempts is all that changes.
   *
   * @return the attempt's id on record; never completes exceptionally
   */
  CompletableFuture<Long> resend(Recipient recipient, Call call, long eventId) {
    return send(recipient, call, attempt(recipient.subscription, Attempt.Kind.RESENT, eventId, 1))
        .thenApply(DeliveryRecord::id);
  }

  private CompletableFuture<DeliveryRecord> send(
      Recipient recipient, Call call, DeliveryAttempt attempt) {
    ProtocolAdapter adapter = adapter(recipient.subscription);
    return sender.send(
        attempt, call, reply -> adapter.judge(recipient, reply, systemClock.instant()));
  }

  private DeliveryAttempt attempt(
      Subscription subscription, Attempt.Kind kind, long eventId, int number) {
    return new DeliveryAttempt(
        Receiver.of(subscription),
        kind,
        subscription.feedId(),
        subscription.topic(),
        eventId,
        number,
        adapter(subscription).retries());
  }

  private ProtocolAdapter adapter(Subscription subscription) {
    ProtocolAdapter adapter = adapters.get(subscription.protocol());
    if (adapter == null) {
      throw new IllegalStateException("no protocol adapter for " + subscription.protocol());
    }
    return adapter;
  }
}
