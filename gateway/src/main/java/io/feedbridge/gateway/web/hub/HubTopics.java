package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.guard.Policies;
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
   * Checks the query of a tracker, and the selection of a part of a document.
   *
   * @throws HubRefusal if the topic has a text that is no query, or no selection
   */
  void checkOffered(String given) {
    refusal(given)
        .ifPresent(
            why -> {
              throw HubRefusal.unprocessable(why);
            });
  }

  /** Why a topic is refused to every caller; empty if a caller may get it. */
  Optional<String> refusal(String given) {
    try {
      if (trackers.isTracker(given)) {
        trackers.query(given);
      } else if (given.indexOf('#') >= 0) {
        return Policies.selectionRefusal(TopicUrl.normalize(given));
      }
      return Optional.empty();
    } catch (BadQueryException e) {
      return Optional.of("the tracker's query: " + e.reason());
    } catch (BadHubRequestException e) {
      return Optional.of(e.reason());
    }
  }
}
