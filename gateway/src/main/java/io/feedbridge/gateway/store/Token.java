package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.Set;

/**
 * A stored token of a login.
 *
 * @param id grows with each new one; never used twice
 * @param login the owner of the token
 * @param hash the SHA-256 of the token itself, which is random and so long that it cannot be tried
 */
@SuppressWarnings("ArrayRecordComponent") // compared in constant time where it matters
public record Token(long id, String login, byte[] hash, Set<Right> rights, Instant createdAt) {

  public Token {
    rights = Set.copyOf(rights);
  }

  @Override
  public String toString() {
    return "Token[id=" + id + ", login=" + login + ", rights=" + rights + ']';
  }
}
