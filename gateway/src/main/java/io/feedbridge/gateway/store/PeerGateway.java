package io.feedbridge.gateway.store;

import java.util.List;
import java.util.Optional;

/**
 * Another Feedbridge, known by the shape of its URLs. Two that follow one feed through each other
 * tell each other nothing, and each keeps the other's subscription alive when nobody else wants the
 * feed any more; so neither is followed through that is a subscriber of the feed already.
 *
 * @param base of its URLs, without a trailing slash
 */
public record PeerGateway(String base) {

  /** Where it takes subscriptions and registrations, the longer ones first. */
  private static final List<String> ENDPOINTS =
      List.of("/rsscloud/pleaseNotify", "/pleaseNotify", "/RPC2", "/soap", "/hub");

  /** In the path of each of its callbacks. */
  public static final String CALLBACKS = "/callback/";

  /** The gateway that may have this hub or cloud. */
  public static Optional<PeerGateway> at(String endpoint) {
    return ENDPOINTS.stream()
        .filter(endpoint::endsWith)
        .findFirst()
        .map(path -> endpoint.substring(0, endpoint.length() - path.length()))
        .map(PeerGateway::new);
  }

  /** How its callbacks begin, as a subscriber. */
  public String callbacks() {
    return base + CALLBACKS;
  }

  /** Whether it would be called back there. */
  public boolean isCalledAt(String callback) {
    return callback.startsWith(callbacks());
  }
}
