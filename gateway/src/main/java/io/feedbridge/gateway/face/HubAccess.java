package io.feedbridge.gateway.face;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.store.Right;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

/**
 * Who may make which of Superfeedr's calls: a login with a token for what that has a right to, and
 * the operator, who is known as on the API. Thread-safe; blocks on the store.
 */
final class HubAccess {

  private final AccessTokens tokens;
  private final AdminAccess operators;

  HubAccess(AccessTokens tokens, AdminAccess operators) {
    this.tokens = tokens;
    this.operators = operators;
  }

  /**
   * The caller. One without credentials is the operator on this machine, if anybody is there.
   *
   * @throws HubRefusal if it is unknown
   */
  HubCaller caller(Request request) {
    Optional<Credentials> shown = Credentials.of(request);
    if (shown.isPresent()) {
      return caller(shown.get());
    }
    if (operators.isOpenTo(request)) {
      return HubCaller.OPERATOR;
    }
    throw HubRefusal.unauthorized();
  }

  private HubCaller caller(Credentials shown) {
    if (operators.isOperator(shown)) {
      return HubCaller.OPERATOR;
    }
    Optional<Set<Right>> rights =
        SavedFeeds.isLogin(shown.login())
            ? tokens.rights(shown.login(), new String(shown.secret(), StandardCharsets.UTF_8))
            : Optional.empty();
    return new HubCaller(shown.login(), rights.orElseThrow(HubRefusal::unauthorized));
  }
}
