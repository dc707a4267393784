package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Laggard.State;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.subscriptions.Transitions;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Steps of laggards' rows from state to state, as parts of larger transactions. */
final class LaggardRows {

  /** When the event was appended that comes after a cursor; takes the feed's column and that. */
  static final String OLDEST_MISSED =
      "(SELECT at FROM event WHERE event.feed_id = %s AND event.seq > %s"
          + " ORDER BY event.seq LIMIT 1)";

  /** A request is under way; as in the index that finds these. */
  static final String UNDER_WAY = "state IN ('IN_FLIGHT', 'JUMPED')";

  private static final String LAND =
      "UPDATE laggard SET state = 'FIXED' WHERE state = 'IN_FLIGHT' AND " + UNDER_WAY;

  private LaggardRows() {}

  /**
   * A row, and the log after its cursor.
   *
   * @param before the row's cursor
   * @param cursor the row's cursor, or the one it is moved to if that is further
   * @param jumped whether the row is ahead of that one, because it jumped
   * @param behindSince as it is in the row
   * @param next the first event after the cursor; absent if there is none
   * @param nextAt when that was appended
   * @param comesByRound whether the feed's next round begins with that event
   * @param failed whether its last attempt failed
   * @param replayTo the last event of the replay that goes on at the cursor; absent without one
   * @param replayAt when that was asked for
   */
  private record Found(
      long before,
      long cursor,
      boolean jumped,
      @Nullable Long behindSince,
      @Nullable Long next,
      @Nullable Long nextAt,
      boolean comesByRound,
      boolean failed,
      @Nullable Long replayTo,
      @Nullable Long replayAt) {

    static Found of(ResultSet row) throws SQLException {
      long cursor = row.getLong("target");
      Long replayTo = Rows.longOrNull(row, "replay_to");
      boolean replays = replayTo != null && replayTo > cursor;
      return new Found(
          row.getLong("cursor"),
          cursor,
          row.getLong("cursor") > row.getLong("asked"),
          Rows.longOrNull(row, "behind_since"),
          Rows.longOrNull(row, "next_seq"),
          Rows.longOrNull(row, "next_at"),
          cursor == row.getLong("rounded") && !row.getBoolean("round_open"),
          row.getInt("attempts") > 0,
          replays ? replayTo : null,
          replays ? Rows.longOrNull(row, "replay_at") : null);
    }

    /**
     * A laggard that has all events up to the cursor. Each event of a replay is a notification of
     * its own.
     */
    Laggard after(Laggard past) {
      if (next == null || (comesByRound && replayTo == null)) {
        return past.parked();
      }
      return replayTo == null ? past : past.fixed(next);
    }
  }

  /**
   * Moves a laggard whose request has ended. A laggard that misses only the events of the feed's
   * next round waits for that round (rule L5) and rests until its time, or begins its waiting
   * replay. A laggard that misses more is served at once, or when its back-off is over; or after
   * its rest, if more has come since its document was made. Where the laggard has jumped meanwhile
   * the outcome no longer matters.
   *
   * @param settled with the outcome of the request, {@link State#FIXED} or {@link State#BEHIND}
   * @return whether the outcome was written; false if the row is gone, or has jumped
   */
  static boolean move(Handle handle, Laggard settled, Instant now, Transitions.Told told) {
    Optional<Found> found = find(handle, settled);
    if (found.isEmpty()) {
      return false;
    }
    Found at = found.get();
    boolean failed = settled.state() == State.FIXED && !at.jumped;
    Instant until = settled.nextAttemptAt();
    boolean rests =
        settled.state() == State.BEHIND && until.isAfter(now) && !overflowed(handle, at, settled);
    Laggard moved =
        failed
            ? settled
            : at.after(
                settled.past(at.cursor, rests ? until : now, at.jumped ? null : settled.error()));
    boolean isParked = moved.state() == State.PARKED;
    boolean restsBehind = rests && !isParked;
    Long missedSince = at.replayAt == null ? at.nextAt : at.replayAt;
    handle
        .createUpdate(
            """
            UPDATE laggard SET
              cursor = :cursor, attempts = :attempts, state = :state, error = :error,
              document_end = :end, next_attempt_at = :next, rests_until = :rests,
              digest_at = CASE WHEN :failed = 1 THEN digest_at END, behind_since = :since,
              replay_to = :replayTo, replay_at = :replayAt
            WHERE subscription_id = :id
            """)
        .bind("cursor", moved.cursor())
        .bind("attempts", moved.attempts())
        .bind("state", moved.state().name())
        .bind("error", restsBehind ? RoundSteps.RESTS : moved.error())
        .bind("end", moved.documentEnd())
        .bind("next", isParked ? null : (Long) moved.nextAttemptAt().toEpochMilli())
        .bind("rests", rests ? (Long) until.toEpochMilli() : null)
        .bind("failed", failed)
        .bind(
            "since",
            failed
                ? at.behindSince
                : isParked ? null : restsBehind ? (Long) until.toEpochMilli() : missedSince)
        .bind("replayTo", at.replayTo)
        .bind("replayAt", at.replayAt)
        .bind("id", moved.subscriptionId())
        .execute();
    if (!rests || at.failed) {
      tell(handle, moved, at.jumped, told);
    }
    if (isParked) {
      var unused = SqlReplays.begin(handle, moved.feedId(), moved.subscriptionId(), told);
    }
    return !at.jumped;
  }

