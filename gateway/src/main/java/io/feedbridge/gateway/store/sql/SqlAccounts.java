package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.Token;
import io.feedbridge.gateway.store.sql.Users.PasswordHash;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.HandleCallback;

/**
 * Users and tokens that are made beside the gateway, which may run or not: the gateway looks into
 * the store whenever a caller shows a password or a token. An engine says how a transaction runs
 * beside it.
 */
public abstract class SqlAccounts {

  /**
   * Makes a user. Blocks.
   *
   * @param replace whether a user of that name gets another password
   * @return false if there is such a user, and it stays as it is
   * @throws StoreException if the store cannot be written, with a message for the operator
   */
  public final boolean addUser(String login, PasswordHash password, boolean replace, Instant now) {
    return write(handle -> Users.add(handle, login, password, replace, now));
  }

  /**
   * Makes a token. Blocks.
   *
   * @return empty if the login has as many as it can have
   * @throws StoreException if the store cannot be written, with a message for the operator
   */
  public final Optional<Token> addToken(String login, byte[] hash, Set<Right> rights, Instant now) {
    return write(handle -> Tokens.add(handle, login, hash, rights, now));
  }

  /**
   * Runs a transaction in a connection of its own.
   *
   * @throws StoreException if there is no store, it was moved away, or it cannot be written
   */
  protected abstract <T> T write(HandleCallback<T, RuntimeException> change);

  /** The refusal to write where no gateway has made its tables yet. */
  protected static StoreException noStore(String name) {
    return new StoreException(
        "there is no store in %s: start the gateway on it once".formatted(name));
  }
}
