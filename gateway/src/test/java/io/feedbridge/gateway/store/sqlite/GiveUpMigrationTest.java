package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.sql.Store;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.flywaydb.core.Flyway;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store of the first version learns who is how far behind. */
class GiveUpMigrationTest {

  @TempDir Path folder;

  @Test
  void L13_laggards_of_an_older_gateway_are_known_to_be_behind() {
    String url = "jdbc:sqlite:" + folder.resolve("feedbridge.db");
    Flyway.configure()
        .dataSource(url, null, null)
        .locations("classpath:db/sqlite")
        .target("1")
        .load()
        .migrate();
    Jdbi.create(url)
        .useHandle(
            handle -> {
              handle.execute(
                  "INSERT INTO feed (id, topic, url, kind, state, followed, head, fetched, advertised)"
                      + " VALUES (1, 't', 'u', 'FEED', 'ACTIVE', 1, 3, '{}', '{}')");
              for (int seq = 1; seq <= 3; seq++) {
                handle.execute(
                    "INSERT INTO event (seq, feed_id, at, via, entries, payload)"
                        + " VALUES (?, 1, ?, 'POLL', 1, x'7b7d')",
                    seq,
                    seq * 1000);
              }
              for (int id = 1; id <= 2; id++) {
                handle.execute(
                    "INSERT INTO subscription"
                        + " (id, feed_id, protocol, callback, terms, raw, start, lease_ends_at, created_at)"
                        + " VALUES (?, 1, 'WEBSUB', ?, '{}', 0, 0, 9, 0)",
                    id,
                    "c" + id);
              }
              handle.execute(
                  "INSERT INTO laggard VALUES (1, 1, 'h', 1, NULL, 0, 5, 0, NULL),"
                      + " (2, 1, 'h', 3, NULL, 0, NULL, 0, NULL)");
            });
    ExecutorService callers = Executors.newSingleThreadExecutor();
    try (SqliteDatabase database = SqliteDatabase.open(folder, callers)) {
      Laggards laggards = new Store(database).laggards();

      assertThat(laggards.oldestMissed()).contains(Instant.ofEpochMilli(2000));
      assertThat(
              laggards
                  .jump(
                      Instant.ofEpochMilli(2000),
                      io.feedbridge.gateway.store.deliveries.Gap.Reason.TOO_FAR_BEHIND,
                      10,
                      Instant.ofEpochMilli(9000))
                  .join())
          .singleElement()
          .satisfies(
              gap -> {
                assertThat(gap.subscriptionId()).isEqualTo(1);
                assertThat(gap.events()).isEqualTo(2);
              });
    } finally {
      callers.shutdown();
    }
  }
}
