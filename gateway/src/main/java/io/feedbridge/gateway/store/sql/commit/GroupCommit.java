package io.feedbridge.gateway.store.sql.commit;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer. It takes the waiting writes, commits them together, and only then completes their
 * futures: one fsync serves all of them, and no caller is told of a write that is not on disk. When
 * one of them fails, all are run again, each in a savepoint of its own; a write must therefore
 * change nothing outside of the database.
 *
 * <p>When the storage fails, writes are refused at once, until a probe of the writer succeeds: only
 * the probe tries a full disk once in a while, not every stage with a write.
 *
 * <p>A commit whose answer is lost is in doubt. Its writes end when a probe has succeeded and the
 * database has said whether the commit took effect, so that no caller takes a write that was made
 * for one that was not: a row in flight would stay so, and an outcome would be written twice. A
 * database that cannot say so takes no writes any more until a restart, which needs no memory of
 * before. After each recovery all listeners are told of all effects, so that no pump depends on the
 * outcome of a failed commit.
 */
public final class GroupCommit implements AutoCloseable {

  /** Writes that may wait in a lane; past it callers are refused: intake then answers 503. */
  public static final int MAX_WAITING = 10_000;

  /** Bytes that writes may hold while they wait; past it callers are refused likewise. */
  public static final long MAX_WAITING_BYTES = 64L << 20;

  /** Writes in one commit; bounds how long the first of them waits for the last. */
  public static final int MAX_BATCH = 500;

  /** Times that a commit runs again after it was in the way of another transaction. */
  public static final int MAX_REPEATS = 3;

  /** How long a storage that failed is left alone before it is tried again. */
  public static final Duration PROBE_PAUSE = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(GroupCommit.class);

  private static final ChangedSubscriptions ANY = new ChangedSubscriptions(Set.of(), true);

  private final WritingConnection connection;
  private final Executor callers;
  private final CommitListener listener;
  private final WriteQueue<Write<?, ?>> waiting = new WriteQueue<>(MAX_WAITING, WriteQueue.PACE);
  private final Timer timer;
  private final Health health;
  private final AtomicLong waitingBytes = new AtomicLong();
  private final Write<?, ?> nudge = Write.of((handle, effects) -> true, 0);
  private final Thread thread;

  /** The commit whose answer was lost; only the writer touches it. */
  private Optional<Batch> inDoubt = Optional.empty();

  private volatile boolean probeDue;
  private volatile boolean closed;

  /**
   * Prepares the writer; {@link #start} starts it.
   *
   * @param name of the writer's thread
   * @param connection used by this writer alone
   * @param callers completes the futures, so that their dependents never hold up the next commit
   */
  public GroupCommit(
      String name,
      WritingConnection connection,
      Executor callers,
      CommitListener listener,
      Timer timer,
      Health health) {
    this.connection = connection;
    this.callers = callers;
    this.listener = listener;
    this.timer = timer;
    this.health = health;
    thread = new Thread(this::run, name);
  }

  /** Starts the writer. */
  public void start() {
    thread.start();
  }

  /** Receives, after a commit, the effects that it may have had. */
  public interface CommitListener {
    /** Told after each commit, in order, on the threads of the callers. */
    void committed(Set<Effect> effects, Optional<ChangedSubscriptions> changed);
  }

  /** Queues a transaction for which a caller waits; see the longer form. */
  public <T extends @Nullable Object> CompletableFuture<T> write(
      long bytes, Database.Transaction<T> transaction) {
    return write(bytes, transaction, WriteQueue.Lane.PROMPT);
  }

  /**
   * Queues a transaction. Never blocks.
   *
   * @param bytes the memory that it holds until it has ended, an estimate
   */
  public <T extends @Nullable Object> CompletableFuture<T> write(
      long bytes, Database.Transaction<T> transaction, WriteQueue.Lane lane) {
    return queued(Write.of(transaction, bytes), lane);
  }

