package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.Gap;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Laggards;
import io.feedbridge.gateway.store.Subscription;
import io.feedbridge.gateway.store.SubscriptionState;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.subscriptions.SqlErrors;
import io.feedbridge.gateway.store.sql.subscriptions.Transitions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/** Laggards as SQL. */
public final class SqlLaggards implements Laggards {

  /** When the event was appended that comes after a cursor; takes the feed's column and that. */
  static final String OLDEST_MISSED =
      "(SELECT at FROM event WHERE event.feed_id = %s AND event.seq > %s"
          + " ORDER BY event.seq LIMIT 1)";

  private static final String HOST_AFTER =
      "SELECT host FROM laggard WHERE in_flight = 0 AND next_attempt_at IS NOT NULL AND host >";

  private final Database database;
  private final DueHosts dueHosts;
  private final Transitions transitions;

  public SqlLaggards(Database database, DueHosts dueHosts, Transitions transitions) {
    this.database = database;
    this.dueHosts = dueHosts;
    this.transitions = transitions;
  }

  @Override
  public List<Host> hosts(String after, int limit) {
    // From name to name, each a step down the index: the rows between are not looked at.
    return database.readLong(
        handle ->
            handle
                .createQuery(
                    """
                    WITH RECURSIVE known (name) AS (
                      SELECT (%s :after ORDER BY host LIMIT 1)
                      UNION ALL
                      SELECT (%s known.name ORDER BY host LIMIT 1) FROM known
                      WHERE known.name IS NOT NULL
                      LIMIT :limit)
                    SELECT name,
                      (SELECT next_attempt_at FROM laggard
                       WHERE host = name AND in_flight = 0 AND next_attempt_at IS NOT NULL
                       ORDER BY next_attempt_at LIMIT 1) AS at
                    FROM known WHERE name IS NOT NULL
                    """
                        .formatted(HOST_AFTER, HOST_AFTER))
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) -> new Host(row.getString("name"), Rows.instant(row, "at")))
                .list());
  }

  @Override
  public List<Laggard> next(String host, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT * FROM laggard
                    WHERE host = :host AND in_flight = 0 AND next_attempt_at IS NOT NULL
                    ORDER BY next_attempt_at LIMIT :limit
                    """)
                .bind("host", host)
                .bind("limit", limit)
                .map((row, context) -> Rows.laggard(row))
                .list());
  }

  @Override
  public void onDue(DueListener listener) {
    dueHosts.add(listener);
  }

  @Override
  public CompletableFuture<List<Laggard>> claim(List<Laggard> laggards) {
    return database.writePatiently(
        (handle, effects) -> {
          var batch =
              handle.prepareBatch(
                  """
                  UPDATE laggard SET in_flight = 1, sent_to = :to
                  WHERE subscription_id = :id AND in_flight = 0 AND cursor = :cursor
                    AND attempts = :attempts AND next_attempt_at IS NOT NULL
                  """);
          for (Laggard laggard : laggards) {
            batch
                .bind("to", laggard.sentTo())
                .bind("id", laggard.subscriptionId())
                .bind("cursor", laggard.cursor())
                .bind("attempts", laggard.attempts())
                .add();
          }
          int[] rows = batch.execute();
          return IntStream.range(0, rows.length)
              .filter(i -> rows[i] == 1)
              .mapToObj(laggards::get)
              .toList();
        });
  }

  @Override
  public CompletableFuture<Void> settle(Laggard laggard, Instant now) {
    boolean taken = laggard.sentTo() == null && laggard.attempts() == 0;
    // When it is due again is known exactly only after a failure; else it is worth a look.
    Instant look = taken ? now : laggard.nextAttemptAt();
    Transitions.Told told = new Transitions.Told();
    return database
        .writePatiently(
            (handle, effects) -> {
              boolean moved = move(handle, laggard, now, told);
              if (moved && taken) {
                SqlErrors.clear(handle, laggard.subscriptionId());
              }
              return moved;
            })
        // A laggard that jumped meanwhile may be due whatever the outcome was.
        .thenAccept(
            moved -> {
              transitions.tell(told);
              dueHosts.tell(laggard.host(), moved ? look : now);
            });
  }

  @Override
  public CompletableFuture<Optional<Laggard>> retry(long subscriptionId, Instant now) {
    return database
        .write(
            (handle, effects) ->
                handle
                    .createQuery(
                        """
                        UPDATE laggard SET next_attempt_at = :now
                        WHERE subscription_id = :id AND in_flight = 0 AND next_attempt_at > :now
                        RETURNING *
                        """)
                    .bind("now", now.toEpochMilli())
                    .bind("id", subscriptionId)
                    .map((row, context) -> Rows.laggard(row))
                    .findOne())
        .thenApply(
            due -> {
              due.ifPresent(laggard -> dueHosts.tell(laggard.host(), now));
              return due;
            });
  }

  @Override
  public CompletableFuture<Void> replay(
      Subscription subscription, long after, long upTo, Instant now) {
    Transitions.Told told = new Transitions.Told();
    return database
        .write(
            (handle, effects) -> {
              SqlReplays.want(handle, subscription.id(), after, upTo, now);
              return SqlReplays.begin(handle, subscription.feedId(), subscription.id(), told);
            })
        .thenAccept(
            hosts -> {
              transitions.tell(told);
              hosts.forEach(host -> dueHosts.tell(host, SqlReplays.AT_ONCE));
            });
  }

  @Override
  public CompletableFuture<Void> passOver(
      Laggard laggard, Subscription called, int allowed, Instant endAt, Instant now) {
    Transitions.Told told = new Transitions.Told();
    return database
        .changePatiently(
            (handle, effects) -> {
              if (move(handle, laggard, now, told)) {
                SqlErrors.add(handle, called, allowed, endAt);
              }
            })
        .thenRun(
            () -> {
              transitions.tell(told);
              dueHosts.tell(laggard.host(), now);
            });
  }

  @Override
  public CompletableFuture<Void> skip(Laggard laggard, Gap gap) {
    Transitions.Told told = new Transitions.Told();
    return database
        .changePatiently(
            (handle, effects) -> {
              if (move(handle, laggard, gap.at(), told)) {
                Gaps.putOnRecord(handle, gap);
              }
            })
        .thenRun(
            () -> {
              transitions.tell(told);
              dueHosts.tell(laggard.host(), gap.at());
            });
  }

  /**
   * Moves a laggard. A laggard that misses only the events of the feed's next round waits for that
   * round (rule L5), or begins its waiting replay. A laggard that misses more is served at once, or
   * when its back-off is over. A replay continues event by event: each is a notification of its
   * own.
   *
   * @return whether the laggard was moved; false if the row is gone, or is ahead since a jump
   */
  private static boolean move(Handle handle, Laggard laggard, Instant now, Transitions.Told told) {
    // Whether the laggard waits for the next round now; empty if no row was moved.
    Optional<Boolean> rests =
        handle
            .createQuery(
                """
                    UPDATE laggard SET
                      cursor = :cursor, attempts = :attempts, in_flight = 0, error = :error,
                      sent_to = CASE
                        WHEN :sentTo IS NOT NULL OR replay_to IS NULL OR replay_to <= :cursor
                          THEN :sentTo
                        ELSE (SELECT MIN(seq) FROM event
                              WHERE event.feed_id = laggard.feed_id AND seq > :cursor) END,
                      replay_to = CASE WHEN replay_to > :cursor THEN replay_to END,
                      replay_at = CASE WHEN replay_to > :cursor THEN replay_at END,
                      next_attempt_at = CASE
                        WHEN :sentTo IS NOT NULL OR :attempts > 0 THEN :next
                        WHEN :cursor >= (SELECT head FROM feed WHERE id = feed_id) THEN NULL
                        WHEN :cursor = (SELECT rounded FROM feed WHERE id = feed_id)
                          AND NOT EXISTS
                            (SELECT 1 FROM round WHERE round.feed_id = laggard.feed_id) THEN NULL
                        ELSE :now END
                    WHERE subscription_id = :id AND cursor <= :cursor
                    RETURNING next_attempt_at IS NULL
                    """)
            .bind("cursor", laggard.cursor())
            .bind("sentTo", laggard.sentTo())
            .bind("attempts", laggard.attempts())
            .bind("error", laggard.error())
            .bind("next", laggard.nextAttemptAt().toEpochMilli())
            .bind("now", now.toEpochMilli())
            .bind("id", laggard.subscriptionId())
            .mapTo(Boolean.class)
            .findOne();
    if (rests.isEmpty()) {
      land(handle, laggard.subscriptionId());
    } else if (laggard.sentTo() == null) {
      setBehindSince(handle, laggard.subscriptionId());
    }
    if (rests.orElse(false)) {
      told.add(
          handle,
          SubscriptionState.ACTIVE,
          laggard.feedId(),
          laggard.host(),
          laggard.error() == null
              ? "it has all events"
              : "the events that it did not take are given up");
      var unused = SqlReplays.begin(handle, laggard.feedId(), laggard.subscriptionId(), told);
    }
    return rests.isPresent();
  }

  /**
   * Ends the request of a laggard that jumped meanwhile; the outcome of the request no longer
   * matters.
   */
  private static void land(Handle handle, long subscriptionId) {
    handle
        .createUpdate("UPDATE laggard SET in_flight = 0 WHERE subscription_id = :id")
        .bind("id", subscriptionId)
        .execute();
  }

  /** Sets anew since when a laggard is behind, after its cursor has moved. */
  private static void setBehindSince(Handle handle, long id) {
    handle
        .createUpdate(
            "UPDATE laggard SET behind_since = CASE WHEN next_attempt_at IS NOT NULL THEN "
                + " COALESCE(replay_at, "
                + OLDEST_MISSED.formatted("laggard.feed_id", "laggard.cursor")
                + ") END WHERE subscription_id = :id")
        .bind("id", id)
        .execute();
  }

  @Override
  public CompletableFuture<List<Gap>> jump(
      Instant since, Gap.Reason reason, int limit, Instant now) {
    Transitions.Told told = new Transitions.Told();
    return database
        .write(
            (handle, effects) -> {
              List<Long> behind =
                  handle
                      .createQuery(
                          """
                      SELECT subscription_id FROM laggard WHERE behind_since <= :since
                      ORDER BY behind_since LIMIT :limit
                      """)
                      .bind("since", since.toEpochMilli())
                      .bind("limit", limit)
                      .mapTo(Long.class)
                      .list();
              List<Gap> gaps = Gaps.jump(handle, behind, reason, now);
              gaps.forEach(
                  gap ->
                      told.add(
                          handle,
                          SubscriptionState.ACTIVE,
                          gap.feedId(),
                          "",
                          "subscription %d was too far behind and jumped to the present"
                              .formatted(gap.subscriptionId())));
              return gaps;
            })
        .thenApply(
            gaps -> {
              transitions.tell(told);
              return gaps;
            });
  }

  @Override
  public Optional<Instant> oldestMissed() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT behind_since AS at FROM laggard WHERE behind_since IS NOT NULL
                    ORDER BY behind_since LIMIT 1
                    """)
                .map((row, context) -> Rows.instant(row, "at"))
                .findOne());
  }

  @Override
  public List<Gap> gaps(long subscriptionId, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT * FROM gap WHERE subscription_id = :id ORDER BY id DESC LIMIT :limit")
                .bind("id", subscriptionId)
                .bind("limit", limit)
                .map((row, context) -> Rows.gap(row))
                .list());
  }

  @Override
  public long documentEnd(long feedId, long cursor) {
    return database.read(handle -> Gaps.documentEnd(handle, feedId, cursor));
  }

  @Override
  public CompletableFuture<Void> landAll() {
    return database.change(
        (handle, effects) -> {
          handle.execute("UPDATE laggard SET in_flight = 0 WHERE in_flight = 1");
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
              (subscription_id, feed_id, host, cursor, sent_to, attempts, next_attempt_at,
               in_flight, error, behind_since)
            SELECT id, feed_id, :host, :cursor, :sentTo, :attempts, :next, :inFlight, :error,
              %s
            FROM subscription WHERE id = :id
            ON CONFLICT (subscription_id) DO NOTHING
            """
                .formatted(OLDEST_MISSED.formatted("subscription.feed_id", ":cursor")));
    for (Laggard laggard : laggards) {
      batch
          .bind("id", laggard.subscriptionId())
          .bind("host", laggard.host())
          .bind("cursor", laggard.cursor())
          .bind("sentTo", laggard.sentTo())
          .bind("attempts", laggard.attempts())
          .bind("next", laggard.nextAttemptAt().toEpochMilli())
          .bind("inFlight", laggard.inFlight())
          .bind("error", laggard.error())
          .add();
    }
    int[] rows = batch.execute();
    String topic = Transitions.topic(handle, feedId);
    for (int i = 0; i < rows.length; i++) {
      if (rows[i] == 1) {
        Laggard row = laggards.get(i);
        told.add(
            SubscriptionState.LAGGING,
            topic,
            row.host(),
            row.error() == null ? "it has not answered yet" : row.error());
      }
    }
  }
}
