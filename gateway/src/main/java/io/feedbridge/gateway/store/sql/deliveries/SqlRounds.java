package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.subscriptions.Transitions;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.StatementContext;

/** Rounds as SQL. */
public final class SqlRounds implements Rounds {

  private final Database database;
  private final DueHosts dueHosts;
  private final Transitions transitions;

  public SqlRounds(Database database, DueHosts dueHosts, Transitions transitions) {
    this.database = database;
    this.dueHosts = dueHosts;
    this.transitions = transitions;
  }

  @Override
  public Optional<Round> current(long feedId) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM round WHERE feed_id = :feed")
                .bind("feed", feedId)
                .map(SqlRounds::round)
                .findOne());
  }

  /**
   * Reads a round; without the hosts that it passed over if these are damaged, so that they are
   * tried again.
   */
  private static Round round(ResultSet row, StatementContext context) throws SQLException {
    Optional<Round> whole =
        DamagedRows.read(row, context, "round", "feed_id", (one, same) -> Rows.round(one));
    return whole.isPresent()
        ? whole.get()
        : new Round(
            row.getLong("feed_id"),
            row.getLong("from_seq"),
            row.getLong("to_seq"),
            row.getLong("checkpoint"));
  }

  @Override
  public List<Due> due(long afterFeedId, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT id, head FROM feed WHERE head > rounded AND id > :after
                    ORDER BY id LIMIT :limit
                    """)
                .bind("after", afterFeedId)
                .bind("limit", limit)
                .map((row, context) -> new Due(row.getLong("id"), row.getLong("head")))
                .list());
  }

  @Override
  public CompletableFuture<Optional<Round>> open(long feedId, Instant now) {
    return database
        .writePatiently(RoundSteps.OPEN, new RoundSteps.Opening(feedId, now))
        .thenApply(
            opened -> {
              transitions.tell(opened.told());
              opened.woken().forEach(host -> dueHosts.tell(host, now));
              return opened.round();
            });
  }

  @Override
  public Stretch recipients(long feedId, long afterId, Set<String> passed, int limit) {
    // The query reads an index alone: most subscriptions may be passed over, and cached
    // subscriptions are not read again. The end is read before, since a limit on a part keeps no
    // order of the whole: PostgreSQL may join the part's rows in any order.
    return database.read(
        handle -> {
          long end = endOf(handle, feedId, afterId, STRETCH);
          List<Long> recipients =
              handle
                  .createQuery(
                      """
                      SELECT s.id FROM subscription s
                      WHERE s.feed_id = :feed AND s.id > :after AND s.id <= :end
                        AND s.host NOT IN (SELECT value FROM json_each(:hosts))
                        AND NOT EXISTS
                          (SELECT 1 FROM laggard WHERE laggard.subscription_id = s.id)
                      ORDER BY s.id LIMIT :limit
                      """)
                  .bind("feed", feedId)
                  .bind("after", afterId)
                  .bind("end", end)
                  .bind("hosts", Json.text(passed))
                  .bind("limit", limit)
                  .mapTo(Long.class)
                  .list();
          return new Stretch(
              recipients, recipients.size() == limit ? recipients.get(limit - 1) : end);
        });
  }

  /** The last of the next subscriptions; the id that it begins with if there are none. */
  private static long endOf(Handle handle, long feedId, long afterId, int count) {
    return handle
        .createQuery(
            """
            SELECT COALESCE(MAX(id), :after) FROM
              (SELECT id FROM subscription WHERE feed_id = :feed AND id > :after
               ORDER BY id LIMIT :count) AS next
            """)
        .bind("feed", feedId)
        .bind("after", afterId)
        .bind("count", count)
        .mapTo(Long.class)
        .one();
  }

  @Override
  public CompletableFuture<Passing> passOver(
      Round round, long afterId, boolean repeats, Instant now) {
    return transitions
        .step(
            database::writePatiently,
            (handle, effects, told) -> {
              long end = endOf(handle, round.feedId(), afterId, PASSED_AT_ONCE);
              long upTo = end == afterId ? round.checkpoint() : end;
              int count =
                  passOver(
                      handle, round, afterId, Math.min(upTo, round.checkpoint()), repeats, now);
              if (count > 0) {
                told.add(
                    handle,
                    SubscriptionState.LAGGING,
                    round.feedId(),
                    "",
                    "%d at hosts that do not answer are passed over".formatted(count));
              }
              return new Passing(upTo, count);
            })
        .thenApply(
            passing -> {
              if (passing.count() > 0) {
                round.passed().keySet().forEach(host -> dueHosts.tell(host, now));
              }
              return passing;
            });
  }

  private static int passOver(
      Handle handle, Round round, long afterId, long upToId, boolean repeats, Instant now) {
    List<Map<String, Object>> passed =
        round.passed().entrySet().stream()
            .map(one -> Map.<String, Object>of("host", one.getKey(), "after", one.getValue()))
            .toList();
    return handle
        .createUpdate(
            """
            INSERT INTO laggard
              (subscription_id, feed_id, host, cursor, state, document_end, attempts,
               next_attempt_at, error, behind_since)
            SELECT s.id, s.feed_id, s.host, MAX(:from, s.start), :state, MAX(:end, s.start), 0,
              :now, NULL,
              CASE WHEN s.start <= :from THEN %s ELSE %s END
            FROM subscription s
              JOIN (SELECT value ->> 'host' AS host, CAST(value ->> 'after' AS BIGINT) AS after
                    FROM json_each(:passed)) passed ON passed.host = s.host
            WHERE s.feed_id = :feed AND s.id > :after AND s.id <= :upTo AND s.id > passed.after
              AND s.start < :to
            ON CONFLICT (subscription_id) DO NOTHING
            """
                .formatted(
                    LaggardRows.OLDEST_MISSED.formatted(":feed", ":from"),
                    LaggardRows.OLDEST_MISSED.formatted("s.feed_id", "s.start")))
        .bind("from", round.from())
        .bind("to", round.to())
        .bind("feed", round.feedId())
        .bind("after", afterId)
        .bind("upTo", upToId)
        .bind("passed", Json.text(passed))
        .bind("state", (repeats ? Laggard.State.FIXED : Laggard.State.BEHIND).name())
        .bind("end", repeats ? round.to() : round.from())
        .bind("now", now.toEpochMilli())
        .execute();
  }

  @Override
  public CompletableFuture<Void> checkpoint(Round round, List<Laggard> laggards) {
    return transitions
        .step(
            database::writePatiently,
            (handle, effects, told) -> {
              LaggardRows.insert(handle, round.feedId(), laggards, told);
              handle
                  .createUpdate(
                      """
                      UPDATE round SET checkpoint = :checkpoint, passed = :passed
                      WHERE feed_id = :feed
                      """)
                  .bind("checkpoint", round.checkpoint())
                  .bind("passed", Json.text(round.passed()))
                  .bind("feed", round.feedId())
                  .execute();
              return true;
            })
        .thenAccept(done -> dueHosts.tell(laggards));
  }

  @Override
  public CompletableFuture<Void> close(Round round, List<Laggard> laggards) {
    return database
        .writePatiently(RoundSteps.CLOSE, new RoundSteps.Closing(round, laggards))
        .thenAccept(
            closed -> {
              transitions.tell(closed.told());
              closed.woken().forEach(host -> dueHosts.tell(host, SqlReplays.AT_ONCE));
              dueHosts.tell(laggards);
            });
  }
}
