package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * The timers of digests. A digest begins as a laggard's row whose document has no events, only
 * while no other delivery to its subscription is in flight (rule L2): no round of its feed is open
 * and the subscription has no row, or a parked one.
 */
public final class SqlDigests {

  private static final String DUE =
      """
      FROM digest d JOIN subscription s ON s.id = d.subscription_id JOIN feed f ON f.id = d.feed_id
      WHERE d.due_at <= :now AND f.kind = 'FEED' AND f.first_fetch_at IS NOT NULL
      """;

  private SqlDigests() {}

  /** Sets or removes the timer of a subscription. A timer that exists goes on. */
  static void set(Handle handle, long feedId, String callback, boolean wanted, Instant now) {
    handle
        .createUpdate(
            wanted
                ? """
                  INSERT INTO digest (subscription_id, feed_id, due_at, is_new)
                  SELECT id, feed_id, :now, 1 FROM subscription
                  WHERE feed_id = :feed AND protocol = 'WEBSUB' AND callback = :callback
                  ON CONFLICT (subscription_id) DO NOTHING
                  """
                : """
                  DELETE FROM digest WHERE :now > 0 AND subscription_id IN
                    (SELECT id FROM subscription
                     WHERE feed_id = :feed AND protocol = 'WEBSUB' AND callback = :callback)
                  """)
        .bind("now", now.toEpochMilli())
        .bind("feed", feedId)
        .bind("callback", callback)
        .execute();
  }

  /**
   * Begins digests that are due and can begin, and sets their timers anew. After an outage a digest
   * comes once.
   *
   * @return the hosts at which digests are due
   */
  public static Set<String> begin(Handle handle, Instant now, Duration period, int limit) {
    // The first digests of subscriptions are spread over the period.
    handle
        .createUpdate(
            """
            UPDATE digest SET is_new = 0,
              due_at = :now + :period * (subscription_id % 1000 + 1) / 1000
            WHERE due_at <= :now AND is_new = 1
            """)
        .bind("now", now.toEpochMilli())
        .bind("period", period.toMillis())
        .execute();
    Set<String> hosts = new HashSet<>();
    hosts.addAll(beginParked(handle, now, limit));
    hosts.addAll(beginOthers(handle, now, limit));
    handle
        .createUpdate(
            """
            UPDATE digest SET due_at = due_at + :period * ((:now - due_at) / :period + 1)
            WHERE due_at <= :now AND EXISTS (SELECT 1 FROM laggard l
              WHERE l.subscription_id = digest.subscription_id AND l.digest_at = digest.due_at)
            """)
        .bind("period", period.toMillis())
        .bind("now", now.toEpochMilli())
        .execute();
    return hosts;
  }

  /** Of subscribers whose row is parked. */
  private static List<String> beginParked(Handle handle, Instant now, int limit) {
    return handle
        .createQuery(
            """
            UPDATE laggard SET
              state = 'FIXED', document_end = cursor, attempts = 0, error = NULL,
              next_attempt_at = :now, behind_since = :now, digest_at = due.due_at
            FROM (SELECT d.subscription_id, d.due_at
            """
                + DUE
                + """
                  AND EXISTS (SELECT 1 FROM laggard l
                    WHERE l.subscription_id = d.subscription_id AND l.state = 'PARKED')
                  ORDER BY d.due_at LIMIT :limit) AS due
                WHERE due.subscription_id = laggard.subscription_id
                RETURNING laggard.host
                """)
        .bind("now", now.toEpochMilli())
        .bind("limit", limit)
        .mapTo(String.class)
        .list();
  }

  /** Of subscribers without a row. */
  private static List<String> beginOthers(Handle handle, Instant now, int limit) {
    return handle
        .createQuery(
            """
            INSERT INTO laggard
              (subscription_id, feed_id, host, cursor, state, document_end, attempts,
               next_attempt_at, error, behind_since, digest_at)
            SELECT s.id, s.feed_id, s.host, MAX(f.rounded, s.start), 'FIXED',
              MAX(f.rounded, s.start), 0, :now, NULL, :now, d.due_at
            """
                + DUE
                + """
                  AND NOT EXISTS (SELECT 1 FROM round WHERE round.feed_id = s.feed_id)
                  AND NOT EXISTS (SELECT 1 FROM laggard l WHERE l.subscription_id = s.id)
                ORDER BY d.due_at LIMIT :limit
                RETURNING host
                """)
        .bind("now", now.toEpochMilli())
        .bind("limit", limit)
        .mapTo(String.class)
        .list();
  }

  /** When the next digest is due, or was. */
  public static Optional<Instant> next(Handle handle) {
    return handle
        .createQuery("SELECT due_at AS at FROM digest ORDER BY due_at LIMIT 1")
        .map((row, context) -> Rows.instant(row, "at"))
        .findOne();
  }
}
