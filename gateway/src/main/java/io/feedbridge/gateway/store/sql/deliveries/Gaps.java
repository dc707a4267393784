package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Events that laggards are not sent: jumps to the present, and their record. */
final class Gaps {

  private Gaps() {}

  /** Jumps of these subscriptions, as part of a larger transaction. */
  static List<Gap> jump(Handle handle, List<Long> subscriptions, Gap.Reason reason, Instant now) {
    List<Gap> gaps = subscriptions.stream().map(id -> jump(handle, id, reason, now)).toList();
    handle
        .createUpdate("DELETE FROM gap WHERE id <= (SELECT MAX(id) FROM gap) - :kept")
        .bind("kept", Gap.MAX_KEPT)
        .execute();
    return gaps;
  }

  private record Jump(Gap gap, Laggard.State to) {}

  /**
   * Moves a laggard to the end of its gap, and parks it until the next round serves it again (rule
   * L5).
   */
  private static Gap jump(Handle handle, long id, Gap.Reason reason, Instant now) {
    Jump jump = planned(handle, id, reason, now);
    Gap gap = jump.gap;
    handle
        .createUpdate(
            """
            UPDATE laggard SET
              state = :state, cursor = :to, document_end = :to, attempts = 0, error = NULL,
              next_attempt_at = NULL, behind_since = NULL, replay_to = NULL, replay_at = NULL,
              digest_at = NULL
            WHERE subscription_id = :id
            """)
        .bind("state", jump.to.name())
        .bind("to", gap.upTo())
        .bind("id", id)
        .execute();
    SqlReplays.forget(handle, id);
    putOnRecord(handle, gap);
    return gap;
  }

  private static Jump planned(Handle handle, long subscriptionId, Gap.Reason reason, Instant now) {
    return handle
        .createQuery(
            """
            SELECT laggard.state, subscription_id, feed_id, cursor AS from_seq,
              MAX(cursor, head) AS to_seq,
              (SELECT COUNT(*) FROM event
               WHERE event.feed_id = feed.id AND seq > cursor AND seq <= head) AS events,
              :now AS at, :reason AS reason
            FROM laggard JOIN feed ON feed.id = laggard.feed_id
            WHERE subscription_id = :id
            """)
        .bind("now", now.toEpochMilli())
        .bind("reason", reason.name())
        .bind("id", subscriptionId)
        .map(
            (row, context) ->
                new Jump(Rows.gap(row), Laggard.State.valueOf(row.getString("state")).jumped()))
        .one();
  }

  static void putOnRecord(Handle handle, Gap gap) {
    handle
        .createUpdate(
            """
            INSERT INTO gap (subscription_id, feed_id, from_seq, to_seq, events, at, reason)
            VALUES (:id, :feed, :from, :to, :events, :at, :reason)
            """)
        .bind("id", gap.subscriptionId())
        .bind("feed", gap.feedId())
        .bind("from", gap.after())
        .bind("to", gap.upTo())
        .bind("events", gap.events())
        .bind("at", gap.at().toEpochMilli())
        .bind("reason", gap.reason().name())
        .execute();
  }

  /**
   * {@link io.feedbridge.gateway.store.deliveries.Laggards#documentEnd} as part of a larger
   * transaction.
   */
  static long documentEnd(Handle handle, long feedId, long cursor) {
    return handle
        .createQuery(
            """
            SELECT MAX(seq) FROM (
              SELECT seq, ROW_NUMBER() OVER w AS number,
                SUM(entries) OVER w AS entries, SUM(bytes) OVER w AS bytes
              FROM (SELECT seq, entries, bytes FROM stored_event
                    WHERE feed_id = :feed AND seq > :cursor ORDER BY seq LIMIT :limit) AS next
              WINDOW w AS (ORDER BY seq)) AS sums
            WHERE number = 1 OR (entries <= :maxEntries AND bytes <= :maxBytes)
            """)
        .bind("feed", feedId)
        .bind("cursor", cursor)
        .bind("limit", Document.MAX_ENTRIES)
        .bind("maxEntries", Document.MAX_ENTRIES)
        .bind("maxBytes", Document.MAX_BYTES)
        .mapTo(Long.class)
        .findOne()
        .orElse(cursor);
  }
}
