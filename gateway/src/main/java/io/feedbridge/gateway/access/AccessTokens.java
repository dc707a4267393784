package io.feedbridge.gateway.access;

import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.Token;
import io.feedbridge.gateway.store.sql.Tokens;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Makes tokens and knows them again. A token has 256 random bits, so that unlike a password it
 * cannot be tried, and one round of SHA-256 is hash enough. Thread-safe.
 */
public final class AccessTokens {

  private static final int BYTES = 32;

  private final Tokens tokens;

  /** Over the tokens of a store. */
  public AccessTokens(Tokens tokens) {
    this.tokens = tokens;
  }

  /**
   * A new token.
   *
   * @param random unguessable
   */
  public static String fresh(RandomGenerator random) {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** The hash of a token, as the store keeps it. */
  public static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** The rights of a login that shows a token; empty if it has no such token. Blocks. */
  public Optional<Set<Right>> rights(String login, String token) {
    byte[] shown = hash(token);
    Optional<Set<Right>> rights = Optional.empty();
    for (Token one : tokens.of(login)) {
      if (MessageDigest.isEqual(one.hash(), shown)) {
        rights = Optional.of(one.rights());
      }
    }
    return rights;
  }

  /** Whether a login that shows a token has a right. Blocks. */
  public boolean allows(String login, String token, Right right) {
    return rights(login, token).filter(rights -> rights.contains(right)).isPresent();
  }
}
