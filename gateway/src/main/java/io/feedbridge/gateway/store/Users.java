package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Users that save their feeds in the gateway, and their saved feeds. */
public interface Users {

  /** The password hash of a user; empty if there is no user of that name. */
  Optional<PasswordHash> passwordOf(String login);

  /** Makes a user, or gives a user another password. */
  CompletableFuture<Void> set(String login, PasswordHash password, Instant now);

  /** The users in the order of their logins, after the given login. */
  List<User> list(String afterLogin, int limit);

  /**
   * Removes a user with its password, tokens and saved feed; false if there is none of that name.
   * Subscriptions that were made with its tokens stay until their leases end.
   */
  CompletableFuture<Boolean> remove(String login);

  /** Saves a user's feed in place of the previous one. */
  CompletableFuture<Void> save(String login, byte[] feed, Instant now);

  /** The feed that a user saved last. */
  Optional<SavedFeed> savedBy(String login);

  /**
   * A user.
   *
   * @param password whether the user has one
   * @param tokens how many the user has
   * @param savedAt when its feed was saved last; null if it never was
   */
  record User(
      String login, boolean password, int tokens, @Nullable Instant savedAt, Instant createdAt) {}

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
