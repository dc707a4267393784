package io.feedbridge.gateway.offline;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.publish.Passwords;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.postgres.PostgresAccounts;
import io.feedbridge.gateway.store.sql.SqlAccounts;
import io.feedbridge.gateway.store.sqlite.SqliteAccounts;
import io.feedbridge.websub.RandomToken;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;

/** Makes users in the store of a gateway, whether it runs or not. */
public final class NewUser {

  private final SqlAccounts accounts;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();

  private NewUser(SqlAccounts accounts, Clock clock) {
    this.accounts = accounts;
    this.clock = clock;
  }

  /**
   * New users of a gateway.
   *
   * @param data the folder of the embedded store
   * @param store the JDBC URL of a PostgreSQL store, which takes the place of the embedded one
   */
  public static NewUser in(Path data, Optional<Secret> store, Clock clock) {
    return new NewUser(
        store
            .<SqlAccounts>map(url -> new PostgresAccounts(url.text()))
            .orElseGet(() -> new SqliteAccounts(data)),
        clock);
  }

  /**
   * Makes a user with a new random password. Blocks.
   *
   * @param replace whether an existing user of that name gets another password
   * @return the password, which is kept nowhere; empty if the user exists and stays unchanged
   * @throws io.feedbridge.gateway.store.StoreException if the store cannot be written, with a
   *     message for the operator
   */
  public Optional<String> add(String login, boolean replace) {
    String password = RandomToken.next(random);
    boolean added =
        accounts.addUser(login, Passwords.hash(password, random), replace, clock.instant());
    return added ? Optional.of(password) : Optional.empty();
  }

  /**
   * Makes a token, and its user where there is none of that name. Blocks.
   *
   * @return the token, which is kept nowhere; empty if the user has as many as one can have
   * @throws io.feedbridge.gateway.store.StoreException as above
   */
  public Optional<String> addToken(String login, Set<Right> rights) {
    String token = AccessTokens.fresh(random);
    return accounts
        .addToken(login, AccessTokens.hash(token), rights, clock.instant())
        .map(made -> token);
  }
}
