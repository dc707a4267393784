package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.attempts.CallOutcome;
import io.feedbridge.gateway.attempts.RunningAttempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.store.DeliveryOutcome;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
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
  private final DeliveryReports reports;
  private final Clock clock;

  public Sender(OutboundClient client, DeliveryReports reports, Clock clock) {
    this.client = client;
    this.reports = reports;
    this.clock = clock;
  }

  /**
   * Sends, and puts the attempt on record; never completes exceptionally.
   *
   * @param judge of an answer; an answer on which it fails counts as refused
   */
  public CompletableFuture<DeliveryRecord> send(
      DeliveryAttempt attempt, Call call, Function<Reply, Judgement> judge) {
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
    Judgement judgement =
        Judgement.failed(DeliveryOutcome.UNMAKEABLE, "it could not be made: " + why.getMessage());
    DeliveryRecord ended = ended(attempt, running, judgement, NO_STATUS, Duration.ZERO, why);
    reports.add(ended);
    return ended;
  }

  private DeliveryRecord ended(
      DeliveryAttempt attempt,
      RunningAttempt running,
      Judgement judgement,
      int status,
      Duration took,
      @Nullable Throwable failure) {
    return new DeliveryRecord(
        attempt, running.id(), judgement, status, took, failure, next(attempt, judgement));
  }

  private @Nullable Next next(DeliveryAttempt attempt, Judgement judgement) {
    RetryPolicy retries = attempt.retries();
    if (retries == null || !judgement.isFailure()) {
      return null;
    }
    Instant now = clock.instant();
    return judgement.outcome() == DeliveryOutcome.SATURATED
        ? new Next.Retry(now.plus(PAUSE_WHEN_SATURATED))
        : retries.after(now, attempt.number(), judgement.retryAfter());
  }

  /** An answer on which the judge fails must not leave its receiver in flight for ever. */
  private static Judgement judge(
      Function<Reply, Judgement> judge, @Nullable Reply reply, @Nullable Throwable failure) {
    if (failure != null || reply == null) {
      return judge(failure == null ? new IllegalStateException("no reply") : failure);
    }
    try {
      return judge.apply(reply);
    } catch (RuntimeException | Error e) {
      return Judgement.failed(DeliveryOutcome.REFUSED, "the answer could not be read: " + e);
    }
  }

  private static Judgement judge(Throwable failure) {
    DeliveryOutcome outcome = CallOutcome.of(failure);
    if (outcome == DeliveryOutcome.CUT_OFF) {
      return Judgement.failed(outcome, "the gateway stopped before the answer");
    }
    String message = failure.getMessage();
    return Judgement.failed(
        outcome, message == null ? failure.getClass().getSimpleName() : message);
  }
}
