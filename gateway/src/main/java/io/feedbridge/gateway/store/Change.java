package io.feedbridge.gateway.store;

/** What a commit may have made due; see {@link Store#onChange}. */
public enum Change {
  /** A feed's next fetch was set, perhaps to now. */
  FETCH_DUE,
  /** A fetch or a fat ping was recorded. */
  FETCHED,
  /** A feed's head moved: a round may be due. */
  APPENDED,
  /** A verification was requested or postponed. */
  VERIFICATION,
  /** A following changed, or a feed wants its way of following chosen anew. */
  FOLLOWING,
  /** A webhook was added, changed, enabled or disabled, removed, or is due to be verified. */
  WEBHOOK
}
