package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/** Work in a table of the store's file; its removal is part of the store's transaction. */
public final class SqliteWork implements Work {

  private static final String LIGHT = "LIGHT";
  private static final String FAT = "FAT";

  /** Pings of one assignment that are told one by one; it covers the others all the same. */
  private static final int MAX_RUN = 1_000;

  private final SqliteDatabase database;

  /** Feeds with an assignment out. Not durable: after a restart nothing is out. */
  private final Set<Long> out = new HashSet<>();

  public SqliteWork(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<Void> add(WorkItem item) {
    return database.change(
        (handle, effects) -> {
          WorkItem.Fat fat = item instanceof WorkItem.Fat f ? f : null;
          handle
              .createUpdate(
                  """
                  INSERT INTO work (feed_id, kind, via, received_at, content_type, body)
                  VALUES (:feed, :kind, :via, :at, :type, :body)
                  """)
              .bind("feed", item.feedId())
              .bind("kind", fat == null ? LIGHT : FAT)
              .bind("via", item.via().name())
              .bind("at", item.receivedAt().toEpochMilli())
              .bind("type", fat == null ? null : fat.contentType())
              .bind("body", fat == null ? null : fat.body())
              .execute();
          effects.add(Effect.WORK_ADDED);
        });
  }

  @Override
  public List<Assignment> take(int max) {
    List<Assignment> taken = new ArrayList<>();
    synchronized (out) {
      // Those that are out have rows as well, so that many more are looked at than can be handed
      // out.
      List<Long> feeds =
          database.read(
              handle ->
                  handle
                      .createQuery(
                          "SELECT feed_id FROM work GROUP BY feed_id ORDER BY MIN(id) LIMIT :limit")
                      .bind("limit", max + out.size())
                      .mapTo(Long.class)
                      .list());
      for (long feed : feeds) {
        if (taken.size() < max && !out.contains(feed)) {
          List<WorkItem> items = new ArrayList<>();
          long upTo = database.read(handle -> firstRun(handle, feed, items));
          if (!items.isEmpty()) {
            out.add(feed);
            taken.add(new Assignment(feed, items, new Position(feed, upTo)));
          }
        }
      }
    }
    return taken;
  }

  /**
   * Collects the feed's first items: light ones up to the first fat one, or that alone. However
   * many light ones there are, one fetch serves them all (rule L10), so that only some are read.
   */
  private static long firstRun(Handle handle, long feed, List<WorkItem> items) {
    List<Row> rows =
        handle
            .createQuery(
                """
                SELECT id, kind, via, received_at FROM work WHERE feed_id = :feed
                ORDER BY id LIMIT :limit
                """)
            .bind("feed", feed)
            .bind("limit", MAX_RUN)
            .map((row, context) -> Row.of(row))
            .list();
    if (!rows.isEmpty() && rows.get(0).fat) {
      items.add(fat(handle, feed, rows.get(0)));
      return rows.get(0).id;
    }
    rows.stream()
        .takeWhile(row -> !row.fat)
        .forEach(row -> items.add(new WorkItem.Light(feed, row.via, row.at)));
    return handle
        .createQuery(
            """
            SELECT MAX(id) FROM work WHERE feed_id = :feed AND id <
              COALESCE(
                (SELECT MIN(id) FROM work WHERE feed_id = :feed AND kind = :fat),
                (SELECT MAX(id) + 1 FROM work))
            """)
        .bind("feed", feed)
        .bind("fat", FAT)
        .mapTo(Long.class)
        .findOne()
        .orElse(0L);
  }

  private static WorkItem.Fat fat(Handle handle, long feed, Row row) {
    return handle
        .createQuery("SELECT content_type, body FROM work WHERE id = :id")
        .bind("id", row.id)
        .map(
            (fat, context) ->
                new WorkItem.Fat(
                    feed, row.via, row.at, fat.getString("content_type"), fat.getBytes("body")))
        .one();
  }

  private record Row(long id, boolean fat, Via via, java.time.Instant at) {
    static Row of(ResultSet row) throws SQLException {
      return new Row(
          row.getLong("id"),
          row.getString("kind").equals(FAT),
          Via.valueOf(row.getString("via")),
          Rows.instant(row, "received_at"));
    }
  }

  @Override
  public void giveBack(Assignment assignment) {
    synchronized (out) {
      out.remove(assignment.feedId());
    }
  }

  /** Ends work within the transaction that records its outcome (rule L1). */
  static void done(Handle handle, Position position) {
    handle
        .createUpdate("DELETE FROM work WHERE feed_id = :feed AND id <= :upTo")
        .bind("feed", position.feedId())
        .bind("upTo", position.upTo())
        .execute();
  }

  @Override
  public long waiting() {
    return database.read(
        handle -> handle.createQuery("SELECT COUNT(*) FROM work").mapTo(Long.class).one());
  }

  @Override
  public void onAdded(Runnable listener) {
    database.on(Effect.WORK_ADDED, listener);
  }
}
