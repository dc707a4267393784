package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.TrackersBeforeEntryKey;
import io.feedbridge.gateway.store.sql.SqlStore;
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
  void the_entries_of_trackers_from_before_they_were_told_apart_by_feed_are_known() {
    String url = TestServer.shared().empty();
    Flyway.configure()
        .dataSource(url, null, null)
        .locations("classpath:db/postgres")
        .target("2")
        .load()
        .migrate();
    Jdbi.create(url).useHandle(handle -> TrackersBeforeEntryKey.ROWS.forEach(handle::execute));
    PostgresMigration.run(PostgresConnections.source(url));

    try (SystemTimer timer = new SystemTimer(Clock.systemUTC());
        PostgresDatabase database =
            PostgresDatabase.open(
                new PostgresDatabase.Place(url, true), KeyFile.in(folder), Runnable::run, timer)) {
      TrackersBeforeEntryKey.areRight(new SqlStore(database));
    }
  }
}
