package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.subscriptions.Verification;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/**
 * Feeds that are gone and whose WebSub subscribers are not all queued for the message yet (rule
 * H10). Each such feed has one denial. The transaction that records that the feed is gone makes the
 * denial. The transaction that records that the feed is back removes it, with its remaining
 * messages.
 */
public final class Denials {

  /** Subscribers of a feed in one time slice. */
  private static final int TURN = 50;

  private final Database database;

  public Denials(Database database) {
    this.database = database;
  }

  private record Open(long feedId, long told, String reason) {}

  /** In the transaction that records how a feed does now. */
  static void begin(Handle handle, FollowedFeed after, FeedState before) {
    if (after.state() == before) {
      return;
    }
    end(handle, after.id());
    handle
        .createUpdate("DELETE FROM verification WHERE feed_id = :feed AND mode = 'DENIED'")
        .bind("feed", after.id())
        .execute();
    if (after.state() == FeedState.GONE) {
      handle
          .createUpdate("INSERT INTO denial (feed_id, told, reason) VALUES (:feed, 0, :reason)")
          .bind("feed", after.id())
          .bind("reason", String.valueOf(after.fetched().message()))
          .execute();
    }
  }

  private static void end(Handle handle, long feedId) {
    handle.createUpdate("DELETE FROM denial WHERE feed_id = :feed").bind("feed", feedId).execute();
  }

  /** Whether there is a denial. */
  public boolean any() {
    return database.read(
        handle ->
            handle.createQuery("SELECT EXISTS (SELECT 1 FROM denial)").mapTo(Boolean.class).one());
  }

  /**
   * Queues a message ({@link Verification.Mode#DENIED}) for the next subscribers of such feeds,
   * feed by feed in time slices. A subscriber with a waiting request of its own gets none. The
   * subscriptions stay: when the feed comes back, they get its new entries.
   *
   * @param most messages that may wait for their first attempt
   * @return how many messages were queued
   */
  public CompletableFuture<Integer> queue(int most, Instant now) {
    return database.write(
        (handle, effects) -> {
          int waiting =
              handle
                  .createQuery(
                      "SELECT COUNT(*) FROM verification WHERE mode = 'DENIED' AND attempts = 0")
                  .mapTo(Integer.class)
                  .one();
          List<Open> open =
              handle
                  .createQuery("SELECT * FROM denial ORDER BY feed_id LIMIT :turns")
                  .bind("turns", 1 + most / TURN)
                  .map(
                      (row, context) ->
                          new Open(
                              row.getLong("feed_id"), row.getLong("told"), row.getString("reason")))
                  .list();
          int queued = 0;
          for (Open one : open) {
            int room = Math.min(TURN, most - waiting - queued);
            if (room <= 0) {
              break;
            }
            queued += queue(handle, one, room, now);
          }
          if (queued > 0) {
            effects.add(Effect.VERIFICATION);
          }
          return queued;
        });
  }

  /** The next subscriptions of one feed, in the order of their ids. */
  private static int queue(Handle handle, Open open, int limit, Instant now) {
    Optional<Long> upTo =
        handle
            .createQuery(
                """
                SELECT MAX(id) FROM
                  (SELECT id FROM subscription WHERE feed_id = :feed AND id > :told
                   ORDER BY id LIMIT :limit) AS next
                """)
            .bind("feed", open.feedId)
            .bind("told", open.told)
            .bind("limit", limit)
            .mapTo(Long.class)
            .findOne();
    if (upTo.isEmpty()) {
      end(handle, open.feedId);
      return 0;
    }
    handle
        .createUpdate("UPDATE denial SET told = :told WHERE feed_id = :feed")
        .bind("told", upTo.get())
        .bind("feed", open.feedId)
        .execute();
    return handle
        .createUpdate(
            """
            INSERT INTO verification
              (feed_id, topic, callback, mode, terms, requested_at, attempts, next_attempt_at,
               reason)
            SELECT f.id, f.topic, s.callback, 'DENIED', s.terms, :now, 0, :now, :reason
            FROM subscription s JOIN feed f ON f.id = s.feed_id
            WHERE s.feed_id = :feed AND s.id > :told AND s.id <= :upTo AND s.protocol = 'WEBSUB'
            ON CONFLICT (topic, callback) DO NOTHING
            """)
        .bind("now", now.toEpochMilli())
        .bind("reason", open.reason)
        .bind("feed", open.feedId)
        .bind("told", open.told)
        .bind("upTo", upTo.get())
        .execute();
  }
}
