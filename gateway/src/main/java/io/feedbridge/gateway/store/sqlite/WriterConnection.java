package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.store.sql.commit.WritingConnection;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteCommitListener;
import org.sqlite.SQLiteConnection;

/** The connection that writes to the file. Not thread-safe. */
final class WriterConnection implements WritingConnection {

  private static final Logger log = LoggerFactory.getLogger(WriterConnection.class);

  private final Jdbi jdbi;
  private final Owner owner;
  private final Path file;
  private final Checkpoints checkpoints;
  private final SubscriptionWatch watch = new SubscriptionWatch();
  private @Nullable Handle handle;
  private boolean rolledBack;

  /**
   * Continues with an open connection.
   *
   * @param jdbi opens the connections that replace it
   * @param handle the connection, used here alone
   * @param file as messages name it
   */
  WriterConnection(Jdbi jdbi, Handle handle, Owner owner, Path file) {
    this.jdbi = jdbi;
    this.handle = prepared(handle);
    this.owner = owner;
    this.file = file;
    checkpoints = new Checkpoints(DataFolder.wal(file), (int) Connections.BUSY_WAIT.toMillis());
  }

  private Handle prepared(Handle handle) {
    // The writer decides when the log is copied: see Checkpoints.
    handle.execute("PRAGMA wal_autocheckpoint = 0");
    // Otherwise the pages that a savepoint would restore go into a file beside the log.
    handle.execute("PRAGMA temp_store = MEMORY");
    watch.over(handle);
    try {
      handle
          .getConnection()
          .unwrap(SQLiteConnection.class)
          .addCommitListener(
              new SQLiteCommitListener() {
                @Override
                public void onCommit() {}

                @Override
                public void onRollback() {
                  rolledBack = true;
                }
              });
    } catch (SQLException e) {
      throw new IllegalStateException("the store's writer takes no listener", e);
    }
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

  /** The epoch of the process that writes. */
  long epoch() {
    return owner.epoch();
  }

  @Override
  public Handle begin() {
    Handle open = open();
    open.execute("BEGIN IMMEDIATE");
    rolledBack = false;
    owner.check(open);
    return open;
  }

  @Override
  public boolean isOver() {
    return rolledBack;
  }

  @Override
  public void commit() {
    Objects.requireNonNull(handle, "a transaction was begun").execute("COMMIT");
  }

  @Override
  public Optional<ChangedSubscriptions> changedSubscriptions() {
    return watch.take();
  }

  @Override
  public void afterCommit() {
    try {
      checkpoints.afterCommit(open());
    } catch (RuntimeException e) {
      if (!SqliteFailures.isLeftOpen(e)) {
        throw e;
      }
      abandon(e);
      log.atError()
          .setCause(e)
          .log("A transaction left a statement open: the writer has a new connection");
    }
  }

  @Override
  public void probe() {
    new Probe(this, checkpoints).run();
  }

  @Override
  public Optional<StorageFailure> failureBehind(Throwable failure) {
    return SqliteFailures.behind(failure, file);
  }

  @Override
  public void abandon(Throwable cause) {
    Handle open = handle;
    if (open == null) {
      return;
    }
    boolean usable = !SqliteFailures.isLeftOpen(cause);
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
