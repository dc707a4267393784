package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Feeds that are wanted and that the operator does not have followed. */
public interface Restrictions {

  /** The policies last applied to the stored feeds and subscriptions; empty if none ever were. */
  String applied();

  /** Records that the stored feeds and subscriptions obey these policies. */
  CompletableFuture<Void> apply(String policies);

  /**
   * Stops following a feed even if it is wanted. Its stored entries stay, and so do the wishes of
   * operators, readers of bridged feeds and webhooks.
   */
  CompletableFuture<Void> bar(long feedId);

  /** Feeds that operators, readers or webhooks want and that are not followed, in id order. */
  List<FollowedFeed> barred(long afterId, int limit);

  /** Follows a barred feed again. */
  CompletableFuture<Void> unbar(long feedId, Instant now);
}
