package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.commit.StorageException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;

/**
 * The process that may write to the database (rule L15). A lock of the writer's session keeps a
 * second gateway out. The epoch in the store fences a writer whose session ended unnoticed: each
 * commit holds the row of the epoch until its end, and an older epoch is refused.
 *
 * <p>The process has a second writer beside the first. Each commit holds a row to its end, so the
 * two have a row and a lock each.
 *
 * @param writer the one of the two
 * @param epoch the epoch of this process
 */
record PostgresOwner(Writer writer, long epoch) {

  /** A writer of the process. */
  enum Writer {
    FIRST("owner", 0x6665656462726467L),
    BESIDE("owner_beside", 0x6665656462726468L);

    /** The table with the writer's row. */
    private final String table;

    /** The number of the lock in the database. */
    private final long lock;

    Writer(String table, long lock) {
      this.table = table;
      this.lock = lock;
    }
  }

  /** How long a start waits for the lock. */
  static final Duration LOCK_WAIT = Duration.ofSeconds(5);

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private static final String TAKEN =
      "another gateway writes to this database: stop one of the two, or give each a database";

  /**
   * Makes this process the owner, which is no node.
   *
   * @throws StoreException if another gateway writes to the database
   */
  static PostgresOwner take(Handle handle, Clock clock) {
    if (!awaitLock(handle, Writer.FIRST)) {
      throw new StoreException(TAKEN);
    }
    return handle
        .createQuery(
            """
            INSERT INTO owner (id, epoch, opened_at) VALUES (1, 1, :now)
            ON CONFLICT (id) DO UPDATE SET epoch = owner.epoch + 1, opened_at = :now, node = NULL,
              incarnation = NULL
            WHERE NOT EXISTS (
              SELECT 1 FROM node n WHERE n.incarnation = owner.incarnation AND n.state <> 'dead'
                AND n.expires_at > extract(epoch FROM clock_timestamp()) * 1000)
            RETURNING epoch
            """)
        .bind("now", clock.instant().toEpochMilli())
        .mapTo(Long.class)
        .findOne()
        .map(epoch -> new PostgresOwner(Writer.FIRST, epoch))
        .orElseThrow(() -> new StoreException(TAKEN));
  }

  /**
   * Takes the lock for the node that became the owner in an epoch.
   *
   * @throws StoreException if a session of another gateway holds it
   */
  static PostgresOwner in(Handle handle, long epoch) {
    if (!awaitLock(handle, Writer.FIRST)) {
      throw new StoreException(TAKEN);
    }
    return new PostgresOwner(Writer.FIRST, epoch);
  }

  /**
   * Takes the lock and the row of the second writer for the owner, and so ends the commits of all
   * owners before.
   *
   * @throws StoreException if a session of another gateway holds the lock or a newer epoch
   */
  static PostgresOwner beside(Handle handle, long epoch) {
    boolean locked = awaitLock(handle, Writer.BESIDE);
    if (locked) {
      // Before the migration, which must not run beside a writer.
      handle.execute(
          """
          CREATE TABLE IF NOT EXISTS owner_beside (id BIGINT PRIMARY KEY CHECK (id = 1),
            epoch BIGINT NOT NULL, last_commit BIGINT NOT NULL DEFAULT 0)
          """);
    }
    boolean taken =
        locked
            && handle
                    .createUpdate(
                        """
                        INSERT INTO owner_beside (id, epoch) VALUES (1, :epoch)
                        ON CONFLICT (id) DO UPDATE SET epoch = :epoch
                        WHERE owner_beside.epoch <= :epoch
                        """)
                    .bind("epoch", epoch)
                    .execute()
                > 0;
    if (!taken) {
      throw new StoreException(TAKEN);
    }
    return new PostgresOwner(Writer.BESIDE, epoch);
  }

  /** Waits for the end of a session whose process has just ended: the server learns of it later. */
  private static boolean awaitLock(Handle handle, Writer writer) {
    handle.execute("SET lock_timeout = " + LOCK_WAIT.toMillis());
    try {
      handle.select("SELECT pg_advisory_lock(?)", writer.lock).mapTo(String.class).list();
      return true;
    } catch (UnableToExecuteStatementException e) {
      if (e.getCause() instanceof SQLException refused
          && LOCK_NOT_AVAILABLE.equals(refused.getSQLState())) {
        return false;
      }
      throw e;
    } finally {
      handle.execute("RESET lock_timeout");
    }
  }

  /** Takes the lock for a new session of the writer; the session before may have ended or not. */
  boolean lock(Handle handle) {
    return handle
        .createQuery("SELECT pg_try_advisory_lock(:lock)")
        .bind("lock", writer.lock)
        .mapTo(Boolean.class)
        .one();
  }

  /**
   * Checks, in the transaction of a commit, that this process is still the owner, and keeps others
   * from becoming it until the commit has ended.
   *
   * @param mark of the commit, which {@link #isNewest} asks for
   * @throws StorageException if another process has become the owner since
   */
  void check(Handle handle, long mark) {
    int owned =
        handle
            .createUpdate(
                "UPDATE %s SET last_commit = :mark WHERE id = 1 AND epoch = :epoch"
                    .formatted(writer.table))
            .bind("mark", mark)
            .bind("epoch", epoch)
            .execute();
    if (owned == 0) {
      throw over();
    }
  }

  /**
   * Checks the same for a session that does not get the lock: only the lock of a session of before
   * comes free.
   *
   * @throws StorageException if it has
   */
  void checkWithoutLock(Handle handle) {
    boolean over =
        handle
            .createQuery(
                "SELECT EXISTS (SELECT 1 FROM %s WHERE id = 1 AND epoch > :epoch)"
                    .formatted(writer.table))
            .bind("epoch", epoch)
            .mapTo(Boolean.class)
            .one();
    if (over) {
      throw over();
    }
  }

  private static StorageException over() {
    return new StorageException(
        StorageFailure.lasting(
            "another gateway has opened the database: stop one of the two, then restart this one"));
  }

  /** The second writer adds work, and changes nothing else. */
  boolean changesSubscriptions() {
    return writer == Writer.FIRST;
  }

  /** Whether the commit with this mark is the newest that took effect. */
  boolean isNewest(Handle handle, long mark) {
    return handle
        .createQuery(
            "SELECT EXISTS (SELECT 1 FROM %s WHERE id = 1 AND last_commit = :mark)"
                .formatted(writer.table))
        .bind("mark", mark)
        .mapTo(Boolean.class)
        .one();
  }
}
