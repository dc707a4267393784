package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.subscribers.HubRequests;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.HubRequest;
import io.feedbridge.websub.VerifyMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The WebSub hub towards subscribers and publishers. */
final class HubHandler {

  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int CONFLICT = 409;
  private static final int ACCEPTED = 202;

  private final HubRequests requests;
  private final HubTopics topics;
  private final Intake intake;
  private final Admission admission;

  HubHandler(HubRequests requests, HubTopics topics, Intake intake, Admission admission) {
    this.topics = topics;
    this.admission = admission;
    this.requests = requests;
    this.intake = intake;
  }

  /** Answers a form. */
  CompletionStage<Response> answer(Request request, Map<String, List<String>> form) {
    HubRequest parsed;
    try {
      parsed = HubRequest.parse(form);
    } catch (BadHubRequestException e) {
      return CompletableFuture.completedFuture(Response.text(BAD_REQUEST, e.reason()));
    }
    if (parsed instanceof HubRequest.Subscribe subscribe) {
      Optional<String> refusal = topics.refusal(subscribe.topic());
      if (refusal.isPresent()) {
        return CompletableFuture.completedFuture(
            Response.text(BAD_REQUEST, "hub.topic: " + refusal.get() + "\n"));
      }
    }
    try {
      HubRequest meant = parsed instanceof HubRequest.Publish publish ? ofFeeds(publish) : parsed;
      if (meant instanceof HubRequest.Publish publish
          && admission.hasComeRound(request, publish.topics())) {
        return CompletableFuture.completedFuture(Response.noContent());
      }
      return admitted(request, meant)
          .thenCompose(
              refusal ->
                  refusal.isPresent()
                      ? CompletableFuture.completedFuture(refusal.get())
                      : answer(
                          meant,
                          GatewayPath.read(request.headers().all(GatewayPath.HEADER)),
                          admission.limited(request).map(Sponsor::stranger).orElse(Sponsor.NOBODY),
                          admission.address(request)));
    } catch (BadBridgeException e) {
      return CompletableFuture.completedFuture(Response.text(BAD_REQUEST, e.reason()));
    }
  }

  /** A bridged feed that is published stands for its feed. */
  private HubRequest.Publish ofFeeds(HubRequest.Publish publish) {
    return new HubRequest.Publish(
        publish.topics().stream().map(requests::feed).distinct().toList(), publish.content());
  }

  /** The refusal of a request; empty if the request is admitted. */
  private CompletionStage<Optional<Response>> admitted(Request request, HubRequest parsed) {
    if (parsed instanceof HubRequest.Publish publish) {
      return CompletableFuture.completedFuture(
          admission.pings(request, publish.topics()).map(Admission::text));
    }
    boolean subscribes = parsed instanceof HubRequest.Subscribe;
    String topic = requests.feed(topic(parsed));
    String callback = callback(parsed);
    Optional<String> objection =
        admission
            .policies()
            .callbackRefusal(callback)
            .map(why -> "hub.callback: " + why)
            .or(
                () ->
                    subscribes
                        ? admission
                            .policies()
                            .strangerRefusal(topic)
                            .or(() -> admission.privateRefusal(topic))
                            .map(why -> "hub.topic: " + why)
                        : Optional.empty());
    return objection.isPresent()
        ? CompletableFuture.completedFuture(
            objection.map(why -> Response.text(FORBIDDEN, why + "\n")))
        : admission
            .subscriptions(request, List.of(topic), callback)
            .thenApply(refusal -> refusal.map(Admission::text));
  }

  private static String topic(HubRequest parsed) {
    return parsed instanceof HubRequest.Subscribe subscribe
        ? subscribe.topic()
        : ((HubRequest.Unsubscribe) parsed).topic();
  }

  private static String callback(HubRequest parsed) {
    return parsed instanceof HubRequest.Subscribe subscribe
        ? subscribe.callback()
        : ((HubRequest.Unsubscribe) parsed).callback();
  }

  private CompletionStage<Response> answer(
      HubRequest parsed, GatewayPath path, Sponsor sponsor, String address) {
    if (parsed instanceof HubRequest.Subscribe subscribe) {
      return isSync(subscribe.verify())
          ? requests.subscribeNow(subscribe, sponsor, path).thenApply(HubHandler::verified)
          : requests.subscribe(subscribe, sponsor, path).thenApply(pending -> accepted());
    }
    if (parsed instanceof HubRequest.Unsubscribe unsubscribe) {
      return isSync(unsubscribe.verify())
          ? requests.unsubscribeNow(unsubscribe, sponsor).thenApply(HubHandler::verified)
          : requests.unsubscribe(unsubscribe, sponsor).thenApply(pending -> accepted());
    }
    return publish((HubRequest.Publish) parsed, address);
  }

  private static boolean isSync(Optional<VerifyMode> wanted) {
    return wanted.filter(VerifyMode.SYNC::equals).isPresent();
  }

  /** The answer of PuSH 0.3 hubs once they have asked the callback (0.3 §6.1.2). */
  private static Response verified(Optional<String> refusal) {
    return refusal
        .map(why -> Response.text(CONFLICT, "not verified: " + why + "\n"))
        .orElseGet(Response::noContent);
  }

  /** 202 at once: the callback's answer is not known yet (rule H2). */
  private static Response accepted() {
    return Response.text(
        ACCEPTED,
        "accepted: the callback must now return the challenge; if it"
            + " cannot be called, or does not, the request is dropped"
            + " and /log shows the reason\n");
  }

  private CompletionStage<Response> publish(HubRequest.Publish publish, String caller) {
    if (publish.content().isPresent()) {
      return intake
          .publication(publish.topics().get(0), publish.content().get())
          .thenApply(HubHandler::published);
    }
    CompletableFuture<?>[] pings =
        publish.topics().stream()
            .map(topic -> intake.ping(topic, Via.PUBLISH, caller))
            .toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(pings).thenApply(done -> Response.noContent());
  }

  /**
   * Publishing succeeds for topics without subscribers, too: a publisher does not learn of them
   * (rule H15).
   */
  private static Response published(Intake.Receipt receipt) {
    return receipt == Intake.Receipt.NOT_BELIEVED
        ? Response.text(
            FORBIDDEN,
            "hub.signature is not that of hub.content under a secret of the topic's publishers:"
                + " sign it, or publish without content\n")
        : Response.noContent();
  }
}
