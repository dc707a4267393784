package io.feedbridge.gateway.store.sql.commit;

import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The connection that writes: one transaction at a time. A connection that may be broken, or is
 * left inside a transaction, is replaced by a new one. For the writer's thread alone.
 */
public interface WritingConnection extends AutoCloseable {

  /**
   * Begins a transaction.
   *
   * @throws StorageException if the database has another owner by now
   */
  Handle begin();

  /**
   * Commits the transaction. It is durable when this returns.
   *
   * @throws CommitInDoubt if it may be durable; with any other failure it is not
   */
  void commit();

  /**
   * Whether the commit in doubt has taken effect. Asked once after each such commit, when a probe
   * has succeeded.
   *
   * @throws StorageException if that cannot be found out, or not yet
   */
  default boolean hasCommitted() {
    throw new IllegalStateException("no commit is in doubt");
  }

  /**
   * Whether a transaction that ended with this failure was in the way of another one, so that it
   * may succeed when it runs again.
   */
  default boolean isRepeatable(Throwable failure) {
    return false;
  }

  /**
   * Subscriptions that the last transactions changed, since this was asked last; includes the ones
   * of a commit in doubt.
   */
  Optional<ChangedSubscriptions> changedSubscriptions();

  /**
   * Whether the database has ended the transaction by itself, as it does after some failures: the
   * statements that follow would be committed at once. A database that refuses all statements then
   * says no.
   */
  default boolean isOver() {
    return false;
  }

  /** Does the upkeep that is due between two commits. */
  default void afterCommit() {}

  /** Ends a transaction that failed, at whatever point. */
  void abandon(Throwable cause);

  /** Returns once a commit succeeded; throws the failure of the commit otherwise. */
  void probe();

  /** The failure of the storage that is behind an exception, if there is one. */
  Optional<StorageFailure> failureBehind(Throwable failure);

  @Override
  void close();
}