  /** Queues a write that is made together with others of its kind. */
  public <P, T extends @Nullable Object> CompletableFuture<T> write(
      long bytes, Database.Joint<P, T> kind, P part, WriteQueue.Lane lane) {
    return queued(new Write<>(kind, part, bytes), lane);
  }

  private <P, T extends @Nullable Object> CompletableFuture<T> queued(
      Write<P, T> write, WriteQueue.Lane lane) {
    long bytes = write.bytes();
    Optional<StoreException> refusal = health.refusal();
    if (refusal.isPresent()) {
      write.fail(refusal.get());
    } else if (!admit(bytes)) {
      write.fail(behind("%,d bytes of writes".formatted(MAX_WAITING_BYTES)));
    } else if (!waiting.offer(write, lane)) {
      ended(write);
      write.fail(behind("%,d writes".formatted(MAX_WAITING)));
    }
    // Looked at after the offer: a write that came too late for the writer's last look is taken
    // back.
    if (closed && waiting.remove(write, lane)) {
      ended(write);
      write.fail(StoreException.general("the store is closed", null));
    }
    return write.future();
  }

  /** A write alone may be of any size: it could never be made otherwise. */
  private boolean admit(long bytes) {
    long before = waitingBytes.getAndAdd(bytes);
    boolean room = before == 0 || before + bytes <= MAX_WAITING_BYTES;
    if (!room) {
      waitingBytes.addAndGet(-bytes);
    }
    return room;
  }

  private void ended(Write<?, ?> write) {
    waitingBytes.addAndGet(-write.bytes());
  }

  private static StoreException behind(String what) {
    return StoreException.general(
        "the store is behind by %s, try again later".formatted(what), null);
  }

  private void run() {
    List<Write<?, ?>> batch = new ArrayList<>(MAX_BATCH);
    while (!closed || !waiting.isEmpty()) {
      batch.clear();
      try {
        waiting.take(batch, MAX_BATCH);
      } catch (InterruptedException closing) {
        continue;
      }
      if (!batch.isEmpty()) {
        serve(List.copyOf(batch));
      }
    }
    giveUpDoubt(
        StoreException.general("the store is closed, and the outcome of its commit unknown", null));
  }

  /** Nothing that happens here may end the writer. */
  private void serve(List<Write<?, ?>> writes) {
    try {
      Optional<StoreException> refusal = health.refusal();
      if (refusal.isPresent()) {
        fail(writes, refusal.get());
        probeIfDue();
      } else {
        commit(writes);
      }
    } catch (RuntimeException | Error e) {
      log.atError().setCause(e).log("The store's writer met a failure of its own");
      writes.forEach(write -> write.fail(Write.failed(e)));
    } finally {
      writes.forEach(this::ended);
    }
  }

  /** The writes of a commit, with all that is told after it. */
  private record Batch(
      List<Write<?, ?>> writes, Set<Effect> effects, Optional<ChangedSubscriptions> changed) {}

  private void commit(List<Write<?, ?>> writes) {
    Set<Effect> effects = EnumSet.noneOf(Effect.class);
    Batch batch;
    try {
      run(writes, effects);
      Failpoint.BEFORE_COMMIT.reached();
      connection.commit();
      batch = new Batch(writes, effects, connection.changedSubscriptions());
      Failpoint.AFTER_COMMIT.reached();
    } catch (CommitInDoubt e) {
      inDoubt = Optional.of(new Batch(writes, effects, connection.changedSubscriptions()));
      connection.abandon(e);
      storageFailed(e);
      return;
    } catch (RuntimeException | Error e) {
      connection.abandon(e);
      storageFailed(e);
      fail(writes, Write.failedWithAll(e));
      return;
    }
    succeeded(batch);
    try {
      connection.afterCommit();
    } catch (RuntimeException | Error e) {
      connection.abandon(e);
      storageFailed(e);
    }
  }

