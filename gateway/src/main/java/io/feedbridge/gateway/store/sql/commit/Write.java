package io.feedbridge.gateway.store.sql.commit;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** One transaction of a caller's, as a part of a commit. */
final class Write<T extends @Nullable Object> {

  private final Database.Transaction<T> transaction;
  private final long bytes;
  private final CompletableFuture<T> future = new CompletableFuture<>();
  private @Nullable T result;
  private @Nullable Throwable failure;

  /**
   * A write that has not run yet.
   *
   * @param bytes the memory that it holds until it has ended, an estimate
   */
  Write(Database.Transaction<T> transaction, long bytes) {
    this.transaction = transaction;
    this.bytes = bytes;
  }

  long bytes() {
    return bytes;
  }

  CompletableFuture<T> future() {
    return future;
  }

  /**
   * Runs the write together with the others of its commit, of which none may fail.
   *
   * @throws RuntimeException if it fails: the commit has to be rolled back
   */
  void run(Handle handle, Set<Effect> effects) {
    failure = null;
    result = transaction.run(handle, effects);
  }

  /**
   * Runs the write in a savepoint: a write that fails leaves the other writes of its commit alone.
   * An {@link Error} (out of memory for a large feed, for example) is treated the same way, so that
   * the writer goes on. A failure of the disk or the file fails the whole commit.
   *
   * @param again whether the commit may run again
   * @throws Repeated if it is to do so
   */
  void run(Handle handle, Set<Effect> effects, WritingConnection connection, boolean again) {
    failure = null;
    handle.execute("SAVEPOINT write");
    try {
      result = transaction.run(handle, effects);
      handle.execute("RELEASE write");
    } catch (RuntimeException | Error e) {
      if (connection.failureBehind(e).isPresent()) {
        throw e;
      }
      if (again && connection.isRepeatable(e)) {
        throw new Repeated(e);
      }
      failure = e;
      undo(handle, e);
    }
  }

  /** The write was in the way of another transaction; the locks of its commit have to go first. */
  static final class Repeated extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private Repeated(Throwable cause) {
      super(cause);
    }
  }

  private static void undo(Handle handle, Throwable cause) {
    try {
      handle.execute("ROLLBACK TO write");
      handle.execute("RELEASE write");
    } catch (JdbiException commitIsGone) {
      // All writes of the commit fail with the first cause.
      cause.addSuppressed(commitIsGone);
      throw failed(cause);
    }
  }

  /** Tells the caller, after the commit. A result may be null only where T admits it. */
  @SuppressWarnings("NullAway")
  void complete() {
    if (failure == null) {
      future.complete(result);
    } else {
      fail(failed(failure));
    }
  }

  void fail(StoreException e) {
    future.completeExceptionally(e);
  }

  /** The failure of this write alone. */
  static StoreException failed(Throwable cause) {
    return cause instanceof StoreException known
        ? known
        : new StoreException(cannotWrite(cause), cause);
  }

  /** The failure of a whole commit: each of its writes would have failed. */
  static StoreException failedWithAll(Throwable cause) {
    return StoreException.isGeneral(cause) && cause instanceof StoreException known
        ? known
        : StoreException.general(cannotWrite(cause), cause);
  }

  private static String cannotWrite(Throwable cause) {
    return "the store cannot write: " + StorageFailure.words(cause);
  }
}
