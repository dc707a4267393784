package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.attempts.CallOutcome;
import io.feedbridge.gateway.attempts.RunningAttempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.hosts.Reachability;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one place that sends documents to subscribers and endpoints: it posts, has the answer judged,
 * and makes the record of each attempt. Knows neither rounds nor laggards nor webhooks.
 * Thread-safe.
 */
public final class Sender {

  /** How long to wait after the gateway itself had no room for a delivery. */
  private static final Duration PAUSE_WHEN_SATURATED = Duration.ofSeconds(1);

  private static final int NO_STATUS = 0;

  private final OutboundClient client;
  private final Map<Protocol, ProtocolAdapter> adapters;
  private final DeliveryReports reports;
  private final Clock clock;
  private final Clock systemClock;

  /**
   * A sender for all receivers.
   *
   * @param clock of the gateway
   */
  public Sender(
      OutboundClient client,
      WebSubAdapter webSub,
      RssCloudAdapter rssCloud,
      DeliveryReports reports,
      Clock clock) {
    this.client = client;
    this.reports = reports;
    this.clock = clock;
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
        unmakeable(
            attempt(Receiver.of(subscription), subscription, kind, eventId, number), 0, cause));
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
    return send(recipient, call, attempt(recipient.receiver, subscription, kind, eventId, number))
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
    DeliveryAttempt attempt =
        attempt(recipient.receiver, recipient.subscription, Attempt.Kind.RESENT, eventId, 1);
    return send(recipient, call, attempt).thenApply(DeliveryRecord::id);
  }

  private CompletableFuture<DeliveryRecord> send(
      Recipient recipient, Call call, DeliveryAttempt attempt) {
    ProtocolAdapter adapter = adapter(recipient.subscription);
    return send(attempt, call, reply -> adapter.judge(recipient, reply, systemClock.instant()));
  }

  private DeliveryAttempt attempt(
      Receiver to, Subscription subscription, Attempt.Kind kind, long eventId, int number) {
    return new DeliveryAttempt(
        to,
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

  /**
   * Sends, and puts the attempt on record; never completes exceptionally.
   *
   * @param judge of an answer; an answer on which it fails counts as refused
   */
  public CompletableFuture<DeliveryRecord> send(
      DeliveryAttempt attempt, Call call, Function<Reply, CallResult> judge) {
    RunningAttempt running = reports.begin(attempt, call.body().length);
    Receiver to = attempt.to();
    long began = System.nanoTime();
    Optional<Traces.Delivery> trace =
        reports.traces().delivery(to.protocol(), to.host(), attempt.event(), attempt.number());
    Call sent = trace.map(of -> call.with(new Header(Traces.HEADER, of.header()))).orElse(call);
    return client
        .send(sent)
        .handle(
            (reply, failure) -> {
              DeliveryRecord ended =
                  ended(
                      attempt,
                      running,
                      judge(judge, reply, failure),
                      reply == null ? NO_STATUS : reply.status(),
                      Duration.ofNanos(System.nanoTime() - began),
                      failure);
              running.ended(ended.outcome(), sent, reply, failure);
              trace.ifPresent(of -> of.ended(ended.outcome()));
              reports.add(ended);
              return ended;
            });
  }

  /**
   * Puts a request on record that could not be made, like one that was sent.
   *
   * @param bytes of the document; 0 if there is none
   */
  public DeliveryRecord unmakeable(DeliveryAttempt attempt, int bytes, Throwable cause) {
    Throwable why =
        cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
    RunningAttempt running = reports.begin(attempt, bytes);
    running.ended(DeliveryOutcome.UNMAKEABLE, NO_STATUS);
    CallResult result =
        CallResult.failed(DeliveryOutcome.UNMAKEABLE, "it could not be made: " + why.getMessage());
    DeliveryRecord ended = ended(attempt, running, result, NO_STATUS, Duration.ZERO, why);
    reports.add(ended);
    return ended;
  }

  private DeliveryRecord ended(
      DeliveryAttempt attempt,
      RunningAttempt running,
      CallResult result,
      int status,
      Duration took,
      @Nullable Throwable failure) {
    return new DeliveryRecord(
        attempt, running.id(), result, status, took, failure, next(attempt, result));
  }

  private @Nullable Next next(DeliveryAttempt attempt, CallResult result) {
    RetryPolicy retries = attempt.retries();
    if (retries == null || !result.isFailure()) {
      return null;
    }
    Instant now = clock.instant();
    return result.outcome() == DeliveryOutcome.SATURATED
        ? new Next.Retry(now.plus(PAUSE_WHEN_SATURATED))
        : retries.after(now, attempt.number(), result.retryAfter());
  }

  /** An answer on which the judge fails must not leave its receiver in flight for ever. */
  private static CallResult judge(
      Function<Reply, CallResult> judge, @Nullable Reply reply, @Nullable Throwable failure) {
    if (failure != null || reply == null) {
      return judge(failure == null ? new IllegalStateException("no reply") : failure);
    }
    try {
      return judge.apply(reply);
    } catch (RuntimeException | Error e) {
      return CallResult.failed(DeliveryOutcome.REFUSED, "the answer could not be read: " + e);
    }
  }

  private static CallResult judge(Throwable failure) {
    DeliveryOutcome outcome = CallOutcome.of(failure);
    if (outcome == DeliveryOutcome.CUT_OFF) {
      return CallResult.failed(outcome, "the gateway stopped before the answer");
    }
    String message = failure.getMessage();
    return CallResult.failed(
        outcome, message == null ? failure.getClass().getSimpleName() : message);
  }

  /** {@link OutboundClient#heardOut}. */
  public CompletableFuture<Void> heardOut() {
    return client.heardOut();
  }
}
