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
   * Adds one, and its login where there is none of that name.
   *
   * @return empty if the login has {@link #MAX_OF_LOGIN} already
   */
  CompletableFuture<Optional<Token>> add(String login, byte[] hash, Set<Right> rights, Instant now);

  /** Those of a login. */
  List<Token> of(String login);

  /** All of them in the order of their ids, after the given one. */
  List<Token> list(long afterId, int limit);

  /** Removes one; false if there is none such. Its login stays, with what it has. */
  CompletableFuture<Boolean> remove(long id);
}
