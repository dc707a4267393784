package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.testing.StoredRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a gateway that is gone has left in its data folder, read from a copy, so that nothing of it
 * changes.
 *
 * @param sound whether the database finds nothing wrong with itself
 * @param subscriptions by callback
 * @param feeds by topic
 * @param upstreamSubscriptions by feed and endpoint: when each is to act again, in milliseconds
 *     since the epoch
 * @param webhooks by callback
 */
record Snapshot(
    boolean sound,
    Map<String, Subscribed> subscriptions,
    Map<String, FeedRow> feeds,
    List<Long> upstreamSubscriptions,
    Map<String, Endpoint> webhooks) {

  static final Snapshot NOTHING = new Snapshot(true, Map.of(), Map.of(), List.of());

  /** One without webhooks. */
  Snapshot(
      boolean sound,
      Map<String, Subscribed> subscriptions,
      Map<String, FeedRow> feeds,
      List<Long> upstreamSubscriptions) {
    this(sound, subscriptions, feeds, upstreamSubscriptions, Map.of());
  }

  /**
   * A webhook.
   *
   * @param position of its consumer; null if it never was active
   */
  record Endpoint(boolean active, @org.jspecify.annotations.Nullable Lag position) {}

  /**
   * A subscription.
   *
   * @param terms as stored
   * @param lag null if it has no laggard row
   */
  record Subscribed(
      long id,
      String topic,
      String host,
      String terms,
      long leaseEndsAt,
      @org.jspecify.annotations.Nullable Lag lag) {}

  /**
   * A laggard row.
   *
   * @param sentTo 0 if it was sent nothing that it has not taken
   * @param nextAttemptAt 0 if it is not due by itself
   * @param restsUntil until when it wants nothing; 0 for no such time
   */
  record Lag(
      long cursor,
      long sentTo,
      int attempts,
      long nextAttemptAt,
      boolean inFlight,
      long restsUntil) {

    /** One that does not rest. */
    Lag(long cursor, long sentTo, int attempts, long nextAttemptAt, boolean inFlight) {
      this(cursor, sentTo, attempts, nextAttemptAt, inFlight, 0);
    }
  }

  /**
   * A feed.
   *
   * @param behind whether its head is past its last round
   * @param checkpoint of its open round; -1 if none is open
   * @param nextFetchAt 0 if it is not polled
   */
  record FeedRow(boolean behind, long checkpoint, int works, long nextFetchAt) {}

  /** Whether nobody is in it. */
  boolean isEmpty() {
    return subscriptions.isEmpty() && webhooks.isEmpty();
  }

  /** Reads a data folder that no gateway has open. */
  static Snapshot of(Path data) {
    if (!Files.exists(data.resolve("feedbridge.db"))) {
      return NOTHING;
    }
    Path copy = copy(data);
    try {
      StoredRows rows = new StoredRows(copy);
      boolean sound = rows.query("PRAGMA integrity_check").equals(List.of("ok"));
      if (rows.count("sqlite_master WHERE name = 'digest'") == 0) {
        return new Snapshot(sound, Map.of(), Map.of(), List.of());
      }
      return of(rows, sound);
    } finally {
      delete(copy);
    }
  }

  /** Reads a store whose gateway is gone. */
  static Snapshot of(StoredRows rows, boolean sound) {
    return new Snapshot(
        sound, subscriptions(rows), feeds(rows), upstreamSubscriptions(rows), webhooks(rows));
  }

  private static Map<String, Subscribed> subscriptions(StoredRows rows) {
    Map<String, Subscribed> found = new HashMap<>();
    for (String row :
        rows.query(
            """
            SELECT s.callback, s.id, f.topic, s.lease_ends_at, l.cursor,
              CASE WHEN l.state IN ('FIXED', 'IN_FLIGHT') AND l.digest_at IS NULL
                THEN l.document_end ELSE 0 END,
              l.attempts, COALESCE(l.next_attempt_at, 0),
              CASE WHEN l.state IN ('IN_FLIGHT', 'JUMPED') THEN 1 ELSE 0 END,
              CASE WHEN l.state = 'BEHIND' AND l.attempts = 0 THEN l.next_attempt_at
                ELSE COALESCE(l.rests_until, 0) END,
              s.terms
            FROM subscription s JOIN feed f ON f.id = s.feed_id
            LEFT JOIN laggard l ON l.subscription_id = s.id
            """)) {
      String[] column = row.split("\\|", 11);
      Lag lag =
          column[4].equals("null")
              ? null
              : new Lag(
                  Long.parseLong(column[4]),
                  Long.parseLong(column[5]),
                  Integer.parseInt(column[6]),
                  Long.parseLong(column[7]),
                  column[8].equals("1"),
                  Long.parseLong(column[9]));
      String host = column[0].substring(0, column[0].lastIndexOf('/'));
      found.put(
          column[0],
          new Subscribed(
              Long.parseLong(column[1]),
              column[2],
              host,
              column[10],
              Long.parseLong(column[3]),
              lag));
    }
    return found;
  }

  private static Map<String, FeedRow> feeds(StoredRows rows) {
    Map<String, FeedRow> found = new HashMap<>();
    for (String row :
        rows.query(
            """
            SELECT f.topic, CASE WHEN f.head > f.rounded THEN 1 ELSE 0 END,
              COALESCE(r.checkpoint, -1), (SELECT count(*) FROM work WHERE work.feed_id = f.id),
              COALESCE(f.next_fetch_at, 0)
            FROM feed f LEFT JOIN round r ON r.feed_id = f.id
            """)) {
      String[] column = row.split("\\|", -1);
      found.put(
          column[0],
          new FeedRow(
              column[1].equals("1"),
              Long.parseLong(column[2]),
              Integer.parseInt(column[3]),
              Long.parseLong(column[4])));
    }
    return found;
  }

  private static Map<String, Endpoint> webhooks(StoredRows rows) {
    Map<String, Endpoint> found = new HashMap<>();
    for (String row :
        rows.query(
            """
            SELECT w.url, CASE WHEN w.state = 'ACTIVE' THEN 1 ELSE 0 END, c.cursor,
              COALESCE(c.sent_to, 0), c.attempts, COALESCE(c.next_attempt_at, 0),
              COALESCE(w.rests_until, 0)
            FROM webhook w LEFT JOIN consumer c ON c.name = 'webhook-' || w.id
            """)) {
      String[] column = row.split("\\|", -1);
      Lag position =
          column[2].equals("null")
              ? null
              : new Lag(
                  Long.parseLong(column[2]),
                  Long.parseLong(column[3]),
                  Integer.parseInt(column[4]),
                  Long.parseLong(column[5]),
                  false,
                  Long.parseLong(column[6]));
      found.put(column[0], new Endpoint(column[1].equals("1"), position));
    }
    return found;
  }

  private static List<Long> upstreamSubscriptions(StoredRows rows) {
    return rows.query("SELECT next_action_at FROM following").stream().map(Long::valueOf).toList();
  }

  private static Path copy(Path data) {
    try {
      Path copy = Files.createTempDirectory("snapshot");
      for (String file : List.of("feedbridge.db", "feedbridge.db-wal")) {
        if (Files.exists(data.resolve(file))) {
          Files.copy(data.resolve(file), copy.resolve(file));
        }
      }
      // A reader that may only read cannot recover a log that a killed writer left.
      StoredRows.recover(copy);
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