  /**
   * Runs the writes in a transaction. Nearly always none fails, and then none needs a savepoint,
   * which costs as much as a statement and a copy of each page that the write changes.
   */
  private void run(List<Write<?, ?>> writes, Set<Effect> effects) {
    try {
      Handle handle = connection.begin();
      for (List<Write<?, ?>> alike : Write.byKind(writes)) {
        Write.runAlike(alike, handle, effects);
        if (connection.isOver()) {
          throw new IllegalStateException("a write has ended the transaction");
        }
      }
    } catch (RuntimeException | Error e) {
      if (connection.failureBehind(e).isPresent()) {
        throw e;
      }
      connection.abandon(e);
      effects.clear();
      runOneByOne(writes, effects);
    }
  }

  /**
   * Runs the writes in a transaction, which begins anew when one of them was in the way of another
   * transaction. In the last run such a write fails alone.
   */
  private void runOneByOne(List<Write<?, ?>> writes, Set<Effect> effects) {
    for (int again = MAX_REPEATS; ; again--) {
      try {
        Handle handle = connection.begin();
        for (Write<?, ?> write : writes) {
          write.run(handle, effects, connection, again > 0);
        }
        return;
      } catch (Write.Repeated e) {
        log.atWarn()
            .addKeyValue("writes", writes.size())
            .addKeyValue("error", StorageFailure.words(e))
            .log("A commit was in the way of another transaction and runs again");
        connection.abandon(e);
        effects.clear();
      }
    }
  }

  private void succeeded(Batch batch) {
    tell(
        () -> {
          try {
            // The listener comes first, so that it has been told when the caller of a write learns
            // of the commit.
            listener.committed(batch.effects, batch.changed);
          } finally {
            batch.writes.forEach(Write::complete);
          }
        });
  }

  private void storageFailed(Throwable cause) {
    StorageFailure failure =
        connection
            .failureBehind(cause)
            .orElseGet(
                () ->
                    StorageFailure.passing(
                        "the store cannot be written: " + StorageFailure.words(cause)));
    health.failed(failure, cause);
    if (health.isLasting()) {
      giveUpDoubt(Write.failedWithAll(cause));
    }
    timer.at(timer.clock().instant().plus(PROBE_PAUSE), this::askForProbe);
  }

  private void askForProbe() {
    probeDue = true;
    // If there is no room the writer has more than enough to wake it.
    var unused = waiting.offer(nudge, WriteQueue.Lane.PROMPT);
  }

  private void probeIfDue() {
    if (!probeDue || health.isLasting()) {
      return;
    }
    probeDue = false;
    try {
      connection.probe();
      endDoubt();
      health.recovered();
      tell(() -> listener.committed(EnumSet.allOf(Effect.class), Optional.of(ANY)));
    } catch (RuntimeException | Error e) {
      connection.abandon(e);
      storageFailed(e);
    }
  }

  private void endDoubt() {
    if (inDoubt.isPresent()) {
      Batch batch = inDoubt.get();
      boolean committed = connection.hasCommitted();
      inDoubt = Optional.empty();
      log.atWarn()
          .addKeyValue("writes", batch.writes.size())
          .addKeyValue("committed", committed)
          .log("The answer of a commit was lost; the database knows its outcome");
      if (committed) {
        succeeded(batch);
      } else {
        fail(
            batch.writes,
            StoreException.general("the store cannot write: the commit did not arrive", null));
      }
    }
  }

  private void giveUpDoubt(StoreException e) {
    inDoubt.ifPresent(batch -> fail(batch.writes, e));
    inDoubt = Optional.empty();
  }

  private void fail(List<Write<?, ?>> writes, StoreException e) {
    tell(() -> writes.forEach(write -> write.fail(e)));
  }

  /** At a stop the callers' threads may be gone before the last commit is: it is told here then. */
  private void tell(Runnable news) {
    try {
      callers.execute(news);
    } catch (RejectedExecutionException stopping) {
      news.run();
    }
  }

  /** Commits the waiting writes, then ends the writer and its connection. */
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
    connection.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
