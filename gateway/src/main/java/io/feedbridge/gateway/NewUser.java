package io.feedbridge.gateway;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.publish.Passwords;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.sqlite.SqliteAccounts;
import io.feedbridge.websub.RandomToken;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;

/** Makes users in the store of a gateway, whether it runs or not. */
public final class NewUser {

  private NewUser() {}

  /**
   * Makes a user with a new random password. Blocks.
   *
   * @param data the folder of the store
   * @param replace whether an existing user of that name gets another password
   * @return the password, which is kept nowhere; empty if the user exists and stays unchanged
   * @throws io.feedbridge.gateway.store.StoreException if the store cannot be written, with a
   *     message for the operator
   */
  public static Optional<String> add(Path data, String login, boolean replace, Clock clock) {
    SecureRandom random = new SecureRandom();
    String password = RandomToken.next(random);
    boolean added =
        new SqliteAccounts(data)
            .addUser(login, Passwords.hash(password, random), replace, clock.instant());
    return added ? Optional.of(password) : Optional.empty();
  }

  /**
   * Makes a token, and its user where there is none of that name. Blocks.
   *
   * @param data the folder of the store
   * @return the token, which is kept nowhere; empty if the user has as many as one can have
   * @throws io.feedbridge.gateway.store.StoreException as above
   */
  public static Optional<String> addToken(Path data, String login, Set<Right> rights, Clock clock) {
    String token = AccessTokens.fresh(new SecureRandom());
    return new SqliteAccounts(data)
        .addToken(login, AccessTokens.hash(token), rights, clock.instant())
        .map(made -> token);
  }
}
