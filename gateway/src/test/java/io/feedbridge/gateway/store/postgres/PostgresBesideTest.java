package io.feedbridge.gateway.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.NotOwnerException;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.upstream.SitePing;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The store at a node that does not own it, beside the owner. */
@Timeout(300)
final class PostgresBesideTest {

  private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");
  private static final Duration LONG = Duration.ofSeconds(60);

  private static final String SLOW = "slow";

  @TempDir Path folder;

  private final String url = TestServer.shared().database();
  private final Jdbi raw = PostgresConnections.jdbi(PostgresConnections.source(url));
  private final SystemTimer timer = new SystemTimer(Clock.systemUTC());
  private final List<AutoCloseable> opened = new ArrayList<>();
  private PostgresDatabase owning;
  private PostgresDatabase beside;

  @BeforeEach
  void open() throws IOException {
    PostgresNode first = node("first");
    assertThat(first.tryOwn()).isTrue();
    owning = PostgresDatabase.open(first, KeyFile.in(folder), Runnable::run, timer);
    opened.add(0, owning);
    PostgresNode second = node("second");
    assertThat(second.hasSchemaOfThisVersion()).isTrue();
    beside = PostgresDatabase.beside(second, KeyFile.in(folder), Runnable::run, timer);
    opened.add(0, beside);
  }

  private PostgresNode node(String name) throws IOException {
    PostgresNode node =
        PostgresNode.join(
            new PostgresPlace(url, true),
            name,
            Files.createDirectory(folder.resolve(name)),
            Clock.systemUTC(),
            System::nanoTime);
    opened.add(node);
    return node;
  }

