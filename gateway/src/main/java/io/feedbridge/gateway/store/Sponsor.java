package io.feedbridge.gateway.store;

import org.jspecify.annotations.Nullable;

/**
 * Who asks for a subscription, apart from its callback.
 *
 * @param login with whose credentials it is asked for, {@link #OPERATOR} for the operator's; absent
 *     where there are none
 * @param vouches whether these stand in for asking the callback, as far as that is nobody else's
 */
public record Sponsor(@Nullable String login, boolean vouches) {

  /** Stands for the operator among the logins, which have a name. */
  public static final String OPERATOR = "";

  /** Whoever comes without credentials. */
  public static final Sponsor NOBODY = new Sponsor(null, false);

  /** The same, who wants the callback to be asked. */
  public Sponsor asking() {
    return new Sponsor(login, false);
  }

  /** Whether it may do to any subscription what a login may do to its own. */
  public boolean isOperator() {
    return OPERATOR.equals(login);
  }
}
