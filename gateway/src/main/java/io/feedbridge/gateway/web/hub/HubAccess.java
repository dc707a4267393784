package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.Credentials;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

/**
 * The right to make each of Superfeedr's calls: a login with a token may make the calls that the
 * token has a right to; the operator may make all, and is recognised as on the API. Thread-safe;
 * blocks on the store.
 */
final class HubAccess {

  private final AccessTokens tokens;
  private final AdminAccess operators;

  HubAccess(AccessTokens tokens, AdminAccess operators) {
    this.tokens = tokens;
    this.operators = operators;
  }

  /**
   * The caller. A request without credentials is the operator's if {@link AdminAccess#isOpenTo}
   * holds.
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
