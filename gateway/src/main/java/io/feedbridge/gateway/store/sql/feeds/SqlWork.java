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
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** Work in a table of the store's file; its removal is part of the store's transaction. */
public final class SqlWork implements Work {

  /**
   * One kind for both steps: a commit locks the rows of all its feeds at once, in one order, so
   * that no two nodes wait for each other.
   */
  private static final Database.Joint<Step, @Nullable Void> BACKLOG = SqlWork::change;

  private static final String LIGHT = "LIGHT";
  private static final String FAT = "FAT";

  /** Feeds with work, the longest waiting first. The cost does not grow with the amount of work. */
  public static final String NEXT_FEEDS =
      "SELECT feed_id FROM backlog ORDER BY oldest LIMIT :limit";

  /**
   * The first run of work of each feed: its light items up to the first fat one, or that one alone.
   * The last item of the run is read with the others, since more items are added meanwhile.
   */
  public static final String RUNS =
      """
      WITH run AS MATERIALIZED (
        SELECT first.feed_id, COALESCE(
          (SELECT MAX(id) FROM work w WHERE w.feed_id = first.feed_id AND w.id < first.fat),
          (SELECT MIN(id) FROM work w WHERE w.feed_id = first.feed_id)) AS last
        FROM (
          SELECT CAST(j.value AS BIGINT) AS feed_id, COALESCE(
            (SELECT MIN(id) FROM work w WHERE w.feed_id = CAST(j.value AS BIGINT)
              AND w.kind = 'FAT'), 9223372036854775807) AS fat
          FROM json_each(:feeds) j) AS first)
      SELECT w.feed_id, w.id, w.kind, w.via, w.received_at, w.sender, run.last
      FROM run JOIN work w ON w.feed_id = run.feed_id AND w.id <= COALESCE(
        (SELECT id FROM work x WHERE x.feed_id = run.feed_id AND x.id <= run.last
          ORDER BY id LIMIT 1 OFFSET :more), run.last)
      """;

  public static final String CONTENT = "SELECT id, content_type, body FROM work WHERE id = :id";

  /**
   * Has feeds in the backlog, and locks their rows. A new row gets a number above all items of
   * before; the first outcome sets it to the oldest item that is left. Nodes lock feeds in one
   * order.
   */
  private static final String ENTER =
      """
      INSERT INTO backlog (feed_id, oldest)
      SELECT f.id, (SELECT COALESCE(MAX(id), 0) FROM work) + 1 + CAST(j.key AS BIGINT)
      FROM json_each(:feeds) j JOIN feed f ON f.id = CAST(j.value AS BIGINT)
      WHERE TRUE ORDER BY f.id
      ON CONFLICT (feed_id) DO UPDATE SET oldest = backlog.oldest WHERE FALSE
      """;

  static final String PINGED_SINCE =
      """
      SELECT DISTINCT w.feed_id FROM json_each(:positions) p JOIN work w
        ON w.feed_id = CAST(p.key AS BIGINT) AND w.id > CAST(p.value AS BIGINT)
      WHERE w.via <> :poll
      """;

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

  public SqlWork(Database database) {
    this.database = database;
    database.on(Effect.WORK_ADDED, burst::committed);
  }

  @Override
  public CompletableFuture<Void> add(WorkItem item) {
    burst.adding();
    return database
        .writeBeside(Weight.of(item), BACKLOG, new Step.Added(item.feedId(), item))
        .whenComplete((done, failure) -> burst.added());
  }

  /** A change of the backlog of a feed. */
  private sealed interface Step {
    long feedId();

    /** Work arrived. */
    record Added(long feedId, WorkItem item) implements Step {}

    /** An outcome ended work. */
    record Ended(long feedId) implements Step {}
  }

  /**
   * Changes the backlog. Its rows are locked first, to the commit. So the ids of a feed's items are
   * in the order of their commits although several nodes add them, and a {@link Position} ends no
   * item that its reader did not see; and the end of a backlog sees all that was added to it.
   */
  private static List<@Nullable Void> change(Handle handle, Set<Effect> effects, List<Step> steps) {
    handle
        .createUpdate(ENTER)
        .bind("feeds", Json.text(steps.stream().map(Step::feedId).distinct().toList()))
        .execute();
    List<WorkItem> added = new ArrayList<>();
    Set<Long> ended = new HashSet<>();
    for (Step step : steps) {
      if (step instanceof Step.Added one) {
        added.add(one.item);
      } else {
        ended.add(step.feedId());
      }
    }
    if (!added.isEmpty()) {
      add(handle, added);
      effects.add(Effect.WORK_ADDED);
    }
    if (!ended.isEmpty()) {
      settle(handle, ended);
    }
    return Collections.nCopies(steps.size(), null);
  }

