package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.Token;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** The tokens that logins show, each with its rights. */
public final class Tokens {

  /** Tokens that one login can have at once. */
  public static final int MAX_OF_LOGIN = 32;

  private static final String SEPARATOR = " ";

  private final Database database;

  Tokens(Database database) {
    this.database = database;
  }

  /**
   * Adds a token, and its login where there is none of that name.
   *
   * @return empty if the login has {@link #MAX_OF_LOGIN} already
   */
  public CompletableFuture<Optional<Token>> add(
      String login, byte[] hash, Set<Right> rights, Instant now) {
    return database.write((handle, effects) -> add(handle, login, hash, rights, now));
  }

  public static Optional<Token> add(
      Handle handle, String login, byte[] hash, Set<Right> rights, Instant now) {
    // Writes first: a transaction that has only read cannot go on to write once another has
    // written.
    Users.know(handle, login, now);
    if (of(handle, login).size() >= MAX_OF_LOGIN) {
      return Optional.empty();
    }
    return Optional.of(
        handle
            .createQuery(
                """
                INSERT INTO token (login, hash, rights, created_at)
                VALUES (:login, :hash, :rights, :now)
                RETURNING *
                """)
            .bind("login", login)
            .bind("hash", hash)
            .bind(
                "rights",
                EnumSet.copyOf(rights).stream()
                    .map(Right::value)
                    .collect(Collectors.joining(SEPARATOR)))
            .bind("now", now.toEpochMilli())
            .map((row, context) -> token(row))
            .one());
  }

  /** The tokens of a login. */
  public List<Token> of(String login) {
    return database.read(handle -> of(handle, login));
  }

  private static List<Token> of(Handle handle, String login) {
    return handle
        .createQuery("SELECT * FROM token WHERE login = :login ORDER BY id LIMIT :limit")
        .bind("login", login)
        .bind("limit", MAX_OF_LOGIN)
        .map((row, context) -> token(row))
        .list();
  }

  /** All tokens in the order of their ids, after the given id. */
  public List<Token> list(long afterId, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM token WHERE id > :after ORDER BY id LIMIT :limit")
                .bind("after", afterId)
                .bind("limit", limit)
                .map((row, context) -> token(row))
                .list());
  }

  private static Token token(ResultSet row) throws SQLException {
    return new Token(
        row.getLong("id"),
        row.getString("login"),
        row.getBytes("hash"),
        Arrays.stream(row.getString("rights").split(SEPARATOR, -1))
            .flatMap(right -> Right.of(right).stream())
            .collect(Collectors.toUnmodifiableSet()),
        Rows.instant(row, "created_at"));
  }

  /**
   * Removes a token; false if there is none with this id. Its login stays, with its subscriptions.
   */
  public CompletableFuture<Boolean> remove(long id) {
    return database.write(
        (handle, effects) ->
            handle.createUpdate("DELETE FROM token WHERE id = :id").bind("id", id).execute() == 1);
  }
}
