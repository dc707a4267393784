package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.attempts.CallOutcome;
import io.feedbridge.gateway.attempts.RunningAttempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.RetryAfter;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.hosts.Reachability;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.schedule.SteadyClock;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Sends documents and judges the answers; knows neither rounds nor laggards. */
public final class Deliveries {

  /** How long to wait after the gateway itself had no room for a delivery. */
  private static final Duration PAUSE_WHEN_SATURATED = Duration.ofSeconds(1);

  private static final int NO_STATUS = 0;

  private static final Logger log = LoggerFactory.getLogger(Deliveries.class);

  private final OutboundClient client;
  private final Map<Protocol, ProtocolAdapter> adapters;
  private final Meters meters;
  private final Attempts attempts;
  private final ActivityLog activity;
  private final Traces traces;
  private final Clock clock;

  public Deliveries(
      OutboundClient client,
      WebSubAdapter webSub,
      RssCloudAdapter rssCloud,
      DeliveryReports reports,
      Clock clock) {
    this.client = client;
    attempts = reports.attempts();
    activity = reports.activity();
    traces = reports.traces();
    meters = reports.meters();
    adapters = new EnumMap<>(Map.of(Protocol.WEBSUB, webSub, Protocol.RSSCLOUD, rssCloud));
    this.clock = clock;
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
    attempts
        .begin(subscription.id(), eventId, number, kind, 0)
        .ended(DeliveryOutcome.UNMAKEABLE, NO_STATUS);
    Throwable why =
        cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
    DeliveryResult.Failed failed =
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
    RunningAttempt attempt =
        attempts.begin(subscription.id(), eventId, number, kind, call.body().length);
    return send(
        recipient,
        call,
        attempt,
        new Try(subscription, recipient.host, eventId, number),
        failure -> permit.heard(Reachability.of(failure), subscription.callback()));
  }

  /**
   * Sends at an operator's request: the record of attempts is all that changes.
   *
   * @return the attempt's id on record; never completes exceptionally
   */
  CompletableFuture<Long> resend(Recipient recipient, Call call, long eventId) {
    Subscription subscription = recipient.subscription;
    RunningAttempt attempt =
        attempts.begin(subscription.id(), eventId, 1, Attempt.Kind.RESENT, call.body().length);
    Try one = new Try(subscription, recipient.host, eventId, 1);
    return send(recipient, call, attempt, one, failure -> {}).thenApply(result -> attempt.id());
  }

  private CompletableFuture<DeliveryResult> send(
      Recipient recipient,
      Call call,
      RunningAttempt attempt,
      Try one,
      Consumer<@Nullable Throwable> heard) {
    long began = System.nanoTime();
    Optional<Traces.Delivery> trace =
        traces.delivery(one.subscription.protocol(), one.host, one.event, one.attempt);
    Call sent = trace.map(of -> call.with(new Header(Traces.HEADER, of.header()))).orElse(call);
    return client
        .send(sent)
        .handle(
            (reply, failure) -> {
              heard.accept(failure);
              DeliveryResult result = judge(recipient, one.attempt, reply, failure);
              attempt.ended(result.outcome(), sent, reply, failure);
              trace.ifPresent(of -> of.ended(result.outcome()));
              report(
                  one,
                  result,
                  Optional.ofNullable(reply).map(Reply::status),
                  Duration.ofNanos(System.nanoTime() - began));
              return result;
            });
  }

  /** An answer on which the adapter fails must not leave its subscriber in flight for ever. */
  private DeliveryResult judge(
      Recipient recipient, int attempt, @Nullable Reply reply, @Nullable Throwable failure) {
    Subscription subscription = recipient.subscription;
    if (failure != null || reply == null) {
      return judge(
          subscription, attempt, failure == null ? new IllegalStateException("no reply") : failure);
    }
    try {
      return judge(recipient, attempt, reply);
    } catch (RuntimeException | Error e) {
      return failed(
          subscription,
          attempt,
          DeliveryOutcome.REFUSED,
          "the answer could not be read: " + e,
          Optional.empty());
    }
  }

  private DeliveryResult judge(Recipient recipient, int attempt, Reply reply) {
    ProtocolAdapter adapter = adapter(recipient.subscription);
    DeliveryOutcome outcome = adapter.judge(recipient, reply);
    return switch (outcome) {
      case DELIVERED -> new DeliveryResult.Served(adapter.readers(reply));
      case GONE -> DeliveryResult.ENDED;
      default ->
          failed(
              recipient.subscription,
              attempt,
              outcome,
              adapter.refusal(recipient, reply),
              RetryAfter.of(reply, SteadyClock.systemOf(clock).instant()));
    };
  }

  private DeliveryResult judge(Subscription subscription, int attempt, Throwable failure) {
    DeliveryOutcome outcome = CallOutcome.of(failure);
    if (outcome == DeliveryOutcome.CUT_OFF) {
      return DeliveryResult.CUT_OFF;
    }
    String message = failure.getMessage();
    return failed(
        subscription,
        attempt,
        outcome,
        message == null ? failure.getClass().getSimpleName() : message,
        Optional.empty());
  }

  private DeliveryResult.Failed failed(
      Subscription subscription,
      int attempt,
      DeliveryOutcome outcome,
      String error,
      Optional<Duration> retryAfter) {
    Instant now = clock.instant();
    Next next =
        outcome == DeliveryOutcome.SATURATED
            ? new Next.Retry(now.plus(PAUSE_WHEN_SATURATED))
            : adapter(subscription).retries().after(now, attempt, retryAfter);
    return new DeliveryResult.Failed(outcome, error, next);
  }

  private record Try(Subscription subscription, String host, long event, int attempt) {}

  /** Reports each outcome once: all are counted, failures have a log line each. */
  private void report(Try one, DeliveryResult result, Optional<Integer> status, Duration took) {
    meters.delivery(one.subscription.protocol(), result.outcome());
    if (result instanceof DeliveryResult.Served) {
      meters.firstDeliveries().delivered(one.subscription.feedId(), one.event);
    }
    activity.delivery(
        one.subscription.topic(),
        one.host,
        result instanceof DeliveryResult.Served,
        result instanceof DeliveryResult.Failed failed ? failed.error() : words(result.outcome()),
        new Activity.Delivery(one.subscription.id(), one.event, one.subscription.callback()));
    if (result instanceof DeliveryResult.Failed failed) {
      told(log.atInfo(), one, failed)
          .addKeyValue("status", status.map(String::valueOf).orElse("none"))
          .addKeyValue("took", took)
          .log("A delivery failed");
    }
  }

  private static String words(DeliveryOutcome outcome) {
    return switch (outcome) {
      case GONE -> "it wants no more";
      case CUT_OFF -> "the gateway stopped before the answer";
      default -> "delivered";
    };
  }

  private static LoggingEventBuilder told(
      LoggingEventBuilder line, Try one, DeliveryResult.Failed failed) {
    return line.addKeyValue("subscription", one.subscription.id())
        .addKeyValue("protocol", one.subscription.protocol())
        .addKeyValue("host", one.host)
        .addKeyValue("event", one.event)
        .addKeyValue("attempt", one.attempt)
        .addKeyValue("outcome", failed.outcome())
        .addKeyValue("next", failed.next() instanceof Next.Retry retry ? retry.at() : "given up")
        .addKeyValue("error", failed.error());
  }

  private ProtocolAdapter adapter(Subscription subscription) {
    ProtocolAdapter adapter = adapters.get(subscription.protocol());
    if (adapter == null) {
      throw new IllegalStateException("no protocol adapter for " + subscription.protocol());
    }
    return adapter;
  }
}
