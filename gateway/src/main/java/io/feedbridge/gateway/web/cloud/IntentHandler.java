package io.feedbridge.gateway.web.cloud;

import io.feedbridge.gateway.check.CheckCallbacks;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.upstream.UpstreamCallbacks;
import io.feedbridge.rsscloud.AggregatorRequest;
import io.feedbridge.rsscloud.ChallengeRequest;
import io.feedbridge.websub.IntentRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The questions of upstream hubs and clouds at callbacks: whether the gateway subscribed. */
public final class IntentHandler {

  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;

  private final UpstreamCallbacks callbacks;
  private final CheckCallbacks checks;

  public IntentHandler(UpstreamCallbacks callbacks, CheckCallbacks checks) {
    this.callbacks = callbacks;
    this.checks = checks;
  }

  /** {@code GET /callback/websub/{id}}: a verification or a denial. */
  public CompletionStage<Response> intent(Request request) {
    IntentRequest intent = IntentRequest.parse(request.query());
    if (checks.knows(CallbackHandler.id(request))) {
      return CompletableFuture.completedFuture(ofCheck(CallbackHandler.id(request), intent));
    }
    if (intent instanceof IntentRequest.Verify question) {
      return callbacks
          .verify(CallbackHandler.id(request), question)
          .thenApply(IntentHandler::challenge);
    }
    if (intent instanceof IntentRequest.Denied denial) {
      return callbacks
          .denied(CallbackHandler.id(request), denial)
          .thenApply(known -> known ? Response.text(OK, "noted\n") : CallbackHandler.unknown());
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

  /** {@code GET /callback/rsscloud/{id}}: a cloud's test of the handler. */
  public CompletionStage<Response> test(Request request) {
    Optional<AggregatorRequest> parsed = AggregatorRequest.parse("GET", request.query());
    if (parsed.isEmpty() || !(parsed.get() instanceof ChallengeRequest challenge)) {
      return CompletableFuture.completedFuture(
          Response.text(BAD_REQUEST, "a test needs the parameters url and challenge\n"));
    }
    if (checks.isTested(CallbackHandler.id(request))) {
      return CompletableFuture.completedFuture(Response.text(OK, challenge.challenge()));
    }
    return CallbackHandler.topic(challenge.url())
        .map(topic -> callbacks.challenge(CallbackHandler.id(request), topic, challenge))
        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()))
        .thenApply(IntentHandler::challenge);
  }

  private static Response challenge(Optional<String> challenge) {
    return challenge.map(text -> Response.text(OK, text)).orElseGet(CallbackHandler::unknown);
  }
}
