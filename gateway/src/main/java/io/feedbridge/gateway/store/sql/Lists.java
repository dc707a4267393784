package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.ListedFeeds;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.feeds.FollowedFeeds;
import io.feedbridge.gateway.store.sql.lists.ListHolders;
import io.feedbridge.gateway.store.sql.lists.ListHolders.Holder;
import io.feedbridge.gateway.store.sql.lists.ListRows;
import io.feedbridge.gateway.store.sql.lists.ListShares;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/**
 * Feeds whose document is a list, and the feeds that are followed for them. A feed is followed for
 * a list while the list has it, a follower of the list may follow it, and it is not refused. Safe
 * for use by several threads.
 */
public final class Lists {

  /** Whether list %1$s has a follower other than lists that include it. */
  private static final String OWN_FOLLOWER =
      """
      (EXISTS (SELECT 1 FROM subscription s
         WHERE s.feed_id = %1$s AND (:open = 1 OR s.owner IS NOT NULL))
       OR EXISTS (SELECT 1 FROM webhook_topic w WHERE w.feed_id = %1$s)
       OR EXISTS (SELECT 1 FROM feed k WHERE k.id = %1$s
         AND (k.kept = 1 OR (:open = 1 AND k.bridged_at IS NOT NULL))))
      """;

  /** A list within a list is followed with its feeds; a list within the inner one is not. */
  private static final String UNSETTLED =
      """
      SELECT * FROM (
        SELECT l.feed_id, l.revision, l.settled, l.sponsored AS before,
          CASE WHEN f.followed = 1 AND (%s OR EXISTS
            (SELECT 1 FROM list_member i JOIN feed p ON p.id = i.list_id
             WHERE i.feed_id = l.feed_id AND i.included = 1 AND i.wanted = 1
               AND p.followed = 1 AND %s))
          THEN 1 ELSE 0 END AS sponsored
        FROM feed_list l JOIN feed f ON f.id = l.feed_id) AS lists
      WHERE revision <> settled OR before <> sponsored
      ORDER BY feed_id
      """
          .formatted(OWN_FOLLOWER.formatted("l.feed_id"), OWN_FOLLOWER.formatted("i.list_id"));

  private final Database database;

  /** Whether a feed may be followed for any list; set before the feed is. */
  private volatile boolean any;

  public Lists(Database database) {
    this.database = database;
  }

  /**
   * A list of which some feeds are to begin or to end.
   *
   * @param sponsored whether a follower of the list may follow its feeds
   */
  public record Unsettled(long listId, long revision, boolean sponsored) {}

  /**
   * A feed of a list.
   *
   * @param url as the list has it
   * @param included whether it is a list itself
   * @param feedId the feed that is followed for the list; null while none is
   * @param refused why none is; null where there is nothing to tell
   */
  public record Member(
      String url,
      @Nullable String title,
      boolean included,
      @Nullable Long feedId,
      @Nullable String refused) {}

  /**
   * The feeds of a list in numbers.
   *
   * @param feeds that stand in it
   * @param followed the ones that are followed for it
   * @param refused the ones that are not, for a reason
   * @param leftOut how many more it has than {@link ListedFeeds#MAX}
   */
  public record Summary(long feeds, long followed, long refused, long leftOut) {}

