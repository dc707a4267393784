package io.feedbridge.gateway.face;

import io.feedbridge.gateway.downstream.CloudRegistrar;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.BadRequestException;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.rsscloud.AnswerFormat;
import io.feedbridge.rsscloud.BadPingException;
import io.feedbridge.rsscloud.BadRegistrationException;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.rsscloud.Ping;
import io.feedbridge.rsscloud.PingResult;
import io.feedbridge.rsscloud.Registration;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The rssCloud cloud over REST. Results are HTTP 200 even where they say no: clients read the body.
 * But for those who ask for too much, who get a 429.
 */
final class CloudFace {

  private static final int OK = 200;

  private final CloudRegistrar registrar;
  private final Intake intake;
  private final RpcFace procedures;
  private final Callers callers;
  private final Admission admission;

  CloudFace(
      CloudRegistrar registrar,
      Intake intake,
      RpcFace procedures,
      Callers callers,
      Admission admission) {
    this.admission = admission;
    this.registrar = registrar;
    this.callers = callers;
    this.intake = intake;
    this.procedures = procedures;
  }

  /** {@code POST /pleaseNotify}: a form, or a call for which some clients take no other path. */
  CompletionStage<Response> pleaseNotify(Request request) {
    if (RpcFace.isXml(request.body())) {
      return procedures.call(request, RpcProtocol.SOAP);
    }
    AnswerFormat format = format(request);
    Registration registration;
    try {
      registration = Registration.parse(request.form(), callers.address(request));
    } catch (BadRequestException | BadRegistrationException e) {
      return CompletableFuture.completedFuture(
          answer(format, NotifyResult.refused(String.valueOf(e.getMessage())).in(format)));
    }
    return admission
        .subscriptions(request, registration.urls(), registration.callback())
        .thenCompose(
            refusal ->
                refusal.isPresent()
                    ? CompletableFuture.completedFuture(
                        tooMany(
                            format,
                            refusal.get(),
                            NotifyResult.refused(refusal.get().reason()).in(format)))
                    : registrar
                        .register(registration)
                        .thenApply(result -> answer(format, result.in(format))));
  }

  /** {@code POST /ping}: a form, or a call likewise. */
  CompletionStage<Response> ping(Request request) {
    if (RpcFace.isXml(request.body())) {
      return procedures.call(request, RpcProtocol.XML_RPC);
    }
    AnswerFormat format = format(request);
    List<String> topics = new ArrayList<>();
    try {
      for (String url : Ping.parse(request.form()).urls()) {
        topics.add(TopicUrl.normalize(url));
      }
    } catch (BadRequestException | BadPingException | BadHubRequestException e) {
      return CompletableFuture.completedFuture(
          answer(format, PingResult.refused(String.valueOf(e.getMessage())).in(format)));
    }
    Optional<Refusal> refusal = admission.pings(request, topics);
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(
          tooMany(format, refusal.get(), PingResult.refused(refusal.get().reason()).in(format)));
    }
    CompletableFuture<?>[] pings =
        topics.stream()
            .map(topic -> intake.ping(topic, Via.PING))
            .toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(pings)
        .thenApply(done -> answer(format, PingResult.thanks().in(format)));
  }

  private static AnswerFormat format(Request request) {
    return AnswerFormat.preferredBy(request.header("Accept").orElse(null));
  }

  private static Response tooMany(AnswerFormat format, Refusal refusal, String body) {
    return Admission.withWait(answer(Admission.TOO_MANY, format, body), refusal);
  }

  private static Response answer(AnswerFormat format, String body) {
    return answer(OK, format, body);
  }

  private static Response answer(int status, AnswerFormat format, String body) {
    return Response.of(status, format.contentType(), body.getBytes(StandardCharsets.UTF_8));
  }
}
