package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.websub.DocumentWishes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/**
 * The stored times of all waits. The system clock may be set back while no gateway runs, and a wait
 * must not become longer by that. The end of a lease is a time that the subscriber was told, and is
 * never changed here. Each wait is a column of milliseconds since the epoch.
 */
public final class StoredTimes {

  /** The longest wait of a delivery: the longest pause that a subscriber may request. */
  public static final Duration LONGEST_RETRY = Duration.ofHours(24);

  /** The longest wait of a subscriber's request, with room for an attempt. */
  public static final Duration LONGEST_VERIFICATION = Duration.ofMinutes(10);

  /** The longest wait for a digest, as the option permits. */
  public static final Duration LONGEST_DIGEST = Duration.ofDays(30);

  /** The longest wait of a subscription that ends for its errors, at the top of an hour. */
  public static final Duration LONGEST_REMOVAL = Duration.ofHours(1);

  /** The longest wait for an upstream hub or cloud: no lease of theirs is believed for longer. */
  public static final Duration LONGEST_RENEWAL = Duration.ofDays(14);

  /**
   * The time that a feed may add to the longest period: {@code skipDays}, {@code skipHours} and
   * spreading.
   */
  public static final Duration MOST_SPARED = Duration.ofDays(8);

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
          new Column("laggard", "rests_until"),
          new Column("laggard", "digest_at"),
          new Column("digest", "due_at"),
          new Column("subscription", "refresh_at"),
          new Column("subscription", "remove_at"),
          new Column("consumer", "next_attempt_at"),
          new Column("webhook", "next_attempt_at"),
          new Column("webhook", "rests_until"),
          new Column("webhook", "failing_since"));

  /** The planned polls of feeds followed by push lie in a column of JSON, as ISO 8601. */
  private static final String MOVE_PLANS =
      """
      UPDATE feed SET pace = json_set(pace, '$.pollAt', strftime('%Y-%m-%dT%H:%M:%fZ',
        json_extract(pace, '$.pollAt'), '-' || (:by / 1000) || ' seconds'))
      WHERE json_valid(pace) AND julianday(json_extract(pace, '$.pollAt')) IS NOT NULL
      """;

  private final Database database;

  public StoredTimes(Database database) {
    this.database = database;
  }

  private record Column(String table, String name) {}

  /** Records the gateway's clock, which {@link #bound} compares with the clock of a later start. */
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

  /**
   * Bounds all waits, in one transaction, before other work begins. Where the clock is behind the
   * last recorded clock, each wait is moved back by the difference. Then each wait that exceeds its
   * bound is shortened to the bound.
   *
   * @param longestFetch the longest period between two fetches of a feed
   */
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
                  + shorten(handle, "laggard", "rests_until", DocumentWishes.LONGEST, now)
                  + shorten(handle, "webhook", "rests_until", DocumentWishes.LONGEST, now)
                  + shorten(handle, "digest", "due_at", LONGEST_DIGEST, now)
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

  /**
   * The result of {@link #bound}.
   *
   * @param back how far the clock was set back; zero if it was not, as far as is known
   * @param moved waits that were moved by that difference
   * @param shortened waits that exceeded their bound and were shortened
   */
  public record Moved(Duration back, int moved, int shortened) {}
}
