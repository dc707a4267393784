package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import java.time.Clock;
import javax.sql.DataSource;
import org.jdbi.v3.core.JdbiException;

/**
 * A database.
 *
 * @param url a JDBC URL, with the login
 * @param checked whether its server is known to be as it should be
 */
record PostgresPlace(String url, boolean checked) {
  /** As messages name it: without the login. */
  String name() {
    return url.replaceFirst("\\?.*", "");
  }

  /**
   * Checks the server, and makes the tables of the nodes.
   *
   * @param application the name of the caller's sessions
   * @throws StoreException with the reason and the remedy
   */
  void prepare(String application, Clock clock) {
    try {
      if (!checked) {
        PostgresServer.check(url, clock);
      }
      DataSource source = PostgresConnections.migrating(url, application);
      PostgresConnections.jdbi(source)
          .useHandle(handle -> PostgresMigration.prepare(handle, source));
    } catch (JdbiException e) {
      throw unusable(e);
    }
  }

  StoreException unusable(Exception e) {
    return new StoreException(
        "the database %s cannot be opened: %s".formatted(name(), StorageFailure.words(e)), e);
  }
}
