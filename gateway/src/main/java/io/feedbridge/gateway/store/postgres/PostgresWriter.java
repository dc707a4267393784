package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.sql.commit.CommitInDoubt;
import io.feedbridge.gateway.store.sql.commit.StorageException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.store.sql.commit.WritingConnection;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** The connection that writes to the database. A broken connection is replaced. Not thread-safe. */
final class PostgresWriter implements WritingConnection {

  /** Changed subscriptions that are named one by one. */
  static final int MAX_NAMED = 10_000;

  /** The longest wait for the end of the session before. */
  static final Duration END_WAIT = Duration.ofSeconds(1);

  private final Jdbi jdbi;
  private final Optional<PostgresOwner> owner;

  /** Whether subscriptions are changed here, of which the listeners are told. */
  private final boolean changes;

  private final SecureRandom marks = new SecureRandom();
  private @Nullable Handle handle;
  private @Nullable ChangedSubscriptions changed;

  private Session session;

  /** The session before, which may still hold the lock. */
  private Optional<Session> before = Optional.empty();

  /** The mark of the open transaction, which tells a commit in doubt. */
  private long mark;

  private Optional<Doubt> inDoubt = Optional.empty();

  /** Whether the commit in doubt took effect, once that is known. */
  private Optional<Boolean> decided = Optional.empty();

  /**
   * A session as the server knows it.
   *
   * @param process the process that serves it
   * @param timeline of the server's log: after a failover commits of before may be gone
   */
  private record Session(int process, String timeline) {
    static Session of(Handle handle) {
      return handle
          .createQuery(
              """
              SELECT pg_backend_pid() AS process,
                left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline
              """)
          .map((row, context) -> new Session(row.getInt("process"), row.getString("timeline")))
          .one();
    }
  }

  /** A transaction whose commit was not answered. */
  private record Doubt(long mark, String timeline) {}

  /**
   * Continues with the open connection that holds the owner's lock.
   *
   * @param jdbi opens the connections that replace it
   * @param owner absent at a node that does not own the store: a commit of work that arrives there
   *     needs no fence, and counts as failed where its answer was lost, so that its caller sends
   *     the work again
   */
  PostgresWriter(Jdbi jdbi, Handle handle, Optional<PostgresOwner> owner) {
    this.jdbi = jdbi;
    this.owner = owner;
    changes = owner.filter(PostgresOwner::changesSubscriptions).isPresent();
    session = prepared(handle, () -> true);
    this.handle = handle;
  }

  /**
   * Prepares an open session. One that cannot be prepared is closed: it would hold the lock of the
   * database.
   *
   * @param locked takes the owner's lock, unless another session has it
   */
  private Session prepared(Handle open, BooleanSupplier locked) {
    try {
      if (!locked.getAsBoolean()) {
        owner.ifPresent(one -> one.checkWithoutLock(open));
        throw new StorageException(
            StorageFailure.passing(
                "the store cannot be written: a session of before, or another gateway, holds the"
                    + " database"));
      }
      if (changes) {
        open.execute("CREATE TEMP TABLE changed_subscription (id BIGINT)");
      }
      return Session.of(open);
    } catch (JdbiException | StorageException e) {
      close(open, e);
      throw e;
    }
  }

  private Handle open() {
    Handle open = handle;
    if (open == null) {
      Handle made = jdbi.open();
      session = prepared(made, () -> takesOver(made));
      handle = made;
      open = made;
    }
    return open;
  }

  private boolean takesOver(Handle open) {
    endSessionBefore(open);
    return owner.map(one -> one.lock(open)).orElse(true);
  }

  /**
   * Ends the session before, which the server may hold for alive: a proxy on the way, for example,
   * may answer for a client that it has lost.
   */
  private void endSessionBefore(Handle open) {
    before.ifPresent(
        ended ->
            open.createQuery(
                    """
                    SELECT pg_terminate_backend(pid, :wait) FROM pg_stat_activity
                    WHERE pid = :process
                      AND application_name = current_setting('application_name')
                    """)
                .bind("wait", END_WAIT.toMillis())
                .bind("process", ended.process)
                .mapTo(Boolean.class)
                .list());
  }

  @Override
  public Handle begin() {
    Handle open = open();
    open.begin();
    mark = marks.nextLong();
    owner.ifPresent(one -> one.check(open, mark));
    return open;
  }

  @Override
  public void commit() {
    Handle open = Objects.requireNonNull(handle, "a transaction was begun");
    Set<Long> ids = changes ? takeChanged(open) : Set.of();
    if (!ids.isEmpty()) {
      boolean any = ids.size() > MAX_NAMED;
      changed = new ChangedSubscriptions(any ? Set.of() : new HashSet<>(ids), any);
    }
    try {
      open.commit();
    } catch (JdbiException e) {
      if (PostgresFailures.isRolledBack(e)) {
        changed = null;
        throw e;
      }
      inDoubt = Optional.of(new Doubt(mark, session.timeline));
      throw new CommitInDoubt(e);
    }
  }

  private static Set<Long> takeChanged(Handle open) {
    return open.createQuery("DELETE FROM changed_subscription RETURNING id")
        .mapTo(Long.class)
        .set();
  }

  /** Finds out, before anything else is committed, whether the commit in doubt took effect. */
  private void decide() {
    if (owner.isEmpty()) {
      decided = Optional.of(false);
      return;
    }
    Doubt doubt = inDoubt.orElseThrow();
    Handle open = open();
    if (!doubt.timeline.equals(session.timeline)) {
      // Nothing may rely on the memory of this process then.
      throw new StorageException(
          StorageFailure.lasting(
              "the database cannot say whether its last commit took effect, after a failover:"
                  + " the gateway has to start again"));
    }
    decided = Optional.of(owner.get().isNewest(open, doubt.mark));
  }

  @Override
  public boolean hasCommitted() {
    boolean committed = decided.orElseThrow();
    inDoubt = Optional.empty();
    decided = Optional.empty();
    return committed;
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
      open.rollback();
    } catch (JdbiException e) {
      cause.addSuppressed(e);
      handle = null;
      before = Optional.of(session);
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
    if (inDoubt.isPresent() && decided.isEmpty()) {
      decide();
    }
    Optional<Doubt> ofWrites = inDoubt;
    try {
      commitProbe();
    } catch (CommitInDoubt e) {
      // Whether a probe took effect is of no interest.
      inDoubt = ofWrites;
      throw e;
    }
  }

  private void commitProbe() {
    // A probe whose answer was lost may have left its row.
    begin()
        .execute(
            """
            INSERT INTO probe (id, bytes) VALUES (1, decode(repeat('00', 8192), 'hex'))
            ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes
            """);
    commit();
    begin().execute("DELETE FROM probe");
    commit();
  }

  @Override
  public boolean isRepeatable(Throwable failure) {
    return PostgresFailures.isRepeatable(failure);
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
