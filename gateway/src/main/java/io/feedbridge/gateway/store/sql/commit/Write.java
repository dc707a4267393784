package io.feedbridge.gateway.store.sql.commit;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * One transaction of a caller's, as a part of a commit.
 *
 * @param <P> the part that its kind takes
 */
final class Write<P, T extends @Nullable Object> {

  /** Bytes of writes of one kind that are made together; one write alone may have more. */
  static final long MAX_JOINT_BYTES = 32L << 20;

  private final Database.Joint<P, T> kind;
  private final P part;
  private final long bytes;
  private final CompletableFuture<T> future = new CompletableFuture<>();
  private @Nullable T result;
  private @Nullable Throwable failure;

  /**
   * A write that has not run yet.
   *
   * @param bytes the memory that it holds until it has ended, an estimate
   */
  Write(Database.Joint<P, T> kind, P part, long bytes) {
    this.kind = kind;
    this.part = part;
    this.bytes = bytes;
  }

  /** A write of no kind, which is made by itself. */
  static <T extends @Nullable Object> Write<Boolean, T> of(
      Database.Transaction<T> transaction, long bytes) {
    return new Write<>(
        (handle, effects, parts) -> Collections.singletonList(transaction.run(handle, effects)),
        true,
        bytes);
  }

  /** Writes of one kind are made together. */
  Database.Joint<P, T> kind() {
    return kind;
  }

  long bytes() {
    return bytes;
  }

  CompletableFuture<T> future() {
    return future;
  }

  /**
   * The writes by their kinds, in the order in which the first of each was given. Large writes of
   * one kind are in several groups, since a group is in memory as a whole when it is made.
   */
  static List<List<Write<?, ?>>> byKind(List<Write<?, ?>> writes) {
    Map<Database.Joint<?, ?>, List<Write<?, ?>>> kinds = new HashMap<>();
    Map<Database.Joint<?, ?>, Long> bytes = new HashMap<>();
    List<List<Write<?, ?>>> groups = new ArrayList<>();
    for (Write<?, ?> write : writes) {
      if (bytes.merge(write.kind(), write.bytes(), Long::sum) > MAX_JOINT_BYTES) {
        bytes.put(write.kind(), write.bytes());
        kinds.remove(write.kind());
      }
      kinds
          .computeIfAbsent(
              write.kind(),
              kind -> {
                groups.add(new ArrayList<>());
                return groups.get(groups.size() - 1);
              })
          .add(write);
    }
    return groups;
  }

  /** Runs writes of one kind, which have one type. */
  @SuppressWarnings("unchecked")
  static <P, T extends @Nullable Object> void runAlike(
      List<Write<?, ?>> writes, Handle handle, Set<Effect> effects) {
    run((List<Write<P, T>>) (List<?>) writes, handle, effects);
  }

  /**
   * Runs writes of one kind together with the others of their commit, of which none may fail.
   *
   * @throws RuntimeException if one fails: the commit has to be rolled back
   */
  private static <P, T extends @Nullable Object> void run(
      List<Write<P, T>> writes, Handle handle, Set<Effect> effects) {
    List<T> results =
        writes.get(0).kind.run(handle, effects, writes.stream().map(write -> write.part).toList());
    for (int i = 0; i < writes.size(); i++) {
      writes.get(i).failure = null;
      writes.get(i).result = results.get(i);
    }
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
      result = kind.run(handle, effects, List.of(part)).get(0);
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
