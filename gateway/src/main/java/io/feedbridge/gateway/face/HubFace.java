package io.feedbridge.gateway.face;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.downstream.HubRequests;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.store.Sponsor;
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
final class HubFace {

  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int CONFLICT = 409;
  private static final int ACCEPTED = 202;

  private final HubRequests requests;
  private final Intake intake;
  private final Admission admission;

  HubFace(HubRequests requests, Intake intake, Admission admission) {
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
    try {
      return admitted(request, parsed)
          .thenCompose(
              refusal ->
                  refusal.isPresent()
                      ? CompletableFuture.completedFuture(refusal.get())
                      : answer(parsed));
    } catch (BadBridgeException e) {
      return CompletableFuture.completedFuture(Response.text(BAD_REQUEST, e.reason()));
    }
  }

  /** The answer to what is refused; empty for what is not. */
  private CompletionStage<Optional<Response>> admitted(Request request, HubRequest parsed) {
    if (parsed instanceof HubRequest.Publish publish) {
      return CompletableFuture.completedFuture(
          admission.pings(request, publish.topics()).map(Admission::text));
    }
    boolean subscribes = parsed instanceof HubRequest.Subscribe;
    String topic = requests.feed(topic(parsed));
    String callback = callback(parsed);
    Optional<String> objection =
        !admission.policies().permitCallback(callback)
            ? Optional.of("hub.callback: " + Policies.CALLBACK_REFUSED)
            : subscribes && !admission.policies().permitTopic(topic)
                ? Optional.of("hub.topic: " + Policies.TOPIC_REFUSED)
                : Optional.empty();
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

  private CompletionStage<Response> answer(HubRequest parsed) {
    if (parsed instanceof HubRequest.Subscribe subscribe) {
      return isSync(subscribe.verify())
          ? requests.subscribeNow(subscribe, Sponsor.NOBODY).thenApply(HubFace::verified)
          : requests.subscribe(subscribe).thenApply(pending -> accepted());
    }
    if (parsed instanceof HubRequest.Unsubscribe unsubscribe) {
      return isSync(unsubscribe.verify())
          ? requests.unsubscribeNow(unsubscribe, Sponsor.NOBODY).thenApply(HubFace::verified)
          : requests.unsubscribe(unsubscribe).thenApply(pending -> accepted());
    }
    return publish((HubRequest.Publish) parsed);
  }

  private static boolean isSync(Optional<VerifyMode> wanted) {
    return wanted.filter(VerifyMode.SYNC::equals).isPresent();
  }

  /** What PuSH 0.3 hubs answer once they have asked the callback (0.3 §6.1.2). */
  private static Response verified(Optional<String> refusal) {
    return refusal
        .map(why -> Response.text(CONFLICT, "not verified: " + why + "\n"))
        .orElseGet(Response::noContent);
  }

  /** 202 at once: what the callback will say is not known yet (rule H2). */
  private static Response accepted() {
    return Response.text(ACCEPTED, "accepted: your callback is asked next\n");
  }

  private CompletionStage<Response> publish(HubRequest.Publish publish) {
    if (publish.content().isPresent()) {
      return intake
          .publication(publish.topics().get(0), publish.content().get())
          .thenApply(HubFace::published);
    }
    CompletableFuture<?>[] pings =
        publish.topics().stream()
            .map(topic -> intake.ping(topic, Via.PUBLISH))
            .toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(pings).thenApply(done -> Response.noContent());
  }

  /** Also where nobody follows the topic: that is nothing to tell a publisher (rule H15). */
  private static Response published(Intake.Receipt receipt) {
    return receipt == Intake.Receipt.NOT_BELIEVED
        ? Response.text(
            FORBIDDEN,
            "hub.signature is not that of hub.content under a secret of the topic's publishers:"
                + " sign it, or publish without content\n")
        : Response.noContent();
  }
}
