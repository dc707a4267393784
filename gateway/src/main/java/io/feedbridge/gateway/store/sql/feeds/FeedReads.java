package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.feeds.PageUrl;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;

/** Reads of feeds, their entries and their events within a transaction or beside one. */
final class FeedReads {

  private static final String UNCONFIRMED =
      """
      followed = 1 AND kept = 0
        AND NOT EXISTS (SELECT 1 FROM subscription WHERE feed_id = feed.id)
        AND NOT EXISTS (SELECT 1 FROM webhook_topic WHERE feed_id = feed.id)
        AND NOT EXISTS (SELECT 1 FROM list_member WHERE feed_id = feed.id)
      """;

  private FeedReads() {}

  static Optional<FollowedFeed> byId(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT * FROM feed WHERE id = :id")
        .bind("id", feedId)
        .map(Rows::feed)
        .findOne();
  }

  static Optional<FeedKind> kind(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT kind FROM feed WHERE id = :id")
        .bind("id", feedId)
        .map((row, context) -> FeedKind.valueOf(row.getString("kind")))
        .findOne();
  }

  static Optional<FollowedFeed> byTopic(Handle handle, String topic) {
    return handle
        .createQuery("SELECT * FROM feed WHERE topic = :topic")
        .bind("topic", topic)
        .map(Rows::feed)
        .findOne();
  }

  static List<FollowedFeed> ofDocument(Handle handle, String url, int limit) {
    return DamagedRows.list(
        handle
            .createQuery(
                """
                SELECT * FROM feed WHERE (topic = :url OR (topic > :parts AND topic < :end))
                  AND followed = 1 ORDER BY topic LIMIT :limit
                """)
            .bind("url", url)
            .bind("parts", url + "#")
            .bind("end", url + "$")
            .bind("limit", limit),
        "feed",
        Rows::feed);
  }

  static List<FollowedFeed> ofPage(Handle handle, String page, int limit) {
    return DamagedRows.list(
        handle
            .createQuery(
                """
                    SELECT feed.* FROM feed_page JOIN feed ON feed.id = feed_page.feed_id
                    WHERE feed_page.page = :page AND feed.followed = 1 ORDER BY feed.id LIMIT :limit
                    """)
            .bind("page", PageUrl.of(page).orElse(page))
            .bind("limit", limit),
        "feed",
        Rows::feed);
  }

  static Optional<HeldBack> heldBack(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT reason, until FROM held_back WHERE feed_id = :feed")
        .bind("feed", feedId)
        .map((row, context) -> new HeldBack(row.getString("reason"), Rows.instant(row, "until")))
        .findOne();
  }

  static Optional<Newest> newest(Handle handle, long feedId, int limit) {
    return handle.inTransaction(at -> SqlEntries.newest(at, feedId, limit));
  }

  static List<Event> lastEvents(Handle handle, long feedId, long upTo, int limit) {
    return handle
        .createQuery(
            """
                    SELECT * FROM stored_event WHERE feed_id = :feed AND seq <= :upTo
                    ORDER BY seq DESC LIMIT :limit
                    """)
        .bind("feed", feedId)
        .bind("upTo", upTo)
        .bind("limit", limit)
        .map(Rows::event)
        .list();
  }

  static List<Event> events(Handle handle, long feedId, long after, long upTo) {
    return handle
        .createQuery(
            """
                    SELECT * FROM stored_event WHERE feed_id = :feed AND seq > :after AND seq <= :upTo
                    ORDER BY seq
                    """)
        .bind("feed", feedId)
        .bind("after", after)
        .bind("upTo", upTo)
        .map(Rows::event)
        .list();
  }

  static boolean isUnconfirmed(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT EXISTS (SELECT 1 FROM feed WHERE id = :id AND " + UNCONFIRMED + ")")
        .bind("id", feedId)
        .mapTo(Boolean.class)
        .one();
  }

  static long unconfirmedBytes(Handle handle) {
    return handle
        // The length of a blob is read without the blob.
        .createQuery(
            "SELECT COALESCE(SUM(LENGTH(bytes)), 0)"
                + " FROM feed JOIN body ON body.feed_id = feed.id WHERE "
                + UNCONFIRMED)
        .mapTo(Long.class)
        .one();
  }

  static List<FollowedFeed> followed(Handle handle, long after, int limit) {
    return DamagedRows.list(
        handle
            .createQuery(
                "SELECT * FROM feed WHERE followed = 1 AND id > :after ORDER BY id LIMIT :limit")
            .bind("after", after)
            .bind("limit", limit),
        "feed",
        Rows::feed);
  }

  static Optional<Instant> nextDue(Handle handle) {
    return handle
        .createQuery(
            """
                    SELECT next_fetch_at AS at FROM feed
                    WHERE followed = 1 AND next_fetch_at IS NOT NULL
                    ORDER BY next_fetch_at LIMIT 1
                    """)
        .map((row, context) -> Rows.instant(row, "at"))
        .findOne();
  }

  static OptionalLong nextEvent(Handle handle, long feedId, long after) {
    return handle
        .createQuery(
            "SELECT seq FROM event WHERE feed_id = :feed AND seq > :after ORDER BY seq LIMIT 1")
        .bind("feed", feedId)
        .bind("after", after)
        .mapTo(Long.class)
        .findOne()
        .map(OptionalLong::of)
        .orElseGet(OptionalLong::empty);
  }
}
