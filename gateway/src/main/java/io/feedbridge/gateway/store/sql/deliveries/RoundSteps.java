package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.subscriptions.Transitions;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The first and the last step of rounds: any number of rounds take them together. */
final class RoundSteps {

  static final String RESTS = "it wants one document in some time (every)";

  private RoundSteps() {}

  /** A round that is to be opened. */
  record Opening(long feedId, Instant now) {}

  /**
   * A round that was opened, if the feed has news and no open one.
   *
   * @param woken hosts of laggards that are due by it
   */
  record Opened(Optional<Round> round, Set<String> woken, Transitions.Told told) {
    private static Opened none() {
      return new Opened(Optional.empty(), Set.of(), new Transitions.Told());
    }
  }

  /** Rounds are opened together. */
  static final Database.Joint<Opening, Opened> OPEN =
      (handle, effects, openings) -> open(handle, openings);

  /**
   * A feed with news.
   *
   * @param next its first event after its last round
   * @param lags whether subscribers of it are behind
   */
  private record News(long feedId, long rounded, long head, long next, boolean lags) {

    /** Mostly there is one event, which a document holds in any case. */
    long documentEnd(Handle handle) {
      return next == head ? head : Gaps.documentEnd(handle, feedId, rounded);
    }
  }

  private static List<Opened> open(Handle handle, List<Opening> openings) {
    Map<Long, News> feeds = new LinkedHashMap<>();
    handle
        .createQuery(
            """
            SELECT id, rounded, head, COALESCE(
                (SELECT MIN(seq) FROM event WHERE event.feed_id = feed.id AND seq > rounded),
                rounded) AS next_seq,
              EXISTS (SELECT 1 FROM laggard WHERE laggard.feed_id = feed.id) AS lags
            FROM feed
            WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:feeds)) AND head > rounded
              AND NOT EXISTS (SELECT 1 FROM round WHERE round.feed_id = feed.id)
            """)
        .bind("feeds", Json.text(openings.stream().map(Opening::feedId).toList()))
        .map(
            (row, context) ->
                new News(
                    row.getLong("id"),
                    row.getLong("rounded"),
                    row.getLong("head"),
                    row.getLong("next_seq"),
                    row.getBoolean("lags")))
        .forEach(news -> feeds.put(news.feedId, news));
    PreparedBatch rounds =
        handle.prepareBatch(
            "INSERT INTO round (feed_id, from_seq, to_seq, checkpoint) VALUES (:feed, :from, :to, 0)");
    List<Opened> opened = new ArrayList<>();
    for (Opening opening : openings) {
      // A second opening of the same feed finds its round open.
      News news = feeds.remove(opening.feedId);
      opened.add(news == null ? Opened.none() : open(handle, rounds, news, opening.now));
    }
    if (rounds.size() > 0) {
      rounds.execute();
    }
    return opened;
  }

  private static Opened open(Handle handle, PreparedBatch rounds, News news, Instant now) {
    Round round = new Round(news.feedId, news.rounded, news.documentEnd(handle), 0);
    rounds.bind("feed", news.feedId).bind("from", round.from()).bind("to", round.to()).add();
    Transitions.Told told = new Transitions.Told();
    Set<String> woken = news.lags ? wake(handle, round, now, told) : Set.of();
    return new Opened(Optional.of(round), woken, told);
  }

  /** Wakes laggards of a round; returns their hosts. */
  private static Set<String> wake(Handle handle, Round round, Instant now, Transitions.Told told) {
    // A laggard that was sent a document past this round's beginning and did not take it must get
    // the same document again (rule L12), after its back-off.
    handle
        .createUpdate(
            """
            DELETE FROM laggard WHERE feed_id = :feed AND cursor = :from
              AND state IN ('BEHIND', 'PARKED') AND COALESCE(rests_until, 0) <= :now
            """)
        .bind("now", now.toEpochMilli())
        .bind("feed", round.feedId())
        .bind("from", round.from())
        .execute();
    Set<String> woken = new HashSet<>();
    // Parked laggards, which were ahead of the previous round or rest, miss events now. A laggard
    // that rests gets them when its rest is over.
    handle
        .createQuery(
            """
            UPDATE laggard SET
              state = 'BEHIND', next_attempt_at = MAX(:now, COALESCE(rests_until, 0)),
              error = CASE WHEN rests_until > :now THEN :rests ELSE error END,
              behind_since = MAX(COALESCE(rests_until, 0),
                (SELECT at FROM event
                 WHERE event.feed_id = :feed AND event.seq > laggard.cursor
                 ORDER BY event.seq LIMIT 1))
            WHERE feed_id = :feed AND state = 'PARKED' AND cursor < :to
            RETURNING host, next_attempt_at > :now AS rests
            """)
        .bind("rests", RESTS)
        .bind("now", now.toEpochMilli())
        .bind("feed", round.feedId())
        .bind("to", round.to())
        .map((row, context) -> Map.entry(row.getString("host"), row.getBoolean("rests")))
        .forEach(
            laggard -> {
              woken.add(laggard.getKey());
              if (!laggard.getValue()) {
                told.add(
                    handle,
                    SubscriptionState.LAGGING,
                    round.feedId(),
                    laggard.getKey(),
                    "it was ahead of the rounds");
              }
            });
    return woken;
  }

  /** A round that is to be closed. */
  record Closing(Round round, List<Laggard> laggards) {}

  /**
   * A round that was closed.
   *
   * @param woken hosts at which replays are due
   */
  record Closed(Set<String> woken, Transitions.Told told) {}

  /** Rounds are closed together. */
  static final Database.Joint<Closing, Closed> CLOSE = RoundSteps::close;

  private static List<Closed> close(Handle handle, Set<Effect> effects, List<Closing> closings) {
    List<Transitions.Told> told = new ArrayList<>();
    PreparedBatch feeds = handle.prepareBatch("UPDATE feed SET rounded = :to WHERE id = :feed");
    for (Closing closing : closings) {
      told.add(new Transitions.Told());
      LaggardRows.insert(
          handle, closing.round.feedId(), closing.laggards, told.get(told.size() - 1));
      feeds.bind("to", closing.round.to()).bind("feed", closing.round.feedId()).add();
    }
    feeds.execute();
    String ids = Json.text(closings.stream().map(closing -> closing.round.feedId()).toList());
    handle
        .createUpdate(
            """
            DELETE FROM round
            WHERE feed_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:feeds))
            """)
        .bind("feeds", ids)
        .execute();
    Set<Long> replaying = new HashSet<>();
    handle
        .createQuery(
            """
            SELECT id, head > rounded AS due,
              EXISTS (SELECT 1 FROM replay WHERE replay.feed_id = feed.id) AS replays
            FROM feed WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:feeds))
            """)
        .bind("feeds", ids)
        .map((row, context) -> after(row, effects))
        .forEach(feed -> feed.ifPresent(replaying::add));
    List<Closed> closed = new ArrayList<>();
    for (int i = 0; i < closings.size(); i++) {
      long feedId = closings.get(i).round.feedId();
      Set<String> woken =
          replaying.contains(feedId)
              ? SqlReplays.begin(handle, feedId, null, told.get(i))
              : Set.of();
      closed.add(new Closed(woken, told.get(i)));
    }
    return closed;
  }

  /** The feed after its round, if it has replays that wait for that. */
  private static Optional<Long> after(ResultSet row, Set<Effect> effects) throws SQLException {
    if (row.getBoolean("due")) {
      effects.add(Effect.APPENDED);
    }
    return row.getBoolean("replays") ? Optional.of(row.getLong("id")) : Optional.empty();
  }
}
