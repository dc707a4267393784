package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.OldStore;
import io.feedbridge.gateway.vault.KeyFile;
import java.nio.file.Path;
import java.time.Clock;
import org.flywaydb.core.Flyway;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases of earlier versions are taken over with their rows. */
final class PostgresUpgradeTest {

  @TempDir Path folder;

  @Test
  void trackers_long_ids_and_left_feeds_of_an_earlier_version_are_right() {
    String url = TestServer.shared().empty();
    Flyway.configure()
        .dataSource(url, null, null)
        .locations("classpath:db/postgres")
        .target("2")
        .load()
        .migrate();
    Jdbi.create(url).useHandle(OldStore::fill);

    try (SystemTimer timer = new SystemTimer(Clock.systemUTC());
        PostgresDatabase database =
            PostgresDatabase.open(
                new PostgresPlace(url, true), KeyFile.in(folder), Runnable::run, timer)) {
      OldStore.isRight(database);
    }
  }
}
