package io.feedbridge.gateway.web.cloud;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.rsscloud.WeblogPing;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Takes the pings of ping services, however they came in. */
final class WeblogPings {

  private WeblogPings() {}

  /** Why a ping is refused; empty once it was taken. */
  static CompletableFuture<Optional<String>> take(WeblogPing ping, Intake intake, String caller) {
    List<String> topics = new ArrayList<>();
    String refusal = WeblogPing.NO_URL;
    for (String url : ping.candidates()) {
      try {
        topics.add(TopicUrl.normalize(url));
      } catch (BadHubRequestException e) {
        refusal = String.valueOf(e.getMessage());
      }
    }
    if (topics.isEmpty()) {
      intake.refused(Activity.Kind.PING, caller, refusal);
      return CompletableFuture.completedFuture(Optional.of(refusal));
    }
    return intake.ping(ping, topics, caller).thenApply(feeds -> Optional.empty());
  }
}
