package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Pings;
import io.feedbridge.gateway.store.SitePing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Recent pings in SQLite. */
final class SqlitePings implements Pings {

  private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();

  private final SqliteDatabase database;

  SqlitePings(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<Void> record(SitePing ping) {
    return database.change(
        (handle, effects) -> {
          handle.execute("UPDATE site_ping_count SET pings = pings + 1");
          handle
              .createUpdate(
                  """
                  INSERT INTO site_ping (hour, url, at, name, feed)
                  SELECT :hour, :url, :at, :name, :feed
                  WHERE (SELECT COUNT(*) FROM site_ping WHERE hour = :hour) < :max
                    OR EXISTS (SELECT 1 FROM site_ping WHERE hour = :hour AND url = :url)
                  ON CONFLICT (hour, url) DO UPDATE SET
                    at = MAX(at, excluded.at), name = excluded.name,
                    feed = COALESCE(excluded.feed, feed)
                  """)
              .bind("hour", ping.at().toEpochMilli() / HOUR_MILLIS)
              .bind("url", ping.url())
              .bind("at", ping.at().toEpochMilli())
              .bind("name", ping.name())
              .bind("feed", ping.feed())
              .bind("max", MAX_PER_HOUR)
              .execute();
        });
  }

  @Override
  public List<SitePing> between(Instant after, Instant upTo) {
    return database.readLong(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT name, url, feed, at FROM site_ping WHERE at > :after AND at <= :upTo
                    ORDER BY at DESC, url
                    """)
                .bind("after", after.toEpochMilli())
                .bind("upTo", upTo.toEpochMilli())
                .map(
                    (row, context) ->
                        new SitePing(
                            row.getString("name"),
                            row.getString("url"),
                            row.getString("feed"),
                            Rows.instant(row, "at")))
                .list());
  }

  @Override
  public long count() {
    return database.read(
        handle -> handle.createQuery("SELECT pings FROM site_ping_count").mapTo(Long.class).one());
  }

  @Override
  public CompletableFuture<Integer> trim(Instant before, int limit) {
    return database.write(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    DELETE FROM site_ping WHERE (hour, url) IN
                      (SELECT hour, url FROM site_ping WHERE at < :before ORDER BY at LIMIT :limit)
                    """)
                .bind("before", before.toEpochMilli())
                .bind("limit", limit)
                .execute());
  }
}
