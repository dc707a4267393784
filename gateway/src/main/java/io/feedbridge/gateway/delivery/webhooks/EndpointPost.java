package io.feedbridge.gateway.delivery.webhooks;

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
import io.feedbridge.gateway.delivery.send.DeliveryReports;
import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.store.DeliveryOutcome;
import io.feedbridge.gateway.store.Gap;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.targets.Target;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends one message to an endpoint, judges the answer, and puts it on record. Thread-safe. */
public final class EndpointPost {

  private static final int NO_STATUS = 0;

  private static final Logger log = LoggerFactory.getLogger(EndpointPost.class);

  private final OutboundClient client;
  private final Meters meters;
  private final Attempts attempts;
  private final ActivityLog activity;
  private final Traces traces;
  private final Clock clock;
  private final Clock systemClock;

  public EndpointPost(OutboundClient client, DeliveryReports reports, Clock clock) {
    this.client = client;
    meters = reports.meters();
    attempts = reports.attempts();
    activity = reports.activity();
    traces = reports.traces();
    this.clock = clock;
    systemClock = SteadyClock.systemOf(clock);
  }

  /**
   * The context of a message.
   *
   * @param feedId of the document; 0 for none
   * @param topic of the document; empty for none
   * @param eventId the newest event in it; 0 for none
   * @param attempt at this message, from 1
   */
  record About(Attempt.Kind kind, long feedId, String topic, long eventId, int attempt) {}

  /**
   * The result of a message.
   *
   * @param attempt its id on record
   * @param status of the answer; 0 if there was none
   * @param error in a few words; empty where it was delivered
   * @param failure why there was no answer; absent if there was one
   */
  record Result(
      long attempt,
      DeliveryOutcome outcome,
      int status,
      String error,
      Optional<Duration> retryAfter,
      Duration took,
      @Nullable Throwable failure) {

    boolean delivered() {
      return outcome == DeliveryOutcome.DELIVERED;
    }
  }

  /** An endpoint was disabled. */
  void disabled() {
    meters.webhookDisabled();
  }

  /** Counts an event of which no message can be made. */
  void skipped() {
    meters.gap(Gap.Reason.UNMAKEABLE, 1);
  }

  /** Never completes exceptionally. */
  CompletableFuture<Result> send(WebhookEndpoint endpoint, WebhookMessage message, About about) {
    long began = System.nanoTime();
    RunningAttempt attempt =
        attempts.begin(
            Attempts.ofWebhook(endpoint.id()),
            about.eventId,
            about.attempt,
            about.kind,
            message.body().length);
    Call call;
    try {
      Fault.SIGN.in(about.topic);
      call =
          endpoint
              .target()
              .call(message, endpoint.secretsAt(clock.instant()), systemClock.instant());
    } catch (RuntimeException | Error e) {
      Result result = judge(attempt, e, since(began));
      attempt.ended(result.outcome, NO_STATUS);
      report(endpoint, about, result);
      return CompletableFuture.completedFuture(result);
    }
    Optional<Traces.Delivery> trace =
        traces.delivery(Protocol.WEBHOOK, endpoint.host(), about.eventId, about.attempt);
    Call sent = trace.map(of -> call.with(new Header(Traces.HEADER, of.header()))).orElse(call);
    return client
        .send(sent)
        .handle(
            (reply, failure) -> {
              Result result =
                  failure == null
                      ? judge(endpoint.target(), attempt, reply, since(began))
                      : judge(attempt, failure, since(began));
              attempt.ended(result.outcome, sent, reply, failure);
              trace.ifPresent(of -> of.ended(result.outcome));
              report(endpoint, about, result);
              return result;
            });
  }

  private static Duration since(long began) {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  private Result judge(Target target, RunningAttempt attempt, Reply reply, Duration took) {
    if (reply.successful()) {
      return new Result(
          attempt.id(),
          DeliveryOutcome.DELIVERED,
          reply.status(),
          "",
          Optional.empty(),
          took,
          null);
    }
    return new Result(
        attempt.id(),
        refusal(target, reply),
        reply.status(),
        target.problem(reply),
        target.retryAfter(reply, systemClock.instant()),
        took,
        null);
  }

  private static DeliveryOutcome refusal(Target target, Reply reply) {
    if (target.isGone(reply)) {
      return DeliveryOutcome.GONE;
    }
    return target.refusesMessage(reply) ? DeliveryOutcome.UNMAKEABLE : DeliveryOutcome.REFUSED;
  }

  private static Result judge(RunningAttempt attempt, Throwable failure, Duration took) {
    String message = failure.getMessage();
    return new Result(
        attempt.id(),
        CallOutcome.of(failure),
        NO_STATUS,
        message == null ? failure.getClass().getSimpleName() : message,
        Optional.empty(),
        took,
        failure);
  }

  private void report(WebhookEndpoint endpoint, About about, Result result) {
    meters.delivery(Protocol.WEBHOOK, result.outcome);
    if (result.delivered()) {
      meters.firstDeliveries().delivered(about.feedId, about.eventId);
    }
    activity.delivery(
        about.topic,
        endpoint.host(),
        result.delivered(),
        result.delivered() ? "delivered" : result.error,
        new Activity.Delivery(Attempts.ofWebhook(endpoint.id()), about.eventId, endpoint.url()));
    if (!result.delivered()) {
      log.atInfo()
          .addKeyValue("webhook", endpoint.id())
          .addKeyValue("host", endpoint.host())
          .addKeyValue("kind", about.kind)
          .addKeyValue("event", about.eventId)
          .addKeyValue("attempt", about.attempt)
          .addKeyValue("outcome", result.outcome)
          .addKeyValue("error", result.error)
          .addKeyValue("took", result.took)
          .log("A webhook was not delivered");
    }
  }
}
