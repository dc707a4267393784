package io.feedbridge.gateway.sqlite;

import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** The errors of subscriptions, and what is to happen because of them. */
final class SqliteErrors {

  private SqliteErrors() {}

  /** Writes nothing where there are none, which is the usual case. */
  static void clear(Handle handle, long subscriptionId) {
    handle
        .createUpdate(
            "UPDATE subscription SET errors = 0, remove_at = NULL WHERE id = :id AND errors > 0")
        .bind("id", subscriptionId)
        .execute();
  }

  /** One more error in a row. When it ends because of those before stays as it was. */
  static void add(Handle handle, long subscriptionId, int allowed, Instant endAt) {
    handle
        .createUpdate(
            """
            UPDATE subscription SET
              errors = errors + 1,
              remove_at = CASE WHEN errors + 1 >= :allowed THEN COALESCE(remove_at, :at) END
            WHERE id = :id
            """)
        .bind("allowed", allowed)
        .bind("at", endAt.toEpochMilli())
        .bind("id", subscriptionId)
        .execute();
  }

  /** The subscriptions that are to end by now. */
  static List<Long> due(Handle handle, Instant now, int limit) {
    return handle
        .createQuery(
            "SELECT id FROM subscription WHERE remove_at <= :now ORDER BY remove_at LIMIT :limit")
        .bind("now", now.toEpochMilli())
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }
}
