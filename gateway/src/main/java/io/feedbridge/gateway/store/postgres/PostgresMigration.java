package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.store.sql.database.SchemaVersions;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Handle;

/**
 * Migrates a database to the version of this gateway. Only the owner of the store migrates it, so
 * that no schema changes under a gateway of an older version. Without the tables of the nodes there
 * is no owner yet: each node that joins makes them, under a lock of the database.
 */
final class PostgresMigration {

  private static final String FOLDER = "db/postgres";

  /**
   * The migration that makes the tables of nodes. No later one may change them in a way that the
   * statements of {@link NodeSession} do not bear, in this version and in the versions before:
   * nodes of two versions share these tables.
   */
  static final String NODES = "2";

  private static final String APPLIED =
      "SELECT version FROM flyway_schema_history WHERE success AND version IS NOT NULL";

  private PostgresMigration() {}

  /**
   * Makes the tables that tell which node owns the store, if they are not there.
   *
   * @throws StoreException if the database is of a newer version, or cannot be migrated
   */
  static void prepare(Handle handle, DataSource source) {
    boolean empty =
        handle
            .createQuery("SELECT to_regclass('flyway_schema_history') IS NULL")
            .mapTo(Boolean.class)
            .one();
    if (!empty) {
      refuseNewer(handle);
    }
    if (empty || !appliedIn(handle).contains(NODES)) {
      migrate(source, NODES);
    }
  }

  /**
   * Migrates the database, by the owner of the store. Each migration is one transaction.
   *
   * @throws StoreException if the database is of a newer version, or cannot be migrated
   */
  static void run(Handle handle, DataSource source) {
    refuseNewer(handle);
    if (!isDone(handle)) {
      migrate(source, "latest");
    }
  }

  /** Whether the database has the migrations of this version and no others. */
  static boolean isDone(Handle handle) {
    return appliedIn(handle).equals(SchemaVersions.of(FOLDER).versions());
  }

  /**
   * Refuses a database that a newer gateway has migrated.
   *
   * @throws StoreException with the reason and the remedy
   */
  static void refuseNewer(Handle handle) {
    handle
        .createQuery(APPLIED + " AND version <> ALL (string_to_array(:known, ','))")
        .bind("known", String.join(",", SchemaVersions.of(FOLDER).versions()))
        .mapTo(String.class)
        .findFirst()
        .ifPresent(
            version -> {
              throw new StoreException(
                  ("the database was written by a newer Feedbridge, whose migration %s this one does"
                          + " not know; it was left as it is: run that one")
                      .formatted(version));
            });
  }

  private static Set<String> appliedIn(Handle handle) {
    return handle.createQuery(APPLIED).mapTo(String.class).set();
  }

  private static void migrate(DataSource source, String target) {
    try {
      Flyway.configure(PostgresMigration.class.getClassLoader())
          .dataSource(source)
          .locations("classpath:" + FOLDER)
          .target(target)
          .load()
          .migrate();
    } catch (FlywayException e) {
      throw new StoreException("the database cannot be migrated: " + StorageFailure.words(e), e);
    }
  }
}
