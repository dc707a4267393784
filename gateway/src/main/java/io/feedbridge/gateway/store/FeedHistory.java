package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The history of each feed. The transaction that ends a piece of work writes its step, so that a
 * step costs no commit of its own. No delivery depends on the history.
 */
public interface FeedHistory {

  /** Steps of all feeds that are kept; the oldest are dropped. */
  int MAX_STEPS = 131_072;

  /** Bytes of one step, since its texts are cut; all steps have at most 256 MiB. */
  int MAX_STEP_BYTES = 2_048;

  /** Steps of one feed that are kept, give or take a few; the oldest are dropped. */
  int MAX_OF_FEED = 1_000;

  /** Arrivals of a step that are kept one by one; the others are only counted. */
  int MAX_ARRIVALS = 3;

  /** Characters of a step's message. */
  int MAX_MESSAGE = 100;

  /** Characters of the sender of an arrival. */
  int MAX_SENDER = 100;

  /**
   * The steps of a feed, the newest first.
   *
   * @param before only steps with a lower id; {@link Long#MAX_VALUE} for all
   */
  List<FeedStep> of(long feedId, long before, int limit);

  /** The step that appended an event, as long as the history has it. */
  Optional<FeedStep> ofEvent(long feedId, long seq);

  /**
   * Forgets steps that ended before a time, the oldest first.
   *
   * @param limit of the steps that are looked at
   * @return how many were forgotten
   */
  CompletableFuture<Integer> trim(Instant before, int limit);
}
