package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.commit.GroupCommit;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class GroupCommitTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  @TempDir Path folder;

  private final ExecutorService callers = Executors.newSingleThreadExecutor();
  private final AtomicInteger told = new AtomicInteger();
  private SqliteDatabase database;

  @BeforeEach
  void open() {
    database = open(callers);
  }

  @AfterEach
  void close() {
    database.close();
    callers.shutdown();
  }

  private SqliteDatabase open(Executor executor) {
    SqliteDatabase opened = SqliteDatabase.open(folder, executor);
    opened.on(Effect.FOLLOWING, told::incrementAndGet);
    return opened;
  }

  /** Keeps the writer busy until it is released. */
  private final class Held {
    private final Semaphore entered = new Semaphore(0);
    private final Semaphore release = new Semaphore(0);
    private final CompletableFuture<Void> write =
        database.change(
            (handle, effects) -> {
              entered.release();
              release.acquireUninterruptibly();
            });

    Held await() {
      entered.acquireUninterruptibly();
      return this;
    }

    void release() {
      release.release();
    }
  }

  /** Some row that can be told by its number. */
  private CompletableFuture<Void> row(int number) {
    return database.change(
        (handle, effects) -> {
          insert(handle, number);
          effects.add(Effect.FOLLOWING);
        });
  }

  private static void insert(Handle handle, int number) {
    handle
        .createUpdate(
            """
            INSERT INTO feed (topic, url, kind, state, followed, fetched, advertised)
            VALUES (:topic, '', 'UNKNOWN', 'NEW', 0, '{}', '{}')
            """)
        .bind("topic", "topic " + number)
        .execute();
  }

  private long rows() {
    return database.read(
        handle -> handle.createQuery("SELECT COUNT(*) FROM feed").mapTo(Long.class).one());
  }

  private static <T> T done(CompletableFuture<T> write) throws Exception {
    return write.get(30, TimeUnit.SECONDS);
  }

  /** What the callers' executor was given before is done. */
  private void settle() throws Exception {
    callers.submit(() -> {}).get(30, TimeUnit.SECONDS);
  }

  private static StoreException failure(CompletableFuture<?> write) {
    Throwable cause =
        assertThat(write)
            .failsWithin(java.time.Duration.ofSeconds(30))
            .withThrowableOfType(java.util.concurrent.ExecutionException.class)
            .actual()
            .getCause();
    assertThat(cause).isInstanceOf(StoreException.class);
    return (StoreException) cause;
  }

  @Nested
  class OneCommit {

    @Test
    void writes_of_one_kind_run_together_and_each_has_its_own_result() throws Exception {
      List<Integer> sizes = new ArrayList<>();
      Database.Joint<Integer, Integer> doubling =
          (handle, effects, numbers) -> {
            sizes.add(numbers.size());
            numbers.forEach(number -> insert(handle, number));
            return numbers.stream().map(number -> 2 * number).toList();
          };
      Held held = new Held().await();
      CompletableFuture<Integer> first = database.write(1, doubling, 1);
      CompletableFuture<Void> between = row(2);
      CompletableFuture<Integer> second = database.write(1, doubling, 3);
      held.release();

      assertThat(first.get()).isEqualTo(2);
      assertThat(second.get()).isEqualTo(6);
      between.get();
      assertThat(sizes).containsExactly(2);
      assertThat(rows()).isEqualTo(3);
    }

    @Test
    void a_write_that_fails_among_others_of_its_kind_fails_alone() throws Exception {
      Database.Joint<Integer, Integer> positive =
          (handle, effects, numbers) -> {
            for (int number : numbers) {
              insert(handle, number);
              if (number < 0) {
                throw new IllegalArgumentException("negative");
              }
            }
            return numbers;
          };
      Held held = new Held().await();
      CompletableFuture<Integer> first = database.write(1, positive, 1);
      CompletableFuture<Integer> bad = database.write(1, positive, -1);
      CompletableFuture<Integer> last = database.write(1, positive, 2);
      held.release();

      assertThat(first.get()).isEqualTo(1);
      assertThat(last.get()).isEqualTo(2);
      assertThatThrownBy(bad::get).hasMessageContaining("negative");
      assertThat(rows()).isEqualTo(2);
    }

    @Test
    void writes_that_wait_are_committed_together() throws Exception {
      Held held = new Held().await();
      List<CompletableFuture<Void>> writes = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        writes.add(row(i));
      }
      held.release();
      for (CompletableFuture<Void> write : writes) {
        done(write);
      }
      settle();

      assertThat(rows()).isEqualTo(100);
      assertThat(told).hasValue(1);
    }

    @Test
    void but_no_more_than_a_batch_of_them() throws Exception {
      Held held = new Held().await();
      CompletableFuture<Void> last = null;
      int many = 2 * GroupCommit.MAX_BATCH + 1;
      for (int i = 0; i < many; i++) {
        last = row(i);
      }
      held.release();
      assertThat(last).isNotNull();
      done(last);
      settle();

      assertThat(rows()).isEqualTo(many);
      assertThat(told).hasValue(3);
    }

    @Test
    void a_transaction_sees_what_was_written_before_it_in_its_batch() throws Exception {
      Held held = new Held().await();
      CompletableFuture<Void> first = row(1);
      CompletableFuture<Long> count =
          database.write(
              (handle, effects) ->
                  handle.createQuery("SELECT COUNT(*) FROM feed").mapTo(Long.class).one());
      held.release();

      done(first);
      assertThat(done(count)).isEqualTo(1);
    }

    @Test
    void a_commit_is_on_disk_before_it_is_told() throws Exception {
      String settings =
          done(
              database.write(
                  (handle, effects) ->
                      handle.createQuery("PRAGMA journal_mode").mapTo(String.class).one()
                          + " "
                          + handle.createQuery("PRAGMA synchronous").mapTo(Integer.class).one()));

      // In WAL mode, 2 is FULL: the log is fsynced with each commit.
      assertThat(settings).isEqualTo("wal 2");
    }
  }

  @Nested
  class NothingIsToldBeforeTheCommit {

    @Test
    void neither_callers_nor_listeners_nor_readers_know_of_a_write_that_is_not_committed()
        throws Exception {
      Held first = new Held().await();
      CompletableFuture<Void> write = row(1);
      Held second = new Held();
      first.release();
      // The second is entered once the write ran: they are in one transaction.
      second.await();
      settle();

      assertThat(write).isNotDone();
      assertThat(told).hasValue(0);
      assertThat(rows()).isZero();

      second.release();
      done(write);
      settle();
      assertThat(told).hasValue(1);
      assertThat(rows()).isEqualTo(1);
    }

    @Test
    void both_are_told_on_the_callers_executor_so_that_they_never_hold_up_the_writer()
        throws Exception {
      database.close();
      ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
      Semaphore submitted = new Semaphore(0);
      database =
          open(
              task -> {
                tasks.add(task);
                submitted.release();
              });
      CompletableFuture<Void> first = row(1);
      submitted.acquire();
      CompletableFuture<Void> second = row(2);
      submitted.acquire();

      assertThat(rows()).isEqualTo(2);
      assertThat(first).isNotDone();
      assertThat(told).hasValue(0);

      tasks.forEach(Runnable::run);
      assertThat(first).isCompleted();
      assertThat(second).isCompleted();
      assertThat(told).hasValue(2);
    }

    @Test
    void an_executor_that_shut_down_first_does_not_stop_the_writer() throws Exception {
      callers.shutdown();
      assertThat(callers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();

      done(row(1));
      done(row(2));

      assertThat(rows()).isEqualTo(2);
    }
  }

  @Nested
  class Failures {

    @Test
    void a_listener_that_fails_keeps_no_other_from_being_told() throws Exception {
      database.on(
          Effect.APPENDED,
          () -> {
            throw new IllegalStateException("a listener's own fault");
          });
      AtomicInteger others = new AtomicInteger();
      database.on(Effect.APPENDED, others::incrementAndGet);
      database.on(Effect.FOLLOWING, others::incrementAndGet);

      done(
          database.change(
              (handle, effects) -> {
                effects.add(Effect.APPENDED);
                effects.add(Effect.FOLLOWING);
              }));
      settle();

      assertThat(others).hasValue(2);
    }

    @Test
    void a_transaction_that_fails_takes_nothing_else_of_its_batch_with_it() throws Exception {
      Held held = new Held().await();
      CompletableFuture<Void> before = row(1);
      CompletableFuture<Void> failing =
          database.change(
              (handle, effects) -> {
                insert(handle, 2);
                insert(handle, 3);
                insert(handle, 3);
              });
      CompletableFuture<Void> after = row(4);
      held.release();

      done(before);
      done(after);
      assertThat(failure(failing))
          .hasMessageContaining("cannot write")
          .hasMessageContaining("UNIQUE");
      assertThat(topics()).containsExactly("topic 1", "topic 4");
    }

    @Test
    void one_that_ends_in_an_error_is_no_different() throws Exception {
      Held held = new Held().await();
      CompletableFuture<Void> before = row(1);
      CompletableFuture<Void> failing =
          database.change(
              (handle, effects) -> {
                insert(handle, 2);
                throw new OutOfMemoryError("a large feed");
              });
      CompletableFuture<Void> after = row(3);
      held.release();

      done(before);
      done(after);
      assertThat(failure(failing)).hasMessageContaining("a large feed");
      done(row(4));
      assertThat(topics()).containsExactly("topic 1", "topic 3", "topic 4");
    }

    @Test
    void a_store_exception_reaches_the_caller_as_it_is() {
      StoreException refused = new StoreException("not like this");

      CompletableFuture<Void> write =
          database.change(
              (handle, effects) -> {
                throw refused;
              });

      assertThat(failure(write)).isSameAs(refused);
    }

    @Test
    void a_commit_that_fails_fails_all_of_its_batch_and_the_writer_goes_on() throws Exception {
      Held held = new Held().await();
      CompletableFuture<Void> before = row(1);
      // As the database does by itself after some failures of the disk.
      CompletableFuture<Void> failing =
          database.change((handle, effects) -> handle.execute("ROLLBACK"));
      CompletableFuture<Void> after = row(2);
      held.release();

      done(held.write);
      failure(before);
      failure(failing);
      failure(after);
      assertThat(rows()).isZero();
      assertThat(told).hasValue(0);
      await().until(() -> database.health() instanceof StoreHealth.Writable);
      done(row(3));
      assertThat(topics()).containsExactly("topic 3");
    }

    private List<String> topics() {
      return database.read(
          handle ->
              handle.createQuery("SELECT topic FROM feed ORDER BY id").mapTo(String.class).list());
    }
  }

  @Nested
  class Bounds {

    @Test
    void a_write_is_refused_at_once_when_too_many_are_waiting() throws Exception {
      Held held = new Held().await();
      List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
      for (int i = 0; i < GroupCommit.MAX_WAITING; i++) {
        waiting.add(database.write((handle, effects) -> true));
      }

      CompletableFuture<Void> refused = row(1);
      assertThat(refused).isCompletedExceptionally();
      assertThat(failure(refused)).hasMessageContaining("try again later");

      held.release();
      for (CompletableFuture<Boolean> write : waiting) {
        assertThat(done(write)).isTrue();
      }
      assertThat(rows()).isZero();
      done(row(2));
    }

    private static final long LARGE = 16L << 20;

    @Test
    void a_write_is_refused_at_once_when_those_that_wait_hold_too_much() throws Exception {
      Held held = new Held().await();
      List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
      for (long bytes = LARGE; bytes < GroupCommit.MAX_WAITING_BYTES; bytes += LARGE) {
        waiting.add(database.write(LARGE, (handle, effects) -> true));
      }

      CompletableFuture<Boolean> refused = database.write(LARGE, (handle, effects) -> true);
      assertThat(refused).isCompletedExceptionally();
      assertThat(failure(refused)).hasMessageContaining("bytes").hasMessageContaining("try again");
      // There is room for small ones.
      CompletableFuture<Void> small = row(1);

      held.release();
      for (CompletableFuture<Boolean> write : waiting) {
        assertThat(done(write)).isTrue();
      }
      done(small);
    }

    @Test
    void what_a_write_held_is_given_back_however_it_ended() throws Exception {
      for (int i = 0; i < 3 * GroupCommit.MAX_WAITING_BYTES / LARGE; i++) {
        boolean fails = i % 2 == 1;
        CompletableFuture<Boolean> write =
            database.write(
                LARGE,
                (handle, effects) -> {
                  if (fails) {
                    throw new StoreException("not like this");
                  }
                  return true;
                });
        write.handle((result, failed) -> failed == null).get(30, TimeUnit.SECONDS);
      }
      List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
      Held held = new Held().await();
      for (long bytes = LARGE; bytes < GroupCommit.MAX_WAITING_BYTES; bytes += LARGE) {
        waiting.add(database.write(LARGE, (handle, effects) -> true));
      }
      held.release();
      for (CompletableFuture<Boolean> write : waiting) {
        assertThat(done(write)).isTrue();
      }
    }

    @Test
    void a_write_that_alone_is_above_the_bound_is_made_when_nothing_waits() throws Exception {
      await()
          .until(
              () ->
                  database
                      .write(2 * GroupCommit.MAX_WAITING_BYTES, (handle, effects) -> true)
                      .handle((result, failed) -> failed == null)
                      .get(30, TimeUnit.SECONDS));
    }

    @Test
    void deliveries_and_outcomes_announce_what_they_hold() throws Exception {
      Store store = new Store(database);
      SqlWork work = new SqlWork(database);
      FollowedFeed feed = done(store.feeds().follow("https://origin.example/", NOW));
      byte[] large = new byte[(int) LARGE];
      Outcome outcome =
          new Outcome(
              new Position(feed.id(), 0),
              feed,
              NOW,
              Via.POLL,
              List.of(),
              new Body(null, large),
              null,
              List.of());
      Held held = new Held().await();
      List<CompletableFuture<?>> waiting = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        waiting.add(work.add(new WorkItem.Fat(feed.id(), Via.WEBSUB, NOW, null, large)));
      }
      // Three of them and a little leave no room for a fourth.
      assertThat(work.add(new WorkItem.Fat(feed.id(), Via.WEBSUB, NOW, null, large)))
          .isCompletedExceptionally();
      assertThat(store.feeds().record(outcome)).isCompletedExceptionally();
      waiting.add(work.add(new WorkItem.Light(feed.id(), Via.PING, NOW)));

      held.release();
      for (CompletableFuture<?> write : waiting) {
        done(write);
      }
      assertThat(work.waiting()).isEqualTo(4);
    }
  }

  @Nested
  class Closing {

    @Test
    void close_commits_what_is_waiting() throws Exception {
      Held held = new Held().await();
      List<CompletableFuture<Void>> writes = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        writes.add(row(i));
      }
      CompletableFuture<Void> closed = CompletableFuture.runAsync(database::close);
      assertThat(closed).isNotDone();
      held.release();

      done(closed);
      for (CompletableFuture<Void> write : writes) {
        done(write);
      }
      database = open(callers);
      assertThat(rows()).isEqualTo(1_000);
    }

    @Test
    void a_write_after_close_is_refused() {
      database.close();

      assertThat(failure(row(1))).hasMessageContaining("closed");
    }

    @Test
    void each_write_while_it_closes_is_either_committed_or_refused() throws Exception {
      ConcurrentLinkedQueue<CompletableFuture<Void>> writes = new ConcurrentLinkedQueue<>();
      Semaphore begun = new Semaphore(0);
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 2_000; i++) {
                  writes.add(row(i));
                  begun.release();
                }
              });
      begun.acquire(500);
      database.close();
      done(writer);

      long committed = 0;
      for (CompletableFuture<Void> write : writes) {
        if (write.handle((nothing, failed) -> failed == null).get(30, TimeUnit.SECONDS)) {
          committed++;
        }
      }
      database = open(callers);
      assertThat(rows()).isEqualTo(committed).isGreaterThanOrEqualTo(500);
    }

    @Test
    void a_read_after_close_is_refused() {
      database.close();

      assertThatThrownBy(GroupCommitTest.this::rows)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("cannot be read");
    }

    @Test
    void it_can_be_closed_twice() {
      database.close();
      database.close();

      assertThat(failure(row(1))).isNotNull();
    }
  }

  /** Deliveries write as fast as subscribers answer; nobody who waits for a write is to notice. */
  @Nested
  class Lanes {

    private final ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();

    private CompletableFuture<Void> prompt(String name) {
      return database.change((handle, effects) -> order.add(name));
    }

    private CompletableFuture<Void> patient(String name) {
      return database.changePatiently((handle, effects) -> order.add(name));
    }

    private int position(String name) {
      return List.copyOf(order).indexOf(name);
    }

    @Test
    void a_lane_full_of_patient_writes_leaves_room_for_prompt_ones_which_go_first()
        throws Exception {
      Held held = new Held().await();
      List<CompletableFuture<Void>> patient = new ArrayList<>();
      for (int i = 0; i < GroupCommit.MAX_WAITING; i++) {
        patient.add(patient("patient"));
      }
      assertThat(failure(patient("one too many"))).hasMessageContaining("behind");

      CompletableFuture<Void> ping = prompt("ping");
      held.release();
      done(ping);

      assertThat(position("ping")).isZero();
      done(CompletableFuture.allOf(patient.toArray(CompletableFuture<?>[]::new)));
      assertThat(order).hasSize(GroupCommit.MAX_WAITING + 1);
    }

    @Test
    void any_number_of_prompt_writes_keeps_no_patient_one_from_the_next_batch() throws Exception {
      Held held = new Held().await();
      List<CompletableFuture<Void>> prompt = new ArrayList<>();
      for (int i = 0; i < GroupCommit.MAX_WAITING; i++) {
        prompt.add(prompt("prompt"));
      }
      CompletableFuture<Void> outcome = patient("outcome");

      held.release();
      done(outcome);

      assertThat(position("outcome")).isLessThan(GroupCommit.MAX_BATCH);
      done(CompletableFuture.allOf(prompt.toArray(CompletableFuture<?>[]::new)));
    }

    @Test
    void both_are_written_before_the_store_is_closed() throws Exception {
      Held held = new Held().await();
      CompletableFuture<Void> ping = prompt("ping");
      CompletableFuture<Void> outcome = patient("outcome");
      CompletableFuture<Void> closing = CompletableFuture.runAsync(database::close);

      held.release();
      done(closing);

      assertThat(ping).isCompleted();
      assertThat(outcome).isCompleted();
    }

    @Test
    void long_reads_leave_readers_to_short_ones() throws Exception {
      CompletableFuture<Void> release = new CompletableFuture<>();
      ExecutorService threads = Executors.newFixedThreadPool(8);
      try {
        for (int i = 0; i < 8; i++) {
          threads.execute(() -> database.readLong(handle -> release.join()));
        }

        assertThat(done(CompletableFuture.supplyAsync(GroupCommitTest.this::rows))).isZero();
      } finally {
        release.complete(null);
        threads.shutdown();
        assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
      }
    }
  }
}
