package io.feedbridge.gateway.store.sqlite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.vault.KeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Secrets in the file are encrypted, and open with the store's own key and in their own place. */
@Timeout(300)
class SqliteVaultTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  /** More than one step has room for. */
  private static final int MANY = SqliteVault.STEP + 10;

  @TempDir Path folder;

  private static Terms terms(String secret) {
    return new Terms("topic", Format.ATOM, secret, "sha256", false, false, Duration.ofDays(10));
  }

  /** All bytes of the store, a character each. */
  private String bytes() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("feedbridge.db"))
          .map(
              file -> {
                try {
                  return Files.readString(file, ISO_8859_1);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              })
          .collect(joining());
    }
  }

  private DataSource source() {
    return Connections.writing(DataFolder.database(folder));
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void fill(Store store) {
    store.subscriptions().register(feed(store), "cloud", terms("plain-cloud"), NOW).join();
    Verification request =
        store
            .subscriptions()
            .request(
                Verification.Mode.SUBSCRIBE, "topic", "hub", terms("plain-hub"), "plain-token", NOW)
            .join();
    store.subscriptions().confirm(request, NOW).join();
    var unused =
        store
            .subscriptions()
            .request(Verification.Mode.SUBSCRIBE, "topic", "hub", terms("plain-next"), null, NOW)
            .join();
    store.publishers().add("topic", "plain-publisher", NOW).join();
    Webhook webhook =
        store
            .webhooks()
            .create(
                new Webhook.Terms("http://a/", List.of(), null, null),
                "tag",
                "plain-old",
                true,
                NOW)
            .join()
            .orElseThrow();
    store.webhooks().rotate(webhook.id(), "plain-new", false, NOW).join();
    store.key(() -> "plain-key-plain-key-plain-key-32".getBytes(ISO_8859_1)).join();
  }

  private static long feed(Store store) {
    return store.feeds().follow("topic", NOW).join().id();
  }

  private static Subscription subscription(Store store, String callback) {
    return store.subscriptions().ofFeed(feed(store), 0, 10_000).stream()
        .filter(one -> one.callback().equals(callback))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void none_is_in_the_file_and_each_is_read_as_it_was() throws IOException {
    try (SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run)) {
      Store store = new Store(database);
      fill(store);
      assertThat(subscription(store, "hub").terms().secret()).isEqualTo("plain-hub");
      assertThat(subscription(store, "cloud").terms().secret()).isEqualTo("plain-cloud");
      assertThat(bytes()).contains("topic").doesNotContain("plain-");
    }
    try (SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run)) {
      Store store = new Store(database);
      assertThat(store.publishers().of("topic"))
          .singleElement()
          .satisfies(one -> assertThat(one.secret()).isEqualTo("plain-publisher"));
      Webhook webhook = store.webhooks().byId(1).orElseThrow();
      assertThat(webhook.secretsAt(NOW)).containsExactly("plain-new", "plain-old");
      assertThat(store.key(() -> new byte[0]).join()).asString().startsWith("plain-key");
    }
    assertThat(bytes()).doesNotContain("plain-");
  }

  @Test
  void one_that_was_put_elsewhere_does_not_open_there() throws Exception {
    try (SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run)) {
      Store store = new Store(database);
      fill(store);
      execute(
          "UPDATE subscription SET terms = (SELECT terms FROM subscription WHERE callback = 'cloud')"
              + " WHERE callback = 'hub'");
      assertThat(store.subscriptions().ofFeed(feed(store), 0, 10_000))
          .extracting(Subscription::callback)
          .contains("cloud")
          .doesNotContain("hub");
      assertThat(database.damagedRows()).isEqualTo(1);
    }
  }

  @Test
  void a_store_does_not_open_without_its_key_nor_with_another_one() throws IOException {
    SqliteDatabase.open(folder, Runnable::run).close();
    Path key = folder.resolve(KeyFile.NAME);
    Path away = Files.move(key, folder.resolve("away"));
    assertThatThrownBy(() -> SqliteDatabase.open(folder, Runnable::run))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the key file " + key + " is missing")
        .hasMessageContaining("--key-file");
    assertThat(key).doesNotExist();

    Files.writeString(key, "A".repeat(43) + "=");
    assertThatThrownBy(() -> SqliteDatabase.open(folder, Runnable::run))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the key file " + key + " is not the one");

    Files.delete(key);
    Files.move(away, key);
    SqliteDatabase.open(folder, Runnable::run).close();
  }

  @Test
  void those_of_a_store_from_before_are_encrypted_at_its_next_start() throws Exception {
    Flyway.configure()
        .dataSource(source())
        .locations("classpath:db/sqlite")
        .target("22")
        .load()
        .migrate();
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          """
          INSERT INTO feed (topic, url, kind, state, followed, fetched, advertised)
          VALUES ('topic', 'topic', 'FEED', 'ACTIVE', 1,
            '{"period":"PT15M","failures":0,"generatedIds":false,"maintenance":{"entriesSince":3}}',
            '{"hubs":[],"clouds":[]}')
          """);
      for (String table : List.of("subscription", "verification")) {
        boolean active = table.equals("subscription");
        try (PreparedStatement insert =
            connection.prepareStatement(
                active
                    ? """
                      INSERT INTO subscription (feed_id, protocol, callback, terms, raw, start,
                        lease_ends_at, created_at, verify_token)
                      VALUES (1, 'WEBSUB', ?, ?, 0, 0, 0, 0, 'plain-token')
                      """
                    : """
                      INSERT INTO verification (feed_id, topic, callback, mode, terms,
                        requested_at, attempts, next_attempt_at, verify_token)
                      VALUES (1, 'topic', ?, 'SUBSCRIBE', ?, 0, 0, 0, 'plain-token')
                      """)) {
          for (int i = 0; i < MANY; i++) {
            insert.setString(1, "callback-" + i);
            insert.setString(2, Json.text(terms("plain-" + i)));
            insert.addBatch();
          }
          insert.executeBatch();
        }
      }
      statement.execute(
          """
          INSERT INTO following (feed_id, kind, endpoint, topic, token, secret, state,
            next_action_at, attempts)
          VALUES (1, 'WEBSUB', 'hub', 'topic', 'token', 'plain-following', 'ACTIVE', 0, 0)
          """);
      statement.execute("INSERT INTO publisher VALUES (1, 'topic', 'plain-publisher', 0)");
      statement.execute(
          """
          INSERT INTO webhook (tag, url, host, every_feed, secret, retired, state, verified,
            created_at)
          VALUES ('tag', 'http://a/', 'a', 1, 'plain-webhook',
            '[{"secret":"plain-retired","until":"2126-01-01T00:00:00Z"}]', 'ACTIVE', 1, 0)
          """);
      statement.execute("INSERT INTO secret VALUES ('gateway', CAST('plain-key' AS BLOB))");
      connection.commit();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    assertThat(bytes()).contains("plain-1", "plain-key");

    try (SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run)) {
      assertThat(bytes()).doesNotContain("plain-");
      Store store = new Store(database);
      for (int i : new int[] {0, 1, SqliteVault.STEP, MANY - 1}) {
        assertThat(subscription(store, "callback-" + i).terms()).isEqualTo(terms("plain-" + i));
      }
      assertThat(store.subscriptions().due(NOW, Set.of(), MANY))
          .allMatch(one -> "plain-token".equals(one.verification().verifyToken()));
      UpstreamSubscription following = store.upstreamSubscriptions().byToken("token").orElseThrow();
      assertThat(following.secret()).isEqualTo("plain-following");
      assertThat(store.publishers().of("topic").get(0).secret()).isEqualTo("plain-publisher");
      assertThat(store.webhooks().byId(1).orElseThrow().secretsAt(NOW))
          .containsExactly("plain-webhook", "plain-retired");
    }
    // Once is enough: what is encrypted already is not encrypted again.
    try (SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run)) {
      assertThat(subscription(new Store(database), "callback-1").terms().secret())
          .isEqualTo("plain-1");
    }
  }
}
