package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Hubs and clouds as wholes, and what came of them. Which entries came first by push and which by
 * poll is counted by the transaction that records the entries.
 */
public interface Upstreams {

  /** Of that share of the feeds followed there an endpoint may fail and be trusted still. */
  int TRUSTED_SHARE = 5;

  /** Feeds that must be followed at an endpoint for it to be judged. */
  int JUDGED_FROM = 5;

  /** A delivery was not signed as agreed. */
  CompletableFuture<Void> signatureFailed(Following.Kind kind, String url, Instant now);

  /** When an endpoint will be trusted again; empty for one that is. */
  Optional<Instant> demotedUntil(Following.Kind kind, String url, Instant now);

  /** What came of each, in the order of their ids, after one of them. */
  List<Tally> list(long after, int limit);

  /**
   * What came of one.
   *
   * @param feeds that are followed there, or were to be
   * @param firstByPush new entries that it brought first
   * @param firstByPoll new entries that a poll found although they were to be pushed
   * @param signatureFailures deliveries that were not signed as agreed
   * @param verificationFailures subscriptions that it refused, never confirmed or let lapse
   * @param demotedUntil when it is trusted again, if it is not
   * @param since when it came to be what it is: known, or demoted
   */
  record Tally(
      long id,
      Following.Kind kind,
      String url,
      long feeds,
      long firstByPush,
      long firstByPoll,
      long signatureFailures,
      long verificationFailures,
      @Nullable Instant lastDeliveryAt,
      @Nullable Instant demotedUntil,
      Instant since) {}
}
