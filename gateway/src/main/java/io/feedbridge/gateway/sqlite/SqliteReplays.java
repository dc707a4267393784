package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.SubscriptionState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Replays: a laggard's row with the cursor moved back. One begins only where nothing is in flight
 * to the subscription (rule L2): no round of its feed is open, in which it might be served at
 * present, or it has a row that rests. Until then it waits in a table of its own, and whatever ends
 * the wait looks there.
 */
final class SqliteReplays {

  /** What rounds have brought a subscription, or were not to bring it (rule L6). */
  private static final String HAS = "MAX(f.rounded, s.start)";

  /** When what has begun is due, whatever the clock says. */
  static final Instant AT_ONCE = Instant.EPOCH;

  private static final String WAITING =
      """
      FROM replay r JOIN subscription s ON s.id = r.subscription_id JOIN feed f ON f.id = r.feed_id
      WHERE r.feed_id = :feed AND (:subscription IS NULL OR r.subscription_id = :subscription)
      """;

  private SqliteReplays() {}

  /** Wants the events after one up to another to be sent again; with those of an earlier replay. */
  static void want(Handle handle, long subscriptionId, long after, long upTo, Instant now) {
    handle
        .createUpdate(
            """
            INSERT INTO replay (subscription_id, feed_id, after, up_to, at)
            SELECT id, feed_id, :after, :upTo, :now FROM subscription WHERE id = :id
            ON CONFLICT (subscription_id) DO UPDATE SET
              after = MIN(after, excluded.after), up_to = MAX(up_to, excluded.up_to)
            """)
        .bind("id", subscriptionId)
        .bind("after", after)
        .bind("upTo", upTo)
        .bind("now", now.toEpochMilli())
        .execute();
  }

  /** One that waited waits no more. */
  static void forget(Handle handle, long subscriptionId) {
    handle
        .createUpdate("DELETE FROM replay WHERE subscription_id = :id")
        .bind("id", subscriptionId)
        .execute();
  }

  /**
   * Begins what can be begun.
   *
   * @param subscriptionId whose; null for all of the feed
   * @return the hosts where somebody is due by it
   */
  static Set<String> begin(
      Handle handle, long feedId, @Nullable Long subscriptionId, Transitions.Told told) {
    if (!any(handle, feedId, subscriptionId)) {
      return Set.of();
    }
    List<Begun> begun = new ArrayList<>();
    begun.addAll(rest(handle, feedId, subscriptionId));
    begun.addAll(healthy(handle, feedId, subscriptionId));
    begun.forEach(one -> forget(handle, one.subscriptionId));
    // Of what a subscription has not got yet nothing is to be sent again: it comes.
    handle
        .createUpdate(
            "DELETE FROM replay WHERE subscription_id IN (SELECT r.subscription_id "
                + WAITING
                + """
                 AND r.after >= MAX(f.rounded, s.start, COALESCE(
                   (SELECT cursor FROM laggard l WHERE l.subscription_id = s.id), 0)))
                """)
        .bind("feed", feedId)
        .bind("subscription", subscriptionId)
        .execute();
    Set<String> hosts = new HashSet<>();
    begun.forEach(one -> hosts.add(one.host));
    hosts.forEach(
        host ->
            told.add(
                handle, SubscriptionState.LAGGING, feedId, host, "past notifications are wanted"));
    return hosts;
  }

  private record Begun(long subscriptionId, String host) {}

  private static boolean any(Handle handle, long feedId, @Nullable Long subscriptionId) {
    return handle
        .createQuery("SELECT EXISTS (SELECT 1 " + WAITING + ")")
        .bind("feed", feedId)
        .bind("subscription", subscriptionId)
        .mapTo(Boolean.class)
        .one();
  }

  /** Those who have a row and miss nothing. */
  private static List<Begun> rest(Handle handle, long feedId, @Nullable Long subscriptionId) {
    return handle
        .createQuery(
            """
            UPDATE laggard SET
              cursor = MIN(cursor, waits.after), attempts = 0, error = NULL,
              next_attempt_at = waits.at, behind_since = waits.at, replay_to = cursor,
              replay_at = waits.at,
              sent_to = (SELECT MIN(seq) FROM event
                WHERE event.feed_id = :feed AND seq > MIN(cursor, waits.after))
            FROM (SELECT r.subscription_id, r.after, r.at
            """
                + WAITING
                + """
                ) AS waits
                WHERE waits.subscription_id = laggard.subscription_id AND in_flight = 0
                  AND next_attempt_at IS NULL AND waits.after < cursor
                RETURNING subscription_id, host
                """)
        .bind("feed", feedId)
        .bind("subscription", subscriptionId)
        .map((row, context) -> new Begun(row.getLong("subscription_id"), row.getString("host")))
        .list();
  }

  /** Those whom rounds serve, while there is none. */
  private static List<Begun> healthy(Handle handle, long feedId, @Nullable Long subscriptionId) {
    return handle
        .createQuery(
            """
            INSERT INTO laggard
              (subscription_id, feed_id, host, cursor, sent_to, attempts, next_attempt_at,
               in_flight, error, behind_since, replay_to, replay_at)
            SELECT s.id, s.feed_id, s.host, r.after,
              (SELECT MIN(seq) FROM event WHERE event.feed_id = :feed AND seq > r.after), 0, r.at,
              0, NULL, r.at, %s, r.at
            """
                    .formatted(HAS)
                + WAITING
                + """
                  AND r.after < %s
                  AND NOT EXISTS (SELECT 1 FROM round WHERE round.feed_id = :feed)
                ON CONFLICT (subscription_id) DO NOTHING
                RETURNING subscription_id, host
                """
                    .formatted(HAS))
        .bind("feed", feedId)
        .bind("subscription", subscriptionId)
        .map((row, context) -> new Begun(row.getLong("subscription_id"), row.getString("host")))
        .list();
  }
}
