package io.feedbridge.gateway.web.cloud;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.intake.PingOutcomes;
import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.Callers;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The rssCloud cloud over REST. Even a refusal is answered HTTP 200, because clients read the body.
 * Only a caller over its limits gets a 429.
 */
public final class CloudHandler {

  /** Of a form, beside the usual type. */
  public static final String MULTIPART = "multipart/form-data";

  private static final int OK = 200;

  private final Optional<RpcHandler.Owned> owned;
  private final Intake intake;
  private final PingOutcomes outcomes;
  private final RpcHandler procedures;
  private final Callers callers;
  private final Admission admission;

  /**
   * A handler.
   *
   * @param owned absent at a node that does not own the store, which takes pings alone
   */
  public CloudHandler(
      Optional<RpcHandler.Owned> owned,
      Intake intake,
      PingOutcomes outcomes,
      RpcHandler procedures,
      Callers callers,
      Admission admission) {
    this.outcomes = outcomes;
    this.admission = admission;
    this.owned = owned;
    this.callers = callers;
    this.intake = intake;
    this.procedures = procedures;
  }

  /** {@code POST /pleaseNotify}: a form, or a call for which some clients take no other path. */
  public CompletionStage<Response> pleaseNotify(Request request) {
    if (RpcHandler.isXml(request.body())) {
      return procedures.call(request, RpcProtocol.SOAP);
    }
    AnswerFormat format = format(request);
    Registration registration;
    try {
      registration = Registration.parse(form(request), callers.address(request));
    } catch (BadRequestException | BadRegistrationException e) {
      String reason = String.valueOf(e.getMessage());
      noteRefused(request, reason);
      return CompletableFuture.completedFuture(
          answer(format, NotifyResult.refused(reason).in(format)));
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
                    : owned
                        .orElseThrow()
                        .registrar()
                        .register(registration, path(request))
                        .thenApply(result -> answer(format, result.in(format))));
  }

  /** {@code POST /ping}: a form, or a call likewise. */
  public CompletionStage<Response> ping(Request request) {
    if (RpcHandler.isXml(request.body())) {
      return procedures.call(request, RpcProtocol.XML_RPC);
    }
    AnswerFormat format = format(request);
    List<String> topics = new ArrayList<>();
    try {
      for (String url : Ping.parse(form(request)).urls()) {
        topics.add(TopicUrl.pinged("url", url));
      }
    } catch (BadRequestException | BadPingException | BadHubRequestException e) {
      String reason = String.valueOf(e.getMessage());
      intake.refused(Activity.Kind.PING, "", callers.address(request), reason);
      return CompletableFuture.completedFuture(
          answer(format, PingResult.refused(reason).in(format)));
    }
    if (admission.hasComeRound(request, topics)) {
      return CompletableFuture.completedFuture(answer(format, PingResult.thanks().in(format)));
    }
    Optional<Refusal> refusal = admission.pings(request, topics);
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(
          tooMany(format, refusal.get(), PingResult.refused(refusal.get().reason()).in(format)));
    }
    return pinged(topics, callers.address(request))
        .thenApply(result -> answer(format, result.in(format)));
  }

  /** The pings are durable before their fetches are waited for. */
  private CompletableFuture<PingResult> pinged(List<String> topics, String caller) {
    Instant before = outcomes.now();
    Map<String, CompletableFuture<List<String>>> pings = new LinkedHashMap<>();
    topics.forEach(topic -> pings.put(topic, intake.ping(topic, Via.PING, caller)));
    return CompletableFuture.allOf(pings.values().toArray(CompletableFuture[]::new))
        .thenCompose(
            done -> {
              Set<String> feeds = new LinkedHashSet<>();
              List<String> unfollowed = new ArrayList<>();
              pings.forEach(
                  (topic, of) -> {
                    feeds.addAll(of.join());
                    if (of.join().isEmpty()) {
                      unfollowed.add(topic);
                    }
                  });
              return outcomes.of(feeds, before).thenApply(known -> result(known, unfollowed));
            });
  }

  private static PingResult result(PingOutcomes.Known known, List<String> unfollowed) {
    if (!known.failures().isEmpty()) {
      return PingResult.unreadable(known.failures());
    }
    if (!known.later().isEmpty()) {
      return PingResult.later(known.later());
    }
    return unfollowed.isEmpty() ? PingResult.thanks() : PingResult.unfollowed(unfollowed);
  }

  /** The gateways behind an aggregator that is one. */
  static GatewayPath path(Request request) {
    return GatewayPath.read(request.headers().all(GatewayPath.HEADER));
  }

  /** The parameters; some clients send them as multipart, as a page's form does, without files. */
  /** The author of a client looks for the feed that the registration was for. */
  private void noteRefused(Request request, String reason) {
    String caller = callers.address(request);
    Map<String, List<String>> form;
    try {
      form = form(request);
    } catch (BadRequestException e) {
      form = Map.of();
    }
    String feed =
        form.entrySet().stream()
            .filter(field -> field.getKey().startsWith("url"))
            .flatMap(field -> field.getValue().stream())
            .findFirst()
            .orElse("");
    String domain = form.getOrDefault("domain", List.of("")).get(0);
    String port = form.getOrDefault("port", List.of("")).get(0);
    String callback = "http://" + (domain.isBlank() ? caller : domain) + ":" + port;
    intake.refused(
        Activity.Kind.REGISTRATION,
        feed,
        feed.isBlank() ? caller : CallbackHost.of(callback),
        reason);
  }

  private static Map<String, List<String>> form(Request request) {
    String type = request.header("Content-Type").orElse("").strip();
    boolean multipart = type.regionMatches(true, 0, MULTIPART, 0, MULTIPART.length());
    return multipart ? request.multipart() : request.form();
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
