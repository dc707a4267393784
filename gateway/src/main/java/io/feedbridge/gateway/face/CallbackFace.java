package io.feedbridge.gateway.face;

import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.upstream.UpstreamCallbacks;
import io.feedbridge.rsscloud.AggregatorRequest;
import io.feedbridge.rsscloud.ChallengeRequest;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.Delivery;
import io.feedbridge.websub.IntentRequest;
import io.feedbridge.websub.TopicUrl;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The callbacks that upstream hubs and clouds call, one per following. */
final class CallbackFace {

  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  private final UpstreamCallbacks callbacks;
  private final Intake intake;
  private final RpcFace procedures;

  CallbackFace(UpstreamCallbacks callbacks, Intake intake, RpcFace procedures) {
    this.callbacks = callbacks;
    this.intake = intake;
    this.procedures = procedures;
  }

  /** {@code GET /callback/websub/{id}}: a verification or a denial. */
  CompletionStage<Response> intent(Request request) {
    IntentRequest intent = IntentRequest.parse(request.query());
    if (intent instanceof IntentRequest.Verify question) {
      return callbacks.verify(id(request), question).thenApply(CallbackFace::challenge);
    }
    if (intent instanceof IntentRequest.Denied denial) {
      return callbacks
          .denied(id(request), denial)
          .thenApply(known -> known ? Response.text(OK, "noted\n") : unknown());
    }
    String reason = ((IntentRequest.NotAnIntent) intent).reason();
    return CompletableFuture.completedFuture(Response.text(BAD_REQUEST, reason));
  }

  /** {@code POST /callback/websub/{id}}: content. */
  CompletionStage<Response> delivery(Request request) {
    return intake
        .delivery(
            id(request),
            request.header(Delivery.SIGNATURE).orElse(null),
            request.header("Content-Type").orElse(null),
            request.body())
        .thenApply(
            receipt ->
                switch (receipt) {
                  case ACCEPTED -> Response.noContent();
                  case NOT_BELIEVED ->
                      Response.text(
                          FORBIDDEN,
                          "the signature is missing or wrong: the content is not believed\n");
                  case UNWANTED -> unknown();
                });
  }

  /** {@code GET /callback/rsscloud/{id}}: a cloud's test of the handler. */
  CompletionStage<Response> test(Request request) {
    Optional<AggregatorRequest> parsed = AggregatorRequest.parse("GET", request.query());
    if (parsed.isEmpty() || !(parsed.get() instanceof ChallengeRequest challenge)) {
      return CompletableFuture.completedFuture(
          Response.text(BAD_REQUEST, "a test needs the parameters url and challenge\n"));
    }
    return topic(challenge.url())
        .map(topic -> callbacks.challenge(id(request), topic, challenge))
        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()))
        .thenApply(CallbackFace::challenge);
  }

  /** {@code POST /callback/rsscloud/{id}}: a notification, by a form or a procedure call. */
  CompletionStage<Response> notification(Request request) {
    if (RpcFace.isXml(request.body())) {
      return procedures.notification(request, id(request));
    }
    Optional<String> topic =
        AggregatorRequest.parse("POST", request.form())
            .map(AggregatorRequest::url)
            .flatMap(CallbackFace::topic);
    if (topic.isEmpty()) {
      return CompletableFuture.completedFuture(
          Response.text(BAD_REQUEST, "a notification needs the parameter url\n"));
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
    return challenge.map(text -> Response.text(OK, text)).orElseGet(CallbackFace::unknown);
  }

  private static Response unknown() {
    return Response.text(NOT_FOUND, "nothing is subscribed under this callback\n");
  }
}
