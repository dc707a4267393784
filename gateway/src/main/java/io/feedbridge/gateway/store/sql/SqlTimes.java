package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.StoredTimes;
import io.feedbridge.gateway.store.Trust;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/** The waits as SQL, each a column of milliseconds since the epoch. */
public final class SqlTimes implements StoredTimes {

  /** Smaller differences come from two readings of one clock. */
  private static final Duration SMALLEST_STEP = Duration.ofSeconds(1);

  /** Columns that hold the times of waits, and that move with the clock. */
  private static final List<Column> MOVING =
      List.of(
          new Column("feed", "next_fetch_at"),
          new Column("held_back", "until"),
          new Column("verification", "next_attempt_at"),
          new Column("following", "next_action_at"),
          // A hub counts its lease from its grant, whatever this clock says.
          new Column("following", "lease_ends_at"),
          new Column("endpoint", "demoted_until"),
          new Column("site_pace", "rest_until"),
          new Column("laggard", "next_attempt_at"),
          // Since when a laggard is behind: it jumps to the present after a number of hours.
          new Column("laggard", "behind_since"),
          new Column("subscription", "refresh_at"),
          new Column("subscription", "remove_at"),
          new Column("consumer", "next_attempt_at"),
          new Column("webhook", "next_attempt_at"),
          new Column("webhook", "failing_since"));

  /** The planned polls of feeds followed by push lie in a column of JSON, as ISO 8601. */
  private static final String MOVE_PLANS =
      """
      UPDATE feed SET pace = json_set(pace, '$.pollAt', strftime('%Y-%m-%dT%H:%M:%fZ',
        json_extract(pace, '$.pollAt'), '-' || (:by / 1000) || ' seconds'))
      WHERE json_valid(pace) AND julianday(json_extract(pace, '$.pollAt')) IS NOT NULL
      """;

  private final Database database;

  public SqlTimes(Database database) {
    this.database = database;
  }

  private record Column(String table, String name) {}

  @Override
  public CompletableFuture<Void> mark(Instant now) {
    return database.change((handle, effects) -> mark(handle, now));
  }

  private static void mark(Handle handle, Instant now) {
    handle
        .createUpdate(
            """
            INSERT INTO clock (id, at) VALUES (1, :now)
            ON CONFLICT (id) DO UPDATE SET at = excluded.at
            """)
        .bind("now", now.toEpochMilli())
        .execute();
  }

  @Override
  public CompletableFuture<Moved> bound(Instant now, Duration longestFetch) {
    return database.write(
        (handle, effects) -> {
          Duration back = back(handle, now);
          int moved = back.isZero() ? 0 : move(handle, back, now);
          int shortened =
              shorten(handle, "feed", "next_fetch_at", longestFetch.plus(MOST_SPARED), now)
                  + shorten(handle, "verification", "next_attempt_at", LONGEST_VERIFICATION, now)
                  + shorten(
                      handle, "endpoint", "demoted_until", Trust.pause(Integer.MAX_VALUE), now)
                  + shorten(handle, "laggard", "next_attempt_at", LONGEST_RETRY, now)
                  + shorten(handle, "subscription", "remove_at", LONGEST_REMOVAL, now)
                  + shorten(handle, "consumer", "next_attempt_at", LONGEST_RETRY, now)
                  + shorten(handle, "webhook", "next_attempt_at", LONGEST_RETRY, now)
                  + shorten(handle, "following", "next_action_at", LONGEST_RENEWAL, now);
          mark(handle, now);
          return new Moved(back, moved, shortened);
        });
  }

  private static Duration back(Handle handle, Instant now) {
    return handle
        .createQuery("SELECT at FROM clock WHERE id = 1")
        .map((row, context) -> Duration.between(now, Rows.instant(row, "at")))
        .findOne()
        .filter(step -> step.compareTo(SMALLEST_STEP) >= 0)
        .orElse(Duration.ZERO);
  }

  /** Times that have come are due at once and stay. */
  private static int move(Handle handle, Duration back, Instant now) {
    int moved = 0;
    for (Column column : MOVING) {
      moved +=
          handle
              .createUpdate(
                  "UPDATE %s SET %s = %s - :by WHERE %s > :now"
                      .formatted(column.table, column.name, column.name, column.name))
              .bind("by", back.toMillis())
              .bind("now", now.toEpochMilli())
              .execute();
    }
    handle.createUpdate(MOVE_PLANS).bind("by", back.toMillis()).execute();
    return moved;
  }

  private static int shorten(
      Handle handle, String table, String column, Duration longest, Instant now) {
    return handle
        .createUpdate(
            "UPDATE %s SET %s = :latest WHERE %s > :latest".formatted(table, column, column))
        .bind("latest", now.plus(longest).toEpochMilli())
        .execute();
  }
}
