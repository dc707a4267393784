package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.LaggardBuilder;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two gateways on one file, where the lock that should have prevented it did not. */
@Timeout(300)
final class OwnerTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final Terms TERMS =
      new Terms(
          "http://topic.example/as-named",
          Format.LIGHT,
          null,
          "sha256",
          false,
          false,
          Duration.ofDays(1));

  @TempDir Path folder;

  private SqliteDatabase first;
  private Store store;
  private SqlWork work;
  private FollowedFeed feed;
  private Subscription subscription;
  private Round round;
  private Assignment assignment;

  @BeforeEach
  void open() throws Exception {
    first = SqliteDatabase.open(folder, Runnable::run);
    store = new Store(first);
    work = new SqlWork(first);
    FollowedFeed found = done(store.feeds().follow("https://origin.example/", NOW));
    done(store.feeds().record(OutcomeBuilder.of(found, NOW).baseline().build()));
    feed = store.feeds().byId(found.id()).orElseThrow();
    subscription =
        done(store.subscriptions().register(feed.id(), "http://one.example/", TERMS, NOW));
    done(store.feeds().record(OutcomeBuilder.of(feed, NOW).event(1).build()));
    round = done(store.rounds().open(feed.id(), NOW)).orElseThrow();
    done(store.rounds().checkpoint(round, List.of(laggard())));
    done(work.add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
    assignment = work.take(1).get(0);
  }

  @AfterEach
  void close() {
    first.close();
  }

  private Laggard laggard() {
    return LaggardBuilder.of(subscription, 0, NOW).build();
  }

  private static <T> T done(CompletableFuture<T> write) throws Exception {
    return write.get(30, TimeUnit.SECONDS);
  }

  /** Somebody removes the lock, and another gateway opens the folder. */
  private SqliteDatabase second() throws Exception {
    Files.delete(folder.resolve("feedbridge.lock"));
    return SqliteDatabase.open(folder, Runnable::run);
  }

  /** A row of every table, as somebody else reads it. */
  private static Map<String, List<Map<String, Object>>> content(SqliteDatabase database) {
    Map<String, List<Map<String, Object>>> content = new LinkedHashMap<>();
    List<String> tables =
        database.read(
            handle ->
                handle
                    .createQuery("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")
                    .mapTo(String.class)
                    .list());
    for (String table : tables) {
      content.put(
          table,
          database.read(handle -> handle.createQuery("SELECT * FROM " + table).mapToMap().list()));
    }
    // Compared by what is in them.
    content.values().forEach(rows -> rows.forEach(OwnerTest::comparable));
    return content;
  }

  private static void comparable(Map<String, Object> row) {
    row.replaceAll(
        (column, value) -> value instanceof byte[] b ? java.util.Arrays.toString(b) : value);
  }

  private static void assertRefused(CompletableFuture<?> write) {
    assertThat(write)
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(StoreException.class)
        .withMessageContaining("another gateway has opened the data folder");
  }

  @Nested
  class L15_once_another_has_opened_the_file {

    @Test
    void L15_every_write_of_work_rounds_and_laggards_is_refused_and_nothing_of_it_is_in_the_file()
        throws Exception {
      try (SqliteDatabase second = second()) {
        Map<String, List<Map<String, Object>>> before = content(second);
        Laggard laggard = laggard();
        List<CompletableFuture<?>> writes = new ArrayList<>();
        writes.add(work.add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
        writes.add(work.add(new WorkItem.Fat(feed.id(), Via.WEBSUB, NOW, null, new byte[10])));
        writes.add(
            store.feeds().record(OutcomeBuilder.of(feed, NOW).doing(assignment).event(1).build()));
        writes.add(store.rounds().open(feed.id(), NOW));
        writes.add(store.rounds().checkpoint(round, List.of(laggard)));
        writes.add(store.rounds().close(round, List.of(laggard)));
        writes.add(store.laggards().claim(List.of(laggard)));
        writes.add(store.laggards().settle(laggard, NOW));
        writes.add(store.laggards().landAll());
        writes.add(store.feeds().follow("https://other.example/", NOW));
        writes.add(store.subscriptions().end(subscription.id(), "gone", NOW));

        writes.forEach(OwnerTest::assertRefused);

        assertThat(content(second)).isEqualTo(before);
      }
    }

    @Test
    void L15_what_was_begun_before_is_refused_as_well() throws Exception {
      java.util.concurrent.Semaphore entered = new java.util.concurrent.Semaphore(0);
      java.util.concurrent.Semaphore release = new java.util.concurrent.Semaphore(0);
      CompletableFuture<Void> committed =
          first.change(
              (handle, effects) -> {
                entered.release();
                release.acquireUninterruptibly();
              });
      entered.acquire();
      CompletableFuture<Void> waiting = work.add(new WorkItem.Light(feed.id(), Via.PING, NOW));
      // The other waits for the commit under way, and is in before the next.
      CompletableFuture<SqliteDatabase> opening =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return second();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      release.release();
      done(committed);
      try (SqliteDatabase second = done(opening)) {
        // Either the first was quicker, or it was refused: what it told is what the file has.
        boolean told = waiting.handle((done, refused) -> refused == null).get(30, TimeUnit.SECONDS);
        assertThat(new SqlWork(second).waiting()).isEqualTo(told ? 2 : 1);
      }
    }

    @Test
    void L15_the_health_of_the_older_one_says_so_and_lasts() throws Exception {
      try (SqliteDatabase second = second()) {
        assertRefused(work.add(new WorkItem.Light(feed.id(), Via.PING, NOW)));

        assertThat(store.health())
            .isInstanceOfSatisfying(
                StoreHealth.Refusing.class,
                refusing -> {
                  assertThat(refusing.reason()).contains("another gateway", "stop one of the two");
                  assertThat(refusing.lasting()).isTrue();
                });
        assertThat(second.health()).isEqualTo(StoreHealth.WRITABLE);
      }
      assertRefused(work.add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
    }

    @Test
    void L15_the_older_one_still_reads_and_the_newer_one_works() throws Exception {
      try (SqliteDatabase second = second()) {
        assertRefused(work.add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
        done(new SqlWork(second).add(new WorkItem.Light(feed.id(), Via.PING, NOW)));

        assertThat(store.feeds().byId(feed.id())).isPresent();
        assertThat(work.waiting()).isEqualTo(2);
      }
    }

    @Test
    void L15_what_the_older_one_wrote_before_is_there() throws Exception {
      try (SqliteDatabase second = second()) {
        Store found = new Store(second);
        assertThat(found.rounds().current(round.feedId())).contains(round);
        assertThat(found.laggards().hosts("", 10)).hasSize(1);
        assertThat(new SqlWork(second).take(10)).hasSize(1);
      }
    }
  }

  @Test
  void L15_a_restart_of_the_only_one_raises_the_epoch_and_writes_go_on() throws Exception {
    for (int i = 0; i < 3; i++) {
      first.close();
      first = SqliteDatabase.open(folder, Runnable::run);
      done(new SqlWork(first).add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
    }
    assertThat(new SqlWork(first).waiting()).isEqualTo(4);
  }
}
