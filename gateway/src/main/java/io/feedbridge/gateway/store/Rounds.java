package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The rounds of the fan-out: at most one is open per feed (rule L2). */
public interface Rounds {

  /** A feed's open round; after a restart it goes on from its checkpoint (rule L16). */
  Optional<Round> current(long feedId);

  /**
   * Feeds whose head is past their last round, in id order; one whose round is open is among them
   * until it is closed (rules L1, L16). Costs what it returns, however many are due.
   *
   * @param afterFeedId the id behind which to begin, so that who asks can go round
   */
  List<Long> due(long afterFeedId, int limit);

  /**
   * Opens a feed's next round over as many events as fit one document, and takes back among the
   * healthy whoever's cursor equals the end of the round before and who has no document to be
   * repeated (rules L5, L12).
   *
   * @return empty if none is due
   */
  CompletableFuture<Optional<Round>> open(long feedId, Instant now);

  /** The feed's active subscriptions after an id that are no laggards, in id order. */
  List<Subscription> recipients(long feedId, long afterId, int limit);

  /**
   * Moves the checkpoint, together with the rows of those below it who were not served (rule L4). A
   * laggard whose subscription has ended is left out.
   */
  CompletableFuture<Void> checkpoint(Round round, List<Laggard> laggards);

  /** Ends a round, with the rows of those who were not served. */
  CompletableFuture<Void> close(Round round, List<Laggard> laggards);
}
