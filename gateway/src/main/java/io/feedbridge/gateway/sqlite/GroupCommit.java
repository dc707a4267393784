package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.store.StoreException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * The one writer. It takes whatever writes are waiting, runs each in a savepoint of its own,
 * commits them together, and only then tells their callers: one fsync serves all of them, and
 * nobody is told of a write that is not on disk.
 */
final class GroupCommit implements AutoCloseable {

  /** Writes that may wait; past it callers are refused, which makes intake answer 503. */
  static final int MAX_WAITING = 10_000;

  /** Writes in one commit; bounds how long the first of them waits for the last. */
  static final int MAX_BATCH = 500;

  private final Handle handle;
  private final Executor callers;
  private final CommitListener listener;
  private final BlockingQueue<Write<?>> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Thread thread;
  private volatile boolean closed;

  /**
   * Prepares the writer; {@link #start} starts it.
   *
   * @param handle of a connection that nothing else uses
   * @param callers where futures are completed, so that what depends on them never holds up the
   *     next commit
   */
  GroupCommit(Handle handle, Executor callers, CommitListener listener) {
    this.handle = handle;
    this.callers = callers;
    this.listener = listener;
    thread = new Thread(this::run, "store-writer");
  }

  void start() {
    thread.start();
  }

  /** Is told, after a commit, what it may have made due. */
  interface CommitListener {
    void committed(Set<Effect> effects);
  }

  /** A transaction's code. */
  interface Transaction<T extends @Nullable Object> {
    /**
     * Runs on the writer's thread.
     *
     * @param effects to be filled with what the transaction may make due
     */
    T run(Handle handle, Set<Effect> effects);
  }

  /** Queues a transaction. Never blocks. */
  <T extends @Nullable Object> CompletableFuture<T> write(Transaction<T> transaction) {
    Write<T> write = new Write<>(transaction);
    if (!waiting.offer(write)) {
      write.fail(
          new StoreException("the store is behind by " + MAX_WAITING + " writes, try again later"));
    }
    // Looked at after the offer: a write that came too late for the writer's last look is taken
    // back.
    if (closed && waiting.remove(write)) {
      write.fail(new StoreException("the store is closed"));
    }
    return write.future;
  }

  private void run() {
    List<Write<?>> batch = new ArrayList<>(MAX_BATCH);
    while (!closed || !waiting.isEmpty()) {
      batch.clear();
      try {
        batch.add(waiting.take());
      } catch (InterruptedException closing) {
        continue;
      }
      waiting.drainTo(batch, MAX_BATCH - 1);
      commit(batch);
    }
  }

  private void commit(List<Write<?>> batch) {
    List<Write<?>> writes = List.copyOf(batch);
    Set<Effect> effects = EnumSet.noneOf(Effect.class);
    try {
      handle.execute("BEGIN IMMEDIATE");
      for (Write<?> write : writes) {
        write.run(handle, effects);
      }
      Failpoint.BEFORE_COMMIT.reached();
      handle.execute("COMMIT");
      Failpoint.AFTER_COMMIT.reached();
    } catch (JdbiException | StoreException e) {
      rollBack(e);
      StoreException failure = failed(e);
      tell(() -> writes.forEach(write -> write.fail(failure)));
      return;
    }
    tell(
        () -> {
          writes.forEach(Write::complete);
          listener.committed(effects);
        });
  }

  /** At a stop the callers' threads may be gone before the last commit is: it is told here then. */
  private void tell(Runnable news) {
    try {
      callers.execute(news);
    } catch (RejectedExecutionException stopping) {
      news.run();
    }
  }

  private static StoreException failed(Throwable cause) {
    return cause instanceof StoreException known
        ? known
        : new StoreException("the store cannot write: " + cause.getMessage(), cause);
  }

  private void rollBack(RuntimeException cause) {
    try {
      handle.execute("ROLLBACK");
    } catch (JdbiException nothingToRollBack) {
      cause.addSuppressed(nothingToRollBack);
    }
  }

  /** Commits what is waiting, then ends the writer. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Write<T extends @Nullable Object> {
    private final Transaction<T> transaction;
    private final CompletableFuture<T> future = new CompletableFuture<>();
    private @Nullable T result;
    private @Nullable Throwable failure;

    Write(Transaction<T> transaction) {
      this.transaction = transaction;
    }

    /**
     * A transaction that fails takes nothing else of its batch with it; one that ends in an error
     * (the memory that a large feed needed, say) is no different, or nobody would write any more.
     */
    void run(Handle handle, Set<Effect> effects) {
      handle.execute("SAVEPOINT write");
      try {
        result = transaction.run(handle, effects);
        handle.execute("RELEASE write");
      } catch (RuntimeException | Error e) {
        failure = e;
        undo(handle, e);
      }
    }

    private static void undo(Handle handle, Throwable cause) {
      try {
        handle.execute("ROLLBACK TO write");
        handle.execute("RELEASE write");
      } catch (JdbiException batchIsGone) {
        // After some failures, a full disk for one, SQLite itself rolls back the whole commit: what
        // is to be reported is that failure, to all of the batch.
        cause.addSuppressed(batchIsGone);
        throw failed(cause);
      }
    }

    // A result may be null only where T admits it.
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
  }
}
