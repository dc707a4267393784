package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.Token;
import io.feedbridge.gateway.store.Tokens;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.jdbi.v3.core.JdbiException;

/** The tokens in SQLite. */
public final class SqliteTokens implements Tokens {

  private static final String SEPARATOR = " ";

  private final SqliteDatabase database;

  SqliteTokens(SqliteDatabase database) {
    this.database = database;
  }

  /**
   * Adds one from outside of the gateway, which may run or not: it looks into the store whenever
   * somebody shows a token. Blocks.
   *
   * @param folder of the store
   * @return empty if the login has as many as it can have
   * @throws StoreException if the store cannot be written, with a message for the operator
   */
  public static Optional<Token> add(
      Path folder, String login, byte[] hash, Set<Right> rights, Instant now) {
    Path file = DataFolder.database(folder);
    if (Files.notExists(file)) {
      throw new StoreException(
          "there is no store in %s: start the gateway on it once".formatted(folder));
    }
    try {
      return Connections.jdbi(Connections.writing(file))
          .inTransaction(handle -> add(handle, login, hash, rights, now));
    } catch (JdbiException e) {
      throw new StoreException(
          "the store %s cannot be written: %s".formatted(file, StorageFailure.reason(e, file)), e);
    }
  }

  @Override
  public CompletableFuture<Optional<Token>> add(
      String login, byte[] hash, Set<Right> rights, Instant now) {
    return database.write((handle, effects) -> add(handle, login, hash, rights, now));
  }

  private static Optional<Token> add(
      Handle handle, String login, byte[] hash, Set<Right> rights, Instant now) {
    // Writes first: a transaction that has only read cannot go on to write once another has
    // written.
    SqliteUsers.know(handle, login, now);
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

  @Override
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

  @Override
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

  @Override
  public CompletableFuture<Boolean> remove(long id) {
    return database.write(
        (handle, effects) ->
            handle.createUpdate("DELETE FROM token WHERE id = :id").bind("id", id).execute() == 1);
  }
}
