package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The step of a feed from public to private and back, as its credentials come and go. Thread-safe.
 */
public final class FeedPrivacy {

  private static final int AT_ONCE = 500;

  private final Store store;
  private final PrivateFeeds privateFeeds;
  private final Clock clock;

  /** The ends of the last changes, by topic. */
  private final Map<String, CompletableFuture<Void>> changing = new ConcurrentHashMap<>();

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
   * Sets the credentials of the feed of a topic, which is followed for good from then on. Never
   * blocks. Changes of one topic are made one after the other.
   *
   * @param credentials asked when the changes before have ended, so that they may be made of {@link
   *     #of}; none for a public feed
   */
  public CompletableFuture<Void> set(
      String topic, Supplier<CompletableFuture<FeedCredentials>> credentials) {
    CompletableFuture<Void> turn = new CompletableFuture<>();
    CompletableFuture<Void> before = changing.put(topic, turn);
    CompletableFuture<Void> begin =
        before == null ? CompletableFuture.completedFuture(null) : before;
    return begin
        .thenCompose(free -> credentials.get())
        .thenCompose(one -> one.isEmpty() ? open(topic) : close(topic, one))
        .whenComplete(
            (done, failure) -> {
              changing.remove(topic, turn);
              turn.complete(null);
            });
  }

  private CompletableFuture<Void> open(String topic) {
    return privateFeeds
        .clear(topic)
        .thenCompose(cleared -> store.feeds().keep(List.of(topic), clock.instant()))
        .thenAccept(kept -> {});
  }

  /**
   * No caller comes in from the beginning on. The first fetch with credentials follows when all are
   * out; the ones that were being let in meanwhile are put out with the same commit that allows it.
   * A feed that is private already may have subscribers of a change that failed.
   */
  private CompletableFuture<Void> close(String topic, FeedCredentials credentials) {
    return privateFeeds
        .hide(topic)
        .thenCompose(
            followed -> followed.map(this::dismiss).orElse(CompletableFuture.completedFuture(null)))
        .thenCompose(out -> privateFeeds.set(topic, credentials, clock.instant()))
        .<Void>thenApply(set -> null)
        .whenComplete((done, failure) -> privateFeeds.show(topic));
  }

  private CompletableFuture<Void> dismiss(long feed) {
    return allOf(() -> privateFeeds.dismiss(feed, clock.instant(), AT_ONCE));
  }

  /**
   * Ends the subscriptions of a feed, of which there may be very many: commit by commit, without
   * holding a thread of the API. If the gateway stops meanwhile, the feed is followed for the
   * remaining ones.
   */
  public CompletableFuture<Void> dismiss(long feed, String reason) {
    return allOf(() -> store.subscriptions().dismiss(feed, reason, clock.instant(), AT_ONCE));
  }

  private static CompletableFuture<Void> allOf(Supplier<CompletableFuture<Integer>> next) {
    return next.get()
        .thenCompose(
            ended -> ended < AT_ONCE ? CompletableFuture.completedFuture(null) : allOf(next));
  }
}
