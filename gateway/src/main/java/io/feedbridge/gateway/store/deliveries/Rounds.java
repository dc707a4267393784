package io.feedbridge.gateway.store.deliveries;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The rounds of the fan-out: at most one is open per feed (rule L2). */
public interface Rounds {

  /** A feed's open round; after a restart it goes on from its checkpoint (rule L16). */
  Optional<Round> current(long feedId);

  /**
   * Feeds whose head is past their last round, in id order. A feed whose round is open is among
   * them until the round is closed (rules L1, L16). The cost grows with the number of returned
   * feeds, not of due feeds.
   *
   * @param afterFeedId the listing begins after this id, so that a caller can go through all feeds
   *     in turn
   */
  List<Due> due(long afterFeedId, int limit);

  /**
   * A feed whose head is past its last round.
   *
   * @param head its newest event; past the end of a round that is open if another is due after that
   */
  record Due(long feedId, long head) {}

  /**
   * Opens a feed's next round over as many events as fit one document, and returns laggards to the
   * rounds whose cursor equals the end of the previous round and that have no document to be
   * repeated (rules L5, L12).
   *
   * @return empty if none is due
   */
  CompletableFuture<Optional<Round>> open(long feedId, Instant now);

  /** Subscriptions that {@link #recipients} looks at at once. */
  int STRETCH = 4_000;

  /** Subscriptions that {@link #passOver} looks at, and so writes at most, at once. */
  int PASSED_AT_ONCE = 250;

  /**
   * The feed's active subscriptions after an id that are no laggards and whose host is not passed
   * over, in id order, among the next {@link #STRETCH} subscriptions.
   *
   * @param passed hosts, named like {@link Laggard#host}
   */
  Stretch recipients(long feedId, long afterId, Set<String> passed, int limit);

  /**
   * A part of a feed's subscriptions.
   *
   * @param recipients the ids of the subscriptions to be served
   * @param upTo each subscription up to this id is a recipient, is a laggard or is passed over; the
   *     requested id if no subscription comes after it
   */
  record Stretch(List<Long> recipients, long upTo) {}

  /**
   * Makes laggards, due now, of the subscriptions that a round has passed over ({@link
   * Round#passed}), among the next {@link #PASSED_AT_ONCE} subscriptions. Existing laggard rows
   * stay as they are, so that the call can be repeated.
   *
   * @param afterId where to begin
   * @param repeats whether the document of the round is their next (rule L12), because they may
   *     have it
   */
  CompletableFuture<Passing> passOver(Round round, long afterId, boolean repeats, Instant now);

  /**
   * How far {@link #passOver} went.
   *
   * @param upTo the id to continue from; at or past the round's checkpoint if no subscription is
   *     left
   * @param count rows that were written
   */
  record Passing(long upTo, int count) {}

  /**
   * Moves the checkpoint and writes the laggard rows of the subscriptions below it that were not
   * served, in one transaction (rule L4). A laggard whose subscription has ended is left out.
   */
  CompletableFuture<Void> checkpoint(Round round, List<Laggard> laggards);

  /**
   * Ends a round, writes the laggard rows of the subscriptions that were not served, and begins the
   * replays that waited for the round.
   */
  CompletableFuture<Void> close(Round round, List<Laggard> laggards);
}
