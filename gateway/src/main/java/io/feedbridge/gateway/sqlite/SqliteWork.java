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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Work in a table of the store's file; its removal is part of the store's transaction. */
public final class SqliteWork implements Work {

  private static final String LIGHT = "LIGHT";
  private static final String FAT = "FAT";

  /** Feeds with work, the one whose work waits longest first; as cheap for any amount of it. */
  static final String NEXT_FEEDS = "SELECT feed_id FROM backlog ORDER BY oldest LIMIT :limit";

  static final String FIRST_OF_FEED =
      """
      SELECT id, kind, via, received_at, content_type, body FROM work WHERE feed_id = :feed
      ORDER BY id LIMIT 1
      """;

  static final String FIRST_FAT_OF_FEED =
      "SELECT MIN(id) AS id FROM work WHERE feed_id = :feed AND kind = '" + FAT + "'";

  static final String RUN_OF_FEED =
      """
      SELECT via, received_at FROM work WHERE feed_id = :feed AND id < :end
      ORDER BY id LIMIT :limit
      """;

  static final String END_OF_RUN =
      "SELECT MAX(id) AS id FROM work WHERE feed_id = :feed AND id < :end";

  /** Pings of one assignment that are told one by one; it covers the others all the same. */
  private static final int MAX_RUN = 1_000;

  /** Bytes of deliveries after which no more is handed out at once. */
  static final long MAX_BODIES = 16L << 20;

  private final SqliteDatabase database;

  /** Feeds with an assignment out. Not durable: after a restart nothing is out. */
  private final Set<Long> out = new HashSet<>();

  public SqliteWork(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<Void> add(WorkItem item) {
    return database.change(
        Weight.of(item),
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
          handle
              .createUpdate(
                  """
                  INSERT INTO backlog (feed_id, oldest) VALUES (:feed, last_insert_rowid())
                  ON CONFLICT (feed_id) DO NOTHING
                  """)
              .bind("feed", item.feedId())
              .execute();
          effects.add(Effect.WORK_ADDED);
        });
  }

  @Override
  public List<Assignment> take(int max) {
    if (max <= 0) {
      return List.of();
    }
    synchronized (out) {
      return database.read(handle -> take(handle, max));
    }
  }

  private List<Assignment> take(Handle handle, int max) {
    List<Assignment> taken = new ArrayList<>();
    long bodies = 0;
    // Those that are out have rows as well, so that many more are looked at than can be handed
    // out.
    List<Long> feeds =
        handle.createQuery(NEXT_FEEDS).bind("limit", max + out.size()).mapTo(Long.class).list();
    for (long feed : feeds) {
      if (taken.size() < max && bodies < MAX_BODIES && !out.contains(feed)) {
        List<WorkItem> items = new ArrayList<>();
        long upTo = firstRun(handle, feed, items);
        if (!items.isEmpty()) {
          taken.add(new Assignment(feed, items, new Position(feed, upTo)));
          bodies += items.get(0) instanceof WorkItem.Fat fat ? fat.body().length : 0;
        }
      }
    }
    // Only now, so that a read that fails leaves nothing out that nobody has.
    taken.forEach(assignment -> out.add(assignment.feedId()));
    return taken;
  }

  /**
   * Collects the feed's first items: light ones up to the first fat one, or that alone. However
   * many light ones there are, one fetch serves them all (rule L10), so that only some are read.
   */
  private static long firstRun(Handle handle, long feed, List<WorkItem> items) {
    Optional<First> first =
        handle
            .createQuery(FIRST_OF_FEED)
            .bind("feed", feed)
            .map((row, context) -> First.of(feed, row))
            .findOne();
    if (first.isEmpty()) {
      return 0;
    }
    if (first.get().item instanceof WorkItem.Fat fat) {
      items.add(fat);
      return first.get().id;
    }
    long end = id(handle.createQuery(FIRST_FAT_OF_FEED).bind("feed", feed)).orElse(Long.MAX_VALUE);
    handle
        .createQuery(RUN_OF_FEED)
        .bind("feed", feed)
        .bind("end", end)
        .bind("limit", MAX_RUN)
        .map((row, context) -> light(feed, row))
        .forEach(items::add);
    return id(handle.createQuery(END_OF_RUN).bind("feed", feed).bind("end", end)).orElse(0L);
  }

  private static Optional<Long> id(Query query) {
    // Of nothing, the least and the greatest are null.
    return query.map((row, context) -> Optional.ofNullable(Rows.longOrNull(row, "id"))).one();
  }

  private record First(long id, WorkItem item) {
    static First of(long feed, ResultSet row) throws SQLException {
      WorkItem.Light light = light(feed, row);
      WorkItem item =
          row.getString("kind").equals(FAT)
              ? new WorkItem.Fat(
                  feed,
                  light.via(),
                  light.receivedAt(),
                  row.getString("content_type"),
                  row.getBytes("body"))
              : light;
      return new First(row.getLong("id"), item);
    }
  }

  private static WorkItem.Light light(long feed, ResultSet row) throws SQLException {
    return new WorkItem.Light(
        feed, Via.valueOf(row.getString("via")), Rows.instant(row, "received_at"));
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
    // Mostly that was all of it.
    int none =
        handle
            .createUpdate(
                """
                DELETE FROM backlog WHERE feed_id = :feed
                  AND NOT EXISTS (SELECT 1 FROM work WHERE feed_id = :feed)
                """)
            .bind("feed", position.feedId())
            .execute();
    if (none == 0) {
      handle
          .createUpdate(
              """
              UPDATE backlog SET oldest = work.id
              FROM (SELECT id FROM work WHERE feed_id = :feed ORDER BY id LIMIT 1) AS work
              WHERE feed_id = :feed
              """)
          .bind("feed", position.feedId())
          .execute();
    }
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
