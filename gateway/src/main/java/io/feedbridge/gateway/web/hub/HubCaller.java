package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The caller that makes one of Superfeedr's calls.
 *
 * @param login absent for the operator, which counts all subscriptions as its own
 */
record HubCaller(@Nullable String login, Set<Right> rights) {

  static final HubCaller OPERATOR = new HubCaller(null, EnumSet.allOf(Right.class));

  /**
   * The same, if it has a right.
   *
   * @throws HubRefusal if it has not
   */
  HubCaller with(Right right) {
    if (!rights.contains(right)) {
      throw HubRefusal.forbidden("this token has no right to " + right.value());
    }
    return this;
  }

  /** The caller as the sponsor of a subscription that it asks for. */
  Sponsor sponsor() {
    return new Sponsor(login == null ? Sponsor.OPERATOR : login, true);
  }
}
