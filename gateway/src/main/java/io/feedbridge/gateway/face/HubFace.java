package io.feedbridge.gateway.face;

import io.feedbridge.gateway.downstream.HubRequests;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.Handler;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.HubRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code POST /hub}: the WebSub hub towards subscribers and publishers. */
final class HubFace implements Handler {

  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int ACCEPTED = 202;

  private final HubRequests requests;
  private final Intake intake;

  HubFace(HubRequests requests, Intake intake) {
    this.requests = requests;
    this.intake = intake;
  }

  @Override
  public CompletionStage<Response> handle(Request request) {
    HubRequest parsed;
    try {
      parsed = HubRequest.parse(request.form());
    } catch (BadHubRequestException e) {
      return CompletableFuture.completedFuture(Response.text(BAD_REQUEST, e.reason()));
    }
    if (parsed instanceof HubRequest.Subscribe subscribe) {
      return requests.subscribe(subscribe).thenApply(pending -> accepted());
    }
    if (parsed instanceof HubRequest.Unsubscribe unsubscribe) {
      return requests.unsubscribe(unsubscribe).thenApply(pending -> accepted());
    }
    return publish((HubRequest.Publish) parsed);
  }

  /** 202 at once: what the callback will say is not known yet (rule H2). */
  private static Response accepted() {
    return Response.text(ACCEPTED, "accepted: your callback is asked next\n");
  }

  private CompletionStage<Response> publish(HubRequest.Publish publish) {
    if (publish.content().isPresent()) {
      // Nobody can have a publisher's secret yet, so that no signature can be right (rule H17).
      return CompletableFuture.completedFuture(
          Response.text(
              FORBIDDEN,
              "hub.content is only taken from publishers with a secret: publish without it"));
    }
    CompletableFuture<?>[] pings =
        publish.topics().stream()
            .map(topic -> intake.ping(topic, Via.PUBLISH))
            .toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(pings).thenApply(done -> Response.noContent());
  }
}
