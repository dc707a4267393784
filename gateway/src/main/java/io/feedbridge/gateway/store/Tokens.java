package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The tokens that logins show, each with its rights. */
public interface Tokens {

  /** Tokens that one login can have at once. */
  int MAX_OF_LOGIN = 32;

  /**
   * Adds a token, and its login where there is none of that name.
   *
   * @return empty if the login has {@link #MAX_OF_LOGIN} already
   */
  CompletableFuture<Optional<Token>> add(String login, byte[] hash, Set<Right> rights, Instant now);

  /** The tokens of a login. */
  List<Token> of(String login);

  /** All tokens in the order of their ids, after the given id. */
  List<Token> list(long afterId, int limit);

  /**
   * Removes a token; false if there is none with this id. Its login stays, with its subscriptions.
   */
  CompletableFuture<Boolean> remove(long id);
}
