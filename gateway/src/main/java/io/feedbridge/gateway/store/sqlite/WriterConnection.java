package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.ChangedSubscriptions;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * The connection that writes: one transaction at a time. A connection that may be broken, or is
 * left inside a transaction, is replaced by a new one. Not thread-safe.
 */
final class WriterConnection implements AutoCloseable {

  private final Jdbi jdbi;
  private final Owner owner;
  private final SubscriptionWatch watch = new SubscriptionWatch();
  private @Nullable Handle handle;

  /**
   * Continues with an open connection.
   *
   * @param jdbi opens the connections that replace it
   * @param handle the connection, used here alone
   */
  WriterConnection(Jdbi jdbi, Handle handle, Owner owner) {
    this.jdbi = jdbi;
    this.handle = prepared(handle);
    this.owner = owner;
  }

  private Handle prepared(Handle handle) {
    // The writer decides when the log is copied: see Checkpoints.
    handle.execute("PRAGMA wal_autocheckpoint = 0");
    watch.over(handle);
    return handle;
  }

  /** The connection outside any transaction, a new one if need be. */
  Handle open() {
    Handle open = handle;
    if (open == null) {
      open = prepared(jdbi.open());
      handle = open;
    }
    return open;
  }

  /**
   * Begins a transaction.
   *
   * @throws StorageException if the file has another owner by now
   */
  Handle begin() {
    Handle open = open();
    open.execute("BEGIN IMMEDIATE");
    owner.check(open);
    return open;
  }

  void commit() {
    Objects.requireNonNull(handle, "a transaction was begun").execute("COMMIT");
  }

  /** Subscriptions that were changed since this was asked last; empty if none were. */
  Optional<ChangedSubscriptions> changedSubscriptions() {
    return watch.take();
  }

  /** Ends a transaction that failed, at whatever point. */
  void abandon(Throwable cause) {
    Handle open = handle;
    if (open == null) {
      return;
    }
    boolean usable = !StorageFailure.isLeftOpen(cause);
    try {
      open.execute("ROLLBACK");
    } catch (JdbiException e) {
      // After a full disk SQLite itself has rolled back, and the connection is as good as before.
      if (!StorageFailure.words(e).contains("no transaction is active")) {
        cause.addSuppressed(e);
        usable = false;
      }
    }
    if (!usable) {
      giveUp(cause);
    }
  }

  private void giveUp(Throwable cause) {
    Handle broken = handle;
    handle = null;
    try {
      if (broken != null) {
        broken.close();
      }
    } catch (JdbiException e) {
      cause.addSuppressed(e);
    }
  }

  @Override
  public void close() {
    if (handle != null) {
      handle.close();
      handle = null;
    }
  }
}
