package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.subscribers.HubRequests;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;

/** Topics as Superfeedr's calls name them. */
final class HubTopics {

  private final HubRequests requests;
  private final String track;

  HubTopics(HubRequests requests, String publicUrl) {
    this.requests = requests;
    track = publicUrl + "/track";
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

  /** Refuses Superfeedr's trackers, which this hub does not offer. */
  void checkOffered(String given) {
    if (given.equals(track) || given.startsWith(track + "?")) {
      throw HubRefusal.unprocessable("trackers are not offered by this hub");
    }
  }
}
