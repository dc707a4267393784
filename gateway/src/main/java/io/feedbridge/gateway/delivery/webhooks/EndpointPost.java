package io.feedbridge.gateway.delivery.webhooks;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.delivery.send.CallResult;
import io.feedbridge.gateway.delivery.send.DeliveryAttempt;
import io.feedbridge.gateway.delivery.send.DeliveryRecord;
import io.feedbridge.gateway.delivery.send.Receiver;
import io.feedbridge.gateway.delivery.send.Sender;
import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.targets.Target;
import java.time.Clock;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** Sends endpoints single messages, each in the form of its target. Thread-safe. */
public final class EndpointPost {

  private final Sender sender;
  private final Meters meters;
  private final Clock clock;
  private final Clock systemClock;

  /**
   * Messages by a sender.
   *
   * @param clock of the gateway
   */
  public EndpointPost(Sender sender, Meters meters, Clock clock) {
    this.sender = sender;
    this.meters = meters;
    this.clock = clock;
    systemClock = SteadyClock.systemOf(clock);
  }

  /** An endpoint was disabled. */
  void disabled() {
    meters.webhookDisabled();
  }

  /** Counts an event of which no message can be made. */
  void skipped() {
    meters.gap(Gap.Reason.UNMAKEABLE, 1);
  }

  /** An attempt at a message that stands for no event. */
  static DeliveryAttempt test(WebhookEndpoint endpoint) {
    return new DeliveryAttempt(receiver(endpoint), Attempt.Kind.TEST, 0, "", 0, 1, null);
  }

  /**
   * An attempt at a message of a document.
   *
   * @param newest the newest event in the document
   * @param number of attempts at the message, from 1
   */
  static DeliveryAttempt attempt(
      WebhookEndpoint endpoint, Attempt.Kind kind, Event newest, int number) {
    return new DeliveryAttempt(
        receiver(endpoint),
        kind,
        newest.feedId(),
        newest.update().status().feed(),
        newest.seq(),
        number,
        null);
  }

  private static Receiver receiver(WebhookEndpoint endpoint) {
    return new Receiver(Protocol.WEBHOOK, endpoint.id(), endpoint.host(), endpoint.url());
  }

  /** Never completes exceptionally. */
  CompletableFuture<DeliveryRecord> send(
      WebhookEndpoint endpoint, WebhookMessage message, DeliveryAttempt attempt) {
    Target target = endpoint.target();
    Call call;
    try {
      Fault.SIGN.in(attempt.topic());
      call = target.call(message, endpoint.secretsAt(clock.instant()), systemClock.instant());
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(
          sender.unmakeable(attempt, message.body().length, e));
    }
    return sender.send(attempt, call, reply -> judge(target, reply));
  }

  private CallResult judge(Target target, Reply reply) {
    return reply.successful()
        ? CallResult.delivered(OptionalInt.empty())
        : CallResult.failed(
            refusal(target, reply),
            target.problem(reply),
            target.retryAfter(reply, systemClock.instant()));
  }

  private static DeliveryOutcome refusal(Target target, Reply reply) {
    if (target.isGone(reply)) {
      return DeliveryOutcome.GONE;
    }
    return target.refusesMessage(reply) ? DeliveryOutcome.UNMAKEABLE : DeliveryOutcome.REFUSED;
  }
}
