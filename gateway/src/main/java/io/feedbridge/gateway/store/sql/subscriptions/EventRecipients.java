package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Where subscriptions stand with one event. A delivery that succeeds writes no row, so the answer
 * follows from the cursors: of the feed's rounds, of the open round, and of the laggards.
 */
public final class EventRecipients {

  /** The stretch of subscriptions is bounded first: each looks into the other tables by a key. */
  static final String SQL =
      """
      SELECT s.id, s.protocol, s.callback, s.start, f.rounded,
        COALESCE(r.to_seq, 0) AS round_to, COALESCE(r.checkpoint, 0) AS checkpoint,
        l.state, l.cursor, l.document_end, l.attempts, l.next_attempt_at, l.error,
        (SELECT reason FROM gap
         WHERE gap.subscription_id = s.id AND gap.from_seq < :seq AND gap.to_seq >= :seq
         ORDER BY gap.id DESC LIMIT 1) AS gap
      FROM (SELECT id, feed_id, protocol, callback, start FROM subscription
            WHERE feed_id = :feed AND id > :after ORDER BY id LIMIT :limit) s
        JOIN feed f ON f.id = s.feed_id
        LEFT JOIN round r ON r.feed_id = s.feed_id
        LEFT JOIN laggard l ON l.subscription_id = s.id
      ORDER BY s.id
      """;

  private EventRecipients() {}

  static List<Recipient> list(Handle handle, long feedId, long seq, long after, int limit) {
    return handle
        .createQuery(SQL)
        .bind("feed", feedId)
        .bind("seq", seq)
        .bind("after", after)
        .bind("limit", limit)
        .map((row, context) -> recipient(row, seq))
        .list();
  }

  private static Recipient recipient(ResultSet row, long seq) throws SQLException {
    Reach reach = reach(row, seq);
    boolean missesIt = reach == Reach.UNDER_WAY || reach == Reach.FAILED || reach == Reach.BEHIND;
    return new Recipient(
        row.getLong("id"),
        Protocol.valueOf(row.getString("protocol")),
        row.getString("callback"),
        reach,
        missesIt ? row.getInt("attempts") : 0,
        missesIt && reach != Reach.UNDER_WAY ? Rows.instantOrNull(row, "next_attempt_at") : null,
        reach == Reach.SKIPPED
            ? row.getString("gap").toLowerCase(Locale.ROOT)
            : missesIt ? row.getString("error") : null);
  }

  private static Reach reach(ResultSet row, long seq) throws SQLException {
    if (row.getLong("start") >= seq) {
      return Reach.TOO_EARLY;
    }
    if (row.getString("gap") != null) {
      return Reach.SKIPPED;
    }
    String state = row.getString("state");
    if (state != null) {
      return lagging(row, Laggard.State.valueOf(state), seq);
    }
    return inRounds(row, seq);
  }

  private static Reach lagging(ResultSet row, Laggard.State state, long seq) throws SQLException {
    if (row.getLong("cursor") >= seq) {
      return Reach.PAST;
    }
    boolean inDocument = row.getLong("document_end") >= seq;
    if (state == Laggard.State.IN_FLIGHT && inDocument) {
      return Reach.UNDER_WAY;
    }
    @Nullable String error = row.getString("error");
    return inDocument && row.getInt("attempts") > 0 && error != null ? Reach.FAILED : Reach.BEHIND;
  }

  /** A subscription without a laggard row is as far as the rounds are, by the checkpoint (L4). */
  private static Reach inRounds(ResultSet row, long seq) throws SQLException {
    if (row.getLong("rounded") >= seq) {
      return Reach.PAST;
    }
    if (row.getLong("round_to") < seq) {
      return Reach.NOT_BEGUN;
    }
    return row.getLong("id") <= row.getLong("checkpoint") ? Reach.PAST : Reach.IN_ROUND;
  }

  /**
   * A subscription and one event.
   *
   * @param attempts in a row that failed; 0 unless the subscription has the event still before it
   * @param nextAttemptAt absent while nothing is planned or a request is under way
   * @param reason why the last attempt failed, or the name of the reason of a gap
   */
  public record Recipient(
      long id,
      Protocol protocol,
      String callback,
      Reach reach,
      int attempts,
      @Nullable Instant nextAttemptAt,
      @Nullable String reason) {}

  /** Where a subscription stands with an event. */
  public enum Reach {
    /** The subscription began after the event, which is not for it (rule L6). */
    TOO_EARLY,
    /** The event lies in a gap: the subscription is not sent it (rule L13). */
    SKIPPED,
    /** The subscription has answered 2xx to the event, or the event held nothing for it. */
    PAST,
    /** A request that holds the event is under way. */
    UNDER_WAY,
    /** The last attempt failed; there will be another. */
    FAILED,
    /** The event follows other events that the subscription misses. */
    BEHIND,
    /** The round of the event is open, and has no recorded outcome for the subscription. */
    IN_ROUND,
    /** The round of the event has not begun. */
    NOT_BEGUN
  }
}
