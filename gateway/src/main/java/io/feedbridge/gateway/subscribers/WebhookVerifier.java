package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.admission.UnderWay;
import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.attempts.CallOutcome;
import io.feedbridge.gateway.attempts.RunningAttempt;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.gateway.webhook.targets.Announcement;
import io.feedbridge.gateway.webhook.targets.Target;
import io.feedbridge.gateway.webhook.targets.Targets;
import io.feedbridge.websub.RandomToken;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the endpoints of webhooks for consent before any event is sent to them: a signed message
 * carries a challenge, which the answer must give back; other targets show consent in their own
 * way. Webhooks that wait for that wait in the store.
 */
public final class WebhookVerifier implements AutoCloseable {

  /** Verifications under way at once. */
  static final int MAX_UNDER_WAY = 64;

  /** Verifications at one host. */
  static final int MAX_PER_HOST = 8;

  /** Pauses after attempts that failed; after the last, the endpoint is asked only on request. */
  static final List<Duration> PAUSES =
      List.of(
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofMinutes(10));

  /**
   * How long to wait after an outcome could not be recorded, before the endpoint is asked again.
   */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(30);

  private static final Logger log = LoggerFactory.getLogger(WebhookVerifier.class);

  private final Store store;
  private final Webhooks webhooks;
  private final OutboundClient client;
  private final Attempts attempts;
  private final Timer timer;
  private final Clock clock;
  private final RandomGenerator random;
  private final String origin;
  private final Pump pump;
  private final UnderWay underWay =
      new UnderWay(UnderWay.Bounds.of(Permits.Bounds.of(MAX_PER_HOST, MAX_UNDER_WAY)));

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor for the pump, which blocks
   * @param random for challenges: unguessable
   * @param origin the host by which the gateway is known
   */
  public WebhookVerifier(
      Store store,
      OutboundClient client,
      Attempts attempts,
      Executor executor,
      Timer timer,
      RandomGenerator random,
      String origin) {
    this.origin = origin;
    this.store = store;
    this.client = client;
    this.attempts = attempts;
    this.timer = timer;
    this.random = random;
    webhooks = store.webhooks();
    clock = timer.clock();
    pump = new Pump("webhook-verifications", this::step, executor, timer);
  }

  /** Verifies the webhooks that wait, then each further one. */
  public void start() {
    store.onChange(Change.WEBHOOK, pump::wake);
    pump.start();
  }

  private Optional<Instant> step() {
    Instant now = clock.instant();
    while (beginSome(now)) {
      // The next look passes over webhooks at hosts that are full now.
    }
    // A due webhook that did not begin is looked at again when a verification ends.
    return webhooks.nextDue(now);
  }

  private boolean beginSome(Instant now) {
    int known = underWay.size();
    if (known >= MAX_UNDER_WAY) {
      return false;
    }
    underWay.look();
    boolean begun = false;
    // Webhooks under way are still in the store, so that many more are read than can begin.
    for (Webhook webhook : webhooks.due(now, underWay.fullHosts(), known + MAX_UNDER_WAY)) {
      if (underWay.begin(webhook.id(), webhook.host())) {
        begun = true;
        try {
          verify(webhook);
        } catch (RuntimeException | Error e) {
          // The place is not kept, and the others have their turns.
          ended(webhook, e);
        }
      }
    }
    return begun;
  }

  private void verify(Webhook webhook) {
    String challenge = RandomToken.next(random);
    Target target = Targets.of(webhook);
    WebhookMessage message =
        new WebhookMessage(
            "verify_" + RandomToken.next(random),
            target.message(Announcement.verification(challenge)));
    RunningAttempt attempt =
        attempts.begin(
            Attempts.ofWebhook(webhook.id()),
            0,
            webhook.attempts() + 1,
            Attempt.Kind.VERIFICATION,
            message.body().length);
    Call call;
    try {
      call = call(webhook, target, message);
    } catch (RuntimeException e) {
      var unused =
          record(webhook, failed(attempt, null, e))
              .whenComplete((done, failure) -> ended(webhook, failure));
      return;
    }
    var unused =
        client
            .send(call)
            .handle(
                (reply, failure) ->
                    reply == null
                        ? failed(attempt, call, failure)
                        : judged(attempt, call, reply, target.refusal(reply, challenge, origin)))
            .thenCompose(judgement -> record(webhook, judgement))
            .whenComplete((done, failure) -> ended(webhook, failure));
  }

  private Call call(Webhook webhook, Target target, WebhookMessage message) {
    Instant now = clock.instant();
    List<WebhookSecret> secrets =
        webhook.secretsAt(now).stream().map(WebhookSecret::parse).toList();
    return target.first(message, secrets, now, origin);
  }

  /**
   * The meaning of an answer.
   *
   * @param reason why the endpoint is not verified; absent if it is
   * @param again whether asking again may help
   * @param cutOff whether the result is unknown: after the restart the endpoint is asked anew
   */
  private record Judgement(@Nullable String reason, boolean again, boolean cutOff) {}

  private static Judgement judged(
      RunningAttempt attempt, Call call, Reply reply, @Nullable String refusal) {
    attempt.ended(
        refusal == null ? DeliveryOutcome.DELIVERED : DeliveryOutcome.REFUSED, call, reply, null);
    return new Judgement(refusal, true, false);
  }

  private static Judgement failed(
      RunningAttempt attempt, @Nullable Call call, @Nullable Throwable failure) {
    Throwable cause = failure == null ? new IllegalStateException("no answer") : failure;
    DeliveryOutcome outcome = CallOutcome.of(cause);
    attempt.ended(outcome, call, null, cause);
    return new Judgement(
        "it could not be reached: " + cause.getMessage(),
        // Trying again would not make its address a permitted one.
        outcome != DeliveryOutcome.FORBIDDEN,
        outcome == DeliveryOutcome.CUT_OFF);
  }

  private CompletableFuture<?> record(Webhook webhook, Judgement judgement) {
    if (judgement.cutOff) {
      return CompletableFuture.completedFuture(null);
    }
    Instant now = clock.instant();
    log.atInfo()
        .addKeyValue("webhook", webhook.id())
        .addKeyValue("host", webhook.host())
        .addKeyValue("outcome", judgement.reason == null ? "confirmed" : judgement.reason)
        .log("A webhook was verified");
    if (judgement.reason == null) {
      return webhooks.confirm(webhook, now);
    }
    boolean again = judgement.again && webhook.attempts() < PAUSES.size();
    return webhooks.unconfirmed(
        webhook, judgement.reason, again ? now.plus(PAUSES.get(webhook.attempts())) : null);
  }

  private void ended(Webhook webhook, @Nullable Throwable failure) {
    if (failure == null) {
      release(webhook.id());
      return;
    }
    log.atError()
        .addKeyValue("webhook", webhook.id())
        .addKeyValue("again", PAUSE_AFTER_FAILURE)
        .setCause(failure)
        .log("A verification could not be recorded and is repeated");
    // The webhook is still due: released at once, it would be asked again and again meanwhile.
    timer.at(clock.instant().plus(PAUSE_AFTER_FAILURE), () -> release(webhook.id()));
  }

  private void release(long id) {
    underWay.end(id);
    pump.wake();
  }

  /** Begins no more verifications. */
  @Override
  public void close() {
    pump.close();
  }
}
