package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.sql.feeds.FollowedFeeds;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Verification;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Ends the subscriptions and waiting requests of a feed, very many at a time as SQL. */
final class SqlDismissals {

  /** Whose subscriptions and requests are ended. */
  enum Whose {
    ALL(""),
    /** Not the ones that have the operator's credentials. */
    STRANGERS(" AND owner IS DISTINCT FROM ''");

    private final String requests;
    private final String subscriptions;

    Whose(String these) {
      requests = "verification WHERE feed_id = :feed AND mode = 'SUBSCRIBE'" + these;
      subscriptions = "subscription WHERE feed_id = :feed" + these;
    }
  }

  private SqlDismissals() {}

  /**
   * Ends the next subscriptions and requests, and queues denials for the WebSub subscribers (rule
   * H10); returns how many were ended.
   */
  static int some(
      Handle handle,
      Set<Effect> effects,
      Whose whose,
      long feedId,
      String reason,
      Instant now,
      int limit,
      Transitions.Told told) {
    // Requests come first: a waiting renewal would make the subscription anew.
    String topic = Transitions.topic(handle, feedId);
    Batch batch = new Batch(handle, whose, feedId, topic, reason, now, told);
    int ended = batch.requests(limit);
    ended += ended < limit ? batch.subscriptions(limit - ended) : 0;
    effects.add(Effect.VERIFICATION);
    FollowedFeeds.unfollowIfUnused(handle, effects, feedId);
    return ended;
  }

  /**
   * Has the callback of a request that is no more told that it was denied, unless a newer request
   * of it waits.
   */
  static void denied(
      Handle handle,
      Set<Effect> effects,
      Verification request,
      String reason,
      Instant now,
      Transitions.Told told) {
    handle
        .createUpdate(
            """
            INSERT INTO verification
              (topic, callback, mode, terms, requested_at, attempts, next_attempt_at, reason)
            VALUES (:topic, :callback, 'DENIED', :terms, :now, 0, :now, :reason)
            """
                + SqlRequests.OR_TELL)
        .bind("topic", request.topic())
        .bind("callback", request.callback())
        .bind(
            "terms",
            Sealing.of(handle).seal(request.terms(), request.topic(), request.callback()).text())
        .bind("now", now.toEpochMilli())
        .bind("reason", reason)
        .execute();
    if (!SqlRequests.hasSubscription(handle, request)) {
      told.add(SubscriptionState.DENIED, request.topic(), request.callback(), reason);
    }
    effects.add(Effect.VERIFICATION);
  }

  private record Batch(
      Handle handle,
      Whose whose,
      long feedId,
      String topic,
      String reason,
      Instant now,
      Transitions.Told told) {

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
      Optional<Long> upTo = end(whose.requests, limit);
      if (upTo.isEmpty()) {
        return 0;
      }
      String these = whose.requests + " AND id <= :upTo";
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
      Optional<Long> upTo = end(whose.subscriptions, limit);
      if (upTo.isEmpty()) {
        return 0;
      }
      handle
          .createUpdate(
              """
              INSERT INTO verification
                (topic, callback, mode, terms, requested_at, attempts, next_attempt_at, reason)
              SELECT :topic, callback, 'DENIED', terms, :now, 0, :now, :reason
              FROM %s AND id <= :upTo AND protocol = 'WEBSUB'
              """
                      .formatted(whose.subscriptions)
                  + SqlRequests.OR_TELL)
          .bind("topic", topic)
          .bind("now", now.toEpochMilli())
          .bind("reason", reason)
          .bind("feed", feedId)
          .bind("upTo", upTo.get())
          .execute();
      List<EndedSubscriptions.Row> ended =
          handle
              .createQuery(
                  "DELETE FROM %s AND id <= :upTo RETURNING %s"
                      .formatted(whose.subscriptions, EndedSubscriptions.RETURNED))
              .bind("feed", feedId)
              .bind("upTo", upTo.get())
              .map((row, context) -> EndedSubscriptions.Row.of(row))
              .list();
      for (EndedSubscriptions.Row one : ended) {
        EndedSubscriptions.keep(handle, one, topic, SubscriptionState.DENIED, reason, now);
        tell(one.callback());
      }
      return ended.size();
    }

    private void tell(String callback) {
      told.add(SubscriptionState.DENIED, topic, callback, reason);
    }
  }
}
