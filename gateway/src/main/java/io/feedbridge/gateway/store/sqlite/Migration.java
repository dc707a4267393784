package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.database.SchemaVersions;
import java.nio.file.Path;
import java.util.Arrays;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/** Migrates the schema of a database to the version of this gateway. */
final class Migration {

  private static final String FOLDER = "db/sqlite";

  private Migration() {}

  /**
   * Refuses a database whose schema is newer than this gateway. Writes nothing.
   *
   * @param reading connections that cannot write
   * @return whether there is something to migrate
   */
  static boolean isDue(Path database, DataSource reading) {
    if (SchemaVersions.of(FOLDER).areThoseOf(reading)) {
      return false;
    }
    try {
      MigrationInfoService info = flyway(reading).info();
      Arrays.stream(info.applied())
          .filter(Migration::isUnknown)
          .findFirst()
          .ifPresent(
              migration -> {
                throw new StoreException(
                    ("the store %s was written by a newer Feedbridge, whose migration %s this one"
                            + " does not know; it was left as it is: run that one, or restore a backup"
                            + " from before it")
                        .formatted(database, migration.getVersion()));
              });
      return info.pending().length > 0;
    } catch (FlywayException e) {
      throw FileCheck.unreadable(database, e);
    }
  }

  private static boolean isUnknown(MigrationInfo migration) {
    return migration.getState() == MigrationState.FUTURE_SUCCESS
        || migration.getState() == MigrationState.FUTURE_FAILED;
  }

  /** Migrates. Each migration is one transaction. */
  static void run(Path database, DataSource writing) {
    try {
      flyway(writing).migrate();
    } catch (FlywayException e) {
      throw FileCheck.unreadable(database, e);
    }
  }

  private static Flyway flyway(DataSource source) {
    return Flyway.configure(Migration.class.getClassLoader())
        .dataSource(source)
        .locations("classpath:" + FOLDER)
        // Migrations of two lines of development may reach a store in either order.
        .outOfOrder(true)
        .callbacks(new InTransaction())
        .load();
  }

  /** In the transaction of a migration, when all of it has run. */
  private static final class InTransaction implements Callback {

    @Override
    public boolean supports(Event event, Context context) {
      return event == Event.AFTER_EACH_MIGRATE;
    }

    @Override
    public boolean canHandleInTransaction(Event event, Context context) {
      return true;
    }

    @Override
    public void handle(Event event, Context context) {
      Failpoint.MID_MIGRATION.reached();
    }

    @Override
    public String getCallbackName() {
      return "failpoint";
    }
  }
}
