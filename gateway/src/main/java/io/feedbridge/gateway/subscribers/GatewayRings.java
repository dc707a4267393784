package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.PeerGateway;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds requests of other gateways that would close a ring: this gateway gets the feed from the one
 * that asks, directly or through others. Both protocols have the same rule. Blocks; safe for use by
 * several threads.
 */
public final class GatewayRings {

  private final Store store;
  private final String publicUrl;

  /** Finds the rings of the gateway under this URL. */
  public GatewayRings(Store store, String publicUrl) {
    this.store = store;
    this.publicUrl = publicUrl;
  }

  /**
   * Whether a subscription would close a ring.
   *
   * @param feed null where the topic is not followed
   * @param path the gateways behind the subscriber, itself included; null where it names none
   */
  public boolean closes(@Nullable FollowedFeed feed, String callback, @Nullable GatewayPath path) {
    return (path != null && path.contains(publicUrl)) || (feed != null && crosses(feed, callback));
  }

  /** Whether this gateway gets the feed from the one that asks, or has asked to and goes first. */
  private boolean crosses(FollowedFeed feed, String callback) {
    List<UpstreamSubscription> there = followedThrough(feed, callback);
    return there.stream().anyMatch(this::goesFirst)
        || (there.stream().anyMatch(following -> following.state().isLive())
            && !store.subscriptions().isActive(feed.topic(), callback));
  }

  /** Of two gateways that subscribe to each other at once, one is to give in. */
  private boolean goesFirst(UpstreamSubscription following) {
    return publicUrl.compareTo(base(following)) > 0;
  }

  private List<UpstreamSubscription> followedThrough(FollowedFeed feed, String callback) {
    if (!callback.contains(PeerGateway.CALLBACKS)) {
      return List.of();
    }
    return store.upstreamSubscriptions().ofFeed(feed.id()).stream()
        .filter(following -> !following.state().isOver())
        .filter(
            following ->
                PeerGateway.at(following.endpoint())
                    .filter(peer -> peer.isCalledAt(callback))
                    .isPresent())
        .toList();
  }

  private static String base(UpstreamSubscription following) {
    return PeerGateway.at(following.endpoint()).map(PeerGateway::base).orElse("");
  }
}
