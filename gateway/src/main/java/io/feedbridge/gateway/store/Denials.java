package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * Feeds that turned out to be gone, as long as not each of their WebSub subscribers is to be told
 * so (rule H10). The transaction that records it makes one; one that finds the feed back ends it,
 * with whatever of it was not told yet.
 */
public interface Denials {

  /** Whether there is one. */
  boolean any();

  /**
   * Has the next subscribers of such feeds told, in turns: each is a {@link
   * Verification.Mode#DENIED} from then on, unless a request of his own waits. Their subscriptions
   * last on: should the feed come back, they get what is new.
   *
   * @param most of such that wait for their first try
   * @return how many it has made
   */
  CompletableFuture<Integer> queue(int most, Instant now);
}
