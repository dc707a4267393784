package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.store.NullDevice;
import java.net.URI;
import java.util.Optional;

/**
 * The feeds that may be followed and the URLs that may be called. The gateway's own feeds always
 * may be followed. Immutable.
 *
 * @param addresses that may be called
 * @param own how URLs of the gateway itself begin
 */
public record Policies(
    UrlPatterns topics, UrlPatterns callbacks, AddressPolicy addresses, String own) {

  /** Why a topic is refused. */
  public static final String TOPIC_REFUSED =
      "the operator of this gateway does not have it followed";

  /** Why a callback is refused. */
  public static final String CALLBACK_REFUSED =
      "the operator of this gateway does not have it called";

  /** The policies of a gateway under a URL. */
  public static Policies of(
      UrlPatterns topics, UrlPatterns callbacks, AddressPolicy addresses, URI publicUrl) {
    return new Policies(topics, callbacks, addresses, publicUrl + "/");
  }

  /** Whether a topic may be followed. */
  public boolean permitTopic(String topic) {
    return topics.permits(topic) || topic.startsWith(own);
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

  /** As they were written. */
  public String text() {
    return topics + "\n" + callbacks;
  }
}
