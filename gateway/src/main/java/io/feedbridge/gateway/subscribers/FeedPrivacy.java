package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.store.FeedCredentials;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.PrivateFeeds;
import io.feedbridge.gateway.store.Store;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The step of a feed from public to private and back, as its credentials come and go. Thread-safe.
 */
public final class FeedPrivacy {

  private static final int AT_ONCE = 500;

  private final Store store;
  private final PrivateFeeds privateFeeds;
  private final Clock clock;

  /** Over a store. */
  public FeedPrivacy(Store store, Clock clock) {
    this.store = store;
    privateFeeds = store.privateFeeds();
    this.clock = clock;
  }

  /** The credentials of the feed of a topic; {@link FeedCredentials#NONE} for none. Blocks. */
  public FeedCredentials of(String topic) {
    return store
        .feeds()
        .byTopic(topic)
        .flatMap(feed -> privateFeeds.of(feed.id()))
        .orElse(FeedCredentials.NONE);
  }

  /** Whether as many feeds as may be are private, and this one is not. Never blocks. */
  public boolean isFull(String topic) {
    return !privateFeeds.contains(topic) && privateFeeds.count() >= PrivateFeeds.MAX;
  }

  /**
   * Sets the credentials of the feed of a topic, which is followed for good from then on. Blocks at
   * its beginning.
   *
   * @param credentials empty for a public feed
   */
  public CompletableFuture<Void> set(String topic, FeedCredentials credentials) {
    Optional<FollowedFeed> feed = store.feeds().byTopic(topic);
    if (credentials.isEmpty()) {
      return feed.map(known -> privateFeeds.clear(known.id()))
          .orElseGet(() -> CompletableFuture.completedFuture(null))
          .thenCompose(cleared -> store.feeds().keep(List.of(topic), clock.instant()))
          .thenAccept(kept -> {});
    }
    if (privateFeeds.contains(topic)) {
      return privateFeeds.set(topic, credentials, clock.instant()).thenAccept(set -> {});
    }
    // No caller comes in from here on. The first fetch with credentials follows when all are out,
    // and the ones that were being let in meanwhile are put out before it ends.
    privateFeeds.hide(topic);
    return putOut(topic, feed)
        .thenCompose(out -> privateFeeds.set(topic, credentials, clock.instant()))
        .thenCompose(set -> dismiss(set.id(), PrivateFeeds.REFUSED));
  }

  private CompletableFuture<Void> putOut(String topic, Optional<FollowedFeed> feed) {
    Optional<FollowedFeed> followed = feed.filter(FollowedFeed::followed);
    return followed.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : store
            .feeds()
            .keep(List.of(topic), clock.instant())
            .thenCompose(kept -> dismiss(followed.get().id(), PrivateFeeds.REFUSED));
  }

  /**
   * Ends the subscriptions of a feed, of which there may be very many: commit by commit, without
   * holding a thread of the API. If the gateway stops meanwhile, the feed is followed for the
   * remaining ones.
   */
  public CompletableFuture<Void> dismiss(long feed, String reason) {
    return store
        .subscriptions()
        .dismiss(feed, reason, clock.instant(), AT_ONCE)
        .thenCompose(
            ended ->
                ended < AT_ONCE ? CompletableFuture.completedFuture(null) : dismiss(feed, reason));
  }
}
