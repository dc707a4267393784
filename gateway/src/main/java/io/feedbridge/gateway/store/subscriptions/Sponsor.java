package io.feedbridge.gateway.store.subscriptions;

import org.jspecify.annotations.Nullable;

/**
 * The caller that requests a subscription, as opposed to its callback.
 *
 * @param login the login whose credentials the request has, {@link #OPERATOR} for the operator's;
 *     absent without credentials
 * @param vouches whether the credentials replace the verification at the callback, for
 *     subscriptions of the same login
 * @param caller as the limits know it; absent for a caller without limits
 */
public record Sponsor(@Nullable String login, boolean vouches, @Nullable String caller) {

  /** Stands for the operator among the logins, which have a name. */
  public static final String OPERATOR = "";

  /** A caller without credentials. */
  public static final Sponsor NOBODY = new Sponsor(null, false);

  /** A caller without limits, or one whose login has the limits. */
  public Sponsor(@Nullable String login, boolean vouches) {
    this(login, vouches, OPERATOR.equals(login) ? null : login);
  }

  /** A caller without credentials, as the limits know it. */
  public static Sponsor stranger(String caller) {
    return new Sponsor(null, false, caller);
  }

  /** The same caller, but the callback is verified. */
  public Sponsor asking() {
    return new Sponsor(login, false, caller);
  }

  /** Whether the caller is the operator, which has the rights of every login. */
  public boolean isOperator() {
    return OPERATOR.equals(login);
  }
}
