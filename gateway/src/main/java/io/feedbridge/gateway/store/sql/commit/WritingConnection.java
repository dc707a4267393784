package io.feedbridge.gateway.store.sql.commit;

import io.feedbridge.gateway.store.ChangedSubscriptions;
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

  /** Commits the transaction. It is durable when this returns. */
  void commit();

  /** Subscriptions that the last transactions changed, since this was asked last. */
  Optional<ChangedSubscriptions> changedSubscriptions();

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