  private static Optional<Found> find(Handle handle, Laggard settled) {
    return handle
        .createQuery(
            """
            SELECT l.*, f.rounded, e.seq AS next_seq, e.at AS next_at, :cursor AS asked,
              MAX(l.cursor, :cursor) AS target,
              EXISTS (SELECT 1 FROM round WHERE round.feed_id = l.feed_id) AS round_open
            FROM laggard l JOIN feed f ON f.id = l.feed_id
              LEFT JOIN event e ON e.seq = (SELECT MIN(seq) FROM event
                WHERE event.feed_id = l.feed_id AND event.seq > MAX(l.cursor, :cursor))
            WHERE l.subscription_id = :id
            """)
        .bind("cursor", settled.cursor())
        .bind("id", settled.subscriptionId())
        .map((row, context) -> Found.of(row))
        .findOne();
  }

  /** Whether a document could not hold all that was there, which follows at once then. */
  private static boolean overflowed(Handle handle, Found at, Laggard settled) {
    return at.replayTo != null
        || (at.next != null
            && Gaps.documentEnd(handle, settled.feedId(), at.before) == settled.cursor());
  }

  private static void tell(Handle handle, Laggard moved, boolean jumped, Transitions.Told told) {
    boolean isParked = moved.state() == State.PARKED;
    if (isParked == jumped) {
      // A jump was told as such; an attempt that failed, or did not bring all, is no step.
      return;
    }
    String caughtUp =
        moved.error() == null
            ? "it has all events"
            : "the events that it did not take are given up";
    told.add(
        handle,
        isParked ? SubscriptionState.ACTIVE : SubscriptionState.LAGGING,
        moved.feedId(),
        moved.host(),
        isParked ? caughtUp : "it was ahead of the rounds");
  }

  /** Ends all requests, as after a crash: a document that was under way is sent again. */
  static void landAll(Handle handle) {
    handle.execute(LAND);
    handle
        .createQuery("SELECT * FROM laggard WHERE state = 'JUMPED' AND " + UNDER_WAY)
        .map((row, context) -> Rows.laggard(row))
        .list()
        .forEach(
            jumped -> {
              Laggard landed = jumped.past(jumped.cursor(), SqlReplays.AT_ONCE, null);
              var unused = move(handle, landed, SqlReplays.AT_ONCE, new Transitions.Told());
            });
  }

  /** Writes the rows of subscriptions that a round did not serve, unless they have ended. */
  static void insert(Handle handle, long feedId, List<Laggard> laggards, Transitions.Told told) {
    if (laggards.isEmpty()) {
      return;
    }
    var batch =
        handle.prepareBatch(
            """
            INSERT INTO laggard
              (subscription_id, feed_id, host, cursor, state, document_end, attempts,
               next_attempt_at, rests_until, error, behind_since)
            SELECT id, feed_id, :host, :cursor, :state, :end, :attempts, :next, :rests, :error,
              CASE WHEN :state <> 'PARKED' THEN %s END
            FROM subscription WHERE id = :id
            ON CONFLICT (subscription_id) DO NOTHING
            """
                .formatted(OLDEST_MISSED.formatted("subscription.feed_id", ":cursor")));
    for (Laggard laggard : laggards) {
      boolean isParked = laggard.state() == State.PARKED;
      Long at = laggard.nextAttemptAt().toEpochMilli();
      batch
          .bind("id", laggard.subscriptionId())
          .bind("host", laggard.host())
          .bind("cursor", laggard.cursor())
          .bind("state", laggard.state().name())
          .bind("end", laggard.documentEnd())
          .bind("attempts", laggard.attempts())
          .bind("next", isParked ? null : at)
          .bind("rests", isParked ? at : null)
          .bind("error", laggard.error())
          .add();
    }
    int[] rows = batch.execute();
    String topic = Transitions.topic(handle, feedId);
    for (int i = 0; i < rows.length; i++) {
      Laggard row = laggards.get(i);
      if (rows[i] == 1 && row.state() != State.PARKED) {
        told.add(
            SubscriptionState.LAGGING,
            topic,
            row.host(),
            row.error() == null ? "it has not answered yet" : row.error());
      }
    }
  }
}
