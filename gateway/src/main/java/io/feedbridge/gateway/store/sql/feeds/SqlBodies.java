package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.sql.database.Effect;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * The newest bytes of feeds. They are by far the largest part of an outcome, so that a feed that is
 * parsed has them only where they are read: see {@link SqlRecording}.
 */
public final class SqlBodies {

  private SqlBodies() {}

  static Optional<Body> of(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT content_type, bytes FROM body WHERE feed_id = :feed")
        .bind("feed", feedId)
        .map((row, context) -> new Body(row.getString("content_type"), row.getBytes("bytes")))
        .findOne();
  }

  /** The length of a blob is read without the blob. */
  static int length(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT LENGTH(bytes) FROM body WHERE feed_id = :feed")
        .bind("feed", feedId)
        .mapTo(Integer.class)
        .findOne()
        .orElse(0);
  }

  static void keep(Handle handle, long feedId, Body body) {
    handle
        .createUpdate(
            """
            INSERT INTO body (feed_id, content_type, bytes) VALUES (:feed, :type, :bytes)
            ON CONFLICT (feed_id) DO UPDATE SET
              content_type = excluded.content_type, bytes = excluded.bytes
            """)
        .bind("feed", feedId)
        .bind("type", body.contentType())
        .bind("bytes", body.bytes())
        .execute();
  }

  static void drop(Handle handle, long feedId) {
    handle.createUpdate("DELETE FROM body WHERE feed_id = :feed").bind("feed", feedId).execute();
  }

  /**
   * Keeps the bytes of a feed until a time, and has it fetched now if they are not kept: without
   * validators, its origin sends them again. A feed without validators was asked for before.
   *
   * @return whether they are kept already
   */
  public static boolean wanted(
      Handle handle, Set<Effect> effects, long feedId, Instant until, Instant now) {
    handle
        .createUpdate("UPDATE feed SET body_until = MAX(body_until, :until) WHERE id = :id")
        .bind("id", feedId)
        .bind("until", until.toEpochMilli())
        .execute();
    if (length(handle, feedId) > 0) {
      return true;
    }
    int asked =
        handle
            .createUpdate(
                """
                UPDATE feed SET
                  etag = NULL, last_modified = NULL, body_hash = NULL, next_fetch_at = :now
                WHERE id = :id AND followed = 1 AND first_fetch_at IS NOT NULL
                  AND state <> 'GONE' AND body_hash IS NOT NULL
                """)
            .bind("id", feedId)
            .bind("now", now.toEpochMilli())
            .execute();
    if (asked > 0) {
      effects.add(Effect.FETCH_DUE);
    }
    return false;
  }
}
