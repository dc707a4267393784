package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

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
  List<Due> due(long afterFeedId, int limit);

  /**
   * A feed whose head is past its last round.
   *
   * @param head its newest event; past the end of a round that is open if another is due after that
   */
  record Due(long feedId, long head) {}

  /**
   * Opens a feed's next round over as many events as fit one document, and takes back among the
   * healthy whoever's cursor equals the end of the round before and who has no document to be
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
   * The feed's active subscriptions after an id that are no laggards, in id order: those among the
   * next {@link #STRETCH} whose host is not passed over.
   *
   * @param passed hosts, named like {@link Laggard#host}
   */
  Stretch recipients(long feedId, long afterId, Set<String> passed, int limit);

  /**
   * A part of a feed's subscriptions.
   *
   * @param recipients the ids of those to be served
   * @param upTo all up to this id are among them, are laggards or are passed over; the id that was
   *     asked with if nobody comes after that
   */
  record Stretch(List<Long> recipients, long upTo) {}

  /**
   * Makes laggards, due now, of those among the next {@link #PASSED_AT_ONCE} subscriptions whom a
   * round has passed over ({@link Round#passed}). Rows that are there already stay as they are, so
   * that it can be done again.
   *
   * @param afterId where to begin
   * @param sentTo what is to be repeated to them, as in {@link Laggard#sentTo}
   */
  CompletableFuture<Passing> passOver(
      Round round, long afterId, @Nullable Long sentTo, Instant now);

  /**
   * How far it went.
   *
   * @param upTo to go on from; at or past the round's checkpoint if that was all
   * @param count rows that were written
   */
  record Passing(long upTo, int count) {}

  /**
   * Moves the checkpoint, together with the rows of those below it who were not served (rule L4). A
   * laggard whose subscription has ended is left out.
   */
  CompletableFuture<Void> checkpoint(Round round, List<Laggard> laggards);

  /**
   * Ends a round, with the rows of those who were not served, and begins the replays that waited
   * for it.
   */
  CompletableFuture<Void> close(Round round, List<Laggard> laggards);
}
