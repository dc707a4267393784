package io.feedbridge.gateway.store;

import io.feedbridge.gateway.store.sql.Store;

/** The kind of work that a commit may have made due; see {@link Store#onChange}. */
public enum Change {
  /** A feed's next fetch was set, perhaps to now. */
  FETCH_DUE,
  /** A fetch or a fat ping was recorded. */
  FETCHED,
  /** A feed's head moved: a round may be due. */
  APPENDED,
  /** A verification was requested or postponed. */
  VERIFICATION,
  /** An upstream subscription changed, or the transport of a feed is to be selected anew. */
  FOLLOWING,
  /** A webhook was added, changed, enabled or disabled, removed, or is due to be verified. */
  WEBHOOK
}
