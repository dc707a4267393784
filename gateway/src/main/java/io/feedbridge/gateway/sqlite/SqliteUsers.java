package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.Users;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;

/** Users and their saved feeds in SQLite. */
public final class SqliteUsers implements Users {

  /** The method of who has tokens alone. */
  private static final String NO_PASSWORD = "none";

  private final SqliteDatabase database;

  SqliteUsers(SqliteDatabase database) {
    this.database = database;
  }

  /**
   * Makes a user from outside of the gateway, which may run or not: it looks into the store
   * whenever a user shows a password. Blocks.
   *
   * @param folder of the store
   * @param replace whether a user of that name gets another password
   * @return false if there is such a user, and it stays as it is
   * @throws StoreException if the store cannot be written, with a message for the operator
   */
  public static boolean add(
      Path folder, String login, PasswordHash password, boolean replace, Instant now) {
    Path file = DataFolder.database(folder);
    if (Files.notExists(file)) {
      throw new StoreException(
          "there is no store in %s: start the gateway on it once".formatted(folder));
    }
    try {
      return Connections.jdbi(Connections.writing(file))
          .inTransaction(
              handle -> {
                // Writes first, as the gateway may be writing too.
                know(handle, login, now);
                if (!replace && password(handle, login).isPresent()) {
                  return false;
                }
                set(handle, login, password, now);
                return true;
              });
    } catch (JdbiException e) {
      throw new StoreException(
          "the store %s cannot be written: %s".formatted(file, StorageFailure.reason(e, file)), e);
    }
  }

  @Override
  public Optional<PasswordHash> passwordOf(String login) {
    return database.read(handle -> password(handle, login));
  }

  private static Optional<PasswordHash> password(Handle handle, String login) {
    return handle
        .createQuery("SELECT method, salt, hash FROM user WHERE login = :login AND method <> :none")
        .bind("login", login)
        .bind("none", NO_PASSWORD)
        .map(
            (row, context) ->
                new PasswordHash(
                    row.getString("method"), row.getBytes("salt"), row.getBytes("hash")))
        .findOne();
  }

  @Override
  public CompletableFuture<Void> set(String login, PasswordHash password, Instant now) {
    return database.change((handle, effects) -> set(handle, login, password, now));
  }

  private static void set(Handle handle, String login, PasswordHash password, Instant now) {
    handle
        .createUpdate(
            """
            INSERT INTO user (login, method, salt, hash, created_at)
            VALUES (:login, :method, :salt, :hash, :now)
            ON CONFLICT (login) DO UPDATE SET
              method = excluded.method, salt = excluded.salt, hash = excluded.hash
            """)
        .bind("login", login)
        .bind("method", password.method())
        .bind("salt", password.salt())
        .bind("hash", password.hash())
        .bind("now", now.toEpochMilli())
        .execute();
  }

  /** Makes a user without a password, where there is none of that name. */
  static void know(Handle handle, String login, Instant now) {
    handle
        .createUpdate(
            """
            INSERT INTO user (login, method, salt, hash, created_at)
            VALUES (:login, :none, X'', X'', :now)
            ON CONFLICT (login) DO NOTHING
            """)
        .bind("login", login)
        .bind("none", NO_PASSWORD)
        .bind("now", now.toEpochMilli())
        .execute();
  }

  @Override
  public CompletableFuture<Void> save(String login, byte[] feed, Instant now) {
    return database.change(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    INSERT INTO saved_feed (login, bytes, at) VALUES (:login, :bytes, :now)
                    ON CONFLICT (login) DO UPDATE SET bytes = excluded.bytes, at = excluded.at
                    """)
                .bind("login", login)
                .bind("bytes", feed)
                .bind("now", now.toEpochMilli())
                .execute());
  }

  @Override
  public Optional<SavedFeed> savedBy(String login) {
    return database.readLong(
        handle ->
            handle
                .createQuery("SELECT bytes, at FROM saved_feed WHERE login = :login")
                .bind("login", login)
                .map(
                    (row, context) -> new SavedFeed(row.getBytes("bytes"), Rows.instant(row, "at")))
                .findOne());
  }
}
