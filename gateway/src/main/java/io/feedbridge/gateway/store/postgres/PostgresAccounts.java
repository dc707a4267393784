package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.SqlAccounts;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.store.sql.move.MoveMark;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.JdbiException;

/** Users and tokens in a PostgreSQL database, which a node may own meanwhile. */
public final class PostgresAccounts extends SqlAccounts {

  private final PostgresPlace place;

  /**
   * Accounts in the store of a database.
   *
   * @param url a JDBC URL of PostgreSQL, with the login
   */
  public PostgresAccounts(String url) {
    place = new PostgresPlace(url, true);
  }

  @Override
  protected <T> T write(HandleCallback<T, RuntimeException> change) {
    try {
      return PostgresConnections.jdbi(PostgresConnections.source(place.url()))
          .inTransaction(
              handle -> {
                refuseUnready(handle);
                return change.withHandle(handle);
              });
    } catch (JdbiException e) {
      throw new StoreException(
          "the database %s cannot be written: %s".formatted(place.name(), StorageFailure.words(e)),
          e);
    }
  }

  private void refuseUnready(Handle handle) {
    boolean made =
        handle
            .createQuery("SELECT to_regclass(:table) IS NOT NULL")
            .bind("table", MoveMark.TABLE)
            .mapTo(Boolean.class)
            .one();
    if (!made) {
      throw noStore(place.name());
    }
    MoveMark.in(handle)
        .ifPresent(
            mark -> {
              throw mark.refusal(place.name());
            });
  }
}
