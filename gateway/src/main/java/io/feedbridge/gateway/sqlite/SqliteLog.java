package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Document;
import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.Log;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.ResultIterator;

/**
 * The log as a whole in SQLite. There is one writer, so that numbers become visible in their order:
 * the lowest one that is not yet committed is the one after the last (rule L9).
 */
final class SqliteLog implements Log {

  /** Events of others that one read passes over at most. */
  static final int MAX_PASSED_OVER = 5_000;

  /** Of one document; an event counts as one entry at least. */
  private static final int MAX_EVENTS = Document.MAX_ENTRIES;

  private final SqliteDatabase database;

  SqliteLog(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public Extent extent() {
    return snapshot(
        handle -> {
          long start = start(handle);
          Instant oldest =
              handle
                  .createQuery("SELECT at FROM event WHERE seq > :start ORDER BY seq LIMIT 1")
                  .bind("start", start)
                  .map((row, context) -> Rows.instant(row, "at"))
                  .findOne()
                  .orElse(null);
          return new Extent(start, head(handle), oldest);
        });
  }

  /** For queries whose answers must belong together: events may be removed between them. */
  private <T> T snapshot(Function<Handle, T> queries) {
    return database.read(handle -> handle.inTransaction(queries::apply));
  }

  static long start(Handle handle) {
    return handle.createQuery("SELECT start FROM log").mapTo(Long.class).one();
  }

  /** The number of the newest event, also where that has left the log. */
  static long head(Handle handle) {
    return handle
        .createQuery("SELECT MAX(start, COALESCE((SELECT MAX(seq) FROM event), 0)) FROM log")
        .mapTo(Long.class)
        .one();
  }

  @Override
  public Page read(long after, long upTo, Scope scope) {
    return snapshot(
        handle -> {
          long from = Math.max(after, start(handle));
          long end = Math.min(upTo, head(handle));
          if (from >= end) {
            return new Page(from, List.of(), from, 0);
          }
          return scope instanceof Scope.Some some
              ? readSome(handle, from, end, some.feedIds())
              : page(handle, from, end, headers(handle, from, end));
        });
  }

  /** What is known of an event without reading its payload. */
  private record Header(long seq, int entries, long bytes) {
    static Header of(ResultSet row) throws SQLException {
      return new Header(row.getLong("seq"), row.getInt("entries"), row.getLong("bytes"));
    }
  }

  private static List<Header> headers(Handle handle, long from, long end) {
    return handle
        .createQuery(
            """
            SELECT seq, entries, LENGTH(payload) AS bytes FROM event
            WHERE seq > :after AND seq <= :end ORDER BY seq LIMIT :limit
            """)
        .bind("after", from)
        .bind("end", end)
        .bind("limit", MAX_EVENTS)
        .map((row, context) -> Header.of(row))
        .list();
  }

  /** Finds the wanted ones in the index, which is all that the others' events cost. */
  private static Page readSome(Handle handle, long from, long end, Set<Long> feeds) {
    List<Long> wanted = new ArrayList<>();
    long looked = from;
    try (ResultIterator<Place> places =
        handle
            .createQuery(
                """
                SELECT seq, feed_id FROM event INDEXED BY event_in_order
                WHERE seq > :after AND seq <= :end ORDER BY seq LIMIT :limit
                """)
            .bind("after", from)
            .bind("end", end)
            .bind("limit", MAX_PASSED_OVER)
            .map((row, context) -> new Place(row.getLong("seq"), row.getLong("feed_id")))
            .iterator()) {
      int number = 0;
      while (places.hasNext() && wanted.size() < MAX_EVENTS) {
        Place place = places.next();
        number++;
        looked = place.seq;
        if (feeds.contains(place.feedId)) {
          wanted.add(place.seq);
        }
      }
      if (!places.hasNext() && number < MAX_PASSED_OVER) {
        looked = end;
      }
    }
    return wanted.isEmpty()
        ? new Page(from, List.of(), looked, 0)
        : page(handle, from, looked, headers(handle, wanted));
  }

  private record Place(long seq, long feedId) {}

  private static List<Header> headers(Handle handle, List<Long> seqs) {
    return handle
        .createQuery(
            """
            SELECT seq, entries, LENGTH(payload) AS bytes FROM event
            WHERE seq IN (<seqs>) ORDER BY seq
            """)
        .bindList("seqs", seqs)
        .map((row, context) -> Header.of(row))
        .list();
  }

  /**
   * As many of the events as one document holds.
   *
   * @param end where the reader goes on if these are fewer than a page takes
   */
  private static Page page(Handle handle, long from, long end, List<Header> found) {
    List<Long> seqs = new ArrayList<>();
    int entries = 0;
    long bytes = 0;
    for (Header header : found) {
      int more = Math.max(1, header.entries);
      boolean fits =
          entries + more <= Document.MAX_ENTRIES && bytes + header.bytes <= Document.MAX_BYTES;
      if (!seqs.isEmpty() && !fits) {
        break;
      }
      seqs.add(header.seq);
      entries += more;
      bytes += header.bytes;
    }
    if (seqs.isEmpty()) {
      return new Page(from, List.of(), end, 0);
    }
    List<Event> events =
        handle
            .createQuery("SELECT * FROM event WHERE seq IN (<seqs>) ORDER BY seq")
            .bindList("seqs", seqs)
            .map((row, context) -> Rows.event(row))
            .list();
    boolean all = seqs.size() == found.size() && found.size() < MAX_EVENTS;
    return new Page(from, events, all ? end : seqs.get(seqs.size() - 1), bytes);
  }

  @Override
  public CompletableFuture<Trimmed> trim(
      Instant before, int maxEvents, long maxBytes, Instant now) {
    return database.write(
        (handle, effects) -> new SqliteRetention(handle, before, maxEvents, maxBytes, now).run());
  }
}
