package io.feedbridge.gateway.store.subscriptions;

import java.util.List;
import java.util.Optional;

/**
 * Another Feedbridge gateway, known by the shape of its URLs. Two gateways that follow one feed
 * through each other receive no new entries, and each keeps the other's subscription alive after
 * the last other subscriber has left. A gateway that is a subscriber of a feed is therefore never
 * used to follow that feed.
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
