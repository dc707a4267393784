package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.upstream.SitePing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.ResultIterable;
import org.jdbi.v3.core.result.ResultIterator;
import org.jspecify.annotations.Nullable;

/** The sites that pinged lately, for {@code changes.xml}; no delivery depends on them. */
public final class Pings {

  /** Sites of one hour that are kept; further ones are only counted. */
  public static final int MAX_PER_HOUR = 5_000;

  /** Bytes of text of the pings that one list holds. */
  public static final int MAX_LISTED_BYTES = 2 << 20;

  private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();

  private final Database database;

  public Pings(Database database) {
    this.database = database;
  }

  /**
   * Records a ping. Of several by one site in the same clock hour the newest is kept.
   *
   * @param ping of which the site tells it apart
   */
  public CompletableFuture<Void> record(SitePing ping) {
    return database.changeAtAnyNode(
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
                    at = MAX(site_ping.at, excluded.at), name = excluded.name,
                    feed = COALESCE(excluded.feed, site_ping.feed)
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

  /**
   * The pings after one moment up to and including another, the newest first: as many of the newest
   * as {@link #MAX_LISTED_BYTES} characters hold.
   */
  public List<SitePing> between(Instant after, Instant upTo) {
    return database.readLong(handle -> newest(listed(handle, after, upTo)));
  }

  /** Row after row, so that the store's text is never in memory as a whole. */
  private static List<SitePing> newest(ResultIterable<SitePing> found) {
    List<SitePing> kept = new ArrayList<>();
    try (ResultIterator<SitePing> rows = found.iterator()) {
      long bytes = 0;
      while (rows.hasNext()) {
        SitePing ping = rows.next();
        bytes += ping.name().length() + ping.url().length() + lengthOf(ping.feed());
        if (bytes > MAX_LISTED_BYTES) {
          break;
        }
        kept.add(ping);
      }
    }
    return kept;
  }

  private static int lengthOf(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  private static ResultIterable<SitePing> listed(Handle handle, Instant after, Instant upTo) {
    return handle
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
                    Rows.instant(row, "at")));
  }

  /** The number of all pings ever recorded, including pings that were not kept. */
  public long count() {
    return database.read(
        handle -> handle.createQuery("SELECT pings FROM site_ping_count").mapTo(Long.class).one());
  }

  /**
   * Forgets pings that are older than a time, at most a limit of them.
   *
   * @return how many
   */
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
