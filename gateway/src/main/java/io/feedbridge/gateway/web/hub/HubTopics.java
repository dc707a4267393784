package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.subscribers.HubRequests;
import io.feedbridge.gateway.track.TrackerTopics;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.util.Optional;

/** Topics as Superfeedr's calls name them. */
final class HubTopics {

  private final HubRequests requests;
  private final TrackerTopics trackers;

  HubTopics(HubRequests requests, TrackerTopics trackers) {
    this.requests = requests;
    this.trackers = trackers;
  }

  /**
   * The feed's own topic; the URL of a bridged feed stands for the feed itself (rule L17).
   *
   * @throws HubRefusal if the text is no topic, or one that is not offered
   */
  String of(String given) {
    try {
      checkOffered(given);
      return requests.feed(TopicUrl.normalize(given));
    } catch (BadHubRequestException e) {
      throw HubRefusal.unprocessable(e.reason());
    } catch (BadBridgeException e) {
      throw HubRefusal.unprocessable(e.reason());
    }
  }

  /**
   * Checks the query of a tracker.
   *
   * @throws HubRefusal if the topic is a tracker with a text that is no query
   */
  void checkOffered(String given) {
    refusal(given)
        .ifPresent(
            why -> {
              throw HubRefusal.unprocessable(why);
            });
  }

  /** Why a tracker cannot be subscribed to; empty for any other topic. */
  Optional<String> refusal(String given) {
    if (!trackers.isTracker(given)) {
      return Optional.empty();
    }
    try {
      trackers.query(given);
      return Optional.empty();
    } catch (BadQueryException e) {
      return Optional.of("the tracker's query: " + e.reason());
    }
  }
}
