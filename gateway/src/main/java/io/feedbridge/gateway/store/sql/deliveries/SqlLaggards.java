package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.subscriptions.SqlDigests;
import io.feedbridge.gateway.store.sql.subscriptions.SqlErrors;
import io.feedbridge.gateway.store.sql.subscriptions.Transitions;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Laggards as SQL. */
public final class SqlLaggards implements Laggards {

  /** As in the index that finds these. */
  private static final String MAY_BE_DUE = "state IN ('BEHIND', 'FIXED')";

  private static final String HOST_AFTER =
      "SELECT host FROM laggard WHERE " + MAY_BE_DUE + " AND host >";

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
                      WHERE known.name IS NOT NULL)
                    SELECT name,
                      (SELECT next_attempt_at FROM laggard
                       WHERE host = name AND %s ORDER BY next_attempt_at LIMIT 1) AS at
                    FROM known WHERE name IS NOT NULL LIMIT :limit
                    """
                        .formatted(HOST_AFTER, HOST_AFTER, MAY_BE_DUE))
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) -> new Host(row.getString("name"), Rows.instant(row, "at")))
                .list());
  }

  @Override
  public int behindAt(String host) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT COUNT(*) FROM (SELECT 1 FROM laggard WHERE host = :host AND %s
                      LIMIT :most) AS counted
                    """
                        .formatted(MAY_BE_DUE))
                .bind("host", host)
                .bind("most", MOST_COUNTED)
                .mapTo(Integer.class)
                .one());
  }

  @Override
  public List<Laggard> next(String host, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT * FROM laggard WHERE host = :host AND %s
                    ORDER BY next_attempt_at LIMIT :limit
                    """
                        .formatted(MAY_BE_DUE))
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
                  UPDATE laggard SET state = 'IN_FLIGHT', document_end = :end
                  WHERE subscription_id = :id AND %s AND cursor = :cursor AND attempts = :attempts
                  """
                      .formatted(MAY_BE_DUE));
          for (Laggard laggard : laggards) {
            batch
                .bind("end", laggard.documentEnd())
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
    boolean taken = laggard.state() == Laggard.State.BEHIND;
    // When it is due again is known exactly only after a failure; else it is worth a look.
    Instant look = taken ? now : laggard.nextAttemptAt();
    return transitions
        .step(
            database::writePatiently,
            (handle, effects, told) -> {
              boolean moved = LaggardRows.move(handle, laggard, now, told);
              if (moved && taken) {
                SqlErrors.clear(handle, laggard.subscriptionId());
              }
              return moved;
            })
        // A laggard that jumped meanwhile may be due whatever the outcome was.
        .thenAccept(moved -> dueHosts.tell(laggard.host(), moved ? look : now));
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
                        WHERE subscription_id = :id AND %s AND next_attempt_at > :now
                        RETURNING *
                        """
                            .formatted(MAY_BE_DUE))
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
    return transitions
        .step(
            database::write,
            (handle, effects, told) -> {
              SqlReplays.want(handle, subscription.id(), after, upTo, now);
              return SqlReplays.begin(handle, subscription.feedId(), subscription.id(), told);
            })
        .thenAccept(hosts -> hosts.forEach(host -> dueHosts.tell(host, SqlReplays.AT_ONCE)));
  }

  @Override
  public CompletableFuture<Void> passOver(
      Laggard laggard, Subscription called, int allowed, Instant endAt, Instant now) {
    return transitions
        .step(
            database::writePatiently,
            (handle, effects, told) -> {
              boolean moved = LaggardRows.move(handle, laggard, now, told);
              if (moved) {
                SqlErrors.add(handle, called, allowed, endAt);
              }
              return moved;
            })
        .thenAccept(moved -> dueHosts.tell(laggard.host(), now));
  }

  @Override
  public CompletableFuture<Void> skip(Laggard laggard, Gap gap) {
    return transitions
        .step(
            database::writePatiently,
            (handle, effects, told) -> {
              boolean moved = LaggardRows.move(handle, laggard, gap.at(), told);
              if (moved) {
                Gaps.putOnRecord(handle, gap);
              }
              return moved;
            })
        .thenAccept(moved -> dueHosts.tell(laggard.host(), gap.at()));
  }

  @Override
  public CompletableFuture<List<Gap>> jump(
      Instant since, Gap.Reason reason, int limit, Instant now) {
    return transitions.step(
        database::write,
        (handle, effects, told) -> {
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
        });
  }

  @Override
  public CompletableFuture<Integer> beginDigests(Instant now, Duration period, int limit) {
    return database
        .write((handle, effects) -> SqlDigests.begin(handle, now, period, limit))
        .thenApply(
            hosts -> {
              hosts.forEach(host -> dueHosts.tell(host, now));
              return hosts.size();
            });
  }

  @Override
  public Optional<Instant> nextDigest() {
    return database.read(SqlDigests::next);
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
    return database.change((handle, effects) -> LaggardRows.landAll(handle));
  }
}
