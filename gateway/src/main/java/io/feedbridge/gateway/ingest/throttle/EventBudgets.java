package io.feedbridge.gateway.ingest.throttle;

import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The bytes of events that feeds append in a day: of one feed, of all feeds of a host, and in all.
 * A feed that appended little is spared from the budgets that other feeds have overspent. Kept in
 * memory: a restart fills the budgets. Safe for use by several threads.
 */
final class EventBudgets {

  /** Bytes of events of one feed in a day. */
  static final long FEED_BYTES_PER_DAY = 64L << 20;

  /** Bytes of events of all feeds of one host in a day. */
  static final long HOST_BYTES_PER_DAY = 1L << 30;

  /** Bytes of events of all feeds in a day. */
  static final long ALL_BYTES_PER_DAY = 8L << 30;

  /** A feed that appended no more than this within a day waits for no budget of others. */
  static final long SPARED = 1L << 20;

  private static final Duration DAY = Duration.ofDays(1);
  private static final String ALL = "";

  private final Allowances<Long> feeds;
  private final Allowances<String> hosts;
  private final Allowances<String> all;
  private final WaitingLine line;

  EventBudgets(Clock clock) {
    feeds = new Allowances<>(FEED_BYTES_PER_DAY, DAY, clock);
    hosts = new Allowances<>(HOST_BYTES_PER_DAY, DAY, clock);
    all = new Allowances<>(ALL_BYTES_PER_DAY, DAY, clock);
    line = new WaitingLine(clock);
  }

  /** Why nothing more of a feed is taken now, pushed or fetched; empty if it is taken. */
  Optional<HeldBack> before(FollowedFeed feed, Instant now) {
    if (feeds.left(feed.id(), now) <= 0) {
      return Optional.of(
          new HeldBack(
              "the feed brought more than %d MiB of entries within a day"
                  .formatted(FEED_BYTES_PER_DAY >> 20),
              feeds.when(feed.id(), 1, now)));
    }
    double spared = FEED_BYTES_PER_DAY - SPARED;
    if (feeds.left(feed.id(), now) >= spared) {
      return Optional.empty();
    }
    String host = Origin.of(feed.url()).host();
    // No later than when the feed is spared again.
    Instant latest = feeds.when(feed.id(), spared, now);
    if (hosts.left(host, now) <= 0) {
      return Optional.of(
          new HeldBack(
              "feeds at %s brought more than %d MiB of entries within a day"
                  .formatted(host, HOST_BYTES_PER_DAY >> 20),
              inLine(hosts, host, latest, now)));
    }
    if (all.left(ALL, now) <= 0) {
      return Optional.of(
          new HeldBack(
              "all feeds together brought more than %d MiB of entries within a day"
                  .formatted(ALL_BYTES_PER_DAY >> 20),
              inLine(all, ALL, latest, now)));
    }
    return Optional.empty();
  }

  private Instant inLine(Allowances<String> budget, String key, Instant latest, Instant now) {
    Instant next = line.next(key, budget.when(key, 1, now), budget.time(Fetcher.MAX_BODY), latest);
    return next.isAfter(latest) ? latest : next;
  }

  /** A feed appended events of so many bytes. */
  void appended(FollowedFeed feed, long bytes, Instant now) {
    if (bytes > 0) {
      feeds.spend(feed.id(), (double) bytes, now);
      hosts.spend(Origin.of(feed.url()).host(), (double) bytes, now);
      all.spend(ALL, (double) bytes, now);
    }
  }
}
