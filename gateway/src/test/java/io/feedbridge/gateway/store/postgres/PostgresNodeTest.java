package io.feedbridge.gateway.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.vault.KeyFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class PostgresNodeTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path folder;

  private final String url = TestServer.shared().database();
  private final Jdbi beside = PostgresConnections.jdbi(PostgresConnections.source(url));
  private final SystemTimer timer = new SystemTimer(Clock.systemUTC());
  private final AtomicLong nanos = new AtomicLong();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
    timer.close();
    TestServer.shared().clean();
  }

  private PostgresNode node(String name) throws Exception {
    return in(name, Files.createDirectories(folder.resolve(name)));
  }

  private PostgresNode in(String name, Path data) {
    PostgresNode node =
        PostgresNode.join(new PostgresPlace(url, true), name, data, Clock.systemUTC(), nanos::get);
    opened.add(node);
    return node;
  }

  private PostgresDatabase store(PostgresNode node) {
    PostgresDatabase database =
        PostgresDatabase.open(node, KeyFile.in(folder), Runnable::run, timer);
    opened.add(0, database);
    return database;
  }

  private static CompletableFuture<Void> write(PostgresDatabase store) {
    return store.change((handle, effects) -> handle.execute("UPDATE log SET start = start + 1"));
  }

  private static void done(CompletableFuture<?> write) throws Exception {
    write.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  /** The server's clock cannot be moved, but the end of a lease can. */
  private void expire(String name) {
    beside.useHandle(
        handle -> handle.execute("UPDATE node SET expires_at = 0 WHERE name = ?", name));
  }

  private List<String> states() {
    return beside.withHandle(
        handle ->
            handle
                .createQuery("SELECT name || ' ' || state FROM node ORDER BY 1")
                .mapTo(String.class)
                .list());
  }

  private List<Integer> sessionsOf(String name) {
    return beside.withHandle(
        handle ->
            handle
                .createQuery("SELECT pid FROM pg_stat_activity WHERE application_name LIKE :name")
                .bind("name", "fb:" + name + ":%")
                .mapTo(Integer.class)
                .list());
  }

  private long sessions(String name) {
    return beside.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name LIKE :name")
                .bind("name", "fb:" + name + ":%")
                .mapTo(Long.class)
                .one());
  }

  @Test
  void a_node_knows_why_it_became_the_owner() throws Exception {
    PostgresNode first = node("first");
    first.tryOwn();
    assertThat(first.cause()).isEqualTo("no node had owned the store");
    expire("first");
    PostgresNode second = node("second");
    second.tryOwn();
    assertThat(second.cause()).isEqualTo("the lease of first had expired");
    second.close();
    PostgresNode third = node("third");
    third.tryOwn();
    assertThat(third.cause()).isEqualTo("second gave the store up");
    PostgresNode again = in("third", folder.resolve("third"));
    again.tryOwn();
    assertThat(again.cause()).isEqualTo("third was started again");
  }

  @Test
  void the_first_node_owns_the_store_and_the_second_is_a_standby() throws Exception {
    PostgresNode first = node("first");
    assertThat(first.tryOwn()).isTrue();

    PostgresNode second = node("second");

    assertThat(second.tryOwn()).isFalse();
    assertThat(second.owner().orElseThrow().name()).isEqualTo("first");
    assertThat(first.holds()).isTrue();
    assertThat(second.holds()).isFalse();
    assertThat(states()).containsExactly("first active", "second standby");
  }

  @Test
  void a_node_that_cannot_trust_its_memory_starts_again() throws Exception {
    PostgresNode node = node("first");
    assertThat(node.tryOwn()).isTrue();

    node.giveUp("a failover");

    assertThat(node.renew()).isFalse();
    assertThat(node.holds()).isFalse();
    assertThat(node.givenUp()).contains("a failover");
  }

  @Test
  void L15_a_writer_that_fails_after_the_lease_may_have_expired_does_not_end_the_node()
      throws Exception {
    PostgresNode node = node("first");
    assertThat(node.tryOwn()).isTrue();

    nanos.addAndGet(PostgresNode.LEASE.toNanos());
    node.giveUp("another gateway has opened the database");

    assertThat(node.renew()).as("the store is not used any more").isFalse();
    assertThat(node.givenUp()).as("it may be a standby").isEmpty();
  }

  @Test
  void an_owner_with_a_damaged_database_gives_its_lease_up() throws Exception {
    PostgresNode first = node("first");
    first.tryOwn();
    PostgresNode second = node("second");
    PostgresDatabase store = store(first);

    CompletableFuture<Void> write =
        store.change(
            (handle, effects) -> handle.execute("DO $$ BEGIN RAISE SQLSTATE 'XX001'; END $$"));

    assertThatThrownBy(() -> done(write)).hasCauseInstanceOf(StoreException.class);
    assertThat(first.givenUp()).hasValueSatisfying(why -> assertThat(why).contains("damaged"));
    assertThat(first.renew()).isFalse();
    assertThat(first.holds()).isFalse();
    first.close();
    assertThat(second.tryOwn()).isTrue();
  }

  @Test
  void a_standby_opens_no_store() throws Exception {
    PostgresNode node = node("first");

    assertThatThrownBy(() -> store(node)).isInstanceOf(StoreException.class);
  }

  @Test
  void an_owner_that_leaves_is_replaced_at_once_in_a_new_epoch() throws Exception {
    PostgresNode first = node("first");
    first.tryOwn();
    long before = first.epoch();
    PostgresNode second = node("second");

    first.close();

    assertThat(second.tryOwn()).isTrue();
    assertThat(second.epoch()).isGreaterThan(before);
    assertThat(states()).containsExactly("second active");
  }

  @Test
  void an_owner_that_renews_its_lease_stays() throws Exception {
    PostgresNode first = node("first");
    first.tryOwn();
    PostgresNode second = node("second");
    long end = lease("first");

    assertThat(first.renew()).isTrue();

    assertThat(lease("first")).isGreaterThanOrEqualTo(end);
    assertThat(second.tryOwn()).isFalse();
  }

  private long lease(String name) {
    return beside.withHandle(
        handle ->
            handle
                .createQuery("SELECT expires_at FROM node WHERE name = :name")
                .bind("name", name)
                .mapTo(Long.class)
                .one());
  }

  @Test
  void an_active_node_that_is_not_the_owner_any_more_cannot_renew() throws Exception {
    PostgresNode node = node("first");
    node.tryOwn();
    beside.useHandle(
        handle -> handle.execute("UPDATE owner SET epoch = epoch + 1, incarnation = 'other'"));

    assertThat(node.renew()).isFalse();
    assertThat(node.holds()).isFalse();
  }

  @Test
  void of_two_standbys_one_takes_the_store() throws Exception {
    PostgresNode first = node("first");
    first.tryOwn();
    PostgresNode second = node("second");
    PostgresNode third = node("third");
    first.close();

    CompletableFuture<Boolean> one = CompletableFuture.supplyAsync(second::tryOwn);
    CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(third::tryOwn);

    assertThat(List.of(one.join(), other.join())).containsExactlyInAnyOrder(true, false);
  }

  @Test
  void a_tool_is_refused_while_a_node_has_a_lease() throws Exception {
    node("first").tryOwn();

    assertThatThrownBy(
            () -> PostgresMoveTarget.open(new PostgresPlace(url, true), Clock.systemUTC()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("another gateway writes to this database");
  }

  /** Rule L15. */
  @Nested
  class AfterTheLease {

    @Test
    void L15_an_owner_whose_lease_expired_loses_its_sessions_and_its_writes() throws Exception {
      PostgresNode first = node("first");
      first.tryOwn();
      PostgresDatabase late = store(first);
      done(write(late));
      PostgresNode second = node("second");

      expire("first");

      assertThat(second.tryOwn()).isTrue();
      assertThat(states()).containsExactly("first dead", "second active");
      assertThatThrownBy(() -> done(write(late))).hasCauseInstanceOf(StoreException.class);
      done(write(store(second)));
      assertThatThrownBy(() -> done(write(late))).hasCauseInstanceOf(StoreException.class);
      assertThat(first.renew()).isFalse();
      assertThat(first.holds()).isFalse();
      assertThat(first.givenUp()).as("it may be a standby").isEmpty();
    }

    @Test
    void L15_a_transaction_that_was_begun_before_commits_nothing() throws Exception {
      PostgresNode first = node("first");
      first.tryOwn();
      PostgresDatabase late = store(first);
      CompletableFuture<Void> begun = new CompletableFuture<>();
      CompletableFuture<Void> goOn = new CompletableFuture<>();
      // The writer's thread stops inside its transaction, as a process that gets SIGSTOP does.
      CompletableFuture<Void> write =
          late.change(
              (handle, effects) -> {
                handle.execute("UPDATE log SET start = 77");
                begun.complete(null);
                goOn.join();
              });
      begun.get(LONG.toSeconds(), TimeUnit.SECONDS);
      PostgresNode second = node("second");

      expire("first");
      assertThat(second.tryOwn()).isTrue();
      goOn.complete(null);

      assertThatThrownBy(() -> done(write)).hasCauseInstanceOf(StoreException.class);
      assertThat(
              beside.<Long, RuntimeException>withHandle(
                  handle -> handle.createQuery("SELECT start FROM log").mapTo(Long.class).one()))
          .isZero();
    }

    @Test
    void L15_a_node_does_not_trust_its_lease_until_the_very_end() throws Exception {
      PostgresNode node = node("first");
      node.tryOwn();

      nanos.addAndGet(PostgresNode.LEASE.minus(PostgresNode.MARGIN).toNanos() - 1);
      assertThat(node.holds()).isTrue();

      nanos.addAndGet(1);
      assertThat(node.holds()).isFalse();
    }

    @Test
    void L15_sessions_of_a_dead_node_are_ended_also_later() throws Exception {
      PostgresNode first = node("first");
      first.tryOwn();
      store(first);
      List<Integer> sessions = sessionsOf("first");
      beside.useHandle(handle -> handle.execute("UPDATE node SET state = 'dead'"));

      node("second").tryOwn();

      // The server ends a session when it has read the order to.
      await().until(() -> Collections.disjoint(sessionsOf("first"), sessions));
    }
  }

  /** A server that cannot be reached for a while. */
  @Nested
  class LostSessions {

    @Test
    void a_node_whose_session_ended_renews_its_lease_over_a_new_one() throws Exception {
      PostgresNode node = node("first");
      node.tryOwn();
      TestServer.shared().endSessions();

      assertThat(node.renew()).isTrue();

      assertThat(node.holds()).isTrue();
      assertThat(sessions("first")).isPositive();
    }

    @Test
    void a_node_that_cannot_renew_gives_up_when_its_lease_may_have_expired() throws Exception {
      TestServer away = TestServer.durable();
      PostgresNode node;
      try (away) {
        node =
            PostgresNode.join(
                new PostgresPlace(away.empty(), false),
                "first",
                folder,
                Clock.systemUTC(),
                nanos::get);
        opened.add(node);
        node.tryOwn();
      }

      assertThat(node.renew()).as("within the lease").isTrue();
      assertThat(node.holds()).isTrue();

      nanos.addAndGet(PostgresNode.LEASE.minus(PostgresNode.MARGIN).toNanos());
      assertThat(node.renew()).isFalse();
    }
  }

  /** A process that is started again. */
  @Nested
  class Restarts {

    @Test
    void the_next_process_of_a_folder_takes_the_store_at_once() throws Exception {
      PostgresNode killed = node("first");
      killed.tryOwn();

      assertThat(node("first").tryOwn()).isTrue();
    }

    @Test
    void a_copy_of_the_folder_takes_nothing() throws Exception {
      PostgresNode first = node("first");
      first.tryOwn();
      Path copy = Files.createDirectories(folder.resolve("copy"));
      Files.copy(
          folder.resolve("first").resolve(NodeFile.NAME),
          copy.resolve(NodeFile.NAME),
          StandardCopyOption.REPLACE_EXISTING);

      assertThat(in("second", copy).tryOwn()).isFalse();
      assertThat(first.renew()).isTrue();
    }

    @Test
    void a_node_that_is_dead_for_long_is_forgotten() throws Exception {
      node("first");
      beside.useHandle(handle -> handle.execute("UPDATE node SET state = 'dead', expires_at = 0"));

      node("second");

      assertThat(states()).containsExactly("second standby");
    }
  }
}