  @AfterEach
  void end() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
    timer.close();
    raw.useHandle(handle -> handle.execute("DROP FUNCTION IF EXISTS hold CASCADE"));
    TestServer.shared().clean();
  }

  private FollowedFeed feed(String name) {
    return new Store(owning).feeds().follow("http://origin.example/" + name, NOW).join();
  }

  private static WorkItem ping(FollowedFeed feed, String sender) {
    return new WorkItem.Light(feed.id(), Via.PING, NOW, sender);
  }

  @Test
  void work_that_arrives_at_another_node_is_told_to_the_owner() {
    FollowedFeed feed = feed("feed");
    SqlWork work = new SqlWork(owning);
    AtomicInteger told = new AtomicInteger();
    work.onAdded(told::incrementAndGet);

    new SqlWork(beside).add(ping(feed, "one")).join();

    await().atMost(LONG).until(() -> told.get() > 0);
    assertThat(work.take(1).get(0).items()).containsExactly(ping(feed, "one"));
  }

  @Test
  void the_owner_looks_for_work_by_itself_where_no_notice_comes() {
    FollowedFeed feed = feed("feed");
    AtomicInteger told = new AtomicInteger();
    owning.on(Effect.WORK_ADDED, told::incrementAndGet);
    raw.useHandle(
        handle ->
            handle.execute(
                "INSERT INTO work (feed_id, kind, via, received_at) VALUES (?, 'LIGHT', 'PING', 0)",
                feed.id()));

    await().atMost(LONG).until(() -> told.get() > 0);
  }

  @Test
  void another_node_is_told_the_effects_of_the_owners_commits() {
    AtomicInteger told = new AtomicInteger();
    beside.on(Effect.APPENDED, told::incrementAndGet);
    // A look counts as one too, once a second.
    int commits = 20;
    long began = System.nanoTime();
    for (int i = 0; i < commits; i++) {
      int before = told.get();
      owning.change((handle, effects) -> effects.add(Effect.APPENDED)).join();
      await().atMost(LONG).pollInterval(Duration.ofMillis(1)).until(() -> told.get() > before);
    }

    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isLessThan(PostgresNotices.LOOK.multipliedBy(commits));
  }

  @Test
  void notices_are_heard_again_after_the_loss_of_their_connection() {
    AtomicInteger told = new AtomicInteger();
    beside.on(Effect.FETCHED, told::incrementAndGet);
    await().atMost(LONG).until(() -> listening() == 2);

    raw.useHandle(
        handle ->
            handle
                .select(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE query = 'LISTEN feedbridge' OR query = ''"
                        + " AND application_name LIKE 'fb:%'")
                .mapToMap()
                .list());

    await().atMost(LONG).until(() -> listening() == 2);
    int before = told.get();
    owning.change((handle, effects) -> effects.add(Effect.FETCHED)).join();
    await().atMost(LONG).until(() -> told.get() > before);
  }

  private long listening() {
    return raw.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name LIKE 'fb:%'"
                        + " AND datname = current_database() AND query IN ('', 'LISTEN feedbridge')")
                .mapTo(Long.class)
                .one());
  }

  @Test
  void a_write_that_is_the_owners_fails_at_another_node_and_changes_nothing() {
    CompletableFuture<?> write =
        beside.change((handle, effects) -> handle.execute("DELETE FROM owner"));

    assertThatThrownBy(write::join).hasCauseInstanceOf(NotOwnerException.class);
    assertThat(new Store(owning).ownership().owner().epoch()).isPositive();
  }

  @Test
  void a_site_that_pings_another_node_is_listed() {
    SitePing site = new SitePing("name", "http://site.example/", null, NOW);

    new Store(beside).pings().record(site).join();

    assertThat(new Store(owning).pings().between(NOW.minusSeconds(1), NOW)).containsExactly(site);
  }

  /** Has each commit that adds the item {@value #SLOW} wait until the lock is released. */
  private Handle holding() {
    raw.useHandle(
        handle -> {
          handle.execute(
              """
              CREATE FUNCTION hold() RETURNS TRIGGER LANGUAGE plpgsql AS $$
              BEGIN
                PERFORM pg_advisory_xact_lock(42);
                RETURN NEW;
              END $$
              """);
          handle.execute(
              """
              CREATE TRIGGER hold AFTER INSERT ON work FOR EACH ROW
              WHEN (NEW.sender = 'slow') EXECUTE FUNCTION hold()
              """);
        });
    Handle held = raw.open();
    opened.add(0, held);
    held.select("SELECT pg_advisory_lock(42)").mapToMap().list();
    return held;
  }

  private static void release(Handle held) {
    held.select("SELECT pg_advisory_unlock(42)").mapToMap().list();
  }

  private void awaitWaiting(int sessions) {
    await()
        .atMost(LONG)
        .until(
            () ->
                raw.withHandle(
                        handle ->
                            handle
                                .createQuery(
                                    "SELECT COUNT(*) FROM pg_stat_activity"
                                        + " WHERE application_name LIKE 'fb:%'"
                                        + " AND datname = current_database()"
                                        + " AND wait_event_type = 'Lock'")
                                .mapTo(Integer.class)
                                .one())
                    == sessions);
  }

  private void record(SqlWork work, Assignment taken) {
    Store store = new Store(owning);
    FollowedFeed feed = store.feeds().byId(taken.feedId()).orElseThrow();
    var recorded = store.feeds().record(OutcomeBuilder.of(feed, NOW).doing(taken).build());
    assertThat(recorded).succeedsWithin(LONG);
    work.giveBack(taken);
  }

  @Test
  void L10_the_order_of_a_feeds_work_is_the_order_of_its_commits_at_all_nodes() {
    FollowedFeed feed = feed("feed");
    SqlWork work = new SqlWork(owning);
    Handle held = holding();
    CompletableFuture<Void> slow = new SqlWork(beside).add(ping(feed, SLOW));
    awaitWaiting(1);

    CompletableFuture<Void> fast = work.add(ping(feed, "fast"));

    // An item that is numbered before another one and committed after it could be ended unseen.
    awaitWaiting(2);
    assertThat(work.take(1)).isEmpty();
    release(held);
    assertThat(CompletableFuture.allOf(slow, fast)).succeedsWithin(LONG);
    assertThat(work.take(1).get(0).items()).containsExactly(ping(feed, SLOW), ping(feed, "fast"));
  }

  @Test
  void L10_a_feed_keeps_its_place_in_the_backlog_when_a_ping_meets_the_end_of_earlier_work() {
    FollowedFeed feed = feed("feed");
    SqlWork work = new SqlWork(owning);
    assertThat(work.add(ping(feed, "earlier"))).succeedsWithin(LONG);
    Assignment earlier = work.take(1).get(0);
    Handle held = holding();
    CompletableFuture<Void> slow = new SqlWork(beside).add(ping(feed, SLOW));
    awaitWaiting(1);

    CompletableFuture<Void> recording = CompletableFuture.runAsync(() -> record(work, earlier));
    awaitWaiting(2);
    release(held);

    assertThat(CompletableFuture.allOf(slow, recording)).succeedsWithin(LONG);
    assertThat(work.take(1).get(0).items()).containsExactly(ping(feed, SLOW));
  }
}
