package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.log.Log.Trimmed;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.feeds.SqlShared;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * The transaction that removes one batch of old events (rule L13).
 *
 * <p>Of each feed only events up to the end of its last round are removed. Open rounds and due
 * rounds therefore always find their events, and {@code rounded} never lies before a hole. A
 * laggard in flight may write its old cursor back, so the events that it misses stay until its
 * delivery has ended. The other laggards that miss an event of the batch jump to the present.
 *
 * <p>Events that stay for such a reason are passed over: the log begins after them all the same,
 * and a later batch removes them.
 */
final class SqlRetention {

  private static final String OLD =
      """
      SELECT e.seq, e.feed_id, e.at, LENGTH(e.payload) AS bytes, f.rounded,
        (SELECT MIN(cursor) FROM laggard l WHERE l.feed_id = e.feed_id AND %s) AS needed
      FROM event e CROSS JOIN feed f
      WHERE f.id = e.feed_id AND
      """
          .formatted("l." + LaggardRows.UNDER_WAY);

  private final Handle handle;
  private final Instant before;
  private final int maxEvents;
  private final long maxBytes;
  private final Instant now;

  SqlRetention(Handle handle, Instant before, int maxEvents, long maxBytes, Instant now) {
    this.handle = handle;
    this.before = before;
    this.maxEvents = maxEvents;
    this.maxBytes = maxBytes;
    this.now = now;
  }

  private record Old(long seq, long feedId, Instant at, long bytes, boolean needed) {
    static Old of(ResultSet row) throws SQLException {
      long seq = row.getLong("seq");
      Long inFlight = Rows.longOrNull(row, "needed");
      boolean needed = seq > row.getLong("rounded") || (inFlight != null && seq > inFlight);
      return new Old(
          seq, row.getLong("feed_id"), Rows.instant(row, "at"), row.getLong("bytes"), needed);
    }
  }

  Trimmed run() {
    long start = SqlLog.start(handle);
    List<Old> batch = cut(next(start));
    boolean fresh = !batch.isEmpty();
    if (!fresh) {
      batch = cut(left(start));
    }
    List<Old> removable = batch.stream().filter(old -> !old.needed).toList();
    int jumped = jumpWhereNeeded(removable);
    if (jumped >= maxEvents) {
      // There may be more laggards; the events are removed when all laggards have jumped.
      return new Trimmed(0, jumped, true);
    }
    remove(removable);
    if (fresh) {
      start = batch.get(batch.size() - 1).seq;
      handle.execute("UPDATE log SET start = ?", start);
    }
    // At the end of a run alone: it looks at each entry that a tracker still has.
    boolean mayFreeMore = batch.isEmpty() && SqlShared.free(handle, start, maxEvents) == maxEvents;
    return new Trimmed(removable.size(), jumped, !batch.isEmpty() || mayFreeMore);
  }

  /** The oldest events that no batch has looked at. */
  private List<Old> next(long start) {
    return handle
        .createQuery(OLD + "e.seq > :start ORDER BY e.seq LIMIT :limit")
        .bind("start", start)
        .bind("limit", maxEvents)
        .map((row, context) -> Old.of(row))
        // Read to its end: the writer's connection must have no open statement between two commits.
        .list()
        .stream()
        .takeWhile(old -> old.at.isBefore(before))
        .toList();
  }

  /** The events that were still needed when their batch was looked at, and are no longer needed. */
  private List<Old> left(long start) {
    return handle
        .createQuery(
            OLD
                + """
                e.seq <= :start AND e.seq <= f.rounded
                  AND NOT EXISTS (SELECT 1 FROM laggard l
                    WHERE l.feed_id = e.feed_id AND %s AND l.cursor < e.seq)
                ORDER BY e.seq LIMIT :limit
                """
                    .formatted("l." + LaggardRows.UNDER_WAY))
        .bind("start", start)
        .bind("limit", maxEvents)
        .map((row, context) -> Old.of(row))
        .list();
  }

  private List<Old> cut(List<Old> found) {
    List<Old> batch = new ArrayList<>();
    long bytes = 0;
    for (Old old : found) {
      bytes += old.bytes;
      if (!batch.isEmpty() && bytes > maxBytes) {
        return batch;
      }
      batch.add(old);
    }
    return batch;
  }

  /**
   * Moves laggards that miss an event of the batch to the present, up to the limit of a batch;
   * returns how many.
   */
  private int jumpWhereNeeded(List<Old> removable) {
    Map<Long, Long> newest = new HashMap<>();
    removable.forEach(old -> newest.merge(old.feedId, old.seq, Math::max));
    int jumped = 0;
    for (Map.Entry<Long, Long> feed : newest.entrySet()) {
      List<Long> behind =
          handle
              .createQuery(
                  """
                  SELECT subscription_id FROM laggard
                  WHERE feed_id = :feed AND NOT (%s) AND cursor < :newest LIMIT :limit
                  """
                      .formatted(LaggardRows.UNDER_WAY))
              .bind("feed", feed.getKey())
              .bind("newest", feed.getValue())
              .bind("limit", maxEvents - jumped)
              .mapTo(Long.class)
              .list();
      if (!behind.isEmpty()) {
        Gaps.jump(handle, behind, Gap.Reason.RETENTION, now);
        jumped += behind.size();
      }
    }
    return jumped;
  }

  private void remove(List<Old> removable) {
    if (!removable.isEmpty()) {
      List<Long> seqs = removable.stream().map(Old::seq).toList();
      SqlShared.forgetSeen(handle, seqs, before);
      handle
          .createUpdate("DELETE FROM event WHERE seq IN (<seqs>)")
          .bindList("seqs", seqs)
          .execute();
    }
  }
}
