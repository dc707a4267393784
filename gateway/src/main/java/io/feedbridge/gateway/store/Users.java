package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Users that save their feeds in the gateway, and their saved feeds. */
public interface Users {

  /** The password hash of a user; empty if there is no user of that name. */
  Optional<PasswordHash> passwordOf(String login);

  /** Makes a user, or gives a user another password. */
  CompletableFuture<Void> set(String login, PasswordHash password, Instant now);

  /** Saves a user's feed in place of the previous one. */
  CompletableFuture<Void> save(String login, byte[] feed, Instant now);

  /** The feed that a user saved last. */
  Optional<SavedFeed> savedBy(String login);

  /**
   * The stored form of a password.
   *
   * @param method the hash method with its parameters, such as {@code argon2id,m=19456,t=2,p=1}
   */
  @SuppressWarnings("ArrayRecordComponent") // compared in constant time where it matters
  record PasswordHash(String method, byte[] salt, byte[] hash) {
    @Override
    public String toString() {
      return "PasswordHash[" + method + "]";
    }
  }

  /** A feed as it was saved. */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  record SavedFeed(byte[] bytes, Instant at) {}
}
