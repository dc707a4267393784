package io.feedbridge.gateway.upstream;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.subscriptions.PeerGateway;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Subscriptions.NamedPath;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The gateways behind this one, as this gateway told its hubs and clouds. If they have changed
 * since, the upstream subscription is renewed soon, so that a ring of gateways is found within
 * seconds and not after as many leases as it has gateways. A restart forgets the paths that were
 * told: the next renewal tells them again. Safe for use by several threads.
 */
final class ToldPaths {

  /** Subscriptions of which the path is remembered. */
  static final int MAX_REMEMBERED = 10_000;

  private final Subscriptions subscriptions;
  private final String publicUrl;
  private final Cache<Long, Set<String>> told =
      Caffeine.newBuilder().maximumSize(MAX_REMEMBERED).build();

  ToldPaths(Subscriptions subscriptions, String publicUrl) {
    this.subscriptions = subscriptions;
    this.publicUrl = publicUrl;
  }

  /**
   * The path for the next request, which is remembered as the one told. Subscriptions of the asked
   * gateway itself are left out: that gateway knows whether it subscribes here, and a path would
   * still name it after a denial. Blocks.
   */
  GatewayPath tell(UpstreamSubscription following) {
    List<NamedPath> paths = subscriptions.paths(following.feedId());
    told.put(following.id(), ids(paths));
    Optional<PeerGateway> asked = PeerGateway.at(following.endpoint());
    return GatewayPath.from(
        publicUrl,
        paths.stream()
            .filter(path -> asked.stream().noneMatch(peer -> peer.isCalledAt(path.callback())))
            .map(NamedPath::path)
            .toList());
  }

  /**
   * Whether the endpoint may be a gateway that was told of other gateways than there are now.
   * Blocks.
   */
  boolean areOld(UpstreamSubscription following) {
    Set<String> last = told.getIfPresent(following.id());
    return last != null
        && PeerGateway.at(following.endpoint()).isPresent()
        && !last.equals(ids(subscriptions.paths(following.feedId())));
  }

  private static Set<String> ids(List<NamedPath> paths) {
    return paths.stream()
        .flatMap(path -> path.path().ids().stream())
        .collect(Collectors.toUnmodifiableSet());
  }
}
