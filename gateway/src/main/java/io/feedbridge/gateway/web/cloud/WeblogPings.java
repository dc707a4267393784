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

  /**
   * The result of a ping.
   *
   * @param refusal why it is refused; empty once it was taken
   * @param unfollowed the pinged URL, if the gateway follows no feed under it
   */
  record Taken(Optional<String> refusal, Optional<String> unfollowed) {}

  /** Takes a ping. */
  static CompletableFuture<Taken> take(WeblogPing ping, Intake intake, String caller) {
    List<String> topics = new ArrayList<>();
    String refusal = WeblogPing.NO_URL;
    for (String url : ping.candidates()) {
      try {
        topics.add(TopicUrl.pinged("url", url));
      } catch (BadHubRequestException e) {
        refusal = String.valueOf(e.getMessage());
      }
    }
    if (topics.isEmpty()) {
      intake.refused(Activity.Kind.PING, "", caller, refusal);
      return CompletableFuture.completedFuture(new Taken(Optional.of(refusal), Optional.empty()));
    }
    return intake
        .ping(ping, topics, caller)
        .thenApply(
            feeds ->
                new Taken(
                    Optional.empty(),
                    feeds.isEmpty() ? Optional.of(topics.get(0)) : Optional.empty()));
  }
}
