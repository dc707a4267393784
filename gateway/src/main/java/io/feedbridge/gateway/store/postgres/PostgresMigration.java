package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.store.sql.database.SchemaVersions;
import java.util.Arrays;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.jdbi.v3.core.Handle;

/** Checks a server, and migrates a database to the version of this gateway. */
final class PostgresMigration {

  /** The oldest server that the suites of the store run on: PostgreSQL 14. */
  private static final int OLDEST = 140_000;

  private static final String FOLDER = "db/postgres";

  private PostgresMigration() {}

  /**
   * Refuses a server on which a commit would not be durable, or that is not PostgreSQL.
   *
   * @throws StoreException with the reason and the remedy
   */
  static void checkServer(Handle handle) {
    String version = setting(handle, "SELECT version()");
    if (!version.startsWith("PostgreSQL ") || version.contains("-YB-")) {
      throw new StoreException("the store needs PostgreSQL itself; this server is " + version);
    }
    if (Integer.parseInt(setting(handle, "SHOW server_version_num")) < OLDEST) {
      throw new StoreException("the store needs PostgreSQL 14 or newer; this server is " + version);
    }
    if (!setting(handle, "SHOW server_encoding").equals("UTF8")) {
      throw new StoreException(
          "the database must have the encoding UTF8: create it with ENCODING 'UTF8'");
    }
    refuse(handle, "fsync", "off");
    refuse(handle, "full_page_writes", "off");
    refuse(handle, "synchronous_commit", "off");
  }

  private static void refuse(Handle handle, String name, String value) {
    if (setting(handle, "SHOW " + name).equals(value)) {
      throw new StoreException(
          "the database has %s = %s, which loses acknowledged writes: set %s = on"
              .formatted(name, value, name));
    }
  }

  private static String setting(Handle handle, String query) {
    return handle.createQuery(query).mapTo(String.class).one();
  }

  /** Migrates, under a lock of the database. Each migration is one transaction. */
  static void run(DataSource writing) {
    if (SchemaVersions.of(FOLDER).areThoseOf(writing)) {
      return;
    }
    try {
      Flyway flyway =
          Flyway.configure(PostgresMigration.class.getClassLoader())
              .dataSource(writing)
              .locations("classpath:" + FOLDER)
              .load();
      Arrays.stream(flyway.info().applied())
          .filter(PostgresMigration::isUnknown)
          .findFirst()
          .ifPresent(
              migration -> {
                throw new StoreException(
                    ("the database was written by a newer Feedbridge, whose migration %s this one"
                            + " does not know; it was left as it is: run that one")
                        .formatted(migration.getVersion()));
              });
      flyway.migrate();
    } catch (FlywayException e) {
      throw new StoreException("the database cannot be migrated: " + StorageFailure.words(e), e);
    }
  }

  private static boolean isUnknown(MigrationInfo migration) {
    return migration.getState() == MigrationState.FUTURE_SUCCESS
        || migration.getState() == MigrationState.FUTURE_FAILED;
  }
}
