package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.sql.subscriptions.Transitions;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Replays: a laggard's row with the cursor moved back. A replay begins only while no delivery to
 * the subscription is in flight (rule L2): no round of its feed is open, or the subscription has a
 * parked laggard row. Until then the replay waits in a table of its own, and each step that may end
 * the wait looks there.
 */
final class SqlReplays {

  /** The last event that rounds have brought a subscription, or were not to bring it (rule L6). */
  private static final String HAS = "MAX(f.rounded, s.start)";

  /** The due time of a replay that has begun: at once, whatever the clock says. */
  static final Instant AT_ONCE = Instant.EPOCH;

  private static final String WAITING =
      """
      FROM replay r JOIN subscription s ON s.id = r.subscription_id JOIN feed f ON f.id = r.feed_id
      WHERE r.feed_id = :feed AND (:subscription IS NULL OR r.subscription_id = :subscription)
      """;

  private SqlReplays() {}

  /**
   * Records that the events after one up to another are to be sent again, together with the events
   * of an earlier waiting replay.
   */
  static void want(Handle handle, long subscriptionId, long after, long upTo, Instant now) {
    handle
        .createUpdate(
            """
            INSERT INTO replay (subscription_id, feed_id, after, up_to, at)
            SELECT id, feed_id, :after, :upTo, :now FROM subscription WHERE id = :id
            ON CONFLICT (subscription_id) DO UPDATE SET
              after = MIN(replay.after, excluded.after),
              up_to = MAX(replay.up_to, excluded.up_to)
            """)
        .bind("id", subscriptionId)
        .bind("after", after)
        .bind("upTo", upTo)
        .bind("now", now.toEpochMilli())
        .execute();
  }

  /** Removes the waiting replay of a subscription. */
  static void forget(Handle handle, long subscriptionId) {
    handle
        .createUpdate("DELETE FROM replay WHERE subscription_id = :id")
        .bind("id", subscriptionId)
        .execute();
  }

  /**
   * Begins the waiting replays that can begin.
   *
   * @param subscriptionId the subscription to look at; null for all of the feed
   * @return the hosts at which a replay is due
   */
  static Set<String> begin(
      Handle handle, long feedId, @Nullable Long subscriptionId, Transitions.Told told) {
    if (!any(handle, feedId, subscriptionId)) {
      return Set.of();
    }
    // Events that have left the log cannot be sent again.
    handle
        .createUpdate(
            "DELETE FROM replay WHERE subscription_id IN (SELECT r.subscription_id "
                + WAITING
                + " AND NOT EXISTS (SELECT 1 FROM event e WHERE e.feed_id = :feed AND e.seq > r.after))")
        .bind("feed", feedId)
        .bind("subscription", subscriptionId)
        .execute();
    List<Begun> begun = new ArrayList<>();
    begun.addAll(rest(handle, feedId, subscriptionId));
    begun.addAll(healthy(handle, feedId, subscriptionId));
    begun.forEach(one -> forget(handle, one.subscriptionId));
    // Events that a subscription has not got yet are not sent again, because they come. This is not
    // known of the events of a round that goes on: it may have tried the subscription before.
    handle
        .createUpdate(
            "DELETE FROM replay WHERE subscription_id IN (SELECT r.subscription_id "
                + WAITING
                + """
                 AND r.after >= MAX(f.rounded, s.start, COALESCE(
                   (SELECT cursor FROM laggard l WHERE l.subscription_id = s.id), 0))
                 AND NOT EXISTS
                   (SELECT 1 FROM round WHERE round.feed_id = :feed AND r.after < round.to_seq))
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

  /** Begins the replays of subscriptions that have a laggard row and miss no event. */
  private static List<Begun> rest(Handle handle, long feedId, @Nullable Long subscriptionId) {
    return handle
        .createQuery(
            """
            UPDATE laggard SET
              state = 'FIXED', cursor = MIN(cursor, waits.after), attempts = 0, error = NULL,
              next_attempt_at = waits.at, behind_since = waits.at, replay_to = cursor,
              replay_at = waits.at,
              document_end = (SELECT MIN(seq) FROM event
                WHERE event.feed_id = :feed AND seq > MIN(cursor, waits.after))
            FROM (SELECT r.subscription_id, r.after, r.at
            """
                + WAITING
                + """
                ) AS waits
                WHERE waits.subscription_id = laggard.subscription_id AND state = 'PARKED'
                  AND waits.after < cursor
                RETURNING laggard.subscription_id, laggard.host
                """)
        .bind("feed", feedId)
        .bind("subscription", subscriptionId)
        .map((row, context) -> new Begun(row.getLong("subscription_id"), row.getString("host")))
        .list();
  }

  /** Begins the replays of subscriptions that rounds serve, while no round is open. */
  private static List<Begun> healthy(Handle handle, long feedId, @Nullable Long subscriptionId) {
    return handle
        .createQuery(
            """
            INSERT INTO laggard
              (subscription_id, feed_id, host, cursor, state, document_end, attempts,
               next_attempt_at, error, behind_since, replay_to, replay_at)
            SELECT s.id, s.feed_id, s.host, r.after, 'FIXED',
              (SELECT MIN(seq) FROM event WHERE event.feed_id = :feed AND seq > r.after), 0, r.at,
              NULL, r.at, %s, r.at
            """
                    .formatted(HAS)
                + WAITING
                + """
                  AND r.after < %s
                  AND NOT EXISTS (SELECT 1 FROM round WHERE round.feed_id = :feed)
                ON CONFLICT (subscription_id) DO NOTHING
                RETURNING laggard.subscription_id, laggard.host
                """
                    .formatted(HAS))
        .bind("feed", feedId)
        .bind("subscription", subscriptionId)
        .map((row, context) -> new Begun(row.getLong("subscription_id"), row.getString("host")))
        .list();
  }
}
