package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.ChangedSubscriptions;
import io.feedbridge.gateway.store.sql.commit.StorageException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.store.sql.commit.WritingConnection;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** The connection that writes to the database. A broken connection is replaced. Not thread-safe. */
final class PostgresWriter implements WritingConnection {

  /** Changed subscriptions that are named one by one. */
  static final int MAX_NAMED = 10_000;

  private final Jdbi jdbi;
  private final PostgresOwner owner;
  private @Nullable Handle handle;
  private @Nullable ChangedSubscriptions changed;

  /**
   * Continues with the open connection that holds the owner's lock.
   *
   * @param jdbi opens the connections that replace it
   */
  PostgresWriter(Jdbi jdbi, Handle handle, PostgresOwner owner) {
    this.jdbi = jdbi;
    this.owner = owner;
    this.handle = prepared(handle);
  }

  /** A session that cannot be prepared is closed: it would hold the lock of the database. */
  private static Handle prepared(Handle handle) {
    try {
      handle.execute("CREATE TEMP TABLE changed_subscription (id BIGINT)");
      return handle;
    } catch (JdbiException e) {
      close(handle, e);
      throw e;
    }
  }

  private Handle open() {
    Handle open = handle;
    if (open == null) {
      open = jdbi.open();
      if (!PostgresOwner.lock(open)) {
        open.close();
        throw new StorageException(
            StorageFailure.passing(
                "the store cannot be written: a session of before, or another gateway, holds the"
                    + " database"));
      }
      handle = prepared(open);
    }
    return open;
  }

  @Override
  public Handle begin() {
    Handle open = open();
    open.execute("BEGIN");
    owner.check(open);
    return open;
  }

  @Override
  public void commit() {
    Handle open = Objects.requireNonNull(handle, "a transaction was begun");
    Set<Long> ids =
        open.createQuery("DELETE FROM changed_subscription RETURNING id").mapTo(Long.class).set();
    open.execute("COMMIT");
    if (!ids.isEmpty()) {
      boolean any = ids.size() > MAX_NAMED;
      changed = new ChangedSubscriptions(any ? Set.of() : new HashSet<>(ids), any);
    }
  }

  @Override
  public Optional<ChangedSubscriptions> changedSubscriptions() {
    Optional<ChangedSubscriptions> taken = Optional.ofNullable(changed);
    changed = null;
    return taken;
  }

  @Override
  public void abandon(Throwable cause) {
    Handle open = handle;
    if (open == null) {
      return;
    }
    try {
      open.execute("ROLLBACK");
    } catch (JdbiException e) {
      cause.addSuppressed(e);
      handle = null;
      close(open, cause);
    }
  }

  private static void close(Handle broken, Throwable cause) {
    try {
      broken.close();
    } catch (JdbiException e) {
      cause.addSuppressed(e);
    }
  }

  /** Commits two changes that leave nothing behind. */
  @Override
  public void probe() {
    begin().execute("INSERT INTO probe (id, bytes) VALUES (1, decode(repeat('00', 8192), 'hex'))");
    commit();
    begin().execute("DELETE FROM probe");
    commit();
  }

  @Override
  public Optional<StorageFailure> failureBehind(Throwable failure) {
    return PostgresFailures.behind(failure);
  }

  @Override
  public void close() {
    if (handle != null) {
      handle.close();
      handle = null;
    }
  }
}
