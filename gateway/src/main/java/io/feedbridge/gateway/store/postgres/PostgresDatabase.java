package io.feedbridge.gateway.store.postgres;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.NotOwnerException;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.sql.commit.CommitListeners;
import io.feedbridge.gateway.store.sql.commit.GroupCommit;
import io.feedbridge.gateway.store.sql.commit.Health;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.store.sql.commit.WriteQueue;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.sql.database.StoreKey;
import io.feedbridge.gateway.store.sql.database.WriterBeside;
import io.feedbridge.gateway.store.sql.move.MoveMark;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.vault.Vault;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.config.Configurable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL database under the store's rules: opened by one gateway at a time, which migrates
 * it, read over a pool of connections, written by one thread, and by a second one where work
 * arrives. The other nodes open it beside the owner, for reads and for work that arrives there.
 */
public final class PostgresDatabase implements Database, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PostgresDatabase.class);

  /** Long reads at once; the other connections are kept for intake. */
  private static final int LONG_READERS = PostgresConnections.READERS / 2;

  private final Health health;
  private final Health healthBeside;
  private final Semaphore longReads = new Semaphore(LONG_READERS, true);
  private final CommitListeners listeners = new CommitListeners();

  /** The resources to close, the last opened first. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private final DamagedRows.Told damaged = new DamagedRows.Told();
  private final Jdbi readers;
  private final GroupCommit writer;

  /** Commits work that arrives, while the writer records the outcomes of other work. */
  private final GroupCommit besides;

  private final Optional<PostgresNotices> notices;

  /** The epoch of the owner; 0 for a process that does not own the store. */
  private final long epoch;

  private PostgresDatabase(Opening opening, KeyFile keyFile, Executor callers, Timer timer) {
    PostgresPlace place = opening.place();
    health = new Health(timer.clock(), opening.onLasting());
    healthBeside = new Health(timer.clock(), opening.onLasting());
    boolean whole = false;
    try {
      Jdbi writers = PostgresConnections.jdbi(opening.writing());
      writers.getConfig(WriterBeside.class).set();
      Handle handle = writers.open();
      opened.push(handle);
      Optional<PostgresOwner> owner = opening.owner().apply(handle);
      epoch = owner.map(PostgresOwner::epoch).orElse(0L);
      Handle beside = writers.open();
      opened.push(beside);
      Optional<PostgresOwner> ownerBeside =
          owner.map(first -> PostgresOwner.beside(beside, first.epoch()));
      if (owner.isPresent()) {
        PostgresMigration.run(handle, opening.migrating());
      }
      MoveMark.in(handle)
          .ifPresent(
              mark -> {
                throw mark.refusal(place.name());
              });
      Vault vault = StoreKey.open(handle, keyFile, place.name());
      HikariDataSource pool = PostgresConnections.readers(opening.reading());
      opened.push(pool);
      readers = PostgresConnections.jdbi(pool);
      for (Configurable<?> one : List.of(readers, writers, handle, beside)) {
        one.getConfig(Sealing.class).with(vault);
        one.getConfig(DamagedRows.class).with(damaged);
      }
      PostgresWriter connection = new PostgresWriter(writers, handle, owner);
      // It is the writer's from here on.
      opened.remove(handle);
      notices = opening.node().map(node -> notices(node, owner.isPresent()));
      notices.ifPresent(opened::push);
      GroupCommit.CommitListener told = this::committed;
      writer = new GroupCommit("store-writer", connection, callers, told, timer, health);
      opened.push(writer);
      PostgresWriter connectionBeside = new PostgresWriter(writers, beside, ownerBeside);
      opened.remove(beside);
      besides =
          new GroupCommit("store-arrivals", connectionBeside, callers, told, timer, healthBeside);
      opened.push(besides);
      whole = true;
    } catch (JdbiException | HikariPool.PoolInitializationException e) {
      throw place.unusable(e);
    } finally {
      if (!whole) {
        letGo();
      }
    }
    writer.start();
    besides.start();
    notices.ifPresent(PostgresNotices::start);
  }

  private PostgresNotices notices(PostgresNode node, boolean isOwner) {
    return new PostgresNotices(readers, node.listening(), node.incarnation(), isOwner, listeners);
  }

  private void committed(Set<Effect> effects, Optional<ChangedSubscriptions> changed) {
    listeners.committed(effects, changed);
    notices.ifPresent(other -> other.committed(effects));
  }

  /**
   * How a database is opened.
   *
   * @param node absent for a process that is no node
   * @param reading the sessions of readers
   * @param writing the session of the writer
   * @param migrating the sessions of migrations
   * @param owner makes the session of the writer the owner's; its result is empty for a process
   *     that does not own the store
   * @param onLasting see {@link Health}
   */
  private record Opening(
      PostgresPlace place,
      Optional<PostgresNode> node,
      DataSource reading,
      DataSource writing,
      DataSource migrating,
      Function<Handle, Optional<PostgresOwner>> owner,
      Consumer<String> onLasting) {}

  /**
   * Opens the store that a node owns.
   *
   * @param keyFile the key that secrets are encrypted with
   * @param callers where the futures of writes are completed
   * @param timer by which a storage that failed is tried again
   * @throws StoreException if the database cannot be reached or read, a session of another gateway
   *     holds it, or the key is not the one; the message is fit for the operator
   */
  public static PostgresDatabase open(
      PostgresNode node, KeyFile keyFile, Executor callers, Timer timer) {
    PostgresPlace joined = new PostgresPlace(node.place().url(), true);
    long epoch = node.epoch();
    return new PostgresDatabase(
        new Opening(
            joined,
            Optional.of(node),
            node.reading(),
            node.writing(),
            node.migrating(),
            handle -> Optional.of(PostgresOwner.in(handle, epoch)),
            node::giveUp),
        keyFile,
        callers,
        timer);
  }

  /**
   * Opens the store for a node that does not own it: for reads, and for work that arrives there.
   * The schema has to be the one of this version.
   *
   * @param keyFile the key that secrets are encrypted with, which exists
   * @param callers where the futures of writes are completed
   * @param timer by which a storage that failed is tried again
   * @throws StoreException if the database cannot be reached or read; the message is fit for the
   *     operator
   */
  public static PostgresDatabase beside(
      PostgresNode node, KeyFile keyFile, Executor callers, Timer timer) {
    return new PostgresDatabase(
        new Opening(
            new PostgresPlace(node.place().url(), true),
            Optional.of(node),
            node.reading(),
            node.writing(),
            node.migrating(),
            handle -> Optional.empty(),
            reason -> {}),
        keyFile,
        callers,
        timer);
  }

  /**
   * Opens the store of a database without a gateway, and makes its tables in an empty database.
   *
   * @param url a JDBC URL of PostgreSQL, with the login
   * @throws StoreException as above
   */
  public static PostgresDatabase open(String url, KeyFile keyFile, Executor callers, Timer timer) {
    return open(new PostgresPlace(url, false), keyFile, callers, timer);
  }

  /** Opens a store, and makes its tables in an empty database, for a process that is no node. */
  static PostgresDatabase open(
      PostgresPlace place, KeyFile keyFile, Executor callers, Timer timer) {
    place.prepare(PostgresConnections.TOOL, timer.clock());
    return new PostgresDatabase(
        new Opening(
            place,
            Optional.empty(),
            PostgresConnections.reading(place.url(), PostgresConnections.TOOL),
            PostgresConnections.writing(place.url(), PostgresConnections.TOOL),
            PostgresConnections.migrating(place.url(), PostgresConnections.TOOL),
            handle -> Optional.of(PostgresOwner.take(handle, timer.clock())),
            reason -> {}),
        keyFile,
        callers,
        timer);
  }

  @Override
  public StoreHealth health() {
    StoreHealth beside = healthBeside.state();
    return health.state() instanceof StoreHealth.Refusing refusing
            && !(beside instanceof StoreHealth.Refusing other && other.lasting())
        ? refusing
        : beside;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public long damagedRows() {
    return damaged.count();
  }

  @Override
  public <T> T read(Function<Handle, T> query) {
    try {
      return readers.withHandle(query::apply);
    } catch (JdbiException e) {
      Optional<StorageFailure> failure = PostgresFailures.behind(e);
      String message = "the store cannot be read: " + StorageFailure.words(e);
      throw failure.isPresent() || e instanceof ConnectionException
          ? StoreException.general(message, e)
          : new StoreException(message, e);
    }
  }

  @Override
  public <T> T readLong(Function<Handle, T> query) {
    longReads.acquireUninterruptibly();
    try {
      return read(query);
    } finally {
      longReads.release();
    }
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> writeAtAnyNode(
      Transaction<T> transaction) {
    return writer.write(SMALL_WRITE_BYTES, transaction);
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> write(
      long bytes, Transaction<T> transaction) {
    return isOwned() ? writer.write(bytes, transaction) : NotOwnerException.future();
  }

  @Override
  public <P, T extends @Nullable Object> CompletableFuture<T> write(
      long bytes, Joint<P, T> kind, P part) {
    return isOwned()
        ? writer.write(bytes, kind, part, WriteQueue.Lane.PROMPT)
        : NotOwnerException.future();
  }

  @Override
  public boolean hasWriterBeside() {
    return true;
  }

  @Override
  public <P, T extends @Nullable Object> CompletableFuture<T> writeBeside(
      long bytes, Joint<P, T> kind, P part) {
    return besides.write(bytes, kind, part, WriteQueue.Lane.PROMPT);
  }

  @Override
  public <P, T extends @Nullable Object> CompletableFuture<T> writePatiently(
      long bytes, Joint<P, T> kind, P part) {
    return isOwned()
        ? writer.write(bytes, kind, part, WriteQueue.Lane.PATIENT)
        : NotOwnerException.future();
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> writePatiently(
      Transaction<T> transaction) {
    return isOwned()
        ? writer.write(SMALL_WRITE_BYTES, transaction, WriteQueue.Lane.PATIENT)
        : NotOwnerException.future();
  }

  /** The server's autovacuum gives space back by itself. */
  @Override
  public long giveBack(Handle handle, long kept, long most) {
    return 0;
  }

  @Override
  public void on(Effect effect, Runnable listener) {
    listeners.on(effect, listener);
  }

  @Override
  public void onSubscriptionsChanged(Consumer<ChangedSubscriptions> listener) {
    listeners.onSubscriptionsChanged(listener);
  }

  /** Commits the waiting writes, then closes the connections. */
  @Override
  public void close() {
    letGo();
  }

  private synchronized void letGo() {
    while (!opened.isEmpty()) {
      AutoCloseable part = opened.pop();
      try {
        part.close();
      } catch (Exception e) {
        log.atError().setCause(e).log("A part of the store was not closed well");
      }
    }
  }
}
