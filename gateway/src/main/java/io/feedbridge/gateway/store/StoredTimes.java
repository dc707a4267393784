package io.feedbridge.gateway.store;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * The stored times of all waits. The system clock may be set back while no gateway runs, and a wait
 * must not become longer by that. The end of a lease is a time that the subscriber was told, and is
 * never changed here.
 */
public interface StoredTimes {

  /** The longest wait of a delivery: the longest pause that a subscriber may request. */
  Duration LONGEST_RETRY = Duration.ofHours(24);

  /** The longest wait of a subscriber's request, with room for an attempt. */
  Duration LONGEST_VERIFICATION = Duration.ofMinutes(10);

  /** The longest wait of a subscription that ends for its errors, at the top of an hour. */
  Duration LONGEST_REMOVAL = Duration.ofHours(1);

  /** The longest wait for an upstream hub or cloud: no lease of theirs is believed for longer. */
  Duration LONGEST_RENEWAL = Duration.ofDays(14);

  /**
   * The time that a feed may add to the longest period: {@code skipDays}, {@code skipHours} and
   * spreading.
   */
  Duration MOST_SPARED = Duration.ofDays(8);

  /** Records the gateway's clock, which {@link #bound} compares with the clock of a later start. */
  CompletableFuture<Void> mark(Instant now);

  /**
   * Bounds all waits, in one transaction, before other work begins. Where the clock is behind the
   * last recorded clock, each wait is moved back by the difference. Then each wait that exceeds its
   * bound is shortened to the bound.
   *
   * @param longestFetch the longest period between two fetches of a feed
   */
  CompletableFuture<Moved> bound(Instant now, Duration longestFetch);

  /**
   * The result of {@link #bound}.
   *
   * @param back how far the clock was set back; zero if it was not, as far as is known
   * @param moved waits that were moved by that difference
   * @param shortened waits that exceeded their bound and were shortened
   */
  record Moved(Duration back, int moved, int shortened) {}
}
