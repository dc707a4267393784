package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class SqliteDatabaseTest {

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
  private static final String FILE = "feedbridge.db";

  @TempDir Path folder;

  private static SqliteDatabase open(Path where) {
    return SqliteDatabase.open(where, Runnable::run);
  }

  private static <T> T done(CompletableFuture<T> write) throws Exception {
    return write.get(30, TimeUnit.SECONDS);
  }

  @Nested
  class TheFolder {

    @Test
    void it_is_created_with_all_above_it() {
      Path deep = folder.resolve("a/b/c");

      open(deep).close();

      assertThat(deep.resolve(FILE)).exists();
    }

    @Test
    void it_is_for_its_owner_alone_with_all_files_in_it() throws Exception {
      Path made = folder.resolve("parent/made");
      try (SqliteDatabase database = open(made)) {
        done(new Store(database).feeds().follow("https://origin.example/", NOW));

        assertThat(permissions(made)).isEqualTo("rwx------");
        for (String name : List.of(FILE, FILE + "-wal", FILE + "-shm", "feedbridge.lock")) {
          assertThat(permissions(made.resolve(name))).as(name).isEqualTo("rw-------");
        }
      }
    }

    @Test
    void files_of_an_earlier_version_are_closed_to_others() throws Exception {
      open(folder).close();
      Path file = folder.resolve(FILE);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

      try (SqliteDatabase database = open(folder)) {
        done(new Store(database).feeds().follow("https://origin.example/", NOW));
        assertThat(permissions(file)).isEqualTo("rw-------");
        assertThat(permissions(folder.resolve(FILE + "-wal"))).isEqualTo("rw-------");
      }
    }

    @Test
    void a_folder_that_was_there_keeps_its_permissions() throws IOException {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-x---"));
      open(folder).close();
      assertThat(permissions(folder)).isEqualTo("rwxr-x---");
    }

    private String permissions(Path path) throws IOException {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void a_folder_that_is_in_use_is_refused() {
      try (SqliteDatabase first = open(folder)) {
        assertThat(first).isNotNull();
        assertThatThrownBy(() -> open(folder))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining(folder.toString())
            .hasMessageContaining("in use by another gateway")
            .hasMessageContaining("--data");
      }
    }

    @Test
    void a_refused_second_opening_leaves_the_first_working() throws Exception {
      try (SqliteDatabase first = open(folder)) {
        assertThatThrownBy(() -> open(folder)).isInstanceOf(StoreException.class);

        Store store = new Store(first);
        done(store.feeds().follow("https://origin.example/", NOW));
        assertThat(store.figures().feeds()).isEqualTo(1);
        assertThatThrownBy(() -> open(folder)).isInstanceOf(StoreException.class);
      }
    }

    @Test
    void it_can_be_opened_again_after_close() {
      open(folder).close();
      open(folder).close();

      assertThat(folder.resolve(FILE)).exists();
    }

    @Test
    void what_is_no_folder_is_refused() throws IOException {
      Path file = Files.writeString(folder.resolve("file"), "");

      assertThatThrownBy(() -> open(file))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(file.toString())
          .hasMessageContaining("cannot be used");
    }
  }

  @Nested
  class L16_after_a_kill {

    /** A stop without any warning: what is on the disk at this moment is all there is. */
    private Path killed() throws IOException {
      Path copy = Files.createDirectory(folder.resolve("copy"));
      for (String file : List.of(FILE, FILE + "-wal", KeyFile.NAME)) {
        Files.copy(folder.resolve("live").resolve(file), copy.resolve(file));
      }
      return copy;
    }

    @Test
    void L16_everything_that_was_told_is_found_and_nothing_of_an_open_transaction()
        throws Exception {
      Semaphore entered = new Semaphore(0);
      Semaphore release = new Semaphore(0);
      Path copy;
      FollowedFeed feed;
      Subscription one;
      Subscription two;
      long head;
      Round round;
      try (SqliteDatabase database = open(folder.resolve("live"))) {
        Store store = new Store(database);
        SqlWork work = new SqlWork(database);
        feed = done(store.feeds().follow("https://origin.example/", NOW));
        done(store.feeds().record(OutcomeBuilder.of(feed, NOW).baseline().seen("a").build()));
        done(store.feeds().keepBody(feed.id(), NOW.plusSeconds(60), NOW));
        feed = store.feeds().byId(feed.id()).orElseThrow();
        one = done(store.subscriptions().register(feed.id(), "http://one.example/", TERMS, NOW));
        two = done(store.subscriptions().register(feed.id(), "http://two.example/", TERMS, NOW));
        head =
            done(store.feeds().record(OutcomeBuilder.of(feed, NOW).event(1).body("x").build()))
                .get(0);
        round = done(store.rounds().open(feed.id(), NOW)).orElseThrow();
        round = new Round(round.feedId(), round.from(), round.to(), one.id());
        done(store.rounds().checkpoint(round, List.of()));
        done(work.add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
        assertThat(work.take(1)).hasSize(1);
        CompletableFuture<Void> open =
            database.change(
                (handle, effects) -> {
                  handle.execute("DELETE FROM work");
                  handle.execute("DELETE FROM subscription");
                  entered.release();
                  release.acquireUninterruptibly();
                });
        entered.acquire();
        copy = killed();
        release.release();
        done(open);
      }

      try (SqliteDatabase database = open(copy)) {
        Store store = new Store(database);
        SqlWork work = new SqlWork(database);
        assertThat(store.feeds().byTopic("https://origin.example/").orElseThrow().head())
            .isEqualTo(head);
        assertThat(store.feeds().events(feed.id(), 0, head)).hasSize(1);
        assertThat(store.feeds().seen(feed.id(), List.of("a"))).hasSize(1);
        assertThat(store.feeds().body(feed.id())).isPresent();
        assertThat(store.rounds().current(round.feedId())).contains(round);
        assertThat(
                store.rounds().recipients(feed.id(), round.checkpoint(), Set.of(), 10).recipients())
            .containsExactly(two.id());
        assertThat(store.subscriptions().byId(one.id())).contains(one);
        assertThat(work.waiting()).isEqualTo(1);
        assertThat(work.take(1)).hasSize(1);
      }
    }

    @Test
    void L16_a_log_whose_last_commit_was_torn_opens_without_that_commit() throws Exception {
      Path copy;
      try (SqliteDatabase database = open(folder.resolve("live"))) {
        Store store = new Store(database);
        done(store.feeds().follow("https://first.example/", NOW));
        done(store.feeds().follow("https://second.example/", NOW));
        copy = killed();
      }
      Path wal = copy.resolve(FILE + "-wal");
      byte[] bytes = Files.readAllBytes(wal);
      Files.write(wal, Arrays.copyOf(bytes, bytes.length - 1));

      try (SqliteDatabase database = open(copy)) {
        Store store = new Store(database);
        assertThat(store.feeds().byTopic("https://first.example/")).isPresent();
        assertThat(store.feeds().byTopic("https://second.example/")).isEmpty();
      }
    }
  }

  @Test
  void the_folder_can_be_used_once_a_damaged_file_is_gone() throws IOException {
    Files.writeString(folder.resolve(FILE), "This is not a database. ".repeat(500));
    assertThatThrownBy(() -> open(folder)).isInstanceOf(StoreException.class);
    Files.delete(folder.resolve(FILE));

    open(folder).close();

    assertThat(folder.resolve(FILE)).exists();
  }
}
