package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.lists.ListRows;
import io.feedbridge.websub.TopicUrl;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Feeds begin and end to be followed. */
public final class FollowedFeeds {

  private static final String UNFOLLOW_UNUSED =
      """
      UPDATE feed SET followed = 0, next_fetch_at = NULL, revision = revision + 1
      WHERE followed = 1 AND kept = 0 AND bridged_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM subscription WHERE feed_id = feed.id)
        AND NOT EXISTS (SELECT 1 FROM webhook_topic WHERE feed_id = feed.id)
        AND NOT EXISTS (SELECT 1 FROM list_member WHERE feed_id = feed.id)
        AND NOT EXISTS
          (SELECT 1 FROM verification WHERE feed_id = feed.id AND mode = 'SUBSCRIBE')
      """;

  /** Feeds of which one call of {@link #freeLeft} frees something. */
  private static final int FREED_AT_ONCE = 20;

  private FollowedFeeds() {}

  /**
   * {@link #follow} as part of a larger transaction. A feed that was not followed gets a new
   * baseline: entries that it published without a subscriber are no news.
   */
  public static FollowedFeed follow(Handle handle, Set<Effect> effects, String topic, Instant now) {
    int changed =
        handle
            .createUpdate(
                """
                INSERT INTO feed (topic, url, kind, state, followed, next_fetch_at, fetched, advertised)
                VALUES (:topic, :url, :kind, :state, 1, :now, :fetched, :advertised)
                ON CONFLICT (topic) DO UPDATE SET
                  followed = 1, tried = 0, first_fetch_at = NULL, next_fetch_at = :now,
                  revision = feed.revision + 1
                WHERE feed.followed = 0
                """)
            .bind("topic", topic)
            .bind("url", TopicUrl.document(topic))
            .bind("kind", FeedKind.UNKNOWN.name())
            .bind("state", FeedState.NEW.name())
            .bind("now", now.toEpochMilli())
            .bind("fetched", Json.text(FollowedFeed.Fetched.NEVER))
            .bind("advertised", Json.text(Advertised.NOTHING))
            .execute();
    // A topic whose first fetch failed is fetched again when a caller requests it anew.
    changed +=
        handle
            .createUpdate(
                """
                UPDATE feed SET tried = 0, next_fetch_at = :now
                WHERE topic = :topic AND tried = 1 AND first_fetch_at IS NULL
                """)
            .bind("topic", topic)
            .bind("now", now.toEpochMilli())
            .execute();
    // A feed that is gone is tried again when a caller requests it.
    changed +=
        handle
            .createUpdate(
                """
                UPDATE feed SET tried = 0, next_fetch_at = :now
                WHERE topic = :topic AND state = 'GONE' AND next_fetch_at IS NULL
                """)
            .bind("topic", topic)
            .bind("now", now.toEpochMilli())
            .execute();
    if (changed > 0) {
      effects.add(Effect.FETCH_DUE);
    }
    return handle
        .createQuery("SELECT * FROM feed WHERE topic = :topic")
        .bind("topic", topic)
        .map(Rows::feed)
        .one();
  }

  /**
   * Follows a feed again that was released a moment ago, with its old baseline: its subscriber is
   * active at once, so that all entries since the baseline are news (rule L11).
   */
  public static void resume(Handle handle, Set<Effect> effects, long feedId, Instant now) {
    int resumed =
        handle
            .createUpdate(
                """
                UPDATE feed SET followed = 1, next_fetch_at = :now, revision = revision + 1
                WHERE id = :id AND followed = 0
                """)
            .bind("now", now.toEpochMilli())
            .bind("id", feedId)
            .execute();
    if (resumed > 0) {
      effects.add(Effect.FETCH_DUE);
      effects.add(Effect.FOLLOWING);
    }
  }

  /**
   * Removes the documents of feeds that are not followed and never had an event: requests for
   * subscriptions that no subscriber confirmed leave nothing large behind. Without validators the
   * next fetch brings the whole document again.
   */
  static void forgetUnused(Handle handle, String which) {
    forget(handle, "(SELECT id FROM feed WHERE followed = 0 AND head = 0" + which + ")");
  }

  private static void forget(Handle handle, String feeds) {
    for (String table : List.of("body", "entry", "feed_fields", "feed_page")) {
      handle.execute("DELETE FROM " + table + " WHERE feed_id IN " + feeds);
    }
    handle.execute(
        "UPDATE feed SET etag = NULL, last_modified = NULL WHERE id IN "
            + feeds
            + " AND (etag IS NOT NULL OR last_modified IS NOT NULL)");
  }

  /**
   * Frees the documents, entries and fingerprints of feeds that have had no follower since a time.
   * A feed that is followed again or resumed later gets a new baseline (rule L11).
   *
   * @param most fingerprints, and feeds that were left lately
   * @return whether there is more to free
   */
  static boolean freeLeft(Handle handle, Instant before, Instant now, int most) {
    // The engine that notes a left feed does not know the gateway's time.
    handle
        .createUpdate(
            """
            UPDATE left_feed SET since = :now WHERE feed_id IN
              (SELECT feed_id FROM left_feed WHERE since IS NULL ORDER BY feed_id LIMIT :most)
            """)
        .bind("now", now.toEpochMilli())
        .bind("most", most)
        .execute();
    List<Long> left =
        handle
            .createQuery(
                """
                SELECT feed_id FROM left_feed WHERE since <= :before
                ORDER BY since, feed_id LIMIT :most
                """)
            .bind("before", before.toEpochMilli())
            .bind("most", FREED_AT_ONCE)
            .mapTo(Long.class)
            .list();
    int room = most;
    for (long feedId : left) {
      // First: without all of its fingerprints a feed that is resumed must not keep its baseline.
      handle
          .createUpdate(
              "UPDATE feed SET first_fetch_at = NULL WHERE id = :feed AND first_fetch_at IS NOT NULL")
          .bind("feed", feedId)
          .execute();
      room -= freeSeen(handle, feedId, room);
      if (room <= 0) {
        return true;
      }
      forget(handle, "(" + feedId + ")");
      ListRows.forget(handle, feedId);
      handle
          .createUpdate("DELETE FROM left_feed WHERE feed_id = :feed")
          .bind("feed", feedId)
          .execute();
    }
    return left.size() == FREED_AT_ONCE;
  }

  private static int freeSeen(Handle handle, long feedId, int most) {
    return handle
        .createUpdate(
            """
            DELETE FROM entry_seen WHERE feed_id = :feed AND entry_id IN
              (SELECT entry_id FROM entry_seen WHERE feed_id = :feed
               ORDER BY entry_id LIMIT :most)
            """)
        .bind("feed", feedId)
        .bind("most", most)
        .execute();
  }

  /** {@link #unfollowIfUnused} as part of a larger transaction. */
  public static void unfollowIfUnused(Handle handle, Set<Effect> effects, long feedId) {
    int unfollowed =
        handle.createUpdate(UNFOLLOW_UNUSED + " AND id = :id").bind("id", feedId).execute();
    if (unfollowed > 0) {
      FollowedFeeds.forgetUnused(handle, " AND id = " + feedId);
      effects.add(Effect.FOLLOWING);
    }
  }

  /** Stops following each feed that has neither a subscriber nor another reason to be followed. */
  static void unfollowUnused(Handle handle) {
    handle.execute(UNFOLLOW_UNUSED);
    forgetUnused(handle, "");
  }
}
