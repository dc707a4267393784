package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Notes each step of the gateway's own subscriptions, by the topic of the feed. Safe for use by
 * several threads, event loops included.
 */
final class UpstreamLog {

  private final Store store;
  private final ActivityLog activity;
  private final Executor executor;

  /**
   * Notes in this log.
   *
   * @param executor where the store is read
   */
  UpstreamLog(Store store, ActivityLog activity, Executor executor) {
    this.store = store;
    this.activity = activity;
    this.executor = executor;
  }

  /**
   * Notes a step once it is recorded.
   *
   * @param recorded whether the store has recorded the step
   * @return the same
   */
  CompletableFuture<Boolean> note(
      CompletableFuture<Boolean> recorded,
      UpstreamSubscription following,
      boolean success,
      String outcome) {
    return recorded.thenApply(
        made -> {
          if (made) {
            note(following, success, outcome);
          }
          return made;
        });
  }

  /** Notes a step soon. */
  void note(UpstreamSubscription following, boolean success, String outcome) {
    try {
      executor.execute(() -> write(following, success, outcome));
    } catch (RejectedExecutionException stopping) {
      // The log ends with the process.
    }
  }

  /** Notes that a hub or cloud is asked no more for a while, which operators are told of. */
  void demoted(UpstreamSubscription following, String until) {
    note(following, false, "demoted " + until);
    activity.tell(
        Notice.Type.UPSTREAM_DEMOTED,
        following.topic(),
        "The hub or cloud of %s is not relied on %s.".formatted(following.topic(), until));
  }

  private void write(UpstreamSubscription following, boolean success, String outcome) {
    String topic =
        store.feeds().byId(following.feedId()).map(FollowedFeed::topic).orElse(following.topic());
    String protocol = following.kind() == UpstreamSubscription.Kind.WEBSUB ? "hub" : "cloud";
    activity.note(Kind.UPSTREAM, topic, following.endpoint(), success, protocol + ": " + outcome);
  }
}
