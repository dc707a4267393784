package io.feedbridge.gateway.store.sql.commit;

/**
 * A commit was asked for, and its answer did not come: it may have taken effect or not. {@link
 * WritingConnection#hasCommitted} tells, later.
 */
public final class CommitInDoubt extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** A commit that ended with this failure. */
  public CommitInDoubt(RuntimeException cause) {
    super(cause);
  }
}
