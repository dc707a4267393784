package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Document;
import io.feedbridge.gateway.store.Gap;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Laggards;
import io.feedbridge.gateway.store.Subscription;
import io.feedbridge.gateway.store.SubscriptionState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/** Laggards in SQLite. */
final class SqliteLaggards implements Laggards {

  /** When the event was appended that comes after a cursor; takes the feed's column and that. */
  static final String OLDEST_MISSED =
      "(SELECT at FROM event WHERE event.feed_id = %s AND event.seq > %s"
          + " ORDER BY event.seq LIMIT 1)";

  private static final String HOST_AFTER =
      "SELECT host FROM laggard WHERE in_flight = 0 AND next_attempt_at IS NOT NULL AND host >";

  private final SqliteDatabase database;
  private final DueHosts dueHosts;
  private final Transitions transitions;

  SqliteLaggards(SqliteDatabase database, DueHosts dueHosts, Transitions transitions) {
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
                SqliteErrors.clear(handle, laggard.subscriptionId());
              }
              return moved;
            })
        // One that jumped meanwhile may be due whatever came of this.
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
              SqliteReplays.want(handle, subscription.id(), after, upTo, now);
              return SqliteReplays.begin(handle, subscription.feedId(), subscription.id(), told);
            })
        .thenAccept(
            hosts -> {
              transitions.tell(told);
              hosts.forEach(host -> dueHosts.tell(host, SqliteReplays.AT_ONCE));
            });
  }

  @Override
  public CompletableFuture<Void> passOver(
      Laggard laggard, int allowed, Instant endAt, Instant now) {
    Transitions.Told told = new Transitions.Told();
    return database
        .changePatiently(
            (handle, effects) -> {
              if (move(handle, laggard, now, told)) {
                SqliteErrors.add(handle, laggard.subscriptionId(), allowed, endAt);
              }
            })
        .thenRun(
            () -> {
              transitions.tell(told);
              dueHosts.tell(laggard.host(), now);
            });
  }

  /**
   * One that misses nothing but what the feed's next round brings waits for that (rule L5), or
   * begins with the replay that it waits for; one that misses more is served at once, or when its
   * back-off is over. A replay goes on event by event: each is a notification of its own.
   *
   * @return whether that was done: not if the row is gone, or is ahead since a jump
   */
  private static boolean move(Handle handle, Laggard laggard, Instant now, Transitions.Told told) {
    // Whether it waits for the next round now, if there was one to move.
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
          laggard.error() == null ? "it has all there is" : "what it did not take is given up");
      var unused = SqliteReplays.begin(handle, laggard.feedId(), laggard.subscriptionId(), told);
    }
    return rests.isPresent();
  }

  /**
   * The request of one that jumped meanwhile has ended; what it was about is no matter any more.
   */
  private static void land(Handle handle, long subscriptionId) {
    handle
        .createUpdate("UPDATE laggard SET in_flight = 0 WHERE subscription_id = :id")
        .bind("id", subscriptionId)
        .execute();
  }

  /** Notes anew since when a laggard is behind whose cursor has moved. */
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
              List<Gap> gaps = jump(handle, behind, reason, now);
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

  /** {@link Laggards#jump} of these subscriptions, as part of a larger transaction. */
  static List<Gap> jump(Handle handle, List<Long> subscriptions, Gap.Reason reason, Instant now) {
    List<Gap> gaps = subscriptions.stream().map(id -> gap(handle, id, reason, now)).toList();
    gaps.forEach(gap -> jump(handle, gap));
    handle
        .createUpdate("DELETE FROM gap WHERE id <= (SELECT MAX(id) FROM gap) - :kept")
        .bind("kept", Gap.MAX_KEPT)
        .execute();
    return gaps;
  }

  private static Gap gap(Handle handle, long subscriptionId, Gap.Reason reason, Instant now) {
    return handle
        .createQuery(
            """
            SELECT subscription_id, feed_id, cursor AS from_seq,
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
        .map((row, context) -> Rows.gap(row))
        .one();
  }

  /** It has everything now, so that it rests until the next round takes it back (rule L5). */
  private static void jump(Handle handle, Gap gap) {
    handle
        .createUpdate(
            """
            UPDATE laggard SET
              cursor = :to, sent_to = NULL, attempts = 0, error = NULL, next_attempt_at = NULL,
              behind_since = NULL, replay_to = NULL, replay_at = NULL
            WHERE subscription_id = :id
            """)
        .bind("to", gap.upTo())
        .bind("id", gap.subscriptionId())
        .execute();
    SqliteReplays.forget(handle, gap.subscriptionId());
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
    return database.read(handle -> documentEnd(handle, feedId, cursor));
  }

  /** {@link #documentEnd} as part of a larger transaction. */
  static long documentEnd(Handle handle, long feedId, long cursor) {
    return handle
        .createQuery(
            """
            SELECT MAX(seq) FROM (
              SELECT seq, ROW_NUMBER() OVER w AS number,
                SUM(entries) OVER w AS entries, SUM(LENGTH(payload)) OVER w AS bytes
              FROM (SELECT seq, entries, payload FROM event
                    WHERE feed_id = :feed AND seq > :cursor ORDER BY seq LIMIT :limit)
              WINDOW w AS (ORDER BY seq))
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

  @Override
  public CompletableFuture<Void> landAll() {
    return database.change(
        (handle, effects) -> {
          handle.execute("UPDATE laggard SET in_flight = 0 WHERE in_flight = 1");
        });
  }

  /** Writes the rows of those whom a round did not serve, unless their subscription has ended. */
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
