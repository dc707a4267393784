package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.Token;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** A token as the API lists it: its text is not shown again. */
public record TokenView(String id, String login, List<String> rights, Instant createdAt) {

  /** A stored token. */
  public static TokenView of(Token token) {
    return new TokenView(
        Long.toString(token.id()), token.login(), names(token.rights()), token.createdAt());
  }

  /** The answer to a new token: the only time that the token is shown. */
  public record Created(
      String id, String login, String token, List<String> rights, Instant createdAt) {}

  /** The names of rights, in their order. */
  public static List<String> names(Set<Right> rights) {
    return rights.stream().sorted().map(Right::value).toList();
  }
}