  private static void add(Handle handle, List<WorkItem> items) {
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
    // Feeds whose work is handed out have rows as well, so the query reads that many more rows.
    List<Long> feeds =
        handle.createQuery(NEXT_FEEDS).bind("limit", max + out.size()).mapTo(Long.class).stream()
            .filter(feed -> !out.contains(feed))
            .limit(max)
            .toList();
    if (feeds.isEmpty()) {
      return List.of();
    }
    Map<Long, List<Found>> runs =
        handle
            .createQuery(RUNS)
            .bind("feeds", Json.text(feeds))
            .bind("more", MAX_RUN - 1)
            .map(Found::of)
            .stream()
            .sorted(Comparator.comparingLong(Found::id))
            .collect(Collectors.groupingBy(one -> one.light.feedId()));
    List<Assignment> taken = new ArrayList<>();
    long bodies = 0;
    for (long feed : feeds) {
      List<Found> run = runs.get(feed);
      if (run == null) {
        // A process ended between an outcome and the end of its backlog. Other work may stand
        // behind such feeds.
        var unused = settled(database, feed).thenRun(burst::committed);
      } else if (bodies < MAX_BODIES) {
        List<WorkItem> items = items(handle, run);
        taken.add(new Assignment(feed, items, new Position(feed, run.get(0).last)));
        bodies += items.get(0) instanceof WorkItem.Fat fat ? fat.body().length : 0;
      }
    }
    // The feeds are marked only now: a read that fails must mark no feed without a worker.
    taken.forEach(assignment -> out.add(assignment.feedId()));
    return taken;
  }

  /** One fetch serves any number of light items (rule L10). */
  private static List<WorkItem> items(Handle handle, List<Found> run) {
    Found first = run.get(0);
    if (!first.fat) {
      return run.stream().<WorkItem>map(Found::light).toList();
    }
    return List.of(
        handle
            .createQuery(CONTENT)
            .bind("id", first.id)
            .map(
                (row, context) ->
                    DamagedRows.read(
                        row, context, "work", "id", (one, same) -> fat(first.light, one)))
            .findOne()
            .flatMap(read -> read)
            .orElse(first.light));
  }

  /**
   * An item of a run as it is read, without its content.
   *
   * @param last the id of the last item of the run
   */
  private record Found(long id, boolean fat, WorkItem.Light light, long last) {
    static Found of(ResultSet row, StatementContext context) throws SQLException {
      return new Found(
          row.getLong("id"),
          row.getString("kind").equals(FAT),
          SqlWork.light(row, context),
          row.getLong("last"));
    }
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

  /** A damaged item still says that the feed may have changed: it is taken as a ping. */
  private static WorkItem.Light light(ResultSet row, StatementContext context) throws SQLException {
    Via via =
        DamagedRows.read(
                row, context, "work", "id", (one, same) -> Via.valueOf(one.getString("via")))
            .orElse(Via.PING);
    return new WorkItem.Light(
        row.getLong("feed_id"), via, Rows.instant(row, "received_at"), row.getString("sender"));
  }

  @Override
  public void giveBack(Assignment assignment) {
    synchronized (out) {
      out.remove(assignment.feedId());
    }
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
   * The rows of the backlog are changed by the writer that adds work: the writer of outcomes waits
   * for no lock of it.
   */
  static <T extends @Nullable Object> CompletableFuture<T> ending(
      Database database, long feedId, CompletableFuture<T> outcome) {
    return database.hasWriterBeside()
        ? outcome.thenCompose(
            done ->
                settled(database, feedId)
                    // The outcome is recorded in any case; the next look mends the backlog.
                    .handle((settled, failure) -> done))
        : outcome;
  }

  private static CompletableFuture<@Nullable Void> settled(Database database, long feedId) {
    return database.writeBeside(Database.SMALL_WRITE_BYTES, BACKLOG, new Step.Ended(feedId));
  }

  private static void settle(Handle handle, Set<Long> all) {
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
  public Set<Long> pingedSince(Collection<Position> positions) {
    Map<Long, Long> upTo =
        positions.stream().collect(Collectors.toMap(Position::feedId, Position::upTo));
    return database.read(
        handle ->
            handle
                .createQuery(PINGED_SINCE)
                .bind("positions", Json.text(upTo))
                .bind("poll", Via.POLL.name())
                .mapTo(Long.class)
                .set());
  }

  @Override
  public void onAdded(Runnable listener) {
    burst.on(listener);
  }
}
