package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.ResultIterator;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * The log as a whole as SQL. There is one writer, so sequence numbers become visible in their
 * order: the lowest number that is not yet committed follows the last event (rule L9).
 */
public final class SqlLog implements Log {

  /** The most events of other feeds that one read skips. */
  static final int MAX_PASSED_OVER = 5_000;

  /** The most events of one document; an event counts as one entry at least. */
  private static final int MAX_EVENTS = Document.MAX_ENTRIES;

  private final Database database;
  private final Runnable afterRead;

  /**
   * The log of a store.
   *
   * @param afterRead called when events were read, before a reader gets them
   */
  public SqlLog(Database database, Runnable afterRead) {
    this.database = database;
    this.afterRead = afterRead;
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

  @Override
  public long positionAt(Instant since) {
    return snapshot(
        handle -> {
          long before = start(handle);
          long end = head(handle);
          // Halved each time: there is no index of times, since nothing else would use it.
          while (before < end) {
            long middle = before + (end - before) / 2;
            Optional<Appended> next =
                handle
                    .createQuery(
                        "SELECT seq, at FROM event WHERE seq > :middle ORDER BY seq LIMIT 1")
                    .bind("middle", middle)
                    .map(
                        (row, context) -> new Appended(row.getLong("seq"), Rows.instant(row, "at")))
                    .findOne();
            if (next.isPresent() && next.get().at.isBefore(since)) {
              before = next.get().seq;
            } else {
              end = middle;
            }
          }
          return before;
        });
  }

  private record Appended(long seq, Instant at) {}

  /** Runs queries in one transaction, because events may be removed between two of them. */
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
    Page page = snapshot(handle -> read(handle, after, upTo, scope));
    if (!page.events().isEmpty()) {
      afterRead.run();
    }
    return page;
  }

  private static Page read(Handle handle, long after, long upTo, Scope scope) {
    long from = Math.max(after, start(handle));
    long end = Math.min(upTo, head(handle));
    if (from >= end) {
      return new Page(from, List.of(), from, 0);
    }
    Page found =
        scope instanceof Scope.Some some
            ? readSome(handle, from, end, some.feedIds())
            : page(handle, from, end, headers(handle, from, end));
    return new Page(found.after(), found.events(), found.to(), found.bytes(), found.to() < end);
  }

  /** The fields of an event that can be read without its payload. */
  private record Header(long seq, int entries, long bytes) {
    static Header of(ResultSet row) throws SQLException {
      return new Header(row.getLong("seq"), row.getInt("entries"), row.getLong("bytes"));
    }
  }

  private static List<Header> headers(Handle handle, long from, long end) {
    return handle
        .createQuery(
            """
            SELECT seq, entries, bytes FROM stored_event
            WHERE seq > :after AND seq <= :end ORDER BY seq LIMIT :limit
            """)
        .bind("after", from)
        .bind("end", end)
        .bind("limit", MAX_EVENTS)
        .map((row, context) -> Header.of(row))
        .list();
  }

  /**
   * Finds the wanted events in the index, so that events of other feeds cost only their index
   * entries.
   */
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
            SELECT seq, entries, bytes FROM stored_event
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
    List<Header> fitting = fitting(found);
    if (fitting.isEmpty()) {
      return new Page(from, List.of(), end, 0);
    }
    List<Optional<Event>> read = events(handle, fitting);
    List<Event> events =
        read.stream().takeWhile(Optional::isPresent).flatMap(Optional::stream).toList();
    if (events.size() < read.size()) {
      return beforeDamage(from, events, fitting.get(events.size()).seq, found);
    }
    boolean all = fitting.size() == found.size() && found.size() < MAX_EVENTS;
    long bytes = fitting.stream().mapToLong(Header::bytes).sum();
    return new Page(from, events, all ? end : fitting.get(fitting.size() - 1).seq, bytes);
  }

  /** The first of these events, as many as one document holds, but at least one. */
  private static List<Header> fitting(List<Header> found) {
    int number = 0;
    int entries = 0;
    long bytes = 0;
    for (Header header : found) {
      entries += Math.max(1, header.entries);
      bytes += header.bytes;
      if (number > 0 && (entries > Document.MAX_ENTRIES || bytes > Document.MAX_BYTES)) {
        break;
      }
      number++;
    }
    return found.subList(0, number);
  }

  /** These events in the order of their numbers; a damaged one is empty. */
  private static List<Optional<Event>> events(Handle handle, List<Header> wanted) {
    return handle
        .createQuery("SELECT * FROM stored_event WHERE seq IN (<seqs>) ORDER BY seq")
        .bindList("seqs", wanted.stream().map(Header::seq).toList())
        .map((row, context) -> DamagedRows.read(row, context, "event", "seq", Rows::event))
        .list();
  }

  @Override
  public List<Event> newest(@Nullable Long feedId, long before, int max) {
    return snapshot(
        handle -> {
          Query query =
              handle.createQuery(
                  feedId == null
                      ? """
                        SELECT seq, entries, bytes FROM stored_event
                        WHERE seq < :before ORDER BY seq DESC LIMIT :limit
                        """
                      : """
                        SELECT seq, entries, bytes FROM stored_event
                        WHERE feed_id = :feed AND seq < :before ORDER BY seq DESC LIMIT :limit
                        """);
          if (feedId != null) {
            query.bind("feed", feedId);
          }
          List<Event> events =
              new ArrayList<>(
                  some(
                      handle,
                      query
                          .bind("before", before)
                          .bind("limit", max)
                          .map((row, context) -> Header.of(row))
                          .list()));
          Collections.reverse(events);
          return events;
        });
  }

  @Override
  public List<Event> some(Set<Long> seqs) {
    return seqs.isEmpty()
        ? List.of()
        : snapshot(handle -> some(handle, headers(handle, List.copyOf(seqs))));
  }

  private static List<Event> some(Handle handle, List<Header> found) {
    return found.isEmpty()
        ? List.of()
        : events(handle, fitting(found)).stream().flatMap(Optional::stream).toList();
  }

  /** A page ends before a damaged event, or begins behind it. */
  private static Page beforeDamage(
      long from, List<Event> events, long damaged, List<Header> found) {
    if (events.isEmpty()) {
      return new Page(damaged, List.of(), damaged, 0);
    }
    long bytes = found.stream().limit(events.size()).mapToLong(Header::bytes).sum();
    return new Page(from, events, events.get(events.size() - 1).seq(), bytes);
  }

  @Override
  public CompletableFuture<Trimmed> trim(
      Instant before, int maxEvents, long maxBytes, Instant now) {
    return database.write(
        (handle, effects) -> new SqlRetention(handle, before, maxEvents, maxBytes, now).run());
  }

  @Override
  public CompletableFuture<Long> giveBack(long kept, long most) {
    return database.writePatiently((handle, effects) -> database.giveBack(handle, kept, most));
  }
}