  /** The feeds of a list in numbers. */
  public Summary summary(long listId) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT COUNT(*) AS feeds, COUNT(feed_id) AS followed, COUNT(refused) AS refused,
                      COALESCE((SELECT left_out FROM feed_list WHERE feed_id = :id), 0) AS left_out
                    FROM list_member WHERE list_id = :id AND wanted = 1
                    """)
                .bind("id", listId)
                .map(
                    (row, context) ->
                        new Summary(
                            row.getLong("feeds"),
                            row.getLong("followed"),
                            row.getLong("refused"),
                            row.getLong("left_out")))
                .one());
  }

  /** The URLs of the feeds of a list, as its newest document has them. */
  public List<String> urls(long listId) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT url FROM list_member WHERE list_id = :id AND wanted = 1")
                .bind("id", listId)
                .mapTo(String.class)
                .list());
  }

  /**
   * The lists of which feeds may have to begin or to end.
   *
   * @param open whether subscribers without a login follow the feeds of a list
   */
  public List<Unsettled> unsettled(boolean open) {
    return database.read(
        handle ->
            handle
                .createQuery(UNSETTLED)
                .bind("open", open ? 1 : 0)
                .map(
                    (row, context) ->
                        new Unsettled(
                            row.getLong("feed_id"),
                            row.getLong("revision"),
                            row.getBoolean("sponsored")))
                .list());
  }

  /** The feeds of a sponsored list that are to begin. */
  public List<Member> toBegin(long listId, int limit) {
    return members(listId, "feed_id IS NULL AND refused IS NULL", 0, limit);
  }

  /**
   * The feeds of a list in the order of their URLs.
   *
   * @param skip feeds to pass over
   */
  public List<Member> members(long listId, long skip, int limit) {
    return members(listId, "1 = 1", skip, limit);
  }

  private List<Member> members(long listId, String which, long skip, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT url, title, included, feed_id, refused FROM list_member
                    WHERE list_id = :id AND wanted = 1 AND %s
                    ORDER BY url LIMIT :limit OFFSET :skip
                    """
                        .formatted(which))
                .bind("id", listId)
                .bind("skip", skip)
                .bind("limit", limit)
                .map(
                    (row, context) ->
                        new Member(
                            row.getString("url"),
                            row.getString("title"),
                            row.getBoolean("included"),
                            Rows.longOrNull(row, "feed_id"),
                            row.getString("refused")))
                .list());
  }

  /**
   * Feeds begin to be followed for a list, at the end of the log, in one transaction.
   *
   * @param topics to follow, by the URLs in the list
   * @param refused why others are not followed, by their URLs in the list
   */
  public CompletableFuture<Void> begin(
      long listId, Map<String, String> topics, Map<String, String> refused, Instant now) {
    any = true;
    Map<String, String> all = new TreeMap<>(topics);
    return database.changePatiently(
        (handle, effects) -> {
          Map<String, String> reasons = new HashMap<>(refused);
          long head = head(handle);
          ListShares.Room room = ListShares.room(handle, listId);
          int begun = 0;
          for (Map.Entry<String, String> one : all.entrySet()) {
            if (begun < room.feeds()) {
              begin(handle, effects, listId, one.getKey(), one.getValue(), head, now);
              begun++;
            } else {
              reasons.put(one.getKey(), room.bound());
            }
          }
          PreparedBatch batch =
              handle.prepareBatch(
                  "UPDATE list_member SET refused = :why WHERE list_id = :id AND url = :url");
          reasons.forEach(
              (url, why) -> batch.bind("id", listId).bind("url", url).bind("why", why).add());
          batch.execute();
        });
  }

  private static void begin(
      Handle handle,
      Set<Effect> effects,
      long listId,
      String url,
      String topic,
      long head,
      Instant now) {
    boolean isWanted =
        handle
            .createQuery(
                """
                SELECT 1 FROM list_member m JOIN feed f ON f.id = m.list_id
                WHERE m.list_id = :id AND m.url = :url AND m.wanted = 1 AND m.feed_id IS NULL
                  AND f.followed = 1
                """)
            .bind("id", listId)
            .bind("url", url)
            .mapTo(Integer.class)
            .findOne()
            .isPresent();
    if (isWanted) {
      FollowedFeed feed = FollowedFeeds.follow(handle, effects, topic, now);
      handle
          .createUpdate(
              """
              UPDATE list_member SET feed_id = :feed, start = :start
              WHERE list_id = :id AND url = :url
              """)
          .bind("feed", feed.id())
          .bind("start", head)
          .bind("id", listId)
          .bind("url", url)
          .execute();
    }
  }

  /** The feeds that are followed for lists, each counted for each list. */
  public long held() {
    return database.read(ListShares::held);
  }

  private static long head(Handle handle) {
    return handle
        .createQuery("SELECT MAX(start, COALESCE((SELECT MAX(seq) FROM event), 0)) FROM log")
        .mapTo(Long.class)
        .one();
  }

  /**
   * Feeds end that a list has no more; all of them where the list is not sponsored.
   *
   * @return how many ended, at most {@code limit}
   */
  public CompletableFuture<Integer> end(Unsettled list, int limit) {
    return database.writePatiently(
        (handle, effects) -> {
          Map<String, Long> ended = new HashMap<>();
          handle
              .createQuery(
                  """
                  SELECT url, feed_id FROM list_member
                  WHERE list_id = :id AND feed_id IS NOT NULL
                    AND (wanted = 0 OR refused IS NOT NULL OR :sponsored = 0)
                  ORDER BY url LIMIT :limit
                  """)
              .bind("id", list.listId)
              .bind("sponsored", list.sponsored ? 1 : 0)
              .bind("limit", limit)
              .map((row, context) -> Map.entry(row.getString("url"), row.getLong("feed_id")))
              .forEach(one -> ended.put(one.getKey(), one.getValue()));
          if (ended.isEmpty()) {
            return 0;
          }
          PreparedBatch batch =
              handle.prepareBatch(
                  """
                  UPDATE list_member SET feed_id = NULL, start = NULL
                  WHERE list_id = :id AND url = :url
                  """);
          ended.keySet().forEach(url -> batch.bind("id", list.listId).bind("url", url).add());
          batch.execute();
          ListRows.forgetEnded(handle, list.listId);
          ListShares.reconsider(handle);
          new HashSet<>(ended.values())
              .forEach(feed -> FollowedFeeds.unfollowIfUnused(handle, effects, feed));
          return ended.size();
        });
  }

  /** No feed of a list is to begin or to end, unless the list has changed since. */
  public CompletableFuture<Void> settled(Unsettled list) {
    return database.changePatiently(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    UPDATE feed_list SET settled = :revision, sponsored = :sponsored
                    WHERE feed_id = :id
                    """)
                .bind("revision", list.revision)
                .bind("sponsored", list.sponsored ? 1 : 0)
                .bind("id", list.listId)
                .execute());
  }

  /** The topics of feeds that are followed for lists, by their ids, behind an id. */
  public Map<Long, String> topics(long afterId, int limit) {
    return database.read(
        handle -> {
          Map<Long, String> topics = new TreeMap<>();
          handle
              .createQuery(
                  """
                  SELECT id, topic FROM feed WHERE id > :after
                    AND EXISTS (SELECT 1 FROM list_member WHERE feed_id = feed.id)
                  ORDER BY id LIMIT :limit
                  """)
              .bind("after", afterId)
              .bind("limit", limit)
              .map((row, context) -> Map.entry(row.getLong("id"), row.getString("topic")))
              .forEach(one -> topics.put(one.getKey(), one.getValue()));
          return topics;
        });
  }

  /**
   * Considers each refused feed anew.
   *
   * @param refused why feeds that are followed for lists are so no more, by their ids
   */
  public CompletableFuture<Void> reconsider(Map<Long, String> refused) {
    return database.change(
        (handle, effects) -> {
          handle.execute("UPDATE list_member SET refused = NULL WHERE refused IS NOT NULL");
          PreparedBatch batch =
              handle.prepareBatch("UPDATE list_member SET refused = :why WHERE feed_id = :feed");
          refused.forEach((feed, why) -> batch.bind("feed", feed).bind("why", why).add());
          batch.execute();
          handle.execute("UPDATE feed_list SET revision = revision + 1");
        });
  }

  /** Considers feeds anew that were refused for want of room. */
  public CompletableFuture<Void> retry() {
    return database.changePatiently((handle, effects) -> ListShares.reconsider(handle));
  }

  /** Whether a feed may be followed for any list. */
  public boolean any() {
    String sql = "SELECT EXISTS (SELECT 1 FROM list_member WHERE feed_id IS NOT NULL)";
    if (!any && database.read(handle -> handle.createQuery(sql).mapTo(Boolean.class).one())) {
      any = true;
    }
    return any;
  }

  /**
   * The lists that have some feeds, by the feeds' ids. A list has the feeds that it names, and the
   * feeds that the lists name which it includes.
   */
  public Map<Long, List<Holder>> holders(Collection<Long> feedIds) {
    if (feedIds.isEmpty() || !any()) {
      return Map.of();
    }
    return database.read(handle -> ListHolders.of(handle, feedIds));
  }
}
