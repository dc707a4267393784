package io.feedbridge.gateway.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.commit.GroupCommit;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.subscriptions.Transitions;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.testing.TcpProxy;
import io.feedbridge.gateway.vault.KeyFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A network between the gateway and its database that breaks. */
@Timeout(300)
final class PostgresFaultsTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path folder;

  private final String url = TestServer.shared().database();
  private final int port = URI.create(url.substring("jdbc:".length())).getPort();
  private final TcpProxy proxy = new TcpProxy(port);
  private final String broken = url.replace(":" + port + "/", ":" + proxy.port() + "/");
  private final Jdbi beside = PostgresConnections.jdbi(PostgresConnections.source(url));
  private final SystemTimer timer = new SystemTimer(Clock.systemUTC());
  private PostgresDatabase database;

  @BeforeEach
  void open() {
    database =
        PostgresDatabase.open(
            new PostgresPlace(broken, true), KeyFile.in(folder), Runnable::run, timer);
  }

  @AfterEach
  void end() {
    database.close();
    proxy.close();
    timer.close();
    TestServer.shared().clean();
  }

  private PostgresNode node() throws IOException {
    return PostgresNode.join(
        new PostgresPlace(broken, true),
        "one",
        Files.createDirectory(folder.resolve("node")),
        Clock.systemUTC(),
        System::nanoTime);
  }

  private CompletableFuture<Void> feed(String topic) {
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate(
                  """
                  INSERT INTO feed (topic, url, kind, state, followed, fetched, advertised)
                  VALUES (:topic, '', 'UNKNOWN', 'NEW', 0, '{}', '{}')
                  """)
              .bind("topic", topic)
              .execute();
          effects.add(Effect.APPENDED);
        });
  }

  private CompletableFuture<Void> subscription() {
    return database.change(
        (handle, effects) ->
            handle.execute(
                """
                INSERT INTO subscription
                  (feed_id, protocol, callback, terms, raw, start, lease_ends_at, created_at)
                SELECT id, 'WEBSUB', 'http://s.example/c', '{}', 0, 0, 0, 0 FROM feed
                """));
  }

  private List<String> topics() {
    return texts("SELECT topic FROM feed ORDER BY 1");
  }

  private List<String> texts(String query) {
    return beside.withHandle(handle -> handle.createQuery(query).mapTo(String.class).list());
  }

  private static <T> T done(CompletableFuture<T> write) throws Exception {
    return write.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  private void awaitWritable() {
    await().atMost(LONG).until(() -> database.health() == StoreHealth.WRITABLE);
  }

  @Test
  void a_commit_whose_reply_is_lost_is_told_like_any_other() throws Exception {
    Set<Effect> told = ConcurrentHashMap.newKeySet();
    database.on(Effect.APPENDED, () -> told.add(Effect.APPENDED));
    proxy.loseNextReply(TcpProxy.COMMIT);

    done(feed("one"));

    assertThat(proxy.hasLost()).isTrue();
    assertThat(topics()).containsExactly("one");
    assertThat(told).contains(Effect.APPENDED);
    awaitWritable();
    done(feed("two"));
  }

  @Test
  void a_commit_that_the_server_never_got_fails() {
    proxy.loseNextRequest(TcpProxy.COMMIT);

    assertThatThrownBy(() -> done(feed("one"))).hasCauseInstanceOf(StoreException.class);

    assertThat(proxy.hasLost()).isTrue();
    assertThat(topics()).isEmpty();
    awaitWritable();
  }

  @Test
  void a_probe_whose_answer_is_lost_decides_nothing_of_a_later_commit() throws Exception {
    proxy.refuse(true);
    proxy.cut();
    assertThatThrownBy(() -> done(feed("none"))).hasCauseInstanceOf(StoreException.class);
    proxy.loseNextReply(TcpProxy.COMMIT);
    proxy.refuse(false);
    await().atMost(LONG).until(proxy::hasLost);
    awaitWritable();

    proxy.loseNextReply(TcpProxy.COMMIT);

    done(feed("one"));
    assertThat(proxy.hasLost()).isTrue();
    assertThat(topics()).containsExactly("one");
    awaitWritable();
  }

  @Test
  void a_commit_in_doubt_is_decided_when_the_server_can_be_reached_again() throws Exception {
    proxy.loseNextReply(TcpProxy.COMMIT);
    proxy.refuse(true);
    CompletableFuture<Void> write = feed("one");
    await().atMost(LONG).until(() -> database.health() instanceof StoreHealth.Refusing);
    assertThatThrownBy(() -> done(feed("two"))).hasCauseInstanceOf(StoreException.class);
    assertThat(write).isNotDone();

    proxy.refuse(false);

    done(write);
  }

  /** A part of the gateway may wait for the commit, and the stop for that part. */
  @Test
  void a_commit_in_doubt_fails_once_another_gateway_owns_the_store() {
    proxy.loseNextReply(TcpProxy.COMMIT);
    proxy.refuse(true);
    CompletableFuture<Void> write = feed("one");
    await().atMost(LONG).until(() -> database.health() instanceof StoreHealth.Refusing);
    assertThat(write).isNotDone();
    proxy.cut();

    try (PostgresDatabase next =
        PostgresDatabase.open(
            new PostgresPlace(url, true), KeyFile.in(folder), Runnable::run, timer)) {
      proxy.refuse(false);

      assertThatThrownBy(() -> done(write)).hasCauseInstanceOf(StoreException.class);
      assertThat(next.health()).isEqualTo(StoreHealth.WRITABLE);
    }
  }

  /** The new server may lack the commit and the mark that tells of it. */
  @Test
  void after_a_failover_a_commit_in_doubt_has_the_gateway_start_again() throws Exception {
    database.close();
    try (PostgresNode node = node()) {
      assertThat(node.tryOwn()).isTrue();
      database = PostgresDatabase.open(node, KeyFile.in(folder), Runnable::run, timer);
      proxy.loseNextReply(TcpProxy.COMMIT);
      inOtherTimeline(
          () -> {
            CompletableFuture<Void> write = feed("one");

            assertThatThrownBy(() -> done(write)).hasCauseInstanceOf(StoreException.class);
          });

      assertThat(database.health())
          .isInstanceOfSatisfying(
              StoreHealth.Refusing.class, refusing -> assertThat(refusing.lasting()).isTrue());
      assertThat(node.givenUp()).isPresent();
      assertThat(node.renew()).isFalse();
    }
  }

  /** Has new sessions take the server for one after a failover. */
  private void inOtherTimeline(Runnable test) {
    beside.useHandle(
        handle -> {
          handle.execute(
              """
              CREATE FUNCTION public.pg_walfile_name(pg_lsn) RETURNS TEXT
              LANGUAGE SQL AS $$ SELECT 'FFFFFFFF0000000000000001' $$
              """);
          handle.execute("ALTER DATABASE made SET search_path = public, pg_catalog");
          try {
            test.run();
          } finally {
            handle.execute("ALTER DATABASE made RESET search_path");
            handle.execute("DROP FUNCTION public.pg_walfile_name(pg_lsn)");
          }
        });
  }

  @Test
  void a_commit_in_doubt_fails_at_the_stop() {
    proxy.loseNextReply(TcpProxy.COMMIT);
    proxy.refuse(true);
    CompletableFuture<Void> write = feed("one");
    await().atMost(LONG).until(() -> database.health() instanceof StoreHealth.Refusing);

    database.close();

    assertThatThrownBy(() -> done(write)).hasCauseInstanceOf(StoreException.class);
  }

  @Test
  void a_claim_whose_reply_is_lost_is_the_claimers() throws Exception {
    done(feed("one"));
    done(subscription());
    beside.useHandle(
        handle ->
            handle.execute(
                """
                INSERT INTO laggard
                  (subscription_id, feed_id, host, cursor, state, document_end, attempts,
                   next_attempt_at, behind_since)
                SELECT id, feed_id, 's.example:80', 0, 'BEHIND', 0, 0, 0, 0 FROM subscription
                """));
    Store store = new Store(database);
    List<Laggard> due = store.laggards().next("s.example:80", 1);
    proxy.loseNextReply(TcpProxy.COMMIT);

    List<Laggard> claimed = done(store.laggards().claim(due));

    assertThat(proxy.hasLost()).isTrue();
    assertThat(claimed).isEqualTo(due).hasSize(1);
    assertThat(texts("SELECT state FROM laggard")).containsExactly("IN_FLIGHT");
  }

  @Test
  void a_node_whose_ownership_was_not_answered_owns_the_store() throws Exception {
    database.close();
    try (PostgresNode node = node()) {
      // The answer before it is about the owner of before.
      proxy.loseReply("SELECT 1", 1);
      assertThat(node.tryOwn()).isFalse();
      assertThat(proxy.hasLost()).isTrue();
      assertThat(node.holds()).isFalse();
      assertThat(texts("SELECT node FROM owner")).containsExactly("one");

      assertThat(node.renew()).isTrue();
      assertThat(node.tryOwn()).isTrue();

      assertThat(node.holds()).isTrue();
    }
  }

  @Test
  void changed_subscriptions_are_told_of_a_commit_whose_reply_is_lost() throws Exception {
    done(feed("one"));
    done(subscription());
    List<ChangedSubscriptions> told = new CopyOnWriteArrayList<>();
    database.onSubscriptionsChanged(told::add);
    proxy.loseNextReply(TcpProxy.COMMIT);

    done(
        database.change((handle, effects) -> handle.execute("UPDATE subscription SET errors = 1")));

    assertThat(told.get(0).ids()).hasSize(1);
  }

  @Test
  void all_listeners_look_once_the_storage_is_back() throws Exception {
    done(feed("one"));
    Set<Effect> told = ConcurrentHashMap.newKeySet();
    EnumSet.allOf(Effect.class).forEach(one -> database.on(one, () -> told.add(one)));
    List<ChangedSubscriptions> changed = new CopyOnWriteArrayList<>();
    database.onSubscriptionsChanged(changed::add);
    proxy.cut();

    assertThatThrownBy(() -> done(feed("two"))).hasCauseInstanceOf(StoreException.class);

    await().atMost(LONG).until(() -> told.containsAll(EnumSet.allOf(Effect.class)));
    await().atMost(LONG).until(() -> changed.stream().anyMatch(ChangedSubscriptions::any));
  }

  @Test
  void a_session_that_the_server_still_holds_does_not_keep_the_gateway_out() throws Exception {
    done(feed("one"));

    proxy.halfOpen();

    assertThatThrownBy(() -> done(feed("two"))).hasCauseInstanceOf(StoreException.class);
    awaitWritable();
    done(feed("three"));
    assertThat(topics()).containsExactly("one", "three");
  }

  @Test
  void a_slow_network_delays_a_commit_only() throws Exception {
    proxy.delay(Duration.ofMillis(50));

    done(feed("one"));

    assertThat(database.health()).isEqualTo(StoreHealth.WRITABLE);
  }

  @Test
  void sessions_have_the_server_find_out_that_their_clients_are_gone() throws Exception {
    List<String> names =
        List.of(
            "tcp_keepalives_idle",
            "tcp_keepalives_interval",
            "tcp_keepalives_count",
            "tcp_user_timeout",
            "idle_in_transaction_session_timeout",
            "lock_timeout");

    List<String> readers = database.read(handle -> settings(handle, names));
    List<String> writer = done(database.write((handle, effects) -> settings(handle, names)));

    assertThat(readers).containsExactly("5", "2", "3", "10000", "1min", "5s");
    assertThat(writer).containsExactly("5", "2", "3", "10000", "10s", "5s");
  }

  private static List<String> settings(Handle handle, List<String> names) {
    return names.stream()
        .map(name -> handle.createQuery("SHOW " + name).mapTo(String.class).one())
        .toList();
  }

  @Test
  void the_server_ends_a_transaction_whose_client_is_gone() {
    Jdbi brief =
        PostgresConnections.jdbi(
            PostgresConnections.limited(
                PostgresConnections.source(broken, "gone"), Duration.ofMillis(200)));
    Handle gone = brief.open();
    gone.execute("BEGIN");
    gone.execute("LOCK TABLE feed");

    proxy.halfOpen();

    await()
        .atMost(LONG)
        .until(
            () ->
                texts("SELECT state FROM pg_stat_activity WHERE application_name = 'gone'")
                    .isEmpty());
    awaitWritable();
    assertThat(topics()).isEmpty();
  }

  @Test
  void a_write_waits_only_so_long_for_a_lock_of_another_session() throws Exception {
    try (Handle other = beside.open()) {
      other.execute("BEGIN");
      other.execute("LOCK TABLE feed");

      assertThatThrownBy(() -> done(feed("one")))
          .hasMessageContaining("canceling statement due to lock timeout");
      assertThat(database.health()).isInstanceOf(StoreHealth.Refusing.class);
    }
    awaitWritable();
    done(feed("two"));
  }

  @Test
  void a_commit_in_a_deadlock_runs_again() throws Exception {
    done(feed("one"));
    done(feed("two"));
    AtomicInteger runs = new AtomicInteger();
    try (Handle other = beside.open()) {
      // The gateway's session is the one that finds the deadlock.
      other.execute("SET deadlock_timeout = '1h'");
      other.execute("BEGIN");
      lock(other, "two");
      CompletableFuture<Void> write =
          database.change(
              (handle, effects) -> {
                runs.incrementAndGet();
                lock(handle, "one");
                lock(handle, "two");
              });
      await().atMost(LONG).until(this::isLockAwaited);
      CompletableFuture<Void> others =
          CompletableFuture.runAsync(
              () -> {
                lock(other, "one");
                other.execute("COMMIT");
              });

      done(write);
      done(others);
    }
    // The next run may meet the other transaction once more before that has ended.
    assertThat(runs).hasValueGreaterThan(1);
    assertThat(database.health()).isEqualTo(StoreHealth.WRITABLE);
  }

  private static void lock(Handle handle, String topic) {
    handle.execute("UPDATE feed SET url = url WHERE topic = ?", topic);
  }

  private boolean isLockAwaited() {
    return !texts("SELECT locktype FROM pg_locks WHERE NOT granted").isEmpty();
  }

  @Test
  void a_write_that_cannot_be_serialized_fails_alone_after_some_runs() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    List<CompletableFuture<Void>> others = new CopyOnWriteArrayList<>();

    CompletableFuture<Void> first =
        database.change(
            (handle, effects) -> {
              // These wait for the writer together, and share its next commit.
              others.add(feed("one"));
              others.add(
                  database.change(
                      (same, none) -> {
                        runs.incrementAndGet();
                        same.execute("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
                      }));
              others.add(feed("two"));
            });
    done(first);

    done(others.get(0));
    assertThatThrownBy(() -> done(others.get(1))).hasCauseInstanceOf(StoreException.class);
    done(others.get(2));
    assertThat(runs).as("with the others, then alone").hasValue(2 + GroupCommit.MAX_REPEATS);
    assertThat(topics()).containsExactly("one", "two");
  }

  @Test
  void a_step_is_told_once_however_often_its_transaction_ran() throws Exception {
    Transitions transitions = new Transitions();
    List<String> told = new CopyOnWriteArrayList<>();
    transitions.add(transition -> told.add(transition.why()));
    AtomicInteger runs = new AtomicInteger();

    done(
        transitions.step(
            database::write,
            (handle, effects, steps) -> {
              steps.add(SubscriptionState.ACTIVE, "topic", "callback", "why");
              if (runs.incrementAndGet() == 1) {
                handle.execute("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$");
              }
              return true;
            }));

    assertThat(runs).hasValue(2);
    assertThat(told).containsExactly("why");
  }
}
