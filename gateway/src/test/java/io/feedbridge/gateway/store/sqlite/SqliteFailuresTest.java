package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.sql.commit.GroupCommit;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the writer makes of a disk or a connection that fails, and of one that works again. */
@Timeout(300)
final class SqliteFailuresTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  @TempDir Path folder;

  private final ExecutorService callers = Executors.newSingleThreadExecutor();
  private final ManualTimer timer = new ManualTimer(NOW);
  private SqliteDatabase database;

  @BeforeEach
  void open() {
    database = SqliteDatabase.open(folder, callers, timer);
  }

  @AfterEach
  void close() {
    database.close();
    callers.shutdown();
  }

  private CompletableFuture<Void> secret(String name) {
    return database.change(
        (handle, effects) ->
            handle.execute("INSERT INTO secret (name, value) VALUES (?, x'00')", name));
  }

  private List<String> secrets() {
    return database.read(
        handle ->
            handle.createQuery("SELECT name FROM secret ORDER BY 1").mapTo(String.class).list());
  }

  private static <T> T done(CompletableFuture<T> write) throws Exception {
    return write.get(30, TimeUnit.SECONDS);
  }

  private static StoreException failure(CompletableFuture<?> write) {
    return Objects.requireNonNull(
        (StoreException)
            assertThat(write)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableOfType(ExecutionException.class)
                .actual()
                .getCause());
  }

  private void assertRefusing(String reason) {
    assertThat(database.health())
        .isInstanceOfSatisfying(
            StoreHealth.Refusing.class,
            refusing -> {
              assertThat(refusing.reason()).contains(reason);
              assertThat(refusing.since()).isEqualTo(NOW);
              assertThat(refusing.lasting()).isFalse();
            });
  }

  /** The pause is over, and the probe that it ended in has an outcome: another, or none. */
  private void awaitProbe() {
    await().until(() -> timer.waiting() == 1);
    timer.advance(GroupCommit.PROBE_PAUSE);
    await().until(() -> timer.waiting() == 1 || database.health() instanceof StoreHealth.Writable);
  }

  private void awaitWritable() {
    awaitProbe();
    assertThat(database.health()).isEqualTo(StoreHealth.WRITABLE);
  }

  @Nested
  class A_full_disk {

    @Test
    void is_told_with_its_beginning_and_refuses_writes_at_once() throws Exception {
      done(secret("before"));
      FullDisk.under(database);

      assertRefusing("the disk is full");
      CompletableFuture<Void> refused = secret("meanwhile");

      assertThat(refused).isCompletedExceptionally();
      assertThat(failure(refused)).hasMessageContaining("the disk is full");
      assertThat(failure(refused).isKnown()).isTrue();
    }

    @Test
    void is_read_from_all_the_while() throws Exception {
      done(secret("before"));
      FullDisk.under(database);

      assertThat(secrets()).containsExactly("before");
    }

    @Test
    void is_tried_by_a_probe_after_a_pause_and_by_nobody_else() throws Exception {
      FullDisk disk = FullDisk.under(database);
      disk.makeRoom();
      for (int i = 0; i < 100; i++) {
        failure(secret("refused " + i));
      }
      timer.advance(GroupCommit.PROBE_PAUSE.minusMillis(1));
      failure(secret("too early"));
      assertRefusing("the disk is full");

      timer.advance(Duration.ofMillis(1));

      await().until(() -> database.health() instanceof StoreHealth.Writable);
      done(secret("after"));
      assertThat(secrets()).containsExactly("after");
    }

    @Test
    void stays_full_until_there_is_room_and_keeps_its_beginning() throws Exception {
      FullDisk disk = FullDisk.under(database);
      for (int i = 0; i < 3; i++) {
        awaitProbe();
        assertRefusing("the disk is full");
      }
      disk.makeRoom();

      awaitWritable();
      done(secret("after"));
      assertThat(timer.waiting()).isZero();
    }

    @Test
    void leaves_nothing_of_the_probe_behind() {
      FullDisk.under(database).makeRoom();

      awaitWritable();

      long rows =
          database.read(
              handle -> handle.createQuery("SELECT COUNT(*) FROM probe").mapTo(Long.class).one());
      assertThat(rows).isZero();
    }

    @Test
    void fails_what_was_waiting_without_trying_it() throws Exception {
      Semaphore entered = new Semaphore(0);
      Semaphore release = new Semaphore(0);
      AtomicInteger tried = new AtomicInteger();
      CompletableFuture<Void> full =
          database.change(
              (handle, effects) -> {
                entered.release();
                release.acquireUninterruptibly();
                handle.execute("PRAGMA max_page_count = 1");
                handle.execute("INSERT INTO secret VALUES ('too much', zeroblob(1000000))");
              });
      entered.acquire();
      List<CompletableFuture<Void>> waiting = new ArrayList<>();
      for (int i = 0; i < 2 * GroupCommit.MAX_BATCH; i++) {
        waiting.add(database.change((handle, effects) -> tried.incrementAndGet()));
      }
      release.release();

      assertThat(failure(full)).hasMessageContaining("full");
      for (CompletableFuture<Void> write : waiting) {
        assertThat(failure(write)).hasMessageContaining("the disk is full");
      }
      assertThat(tried).hasValue(0);
    }

    @Test
    void does_not_keep_the_store_from_closing() throws Exception {
      done(secret("before"));
      FullDisk.under(database);

      database.close();

      database = SqliteDatabase.open(folder, callers, timer);
      assertThat(secrets()).containsExactly("before");
    }
  }

  @Nested
  class A_connection {

    @Test
    void that_broke_is_replaced() throws Exception {
      CompletableFuture<Void> broken =
          database.change(
              (handle, effects) -> {
                try {
                  handle.getConnection().close();
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      failure(broken);
      assertRefusing("the store cannot be written");

      awaitWritable();

      done(secret("after"));
      assertThat(secrets()).containsExactly("after");
    }

    @Test
    void whose_commit_failed_is_not_left_inside_the_transaction() throws Exception {
      CompletableFuture<Void> failing =
          database.change(
              (handle, effects) -> {
                handle.execute("PRAGMA defer_foreign_keys = ON");
                handle.execute(
                    "INSERT INTO round (feed_id, from_seq, to_seq, checkpoint)"
                        + " VALUES (77, 0, 0, 0)");
              });
      assertThat(failure(failing)).hasMessageContaining("FOREIGN KEY");

      awaitWritable();

      done(secret("after"));
      assertThat(secrets()).containsExactly("after");
    }

    @Test
    void on_which_a_transaction_left_a_statement_open_is_replaced_and_writes_go_on()
        throws Exception {
      done(secret("one"));
      done(secret("two"));
      done(
          database.change(
              (handle, effects) -> {
                // Not read to its end, and not closed.
                var unused =
                    handle
                        .createQuery("SELECT name FROM secret ORDER BY name")
                        .mapTo(String.class)
                        .stream()
                        .findFirst();
              }));
      done(secret("three"));
      done(secret("two and a half"));

      assertThat(database.health()).isEqualTo(StoreHealth.WRITABLE);
      assertThat(secrets()).containsExactly("one", "three", "two", "two and a half");
    }

    @Test
    void that_replaced_another_checks_the_owner_and_leaves_checkpoints_to_the_writer()
        throws Exception {
      that_broke_is_replaced();

      int automatic =
          done(
              database.write(
                  (handle, effects) ->
                      handle.createQuery("PRAGMA wal_autocheckpoint").mapTo(Integer.class).one()));
      assertThat(automatic).isZero();
    }
  }

  @Nested
  class A_message {

    @Test
    void names_no_value_of_a_statement() {
      CompletableFuture<Void> write =
          database.change(
              (handle, effects) ->
                  handle
                      .createUpdate("INSERT INTO secret (name, value) VALUES (NULL, :value)")
                      .bind("value", "my very own secret")
                      .execute());

      for (Throwable cause = failure(write); cause != null; cause = cause.getCause()) {
        assertThat(cause.toString()).doesNotContain("my very own secret");
      }
      assertThat(failure(write)).hasMessageContaining("NOT NULL");
    }
  }
}
