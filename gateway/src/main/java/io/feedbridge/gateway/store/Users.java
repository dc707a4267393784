package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Those who save their feeds in the gateway, and the feeds that they saved. */
public interface Users {

  /** How to know a user; empty if there is none of that name. */
  Optional<PasswordHash> passwordOf(String login);

  /** Makes a user, or gives one another password. */
  CompletableFuture<Void> set(String login, PasswordHash password, Instant now);

  /** Saves a user's feed in the place of the one before. */
  CompletableFuture<Void> save(String login, byte[] feed, Instant now);

  /** The feed that a user saved last. */
  Optional<SavedFeed> savedBy(String login);

  /**
   * What is kept of a password.
   *
   * @param method with its parameters, such as {@code argon2id,m=19456,t=2,p=1}
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
