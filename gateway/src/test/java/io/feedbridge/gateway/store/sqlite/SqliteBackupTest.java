package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class SqliteBackupTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  @TempDir Path temporary;

  private Path folder;
  private Path backup;
  private SqliteDatabase database;
  private FollowedFeed feed;

  @BeforeEach
  void open() throws Exception {
    folder = temporary.resolve("data");
    backup = temporary.resolve("backup");
    database = SqliteDatabase.open(folder, Runnable::run);
    Store store = new Store(database);
    feed = done(store.feeds().follow("https://origin.example/", NOW));
    ping();
  }

  @AfterEach
  void close() {
    database.close();
  }

  private static <T> T done(CompletableFuture<T> write) throws Exception {
    return write.get(30, TimeUnit.SECONDS);
  }

  private void ping() throws Exception {
    done(new SqlWork(database).add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
  }

  private long append(Store store) throws Exception {
    FollowedFeed now = store.feeds().byId(feed.id()).orElseThrow();
    return done(store.feeds().record(OutcomeBuilder.of(now, NOW).event(1).build())).get(0);
  }

  private SqliteDatabase restored() throws IOException {
    Path other = Files.createDirectory(temporary.resolve("other"));
    Files.copy(backup, other.resolve("feedbridge.db"));
    Files.copy(folder.resolve(KeyFile.NAME), other.resolve(KeyFile.NAME));
    return SqliteDatabase.open(other, Runnable::run);
  }

  private void assertRefused(Path data, Path file, boolean replace, String... says) {
    assertThatThrownBy(() -> SqliteBackup.write(data, file, replace))
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll(says);
    assertThat(temporary).isDirectoryNotContaining("glob:**.part");
  }

  @Nested
  class A_backup {

    @Test
    void has_what_was_committed_and_nothing_of_an_open_transaction() throws Exception {
      // Written, and then the backup while the transaction is open.
      done(
          database.change(
              (handle, effects) -> {
                handle.execute("DELETE FROM work");
                assertThat(SqliteBackup.write(folder, backup, false)).isPositive();
              }));

      try (SqliteDatabase restored = restored()) {
        assertThat(new SqlWork(restored).waiting()).isEqualTo(1);
        assertThat(new Store(restored).feeds().byId(feed.id())).isPresent();
      }
    }

    @Test
    void has_the_key_and_goes_on_with_the_sequence_numbers() throws Exception {
      Store store = new Store(database);
      byte[] key = done(store.key(() -> new byte[] {1, 2, 3}));
      long last = append(store);
      SqliteBackup.write(folder, backup, false);

      try (SqliteDatabase restored = restored()) {
        Store other = new Store(restored);
        assertThat(done(other.key(() -> new byte[] {9}))).isEqualTo(key);
        assertThat(append(other)).isGreaterThan(last);
      }
    }

    @Test
    void has_the_private_feeds_and_their_credentials_sealed() throws Exception {
      FeedCredentials credentials = new FeedCredentials(null, Map.of("X-Key", "xyzzy"), null, null);
      Store store = new Store(database);
      done(store.privateFeeds().set(feed.topic(), credentials, NOW));
      SqliteBackup.write(folder, backup, false);

      assertThat(Files.readString(backup, StandardCharsets.ISO_8859_1)).doesNotContain("xyzzy");
      try (SqliteDatabase restored = restored()) {
        PrivateFeeds feeds = new Store(restored).privateFeeds();
        assertThat(feeds.contains(feed.topic())).isTrue();
        assertThat(feeds.of(feed.id())).contains(credentials);
      }
    }

    @Test
    void is_for_its_owner_alone_and_one_file() throws Exception {
      SqliteBackup.write(folder, backup, false);

      assertThat(Files.getPosixFilePermissions(backup))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      try (Stream<Path> files = Files.list(temporary)) {
        assertThat(files).containsExactlyInAnyOrder(folder, backup);
      }
      assertThat(Files.size(backup)).isPositive();
    }

    @Test
    void can_be_made_of_a_store_that_nobody_has_open() throws Exception {
      database.close();

      SqliteBackup.write(folder, backup, false);

      try (SqliteDatabase restored = restored()) {
        assertThat(new SqlWork(restored).take(10))
            .extracting(Assignment::feedId)
            .containsExactly(feed.id());
      }
    }

    @Test
    void leaves_the_store_as_it_is_and_open_to_writes() throws Exception {
      SqliteBackup.write(folder, backup, false);
      ping();

      assertThat(new SqlWork(database).waiting()).isEqualTo(2);
    }

    @Test
    void takes_the_place_of_another_if_that_is_asked_for() throws Exception {
      Files.writeString(backup, "an older one");
      Files.writeString(backup.resolveSibling("backup.part"), "what a crash left");

      SqliteBackup.write(folder, backup, true);

      try (SqliteDatabase restored = restored()) {
        assertThat(new SqlWork(restored).waiting()).isEqualTo(1);
      }
    }
  }

  @Nested
  class It_is_refused {

    @Test
    void over_a_file_that_exists() throws IOException {
      Files.writeString(backup, "an older one");
      assertRefused(folder, backup, false, backup.toString(), "exists", "--force");
      assertThat(backup).hasContent("an older one");
    }

    @Test
    void where_there_is_no_store() {
      Path nowhere = temporary.resolve("nowhere");
      assertRefused(nowhere, backup, false, "there is no store in " + nowhere);
      assertThat(backup).doesNotExist();
    }

    @Test
    void into_a_folder_that_does_not_exist() {
      assertRefused(folder, temporary.resolve("none/backup"), false, "there is no folder");
    }

    @Test
    void where_the_name_is_a_folders() {
      assertRefused(folder, temporary, true, temporary.toString(), "is a folder");
    }

    @Test
    void over_the_store_itself_even_if_asked_for() throws IOException {
      for (String name :
          new String[] {"feedbridge.db", "feedbridge.db-wal", "feedbridge.lock", KeyFile.NAME}) {
        assertRefused(folder, folder.resolve(name), true, "is a file of the store itself");
      }
      assertThat(new SqlWork(database).waiting()).isEqualTo(1);
    }

    @Test
    void of_an_empty_file_whose_log_stays() throws IOException {
      Path killed = Files.createDirectory(temporary.resolve("killed"));
      Files.createFile(killed.resolve("feedbridge.db"));
      Path wal = killed.resolve("feedbridge.db-wal");
      Files.copy(folder.resolve("feedbridge.db-wal"), wal);
      byte[] before = Files.readAllBytes(wal);

      assertRefused(killed, backup, false, "is empty");

      assertThat(wal).hasBinaryContent(before);
    }

    @Test
    void of_a_damaged_store_and_an_older_backup_stays() throws IOException {
      database.close();
      Path damaged = folder.resolve("feedbridge.db");
      byte[] bytes = Files.readAllBytes(damaged);
      Arrays.fill(bytes, 4_096, bytes.length, (byte) 0x5a);
      Files.write(damaged, bytes);
      Files.writeString(backup, "an older one");

      assertRefused(folder, backup, true, damaged.toString(), "cannot be backed up");

      assertThat(backup).hasContent("an older one");
    }
  }
}
