package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.Token;
import io.feedbridge.gateway.store.Users.PasswordHash;
import io.feedbridge.gateway.store.sql.SqlTokens;
import io.feedbridge.gateway.store.sql.SqlUsers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.JdbiException;

/**
 * Users and tokens that are made beside the gateway, which may run or not: the gateway looks into
 * the store whenever a caller shows a password or a token.
 */
public final class SqliteAccounts {

  private final Path folder;
  private final Path file;

  /** Accounts in the store of a folder. */
  public SqliteAccounts(Path folder) {
    this.folder = folder;
    file = DataFolder.database(folder);
  }

  /**
   * Makes a user. Blocks.
   *
   * @param replace whether a user of that name gets another password
   * @return false if there is such a user, and it stays as it is
   * @throws StoreException if the store cannot be written, with a message for the operator
   */
  public boolean addUser(String login, PasswordHash password, boolean replace, Instant now) {
    return write(handle -> SqlUsers.add(handle, login, password, replace, now));
  }

  /**
   * Makes a token. Blocks.
   *
   * @return empty if the login has as many as it can have
   * @throws StoreException if the store cannot be written, with a message for the operator
   */
  public Optional<Token> addToken(String login, byte[] hash, Set<Right> rights, Instant now) {
    return write(handle -> SqlTokens.add(handle, login, hash, rights, now));
  }

  private <T> T write(HandleCallback<T, RuntimeException> change) {
    if (Files.notExists(file)) {
      throw new StoreException(
          "there is no store in %s: start the gateway on it once".formatted(folder));
    }
    try {
      return Connections.jdbi(Connections.writing(file))
          .inTransaction(
              handle -> {
                SqliteMoveSource.refuseMoved(file, handle);
                return change.withHandle(handle);
              });
    } catch (JdbiException e) {
      throw new StoreException(
          "the store %s cannot be written: %s".formatted(file, SqliteFailures.reason(e, file)), e);
    }
  }
}
