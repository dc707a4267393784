package io.feedbridge.gateway.web.cloud;

import io.feedbridge.gateway.check.CheckCallbacks;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.rsscloud.AggregatorRequest;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.Delivery;
import io.feedbridge.websub.TopicUrl;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The contents and notifications that upstream hubs and clouds send to callbacks, one for each
 * upstream subscription, and one for each test subscription of a check. {@link IntentHandler}
 * answers their questions.
 */
public final class CallbackHandler {

  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  private final Intake intake;
  private final RpcHandler procedures;
  private final Admission admission;
  private final CheckCallbacks checks;

  public CallbackHandler(
      Intake intake, RpcHandler procedures, Admission admission, CheckCallbacks checks) {
    this.checks = checks;
    this.admission = admission;
    this.intake = intake;
    this.procedures = procedures;
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

  static String id(Request request) {
    return request.pathVariables().getOrDefault("id", "");
  }

  static Optional<String> topic(String url) {
    try {
      return Optional.of(TopicUrl.normalize(url));
    } catch (BadHubRequestException noTopic) {
      return Optional.empty();
    }
  }

  static Response unknown() {
    return Response.text(NOT_FOUND, "nothing is subscribed under this callback\n");
  }
}
