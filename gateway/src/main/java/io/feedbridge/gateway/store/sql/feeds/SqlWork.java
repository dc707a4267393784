package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Weight;
import io.feedbridge.gateway.store.sql.database.WriterBeside;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Burst;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** Work in a table of the store's file; its removal is part of the store's transaction. */
public final class SqlWork implements Work {

  private static final Database.Joint<WorkItem, @Nullable Void> ADD = SqlWork::add;

  private static final Database.Joint<Long, @Nullable Void> SETTLE = SqlWork::settle;

  private static final String LIGHT = "LIGHT";
  private static final String FAT = "FAT";

  /** Feeds with work, the longest waiting first. The cost does not grow with the amount of work. */
  public static final String NEXT_FEEDS =
      "SELECT feed_id FROM backlog ORDER BY oldest LIMIT :limit";

  public static final String FIRST_OF_FEED =
      """
      SELECT id, kind, via, received_at, sender, content_type, body FROM work WHERE feed_id = :feed
      ORDER BY id LIMIT 1
      """;

  public static final String RUN_OF_FEED =
      """
      SELECT id, via, received_at, sender FROM work WHERE feed_id = :feed AND id <= :end
      ORDER BY id LIMIT :limit
      """;

  /** The last light item before the first fat one; one statement, since others are added. */
  public static final String END_OF_RUN =
      "SELECT MAX(id) AS id FROM work WHERE feed_id = :feed AND id < COALESCE("
          + "(SELECT MIN(id) FROM work WHERE feed_id = :feed AND kind = '"
          + FAT
          + "'), "
          + Long.MAX_VALUE
          + ")";

  static final String PINGED_SINCE =
      "SELECT 1 FROM work WHERE feed_id = :feed AND id > :upTo AND via <> :poll LIMIT 1";

  /**
   * Items of one assignment that are read one by one; the assignment covers the other items all the
   * same.
   */
  private static final int MAX_RUN = 1_000;

  /** Bytes of deliveries after which no more work is handed out at once. */
  static final long MAX_BODIES = 16L << 20;

  private final Database database;
  private final Burst burst = new Burst(System::nanoTime);

  /** Feeds with an assignment out. Not durable: after a restart nothing is out. */
  private final Set<Long> out = new HashSet<>();

  private final List<LongConsumer> pingListeners = new CopyOnWriteArrayList<>();

  public SqlWork(Database database) {
    this.database = database;
    database.on(Effect.WORK_ADDED, burst::committed);
  }

  @Override
  public CompletableFuture<Void> add(WorkItem item) {
    CompletableFuture<Void> added = insert(item);
    return item.via().isPing()
        ? added.thenRun(() -> pingListeners.forEach(one -> one.accept(item.feedId())))
        : added;
  }

  private CompletableFuture<Void> insert(WorkItem item) {
    burst.adding();
    return database
        .writeBeside(Weight.of(item), ADD, item)
        .whenComplete((done, failure) -> burst.added());
  }

