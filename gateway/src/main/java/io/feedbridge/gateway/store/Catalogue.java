package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The feeds that are followed, and for whom: for operators to look at. */
public interface Catalogue {

  /** Those that match, in the order of their ids, after the given one. */
  List<Item> list(Filter filter, long afterId, int limit);

  /** One that is followed. */
  Optional<Item> find(long feedId);

  /**
   * No operator and no reader of a bridged feed wants it any more; if nobody else does, it is let
   * go of.
   */
  CompletableFuture<Void> release(long feedId, Instant now);

  /**
   * What a feed must be like; an absent part matches all.
   *
   * @param text stands somewhere in its topic or title, whatever the case of its ASCII letters
   * @param live of what kind its live upstream is
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
   * A feed with what belongs to it.
   *
   * @param subscribers subscriptions, and endpoints of webhooks that name it
   * @param webhooks such endpoints
   * @param lastEventAt when its newest event was appended that is still in the log
   */
  record Item(FollowedFeed feed, long subscribers, long webhooks, @Nullable Instant lastEventAt) {}
}
