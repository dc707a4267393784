package io.feedbridge.gateway.store;

import io.feedbridge.normalizer.Entry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The followed feeds and the number of their subscribers, for operators. */
public interface FeedQueries {

  /** The feeds that match, in the order of their ids, after the given id. */
  List<Item> list(Filter filter, long afterId, int limit);

  /** A followed feed by its id; empty if the feed is not followed. */
  Optional<Item> find(long feedId);

  /**
   * The newest entries of several feeds together, the newest arrival first; entries of which the
   * events have left the log count too.
   *
   * @param scope the feeds to look at
   * @param limit of the entries; {@link Newest#MAX_BYTES} is a limit too
   */
  List<Recent> recent(Log.Scope scope, int limit);

  /**
   * Records that no operator and no reader of the bridged feed wants a feed any more. A feed that
   * no subscription or webhook wants either is no longer followed.
   */
  CompletableFuture<Void> release(long feedId, Instant now);

  /**
   * The conditions that a feed must meet; an absent part matches all feeds.
   *
   * @param text a part of the topic or title; the case of ASCII letters makes no difference
   * @param live how the feed is followed at present
   */
  record Filter(
      @Nullable String text,
      @Nullable FeedState state,
      @Nullable Live live,
      @Nullable String topic) {}

  /** How a feed is followed at present. */
  enum Live {
    WEBSUB,
    RSSCLOUD,
    /** By polling alone. */
    POLL
  }

  /**
   * A feed with its counts.
   *
   * @param subscribers subscriptions, and webhook endpoints that name the feed
   * @param webhooks webhook endpoints that name the feed
   * @param lastEventAt when the newest event of the feed that is still in the log was appended
   */
  record Item(FollowedFeed feed, long subscribers, long webhooks, @Nullable Instant lastEventAt) {}

  /**
   * An entry in its newest version.
   *
   * @param at when it arrived
   */
  record Recent(long feedId, Instant at, Entry entry) {}
}
