package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.SubscriptionState;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.feeds.FollowedFeeds;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Ends the subscriptions and waiting requests of a feed, very many at a time as SQL. */
final class SqlDismissals {

  private static final String REQUESTS =
      "verification WHERE feed_id = :feed AND mode = 'SUBSCRIBE'";
  private static final String SUBSCRIPTIONS = "subscription WHERE feed_id = :feed";

  private SqlDismissals() {}

  /**
   * Ends the next subscriptions and requests, and queues denials for the WebSub subscribers (rule
   * H10); returns how many were ended.
   */
  static int some(
      Handle handle,
      Set<Effect> effects,
      long feedId,
      String reason,
      Instant now,
      int limit,
      Transitions.Told told) {
    // Requests come first: a waiting renewal would make the subscription anew.
    Batch batch = new Batch(handle, feedId, Transitions.topic(handle, feedId), reason, now, told);
    int ended = batch.requests(limit);
    ended += ended < limit ? batch.subscriptions(limit - ended) : 0;
    effects.add(Effect.VERIFICATION);
    FollowedFeeds.unfollowIfUnused(handle, effects, feedId);
    return ended;
  }

  private record Batch(
      Handle handle, long feedId, String topic, String reason, Instant now, Transitions.Told told) {

    /** The id of the last of the first {@code limit} rows; empty if there are none. */
    private Optional<Long> end(String rows, int limit) {
      return handle
          .createQuery(
              "SELECT MAX(id) FROM (SELECT id FROM " + rows + " ORDER BY id LIMIT :limit) AS first")
          .bind("feed", feedId)
          .bind("limit", limit)
          .mapTo(Long.class)
          .findOne();
    }

    /**
     * Each request gets another id, so that a verification in flight confirms nothing (rule L7).
     */
    private int requests(int limit) {
      Optional<Long> upTo = end(REQUESTS, limit);
      if (upTo.isEmpty()) {
        return 0;
      }
      String these = REQUESTS + " AND id <= :upTo";
      handle
          .createQuery(
              "SELECT callback FROM "
                  + these
                  + """
                   AND NOT EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = :feed
                    AND s.protocol = 'WEBSUB' AND s.callback = verification.callback)
                  """)
          .bind("feed", feedId)
          .bind("upTo", upTo.get())
          .mapTo(String.class)
          .forEach(this::tell);
      List<Ended> ended =
          handle
              .createQuery("DELETE FROM " + these + " RETURNING callback, terms")
              .bind("feed", feedId)
              .bind("upTo", upTo.get())
              .map((row, context) -> new Ended(row.getString("callback"), row.getString("terms")))
              .list();
      PreparedBatch denials =
          handle.prepareBatch(
              """
              INSERT INTO verification
                (topic, callback, mode, terms, requested_at, attempts, next_attempt_at, reason)
              VALUES (:topic, :callback, 'DENIED', :terms, :now, 0, :now, :reason)
              """);
      for (Ended one : ended) {
        denials
            .bind("topic", topic)
            .bind("callback", one.callback)
            .bind("terms", one.terms)
            .bind("now", now.toEpochMilli())
            .bind("reason", reason)
            .add();
      }
      denials.execute();
      return ended.size();
    }

    private record Ended(String callback, String terms) {}

    private int subscriptions(int limit) {
      Optional<Long> upTo = end(SUBSCRIPTIONS, limit);
      if (upTo.isEmpty()) {
        return 0;
      }
      handle
          .createUpdate(
              """
              INSERT INTO verification
                (topic, callback, mode, terms, requested_at, attempts, next_attempt_at, reason)
              SELECT f.topic, s.callback, 'DENIED', s.terms, :now, 0, :now, :reason
              FROM subscription s JOIN feed f ON f.id = s.feed_id
              WHERE s.feed_id = :feed AND s.id <= :upTo AND s.protocol = 'WEBSUB'
              """
                  + SqlRequests.OR_TELL)
          .bind("now", now.toEpochMilli())
          .bind("reason", reason)
          .bind("feed", feedId)
          .bind("upTo", upTo.get())
          .execute();
      List<String> ended =
          handle
              .createQuery("DELETE FROM " + SUBSCRIPTIONS + " AND id <= :upTo RETURNING callback")
              .bind("feed", feedId)
              .bind("upTo", upTo.get())
              .mapTo(String.class)
              .list();
      ended.forEach(this::tell);
      return ended.size();
    }

    private void tell(String callback) {
      told.add(SubscriptionState.DENIED, topic, callback, reason);
    }
  }
}
