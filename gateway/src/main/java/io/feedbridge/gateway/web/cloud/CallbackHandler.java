package io.feedbridge.gateway.web.cloud;

import io.feedbridge.gateway.check.CheckCallbacks;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.upstream.UpstreamCallbacks;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.rsscloud.AggregatorRequest;
import io.feedbridge.rsscloud.ChallengeRequest;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.Delivery;
import io.feedbridge.websub.IntentRequest;
import io.feedbridge.websub.TopicUrl;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The callbacks that upstream hubs and clouds call, one for each upstream subscription, and one for
 * each test subscription of a check.
 */
public final class CallbackHandler {

  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  private final UpstreamCallbacks callbacks;
  private final Intake intake;
  private final RpcHandler procedures;
  private final Admission admission;
  private final CheckCallbacks checks;

  public CallbackHandler(
      UpstreamCallbacks callbacks,
      Intake intake,
      RpcHandler procedures,
      Admission admission,
      CheckCallbacks checks) {
    this.checks = checks;
    this.admission = admission;
    this.callbacks = callbacks;
    this.intake = intake;
    this.procedures = procedures;
  }

  /** {@code GET /callback/websub/{id}}: a verification or a denial. */
  public CompletionStage<Response> intent(Request request) {
    IntentRequest intent = IntentRequest.parse(request.query());
    if (checks.knows(id(request))) {
      return CompletableFuture.completedFuture(ofCheck(id(request), intent));
    }
    if (intent instanceof IntentRequest.Verify question) {
      return callbacks.verify(id(request), question).thenApply(CallbackHandler::challenge);
    }
    if (intent instanceof IntentRequest.Denied denial) {
      return callbacks
          .denied(id(request), denial)
          .thenApply(known -> known ? Response.text(OK, "noted\n") : unknown());
    }
    String reason = ((IntentRequest.NotAnIntent) intent).reason();
    return CompletableFuture.completedFuture(Response.text(BAD_REQUEST, reason));
  }

  private Response ofCheck(String token, IntentRequest intent) {
    if (intent instanceof IntentRequest.Verify question) {
      return challenge(checks.verify(token, question));
    }
    if (intent instanceof IntentRequest.Denied denial) {
      checks.denied(token, denial.reason());
      return Response.text(OK, "noted\n");
    }
    return Response.text(BAD_REQUEST, ((IntentRequest.NotAnIntent) intent).reason());
  }

  /**
   * {@code POST /callback/websub/{id}}: content. Content that is not believed is a light ping and
   * counts as one of its sender, so that forged content does not make the gateway fetch without
   * end.
   */
  public CompletionStage<Response> delivery(Request request) {
    String signature = request.header(Delivery.SIGNATURE).orElse(null);
    if (checks.knows(id(request))) {
      return CompletableFuture.completedFuture(
          checks.delivered(id(request), signature, request.body())
              ? Response.noContent()
              : unknown());
    }
    AtomicReference<@Nullable Refusal> refusal = new AtomicReference<>();
    return intake
        .delivery(
            id(request),
            signature,
            request.header("Content-Type").orElse(null),
            request.body(),
            () -> {
              Optional<Refusal> tooMany = admission.pings(request, List.of(request.path()));
              refusal.set(tooMany.orElse(null));
              return tooMany.isEmpty();
            })
        .thenApply(
            receipt ->
                switch (receipt) {
                  case ACCEPTED -> Response.noContent();
                  case NOT_BELIEVED ->
                      Response.text(
                          FORBIDDEN, "the signature is missing or wrong: the content is ignored\n");
                  case TOO_MANY -> Admission.text(Objects.requireNonNull(refusal.get()));
                  case UNWANTED -> unknown();
                });
  }

  /** {@code GET /callback/rsscloud/{id}}: a cloud's test of the handler. */
  public CompletionStage<Response> test(Request request) {
    Optional<AggregatorRequest> parsed = AggregatorRequest.parse("GET", request.query());
    if (parsed.isEmpty() || !(parsed.get() instanceof ChallengeRequest challenge)) {
      return CompletableFuture.completedFuture(
          Response.text(BAD_REQUEST, "a test needs the parameters url and challenge\n"));
    }
    if (checks.isTested(id(request))) {
      return CompletableFuture.completedFuture(Response.text(OK, challenge.challenge()));
    }
    return topic(challenge.url())
        .map(topic -> callbacks.challenge(id(request), topic, challenge))
        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()))
        .thenApply(CallbackHandler::challenge);
  }

  /** {@code POST /callback/rsscloud/{id}}: a notification, by a form or a procedure call. */
  public CompletionStage<Response> notification(Request request) {
    boolean ofCheck = checks.delivered(id(request), null, request.body());
    if (RpcHandler.isXml(request.body())) {
      return procedures.notification(request, id(request));
    }
    Optional<String> topic =
        AggregatorRequest.parse("POST", request.form())
            .map(AggregatorRequest::url)
            .flatMap(CallbackHandler::topic);
    if (topic.isEmpty()) {
      return CompletableFuture.completedFuture(
          Response.text(BAD_REQUEST, "a notification needs the parameter url\n"));
    }
    if (ofCheck) {
      return CompletableFuture.completedFuture(Response.text(OK, "thanks\n"));
    }
    return intake
        .notification(id(request), topic.get())
        .thenApply(
            receipt ->
                receipt == Intake.Receipt.ACCEPTED ? Response.text(OK, "thanks\n") : unknown());
  }

  private static String id(Request request) {
    return request.pathVariables().getOrDefault("id", "");
  }

  private static Optional<String> topic(String url) {
    try {
      return Optional.of(TopicUrl.normalize(url));
    } catch (BadHubRequestException noTopic) {
      return Optional.empty();
    }
  }

  private static Response challenge(Optional<String> challenge) {
    return challenge.map(text -> Response.text(OK, text)).orElseGet(CallbackHandler::unknown);
  }

  private static Response unknown() {
    return Response.text(NOT_FOUND, "nothing is subscribed under this callback\n");
  }
}
