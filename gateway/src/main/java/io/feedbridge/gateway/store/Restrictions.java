package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Feeds that are wanted and that the operator does not have followed. */
public interface Restrictions {

  /** What of policies was applied to what is stored; empty for none ever. */
  String applied();

  /** What is stored obeys these policies. */
  CompletableFuture<Void> apply(String policies);

  /**
   * Follows a feed no more, whoever wants it. What it has stays, and so do the wishes of operators,
   * readers and webhooks.
   */
  CompletableFuture<Void> bar(long feedId);

  /** Feeds that operators, readers or webhooks want and that are not followed, in id order. */
  List<FollowedFeed> barred(long afterId, int limit);

  /** Follows one of those again. */
  CompletableFuture<Void> unbar(long feedId, Instant now);
}
