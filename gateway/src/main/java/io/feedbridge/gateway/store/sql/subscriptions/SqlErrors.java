package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** The errors of subscriptions, and the ends of subscriptions that they cause. */
public final class SqlErrors {

  private SqlErrors() {}

  /**
   * Clears the errors of a subscription. Writes nothing where there are none, which is the usual
   * case.
   */
  public static void clear(Handle handle, long subscriptionId) {
    handle
        .createUpdate(
            "UPDATE subscription SET errors = 0, remove_at = NULL WHERE id = :id AND errors > 0")
        .bind("id", subscriptionId)
        .execute();
  }

  /**
   * Counts one more error in a row of a subscription as it was called; a subscription that was
   * renewed since is not charged. An end that earlier errors have set keeps its time.
   */
  public static void add(Handle handle, Subscription called, int allowed, Instant endAt) {
    handle
        .createUpdate(
            """
            UPDATE subscription SET
              errors = errors + 1,
              remove_at = CASE WHEN errors + 1 >= :allowed THEN COALESCE(remove_at, :at) END
            WHERE id = :id AND lease_ends_at = :lease
            """)
        .bind("allowed", allowed)
        .bind("at", endAt.toEpochMilli())
        .bind("id", called.id())
        .bind("lease", called.leaseEndsAt().toEpochMilli())
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
