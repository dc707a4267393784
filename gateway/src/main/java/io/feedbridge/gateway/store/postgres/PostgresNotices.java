package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.commit.CommitListeners;
import io.feedbridge.gateway.store.sql.database.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the other nodes of a database which effects the commits of this node may have had, and
 * learns the effects of theirs. A notice is sent after its commits, never within them: it takes a
 * lock over all commits. Notices may be lost, so that all effects of other nodes count as due once
 * a second, whatever came.
 */
final class PostgresNotices implements AutoCloseable {

  /** The effects of the owner that other nodes wait for. */
  static final Set<Effect> OF_OWNER = Set.of(Effect.APPENDED, Effect.FETCHED, Effect.FETCH_DUE);

  /** The effect of other nodes that the owner waits for. */
  static final Set<Effect> OF_OTHERS = Set.of(Effect.WORK_ADDED);

  /** Commits within this time are told in one notice. */
  static final Duration JOINED = Duration.ofMillis(10);

  /** The time between two looks without a notice. */
  static final Duration LOOK = Duration.ofSeconds(1);

  private static final String CHANNEL = "feedbridge";

  private static final Logger log = LoggerFactory.getLogger(PostgresNotices.class);

  private final Jdbi readers;
  private final DataSource listening;
  private final String sender;
  private final Set<Effect> sent;
  private final Set<Effect> received;
  private final CommitListeners listeners;
  private final Thread telling = new Thread(this::tell, "store-tell");
  private final Thread hearing = new Thread(this::hear, "store-hear");

  /** The effects to tell, each once. */
  private final BlockingQueue<Effect> pending = new LinkedBlockingQueue<>();

  private final Set<Effect> queued = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closing = new CountDownLatch(1);

  /** The connection that listens, which another thread closes at the end. */
  private volatile @Nullable Connection open;

  /**
   * Prepares the notices; {@link #start} starts them.
   *
   * @param readers over which notices are sent
   * @param listening makes a connection of its own
   * @param sender tells this process from others
   * @param owns whether this process owns the store
   * @param listeners are told the effects of other nodes
   */
  PostgresNotices(
      Jdbi readers, DataSource listening, String sender, boolean owns, CommitListeners listeners) {
    this.readers = readers;
    this.listening = listening;
    this.sender = sender;
    sent = owns ? OF_OWNER : OF_OTHERS;
    received = owns ? OF_OTHERS : OF_OWNER;
    this.listeners = listeners;
    telling.setDaemon(true);
    hearing.setDaemon(true);
  }

  /** Begins to tell and to listen. */
  void start() {
    telling.start();
    hearing.start();
  }

  /** A commit of this process had these effects. Never blocks. */
  void committed(Set<Effect> effects) {
    for (Effect effect : effects) {
      if (sent.contains(effect) && queued.add(effect)) {
        pending.add(effect);
      }
    }
  }

  private boolean isOpen() {
    return closing.getCount() > 0;
  }

  private void tell() {
    long lookedAt = System.nanoTime();
    boolean alone = false;
    try {
      while (isOpen()) {
        Set<Effect> told = awaitPending(lookedAt + LOOK.toNanos() - System.nanoTime());
        if (System.nanoTime() - lookedAt >= LOOK.toNanos()) {
          lookedAt = System.nanoTime();
          listeners.committed(received, Optional.empty());
          alone = isAlone(alone);
        }
        if (!alone && !told.isEmpty()) {
          send(told);
        }
      }
    } catch (InterruptedException e) {
      // The end of the notices.
    }
  }

  /** Waits for effects, and then for more of them. */
  private Set<Effect> awaitPending(long nanos) throws InterruptedException {
    Set<Effect> told = EnumSet.noneOf(Effect.class);
    Effect first = pending.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    if (first != null && !closing.await(JOINED.toMillis(), TimeUnit.MILLISECONDS)) {
      // Before the rest is taken: an effect that comes now is told again.
      queued.clear();
      told.add(first);
      pending.drainTo(told);
    }
    return told;
  }

  /** Whether no other node would hear; a node that joins looks by itself. */
  private boolean isAlone(boolean before) {
    try {
      return readers.withHandle(
          handle ->
              handle
                  .createQuery("SELECT COUNT(*) < 2 FROM node WHERE state <> 'dead'")
                  .mapTo(Boolean.class)
                  .one());
    } catch (JdbiException e) {
      return before;
    }
  }

  private void send(Set<Effect> effects) {
    String notice =
        sender + ":" + effects.stream().map(Effect::name).collect(Collectors.joining(","));
    try {
      readers.useHandle(
          handle -> handle.select("SELECT pg_notify(?, ?)", CHANNEL, notice).mapToMap().list());
    } catch (JdbiException | StoreException e) {
      // The other nodes look by themselves.
      log.atDebug().addKeyValue("reason", e.getMessage()).log("A notice was not sent");
    }
  }

  private void hear() {
    while (isOpen()) {
      try (Connection connection = listening.getConnection();
          Statement statement = connection.createStatement()) {
        open = connection;
        statement.execute("LISTEN " + CHANNEL);
        PGConnection notices = connection.unwrap(PGConnection.class);
        while (isOpen()) {
          for (PGNotification notice : notices.getNotifications((int) LOOK.toMillis())) {
            heard(notice.getParameter());
          }
          // Without a question the end of the connection could stay unnoticed.
          statement.execute("");
        }
      } catch (SQLException e) {
        pauseAfter(e);
      }
    }
  }

  private void pauseAfter(SQLException failure) {
    if (isOpen()) {
      log.atDebug()
          .addKeyValue("reason", failure.getMessage())
          .log("The connection for notices was lost; effects are looked for each second");
    }
    try {
      var unused = closing.await(LOOK.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // The end of the notices.
    }
  }

  private void heard(String notice) {
    int colon = notice.indexOf(':');
    if (colon < 0 || notice.substring(0, colon).equals(sender)) {
      return;
    }
    // A newer node may know more effects.
    Set<Effect> effects =
        Arrays.stream(notice.substring(colon + 1).split(",", -1))
            .flatMap(name -> received.stream().filter(effect -> effect.name().equals(name)))
            .collect(Collectors.toSet());
    if (!effects.isEmpty()) {
      listeners.committed(effects, Optional.empty());
    }
  }

  /** Tells and listens no more. */
  @Override
  public void close() throws SQLException {
    closing.countDown();
    telling.interrupt();
    Connection listens = open;
    if (listens != null) {
      listens.close();
    }
    hearing.interrupt();
    try {
      telling.join(LOOK.toMillis());
      hearing.join(LOOK.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