  private static List<@Nullable Void> add(
      Handle handle, Set<Effect> effects, List<WorkItem> items) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            INSERT INTO work (feed_id, kind, via, received_at, content_type, body, sender)
            VALUES (:feed, :kind, :via, :at, :type, :body, :sender)
            """);
    for (WorkItem item : items) {
      WorkItem.Fat fat = item instanceof WorkItem.Fat f ? f : null;
      batch
          .bind("feed", item.feedId())
          .bind("kind", fat == null ? LIGHT : FAT)
          .bind("via", item.via().name())
          .bind("at", item.receivedAt().toEpochMilli())
          .bind("type", fat == null ? null : fat.contentType())
          .bind("body", fat == null ? null : fat.body())
          .bind("sender", Arrivals.cut(item.sender()))
          .add();
    }
    batch.execute();
    handle
        .createUpdate(
            """
            INSERT INTO backlog (feed_id, oldest)
            SELECT id, (SELECT work.id FROM work WHERE work.feed_id = feed.id
                        ORDER BY work.id LIMIT 1)
            FROM feed WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:feeds))
            ON CONFLICT (feed_id) DO NOTHING
            """)
        .bind("feeds", Json.text(items.stream().map(WorkItem::feedId).distinct().toList()))
        .execute();
    effects.add(Effect.WORK_ADDED);
    return Collections.nCopies(items.size(), null);
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
    List<Long> ended = new ArrayList<>();
    long bodies = 0;
    // Feeds whose work is handed out have rows as well, so the query reads that many more rows.
    List<Long> feeds =
        handle.createQuery(NEXT_FEEDS).bind("limit", max + out.size()).mapTo(Long.class).list();
    for (long feed : feeds) {
      if (taken.size() < max && bodies < MAX_BODIES && !out.contains(feed)) {
        List<WorkItem> items = new ArrayList<>();
        long upTo = firstRun(handle, feed, items);
        if (items.isEmpty()) {
          // A process ended between an outcome and the end of its backlog.
          ended.add(feed);
        } else {
          taken.add(new Assignment(feed, items, new Position(feed, upTo)));
          bodies += items.get(0) instanceof WorkItem.Fat fat ? fat.body().length : 0;
        }
      }
    }
    // The feeds are marked only now: a read that fails must mark no feed without a worker.
    taken.forEach(assignment -> out.add(assignment.feedId()));
    for (long feed : ended) {
      // Other work may stand behind such feeds.
      var unused =
          database.writeBeside(Database.SMALL_WRITE_BYTES, SETTLE, feed).thenRun(burst::committed);
    }
    return taken;
  }

  /**
   * Collects the feed's first items: light items up to the first fat item, or the fat item alone.
   * One fetch serves any number of light items (rule L10), so only some of them are read.
   */
  private static long firstRun(Handle handle, long feed, List<WorkItem> items) {
    Optional<First> first =
        handle
            .createQuery(FIRST_OF_FEED)
            .bind("feed", feed)
            .map((row, context) -> First.of(feed, row, context))
            .findOne();
    if (first.isEmpty()) {
      return 0;
    }
    if (first.get().alone) {
      items.add(first.get().item);
      return first.get().id;
    }
    long end = id(handle.createQuery(END_OF_RUN).bind("feed", feed)).orElse(first.get().id);
    handle
        .createQuery(RUN_OF_FEED)
        .bind("feed", feed)
        .bind("end", end)
        .bind("limit", MAX_RUN)
        .map((row, context) -> light(feed, row, context))
        .forEach(items::add);
    return end;
  }

  private static Optional<Long> id(Query query) {
    // Of nothing, the least and the greatest are null.
    return query.map((row, context) -> Optional.ofNullable(Rows.longOrNull(row, "id"))).one();
  }

  private record First(long id, boolean alone, WorkItem item) {
    static First of(long feed, ResultSet row, StatementContext context) throws SQLException {
      WorkItem.Light light = light(feed, row, context);
      boolean alone = row.getString("kind").equals(FAT);
      Optional<WorkItem> fat =
          alone
              ? DamagedRows.read(row, context, "work", "id", (one, same) -> fat(light, one))
              : Optional.empty();
      return new First(row.getLong("id"), alone, fat.orElse(light));
    }

    private static WorkItem fat(WorkItem.Light light, ResultSet row) throws SQLException {
      return new WorkItem.Fat(
          light.feedId(),
          light.via(),
          light.receivedAt(),
          row.getString("content_type"),
          Objects.requireNonNull(row.getBytes("body"), "a delivery has a body"),
          light.sender());
    }
  }

  /** A damaged item still says that the feed may have changed: it is taken as a ping. */
  private static WorkItem.Light light(long feed, ResultSet row, StatementContext context)
      throws SQLException {
    Via via =
        DamagedRows.read(
                row, context, "work", "id", (one, same) -> Via.valueOf(one.getString("via")))
            .orElse(Via.PING);
    return new WorkItem.Light(feed, via, Rows.instant(row, "received_at"), row.getString("sender"));
  }

  @Override
  public void giveBack(Assignment assignment) {
    synchronized (out) {
      out.remove(assignment.feedId());
    }
  }

  /** {@link #done(Handle, List)} for one feed. */
  static Arrivals done(Handle handle, Position position) {
    return Objects.requireNonNull(done(handle, List.of(position)).get(position.feedId()));
  }

  /**
   * Ends work within the transaction that records its outcome (rule L1).
   *
   * @param positions of different feeds
   * @return the arrivals of the items, by feed
   */
  static Map<Long, Arrivals> done(Handle handle, List<Position> positions) {
    Map<Long, Long> upTo = new HashMap<>();
    Map<Long, Arrivals.Collected> collected = new HashMap<>();
    for (Position position : positions) {
      upTo.put(position.feedId(), position.upTo());
      collected.put(position.feedId(), new Arrivals.Collected());
    }
    handle
        .createQuery(
            """
            DELETE FROM work WHERE id IN
              (SELECT w.id FROM json_each(:positions) p JOIN work w
                ON w.feed_id = CAST(p.key AS BIGINT) AND w.id <= CAST(p.value AS BIGINT))
            RETURNING feed_id, id, kind, via, received_at, sender
            """)
        .bind("positions", Json.text(upTo))
        .map((row, context) -> Map.entry(row.getLong("feed_id"), Arrivals.Item.of(row)))
        .forEach(item -> Objects.requireNonNull(collected.get(item.getKey())).add(item.getValue()));
    if (!handle.getConfig(WriterBeside.class).exists()) {
      settle(handle, upTo.keySet());
    }
    Map<Long, Arrivals> arrivals = new HashMap<>();
    collected.forEach((feed, all) -> arrivals.put(feed, all.end()));
    return arrivals;
  }

  /**
   * The write of an outcome, which is over when the backlog of its feed is as the outcome left it.
   * Rows of the backlog are changed by the writer alone that adds work: it sees each addition and
   * waits for no lock.
   */
  static <T extends @Nullable Object> CompletableFuture<T> ending(
      Database database, long feedId, CompletableFuture<T> outcome) {
    return database.hasWriterBeside()
        ? outcome.thenCompose(
            done ->
                database
                    .writeBeside(Database.SMALL_WRITE_BYTES, SETTLE, feedId)
                    // The outcome is recorded in any case; the next look mends the backlog.
                    .handle((settled, failure) -> done))
        : outcome;
  }

  private static List<@Nullable Void> settle(Handle handle, Set<Effect> effects, List<Long> feeds) {
    settle(handle, feeds);
    return Collections.nCopies(feeds.size(), null);
  }

  private static void settle(Handle handle, Collection<Long> of) {
    Set<Long> all = Set.copyOf(of);
    String feeds = Json.text(all);
    // Mostly that was all of it.
    int none =
        handle
            .createUpdate(
                """
                DELETE FROM backlog
                WHERE feed_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:feeds))
                  AND NOT EXISTS (SELECT 1 FROM work WHERE work.feed_id = backlog.feed_id)
                """)
            .bind("feeds", feeds)
            .execute();
    if (none < all.size()) {
      // An outcome may end work between the two looks.
      handle
          .createUpdate(
              """
              UPDATE backlog SET oldest = COALESCE(
                (SELECT id FROM work WHERE work.feed_id = backlog.feed_id ORDER BY id LIMIT 1),
                oldest)
              WHERE feed_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:feeds))
              """)
          .bind("feeds", feeds)
          .execute();
    }
  }

  @Override
  public long waiting() {
    return database.read(
        handle -> handle.createQuery("SELECT COUNT(*) FROM work").mapTo(Long.class).one());
  }

  @Override
  public void onPing(LongConsumer listener) {
    pingListeners.add(listener);
  }

  @Override
  public boolean pingedSince(Position position) {
    return database.read(
        handle ->
            handle
                .createQuery(PINGED_SINCE)
                .bind("feed", position.feedId())
                .bind("upTo", position.upTo())
                .bind("poll", Via.POLL.name())
                .mapTo(Integer.class)
                .findOne()
                .isPresent());
  }

  @Override
  public void onAdded(Runnable listener) {
    burst.on(listener);
  }
}
