package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.Users;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/** Users and their saved feeds as SQL. */
public final class SqlUsers implements Users {

  /** The method of a user that has tokens and no password. */
  private static final String NO_PASSWORD = "none";

  private final Database database;

  SqlUsers(Database database) {
    this.database = database;
  }

  /**
   * Makes a user within a transaction.
   *
   * @param replace whether a user of that name gets another password
   * @return false if there is such a user, and it stays as it is
   */
  public static boolean add(
      Handle handle, String login, PasswordHash password, boolean replace, Instant now) {
    // Writes first, as the gateway may be writing too.
    know(handle, login, now);
    if (!replace && password(handle, login).isPresent()) {
      return false;
    }
    set(handle, login, password, now);
    return true;
  }

  @Override
  public Optional<PasswordHash> passwordOf(String login) {
    return database.read(handle -> password(handle, login));
  }

  private static Optional<PasswordHash> password(Handle handle, String login) {
    return handle
        .createQuery(
            "SELECT method, salt, hash FROM \"user\" WHERE login = :login AND method <> :none")
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
            INSERT INTO "user" (login, method, salt, hash, created_at)
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

  /**
   * Makes a user without a password, where there is none of that name. Locks the user, so that no
   * other transaction changes it before this one ends.
   */
  static void know(Handle handle, String login, Instant now) {
    handle
        .createUpdate(
            """
            INSERT INTO "user" (login, method, salt, hash, created_at)
            VALUES (:login, :none, :empty, :empty, :now)
            ON CONFLICT (login) DO UPDATE SET login = excluded.login
            """)
        .bind("login", login)
        .bind("none", NO_PASSWORD)
        .bind("empty", new byte[0])
        .bind("now", now.toEpochMilli())
        .execute();
  }

  @Override
  public List<User> list(String afterLogin, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT u.login, u.method <> :none AS password, u.created_at, s.at AS saved_at,
                      (SELECT COUNT(*) FROM token t WHERE t.login = u.login) AS tokens
                    FROM "user" u LEFT JOIN saved_feed s ON s.login = u.login
                    WHERE u.login > :after ORDER BY u.login LIMIT :limit
                    """)
                .bind("none", NO_PASSWORD)
                .bind("after", afterLogin)
                .bind("limit", limit)
                .map(
                    (row, context) ->
                        new User(
                            row.getString("login"),
                            row.getBoolean("password"),
                            row.getInt("tokens"),
                            Rows.instantOrNull(row, "saved_at"),
                            Rows.instant(row, "created_at")))
                .list());
  }

  @Override
  public CompletableFuture<Boolean> remove(String login) {
    return database.write(
        (handle, effects) -> {
          remove(handle, "token", login);
          remove(handle, "saved_feed", login);
          return remove(handle, "\"user\"", login) == 1;
        });
  }

  private static int remove(Handle handle, String table, String login) {
    return handle
        .createUpdate("DELETE FROM " + table + " WHERE login = :login")
        .bind("login", login)
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
