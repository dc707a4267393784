package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.store.NullDevice;
import java.net.URI;

/**
 * What may be followed and what may be called. The gateway's own feeds always may. Immutable.
 *
 * @param own how URLs of the gateway itself begin
 */
public record Policies(UrlPatterns topics, UrlPatterns callbacks, String own) {

  /** Why a topic is refused. */
  public static final String TOPIC_REFUSED =
      "the operator of this gateway does not have it followed";

  /** Why a callback is refused. */
  public static final String CALLBACK_REFUSED =
      "the operator of this gateway does not have it called";

  /** Those of a gateway under a URL. */
  public static Policies of(UrlPatterns topics, UrlPatterns callbacks, URI publicUrl) {
    return new Policies(topics, callbacks, publicUrl + "/");
  }

  /** Whether a topic may be followed. */
  public boolean permitTopic(String topic) {
    return topics.permits(topic) || topic.startsWith(own);
  }

  /** Whether a callback may be called; the null device never is. */
  public boolean permitCallback(String callback) {
    return callbacks.permits(callback) || NullDevice.is(callback);
  }

  /** As they were written. */
  public String text() {
    return topics + "\n" + callbacks;
  }
}
