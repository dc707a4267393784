package io.feedbridge.gateway.store.sql.lists;

import io.feedbridge.gateway.store.feeds.ListedFeeds;
import io.feedbridge.gateway.store.feeds.ListedFeeds.Listed;
import io.feedbridge.gateway.store.sql.database.Effect;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The feeds of a list as its newest document has them. */
public final class ListRows {

  private ListRows() {}

  private record Row(Listed listed, boolean wanted) {}

  /**
   * Records the feeds of a list. They begin and end to be followed in transactions of their own.
   *
   * @param listed as the newest document has them
   */
  public static void want(Handle handle, Set<Effect> effects, long listId, ListedFeeds listed) {
    Map<String, Row> before = rows(handle, listId);
    if (before.isEmpty() && listed.feeds().isEmpty()) {
      return;
    }
    handle
        .createUpdate(
            """
            INSERT INTO feed_list (feed_id, revision, settled, sponsored, left_out)
            VALUES (:id, 1, 0, 0, :left)
            ON CONFLICT (feed_id) DO UPDATE SET
              revision = feed_list.revision + 1, left_out = excluded.left_out
            """)
        .bind("id", listId)
        .bind("left", listed.leftOut())
        .execute();
    PreparedBatch put =
        handle.prepareBatch(
            """
            INSERT INTO list_member (list_id, url, title, included, wanted)
            VALUES (:id, :url, :title, :included, 1)
            ON CONFLICT (list_id, url) DO UPDATE SET
              title = excluded.title, included = excluded.included, wanted = 1,
              refused = CASE WHEN list_member.feed_id IS NULL THEN NULL ELSE list_member.refused END
            """);
    for (Listed feed : listed.feeds()) {
      Row row = before.remove(feed.url());
      if (row == null || !row.wanted || !row.listed.equals(feed)) {
        put.bind("id", listId)
            .bind("url", feed.url())
            .bind("title", feed.title())
            .bind("included", feed.included() ? 1 : 0)
            .add();
      }
    }
    PreparedBatch end =
        handle.prepareBatch("UPDATE list_member SET wanted = 0 WHERE list_id = :id AND url = :url");
    before.keySet().forEach(url -> end.bind("id", listId).bind("url", url).add());
    for (PreparedBatch batch : List.of(put, end)) {
      if (batch.size() > 0) {
        batch.execute();
      }
    }
    forgetEnded(handle, listId);
    effects.add(Effect.FOLLOWING);
  }

  private static Map<String, Row> rows(Handle handle, long listId) {
    Map<String, Row> rows = new HashMap<>();
    handle
        .createQuery("SELECT url, title, included, wanted FROM list_member WHERE list_id = :id")
        .bind("id", listId)
        .map(
            (row, context) ->
                new Row(
                    new Listed(
                        row.getString("url"), row.getString("title"), row.getBoolean("included")),
                    row.getBoolean("wanted")))
        .forEach(row -> rows.put(row.listed.url(), row));
    return rows;
  }

  /** Removes the rows of feeds that a list has no more and that are not followed for it. */
  public static void forgetEnded(Handle handle, long listId) {
    handle
        .createUpdate(
            "DELETE FROM list_member WHERE list_id = :id AND wanted = 0 AND feed_id IS NULL")
        .bind("id", listId)
        .execute();
  }

  /** Forgets a list that has had no follower for long; its next baseline brings it again. */
  public static void forget(Handle handle, long listId) {
    handle
        .createUpdate("DELETE FROM list_member WHERE list_id = :id AND feed_id IS NULL")
        .bind("id", listId)
        .execute();
    handle
        .createUpdate(
            """
            DELETE FROM feed_list WHERE feed_id = :id
              AND NOT EXISTS (SELECT 1 FROM list_member WHERE list_id = :id)
            """)
        .bind("id", listId)
        .execute();
  }
}
