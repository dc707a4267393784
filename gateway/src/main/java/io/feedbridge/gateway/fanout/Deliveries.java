package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.attempts.CallOutcome;
import io.feedbridge.gateway.attempts.RunningAttempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.RetryAfter;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.DeliveryOutcome;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Sends documents and judges the answers; knows neither rounds nor laggards. */
final class Deliveries {

  /** A delivery as a whole, from connecting to the end of the answer. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Bytes of an answer that are read; nobody looks at them. */
  static final int MAX_ANSWER = 64 * 1024;

  /** How long a delivery rests for which the gateway itself had no room. */
  private static final Duration PAUSE_WHEN_SATURATED = Duration.ofSeconds(1);

  /** The same on a retry, so that a receiver can recognise what it has already. */
  static final String EVENT_ID = "Feedbridge-Event";

  private static final int NO_STATUS = 0;

  private static final Logger log = LoggerFactory.getLogger(Deliveries.class);

  private final OutboundClient client;
  private final Map<Protocol, Courier> couriers;
  private final Meters meters;
  private final Attempts attempts;
  private final ActivityLog activity;
  private final Clock clock;

  Deliveries(
      OutboundClient client,
      WebSubCourier webSub,
      RssCloudCourier rssCloud,
      Meters meters,
      Attempts attempts,
      ActivityLog activity,
      Clock clock) {
    this.client = client;
    this.attempts = attempts;
    this.activity = activity;
    couriers = new EnumMap<>(Map.of(Protocol.WEBSUB, webSub, Protocol.RSSCLOUD, rssCloud));
    this.meters = meters;
    this.clock = clock;
  }

  /**
   * The request for a subscriber; empty if there is nothing new to it in the bundle.
   *
   * @throws RuntimeException if it cannot be made. That may be this subscriber's own fault, so it
   *     must count against this one alone
   */
  Optional<Call> prepare(Recipient recipient, Bundle bundle, long after, int retries) {
    return courier(recipient.subscription).call(recipient, bundle, after, retries);
  }

  /**
   * A request that could not be made, as an outcome; it goes on record like one that was sent.
   *
   * @param eventId the newest event that was to be in it
   * @param number of attempts at this document, from 1
   */
  Verdict.Failed unmakeable(
      Subscription subscription, Attempt.Kind kind, long eventId, int number, Throwable cause) {
    attempts
        .begin(subscription.id(), eventId, number, kind, 0)
        .ended(DeliveryOutcome.UNMAKEABLE, NO_STATUS);
    Throwable why =
        cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
    Verdict.Failed failed =
        failed(
            subscription,
            number,
            DeliveryOutcome.UNMAKEABLE,
            "it could not be made: " + why.getMessage(),
            Optional.empty());
    meters.delivery(subscription.protocol(), failed.outcome());
    told(
            log.atError().setCause(why),
            new Try(subscription, CallbackHost.of(subscription.callback()), eventId, number),
            failed)
        .log("A delivery could not be made");
    return failed;
  }

  /**
   * Sends, and puts the attempt on record; never completes exceptionally.
   *
   * @param place is told what this says of the host
   * @param eventId the newest event in the document
   * @param number of attempts at this document, from 1
   */
  CompletableFuture<Verdict> send(
      Recipient recipient,
      Call call,
      HostWindows.Place place,
      Attempt.Kind kind,
      long eventId,
      int number) {
    long began = System.nanoTime();
    Subscription subscription = recipient.subscription;
    RunningAttempt attempt =
        attempts.begin(subscription.id(), eventId, number, kind, call.body().length);
    return client
        .send(call)
        .handle(
            (reply, failure) -> {
              place.heard(Contact.of(failure));
              Verdict verdict =
                  failure == null
                      ? judge(recipient, number, reply)
                      : judge(subscription, number, failure);
              attempt.ended(verdict.outcome(), reply == null ? NO_STATUS : reply.status());
              report(
                  new Try(subscription, recipient.host, eventId, number),
                  verdict,
                  Optional.ofNullable(reply).map(Reply::status),
                  Duration.ofNanos(System.nanoTime() - began));
              return verdict;
            });
  }

  private Verdict judge(Recipient recipient, int attempt, Reply reply) {
    Courier courier = courier(recipient.subscription);
    DeliveryOutcome outcome = courier.judge(recipient, reply);
    return switch (outcome) {
      case DELIVERED -> new Verdict.Served(courier.readers(reply));
      case GONE -> Verdict.ENDED;
      default ->
          failed(
              recipient.subscription,
              attempt,
              outcome,
              courier.refusal(recipient, reply),
              RetryAfter.of(reply, clock.instant()));
    };
  }

  private Verdict judge(Subscription subscription, int attempt, Throwable failure) {
    DeliveryOutcome outcome = CallOutcome.of(failure);
    if (outcome == DeliveryOutcome.CUT_OFF) {
      return Verdict.CUT_OFF;
    }
    String message = failure.getMessage();
    return failed(
        subscription,
        attempt,
        outcome,
        message == null ? failure.getClass().getSimpleName() : message,
        Optional.empty());
  }

  private Verdict.Failed failed(
      Subscription subscription,
      int attempt,
      DeliveryOutcome outcome,
      String error,
      Optional<Duration> retryAfter) {
    Instant now = clock.instant();
    Next next =
        outcome == DeliveryOutcome.SATURATED
            ? new Next.Retry(now.plus(PAUSE_WHEN_SATURATED))
            : courier(subscription).retries().after(now, attempt, retryAfter);
    return new Verdict.Failed(outcome, error, next);
  }

  private record Try(Subscription subscription, String host, long event, int attempt) {}

  /** Tells each outcome once: all are counted, failures have a line each. */
  private void report(Try one, Verdict verdict, Optional<Integer> status, Duration took) {
    meters.delivery(one.subscription.protocol(), verdict.outcome());
    activity.noteOfHost(
        Kind.NOTIFICATION,
        one.subscription.topic(),
        one.host,
        verdict instanceof Verdict.Served,
        verdict instanceof Verdict.Failed failed ? failed.error() : verdict.outcome().name());
    if (verdict instanceof Verdict.Failed failed) {
      told(log.atInfo(), one, failed)
          .addKeyValue("status", status.map(String::valueOf).orElse("none"))
          .addKeyValue("took", took)
          .log("A delivery failed");
    }
  }

  private static LoggingEventBuilder told(
      LoggingEventBuilder line, Try one, Verdict.Failed failed) {
    return line.addKeyValue("subscription", one.subscription.id())
        .addKeyValue("protocol", one.subscription.protocol())
        .addKeyValue("host", one.host)
        .addKeyValue("event", one.event)
        .addKeyValue("attempt", one.attempt)
        .addKeyValue("outcome", failed.outcome())
        .addKeyValue("next", failed.next() instanceof Next.Retry retry ? retry.at() : "given up")
        .addKeyValue("error", failed.error());
  }

  private Courier courier(Subscription subscription) {
    Courier courier = couriers.get(subscription.protocol());
    if (courier == null) {
      throw new IllegalStateException("no courier for " + subscription.protocol());
    }
    return courier;
  }
}
