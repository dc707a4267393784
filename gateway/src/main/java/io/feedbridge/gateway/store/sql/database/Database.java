package io.feedbridge.gateway.store.sql.database;

import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The database that the rules of the store are kept in: reads of the committed state, and
 * transactions that are durable once their future completes. Safe for use by several threads.
 */
public interface Database {

  /** Memory that a write without a body takes, roughly. */
  long SMALL_WRITE_BYTES = 1_024;

  /**
   * Reads from the newest committed state. Blocks.
   *
   * @throws io.feedbridge.gateway.store.StoreException if the state cannot be read, or the database
   *     is closed
   */
  <T> T read(Function<Handle, T> query);

  /**
   * {@link #read} for queries that may look at many rows. A part of the connections takes no such
   * query, so that a short one always finds a connection.
   */
  <T> T readLong(Function<Handle, T> query);

  /**
   * Runs a transaction; the future completes when it is on disk. Where it fails, the transaction
   * has left nothing behind, unless the failure ends all writes until a restart.
   *
   * @param bytes that the transaction holds on to until then, roughly
   */
  <T extends @Nullable Object> CompletableFuture<T> write(long bytes, Transaction<T> transaction);

  /**
   * Makes a write together with all others of its kind that wait for the same commit. The future
   * completes when it is on disk.
   *
   * @param kind one constant for all writes of the kind
   * @param bytes as of {@link #write}
   */
  <P, T extends @Nullable Object> CompletableFuture<T> write(long bytes, Joint<P, T> kind, P part);

  /** Whether {@link #writeBeside} has a writer of its own. */
  boolean hasWriterBeside();

  /**
   * {@link #write(long, Joint, Object)} for writes that wait for no other kind of write: a database
   * that can commit several transactions at once makes them by a writer of their own. All writes of
   * a kind are made this way, or none. The rows that they change are changed by them alone.
   */
  <P, T extends @Nullable Object> CompletableFuture<T> writeBeside(
      long bytes, Joint<P, T> kind, P part);

  /** {@link #write} for outcomes: it leaves room and time for transactions that a caller awaits. */
  <T extends @Nullable Object> CompletableFuture<T> writePatiently(Transaction<T> transaction);

  /**
   * Gives a part of the space that holds nothing any more back to the disk, within a transaction.
   *
   * @param kept bytes of free space that stay
   * @param most bytes to give back
   * @return bytes that were given back
   */
  long giveBack(Handle handle, long kept, long most);

  /** Calls the listener after each commit that has the effect, on the writer's thread. */
  void on(Effect effect, Runnable listener);

  /** Calls the listener after each commit that changed subscriptions, on the writer's thread. */
  void onSubscriptionsChanged(Consumer<ChangedSubscriptions> listener);

  /** Whether the database takes writes. Never blocks. */
  StoreHealth health();

  /**
   * The epoch in which this process opened the database (rule L15); 0 for a process that does not
   * own it.
   */
  long epoch();

  /** Whether this process owns the database, and so knows of every change of it. */
  default boolean isOwned() {
    return epoch() > 0;
  }

  /** Stored rows that could not be read since the start, and were passed over. */
  long damagedRows();

  /** {@link #write} for a transaction that holds little. */
  default <T extends @Nullable Object> CompletableFuture<T> write(Transaction<T> transaction) {
    return write(SMALL_WRITE_BYTES, transaction);
  }

  /** {@link #write} for a transaction without a result that holds little. */
  default CompletableFuture<Void> change(Action action) {
    return change(SMALL_WRITE_BYTES, action);
  }

  /**
   * {@link #change(Action)} that a node which does not own the store may make too: no stage decides
   * by the rows that it changes. All other writes fail there with a {@link
   * io.feedbridge.gateway.store.NotOwnerException}, {@link #writeBeside} apart.
   */
  default CompletableFuture<Void> changeAtAnyNode(Action action) {
    return writeAtAnyNode(action.done()).thenAccept(done -> {});
  }

  /** {@link #changeAtAnyNode} with a result. */
  default <T extends @Nullable Object> CompletableFuture<T> writeAtAnyNode(
      Transaction<T> transaction) {
    return write(transaction);
  }

  /** {@link #write} for a transaction without a result. */
  default CompletableFuture<Void> change(long bytes, Action action) {
    return write(bytes, action.done()).thenAccept(done -> {});
  }

  /** {@link #write(long, Joint, Object)} for outcomes of fetches and deliveries. */
  <P, T extends @Nullable Object> CompletableFuture<T> writePatiently(
      long bytes, Joint<P, T> kind, P part);

  /** {@link #writePatiently(long, Joint, Object)} for a part that holds little. */
  default <P, T extends @Nullable Object> CompletableFuture<T> writePatiently(
      Joint<P, T> kind, P part) {
    return writePatiently(SMALL_WRITE_BYTES, kind, part);
  }

  /** {@link #writePatiently} for a transaction without a result. */
  default CompletableFuture<Void> changePatiently(Action action) {
    return writePatiently(action.done()).thenAccept(done -> {});
  }

  /** The code of a transaction. */
  interface Transaction<T extends @Nullable Object> {
    /**
     * Runs on the writer's thread, and again after a rollback where it was in the way of another
     * transaction, or where another write of its commit failed. Each run leaves the same in memory
     * as one run does.
     *
     * @param effects receives the effects that the transaction may have
     */
    T run(Handle handle, Set<Effect> effects);
  }

  /**
   * A kind of write of which any number are made at once: by a few statements over all of them,
   * which a server answers in as many round trips.
   *
   * @param <P> the part of one write
   */
  interface Joint<P, T extends @Nullable Object> {
    /**
     * Runs as {@link Transaction#run} does.
     *
     * @param parts at least one, in the order in which they were given
     * @return the results, in the order of the parts
     */
    List<T> run(Handle handle, Set<Effect> effects, List<P> parts);
  }

  /** The code of a transaction without a result. */
  interface Action {
    /** Runs on the writer's thread; see {@link Transaction#run}. */
    void run(Handle handle, Set<Effect> effects);

    private Transaction<Boolean> done() {
      return (handle, effects) -> {
        run(handle, effects);
        return true;
      };
    }
  }
}
