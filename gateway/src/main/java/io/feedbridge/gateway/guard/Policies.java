package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.store.NullDevice;
import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.normalizer.BadSelectionException;
import io.feedbridge.normalizer.Selection;
import io.feedbridge.websub.TopicUrl;
import java.net.URI;
import java.util.Optional;

/**
 * The feeds that may be followed and the URLs that may be called. The gateway's own feeds always
 * may be followed. Immutable.
 *
 * @param addresses that may be called
 * @param own how URLs of the gateway itself begin
 * @param trackers the callers that may subscribe to trackers
 */
public record Policies(
    UrlPatterns topics,
    UrlPatterns callbacks,
    AddressPolicy addresses,
    String own,
    TrackerPolicy trackers) {

  /** Why a topic is refused. */
  public static final String TOPIC_REFUSED =
      "the operator of this gateway does not have it followed";

  /** Why a tracker is refused to every caller. */
  public static final String TRACKERS_OFF =
      "the operator of this gateway has switched trackers off (--trackers)";

  /** Why a tracker is refused to a caller without a login. */
  public static final String TRACKERS_LOGIN =
      "a tracker is for callers of the hub that show a login and its token (--trackers)";

  /** Why a callback is refused. */
  public static final String CALLBACK_REFUSED =
      "the operator of this gateway does not have it called";

  /** The policies of a gateway under a URL. */
  public static Policies of(
      UrlPatterns topics,
      UrlPatterns callbacks,
      AddressPolicy addresses,
      URI publicUrl,
      TrackerPolicy trackers) {
    return new Policies(topics, callbacks, addresses, publicUrl + "/", trackers);
  }

  /** Whether a topic may be followed. */
  public boolean permitTopic(String topic) {
    return topicRefusal(topic).isEmpty();
  }

  /** Why a topic may not be followed for any caller; empty if it may. */
  public Optional<String> topicRefusal(String topic) {
    Optional<String> selection = selectionRefusal(topic);
    if (selection.isPresent()) {
      return selection;
    }
    if (isOwn(topic)) {
      return trackers == TrackerPolicy.OFF && isTracker(topic)
          ? Optional.of(TRACKERS_OFF)
          : Optional.empty();
    }
    return topics.permits(topic) ? Optional.empty() : Optional.of(TOPIC_REFUSED);
  }

  /** Why a topic selects no part of any document; empty for a good selection, and for none. */
  public static Optional<String> selectionRefusal(String topic) {
    try {
      Optional<String> selection = TopicUrl.selection(topic);
      if (selection.isPresent()) {
        Selection.parse(selection.get());
      }
      return Optional.empty();
    } catch (BadSelectionException e) {
      return Optional.of(e.reason());
    }
  }

  /** Why a topic may not be followed, with the option that says so; empty if it may. */
  public Optional<String> operatorRefusal(String topic) {
    return topicRefusal(topic).map(why -> why.equals(TOPIC_REFUSED) ? why + " (--topics)" : why);
  }

  /** Why a topic may not be followed for a caller that shows no credentials; empty if it may. */
  public Optional<String> strangerRefusal(String topic) {
    return trackers == TrackerPolicy.LOGIN && isTracker(topic)
        ? Optional.of(TRACKERS_LOGIN)
        : topicRefusal(topic);
  }

  /** Whether a topic is a feed of the gateway itself. */
  boolean isOwn(String topic) {
    return topic.startsWith(own) || GatewayTopic.is(topic);
  }

  private boolean isTracker(String topic) {
    return TrackerPolicy.isTracker(own + TrackerPolicy.PATH.substring(1), topic);
  }

  /** Whether a callback may be called; the null device never is. */
  public boolean permitCallback(String callback) {
    return callbacks.permits(callback) || NullDevice.is(callback);
  }

  /**
   * Why a callback can never be called, as far as its URL tells; empty if only the addresses of its
   * host can tell. The null device, which is never called, is not refused.
   */
  public Optional<String> callbackRefusal(String callback) {
    if (NullDevice.is(callback)) {
      return Optional.empty();
    }
    return callbacks.permits(callback)
        ? addresses.refusal(Purpose.CALLBACK, callback)
        : Optional.of(CALLBACK_REFUSED);
  }

  /** As they were written, as far as they decide on topics and callbacks for every caller. */
  public String text() {
    String patterns = topics + "\n" + callbacks;
    return trackers == TrackerPolicy.OFF ? patterns + "\ntrackers=off" : patterns;
  }
}
