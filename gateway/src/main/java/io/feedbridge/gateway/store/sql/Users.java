package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Users that save their feeds in the gateway, and their saved feeds. */
public final class Users {

  /** The method of a user that has tokens and no password. */
  private static final String NO_PASSWORD = "none";

  private final Database database;

  Users(Database database) {
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

  /** The password hash of a user; empty if there is no user of that name. */
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

  /** Makes a user, or gives a user another password. */
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

  /** The users in the order of their logins, after the given login. */
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

  /**
   * Removes a user with its password, tokens and saved feed; false if there is none of that name.
   * Subscriptions that were made with its tokens stay until their leases end.
   */
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

  /** Saves a user's feed in place of the previous one. */
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

  /** The feed that a user saved last. */
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

  /**
   * A user.
   *
   * @param password whether the user has one
   * @param tokens how many the user has
   * @param savedAt when its feed was saved last; null if it never was
   */
  public record User(
      String login, boolean password, int tokens, @Nullable Instant savedAt, Instant createdAt) {}

  /**
   * The stored form of a password.
   *
   * @param method the hash method with its parameters, such as {@code argon2id,m=19456,t=2,p=1}
   */
  @SuppressWarnings("ArrayRecordComponent") // compared in constant time where it matters
  public record PasswordHash(String method, byte[] salt, byte[] hash) {
    @Override
    public String toString() {
      return "PasswordHash[" + method + "]";
    }
  }

  /** A feed as it was saved. */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  public record SavedFeed(byte[] bytes, Instant at) {}
}
