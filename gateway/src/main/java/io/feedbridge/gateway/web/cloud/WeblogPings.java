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

  /** The topics that a ping may be for. */
  static List<String> topics(WeblogPing ping) {
    List<String> topics = new ArrayList<>();
    for (String url : ping.candidates()) {
      try {
        topics.add(TopicUrl.pinged("url", url));
      } catch (BadHubRequestException noTopic) {
        // Another URL of the ping may be one.
      }
    }
    return topics;
  }

  private static String refusal(WeblogPing ping) {
    try {
      return ping.candidates().isEmpty()
          ? WeblogPing.NO_URL
          : TopicUrl.pinged("url", ping.candidates().get(ping.candidates().size() - 1));
    } catch (BadHubRequestException e) {
      return e.reason();
    }
  }

  /** Takes a ping. */
  static CompletableFuture<Taken> take(WeblogPing ping, Intake intake, String caller) {
    List<String> topics = topics(ping);
    String refusal = topics.isEmpty() ? refusal(ping) : "";
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
