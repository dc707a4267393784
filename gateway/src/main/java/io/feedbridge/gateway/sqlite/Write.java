package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.StoreException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** One transaction of a caller's, as a part of a commit. */
final class Write<T extends @Nullable Object> {

  private final GroupCommit.Transaction<T> transaction;
  private final long bytes;
  private final CompletableFuture<T> future = new CompletableFuture<>();
  private @Nullable T result;
  private @Nullable Throwable failure;

  /**
   * A write that nobody has run.
   *
   * @param bytes that it holds on to until it has ended, roughly
   */
  Write(GroupCommit.Transaction<T> transaction, long bytes) {
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
   * Runs it in a savepoint: one that fails takes nothing else of its commit with it. One that ends
   * in an error (the memory that a large feed needed, say) is no different, or nobody would write
   * any more. But what is wrong with the disk or the file is wrong for the whole commit.
   */
  void run(Handle handle, Set<Effect> effects, Path file) {
    handle.execute("SAVEPOINT write");
    try {
      result = transaction.run(handle, effects);
      handle.execute("RELEASE write");
    } catch (RuntimeException | Error e) {
      if (StorageFailure.behind(e, file).isPresent()) {
        throw e;
      }
      failure = e;
      undo(handle, e);
    }
  }

  private static void undo(Handle handle, Throwable cause) {
    try {
      handle.execute("ROLLBACK TO write");
      handle.execute("RELEASE write");
    } catch (JdbiException commitIsGone) {
      // What is to be reported is why, to all of the commit.
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

  static StoreException failed(Throwable cause) {
    return cause instanceof StoreException known
        ? known
        : new StoreException("the store cannot write: " + StorageFailure.words(cause), cause);
  }
}
