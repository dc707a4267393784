package io.feedbridge.gateway.ingest.throttle;

import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.feeds.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of the newest documents of followed feeds that no subscriber confirmed and no operator
 * wants: a stranger's request is enough to have one kept. Counted in the store when the bound may
 * be reached, and estimated in between. Blocks on the store. Safe for use by several threads.
 */
final class UnconfirmedBytes {

  /** Bytes of such documents in all. */
  static final long MOST = 1L << 30;

  /** The shortest time between two counts in the store. */
  static final Duration RECOUNT = Duration.ofSeconds(30);

  /** When a feed that found no room is fetched at the earliest, and up to twice as late. */
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private final Feeds feeds;
  private long counted;
  private long added;
  private @Nullable Instant countedAt;

  UnconfirmedBytes(Feeds feeds) {
    this.feeds = feeds;
  }

  /** Why a feed is not fetched now; empty if it is. */
  Optional<HeldBack> before(FollowedFeed feed, Instant now) {
    if (!isSpent(now) || !feeds.isUnconfirmed(feed.id())) {
      return Optional.empty();
    }
    long spread = Math.floorMod(feed.id(), PAUSE.toSeconds());
    return Optional.of(
        new HeldBack(
            ("documents of feeds without a confirmed subscription take more than %d MiB"
                    + " (--limit-feeds, --bridge)")
                .formatted(MOST >> 20),
            now.plus(PAUSE).plusSeconds(spread)));
  }

  private synchronized boolean isSpent(Instant now) {
    // The clock may have been set back.
    boolean isOld =
        countedAt == null || Duration.between(countedAt, now).abs().compareTo(RECOUNT) >= 0;
    if (countedAt == null || (counted + added >= MOST && isOld)) {
      counted = feeds.unconfirmedBytes();
      added = 0;
      countedAt = now;
    }
    return counted + added >= MOST;
  }

  /** An outcome was recorded. */
  void recorded(Outcome outcome) {
    if (outcome.body() != null && feeds.isUnconfirmed(outcome.feed().id())) {
      add(outcome.body().bytes().length);
    }
  }

  private synchronized void add(long bytes) {
    added += bytes;
  }
}
