package io.feedbridge.gateway;

import io.feedbridge.gateway.assembly.Standby;
import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.cluster.ForwardedRequests;
import io.feedbridge.gateway.cluster.Forwarder;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.runtime.Threads;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.folder.FolderLock;
import io.feedbridge.gateway.store.postgres.PostgresNode;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.web.common.Callers;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the nodes on a database. The node that owns the store runs the gateway. Every other node
 * is a standby, which takes over when the owner ends or loses its lease. A node that has lost its
 * lease stops its gateway and is a standby again, with nothing of the gateway left in memory. A
 * node whose store has failed for good gives its lease up and ends, so that its process is started
 * again.
 *
 * <p>One thread keeps the lease, also while the gateway starts and stops.
 */
public final class Node implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Node.class);

  /** The longest time in which a gateway that has lost the store may stop. */
  static final Duration LONGEST_STOP = Duration.ofSeconds(60);

  /** The time between two tries of a node that cannot join, or whose gateway cannot start. */
  static final Duration PAUSE = Duration.ofSeconds(2);

  private final Settings settings;
  private final Secret database;
  private final Clock clock;
  private final FolderLock folder;
  private final Thread keeper = new Thread(this::run, "node");
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Completes when the node is active or a standby, or with the failure of the first try. */
  private final CompletableFuture<Void> started = new CompletableFuture<>();

  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

  private volatile Standby.Waiting waiting = Standby.Waiting.on(Optional.empty());

  /** The keeper starts it; it leaves the address on the thread that starts the gateway. */
  private @Nullable Standby standby;

  /** A standby that has left the address to the gateway. */
  private @Nullable Standby left;

  /** These threads pass answers of the owner on. */
  private static final int FORWARD_THREADS = 2;

  private static final int FORWARD_QUEUE = 4_096;

  private final ThreadPoolExecutor forwarding =
      Threads.pool("forward", FORWARD_THREADS, FORWARD_QUEUE);

  private final Forwarder forwarder;
  private final KeyFile keyFile;

  /** Signs requests to the owner; used by the keeper alone. */
  private @Nullable ForwardedRequests signed;

  /** Whether this incarnation has told its address; used by the keeper alone. */
  private boolean announced;

  private Node(Settings settings, Secret database, Clock clock) {
    this.settings = settings;
    this.database = database;
    this.clock = clock;
    forwarder =
        new Forwarder(
            new Callers(Networks.of(settings.serving().trustedProxies()))::key, forwarding);
    keyFile = KeyFile.of(settings.protection().keyFile(), settings.data());
    folder = FolderLock.of(settings.storage().folder());
  }

  /**
   * Joins the nodes of a database, and returns when the node is active or a standby.
   *
   * @param database a JDBC URL
   * @throws IOException if it cannot listen, with a message for the operator
   * @throws StoreException if the database cannot be used, likewise
   */
  public static Node start(Settings asked, Secret database, Clock clock) throws IOException {
    Node node = new Node(Gateway.listening(asked), database, clock);
    node.keeper.start();
    try {
      node.started.join();
      return node;
    } catch (CompletionException e) {
      node.close();
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }

  /**
   * Waits for the end of the node.
   *
   * @return whether it was closed; otherwise its gateway could not be stopped, or its store has
   *     failed for good, and the process has to end
   */
  public boolean awaitEnd() {
    return ended.join();
  }

  private void run() {
    try {
      while (isOpen()) {
        live();
      }
      ended.complete(true);
    } catch (RuntimeException | Error e) {
      log.atError().setCause(e).log("The node ends: its process has to be started again");
      started.completeExceptionally(e);
      ended.complete(false);
    } finally {
      leaveTheAddress();
      endLeft();
      folder.close();
      Threads.end(forwarding);
    }
  }

  private boolean isOpen() {
    return closing.getCount() > 0;
  }

  /** One incarnation: a standby, then the owner, until the lease is lost or the node is closed. */
  private void live() {
    Settings.Storage storage = settings.storage();
    try (PostgresNode node =
        PostgresNode.join(database.text(), storage.node(), storage.folder(), clock)) {
      announced = false;
      boolean owns = awaitOwnership(node);
      forwarder.to(Optional.empty());
      if (owns) {
        waiting = Standby.Waiting.because("this node owns the store, and its gateway starts");
        own(node);
      }
      // Its sessions end with the node's lease.
      stopServing();
    } catch (IOException | StoreException e) {
      if (started.completeExceptionally(e)) {
        closing.countDown();
      } else {
        tell(Standby.Waiting.because(String.valueOf(e.getMessage())));
        pause(PAUSE);
      }
    }
  }

  private boolean awaitOwnership(PostgresNode node) throws IOException {
    while (isOpen() && node.renew()) {
      if (node.tryOwn()) {
        return true;
      }
      tell(look(node));
      standBy(node);
      started.complete(null);
      pause(PostgresNode.LOOK);
    }
    return false;
  }

  /** Finds the owner, and has requests passed to it. */
  private Standby.Waiting look(PostgresNode node) {
    Optional<PostgresNode.Owner> owner = node.owner();
    Standby.Waiting on = Standby.Waiting.on(owner.map(PostgresNode.Owner::name));
    try {
      if (signed == null) {
        signed =
            node.gatewayKey(keyFile).map(key -> new ForwardedRequests(key, clock)).orElse(null);
      }
      forwarder.to(owner.flatMap(this::reached));
      return on;
    } catch (StoreException e) {
      return on.without(String.valueOf(e.getMessage()));
    }
  }

  private Optional<Forwarder.Owner> reached(PostgresNode.Owner owner) {
    ForwardedRequests signing = signed;
    return signing == null
        ? Optional.empty()
        : owner.address().map(address -> new Forwarder.Owner(owner.name(), address, signing));
  }

  /** Has the standby's health, and the log once, name the reason of the wait. */
  private void tell(Standby.Waiting now) {
    Standby.Waiting before = waiting;
    waiting = now;
    if (!now.equals(before)) {
      log.atInfo()
          .addKeyValue("node", settings.storage().node())
          .addKeyValue("reason", now.reason())
          .log("The node is a standby");
    }
    if (started.isDone()) {
      try {
        var unused = standBy();
      } catch (IOException e) {
        log.atError().addKeyValue("reason", e.getMessage()).log("The standby cannot listen");
      }
    }
  }

  private synchronized Standby standBy() throws IOException {
    Standby now = standby;
    if (now == null) {
      now = Standby.start(settings, clock, () -> waiting, forwarder);
      standby = now;
    }
    return now;
  }

  /** Nodes of other versions pass all requests to the owner. */
  private void standBy(PostgresNode node) throws IOException {
    if (signed != null && node.hasSchemaOfThisVersion()) {
      if (!announced) {
        node.announce(settings.address());
        announced = true;
      }
      standBy().serve(node);
    } else {
      standBy().stopServing();
    }
  }

  private synchronized void stopServing() {
    if (standby != null) {
      standby.stopServing();
    }
  }

  private synchronized void leaveTheAddress() {
    if (standby != null) {
      standby.leaveTheAddress();
      left = standby;
      standby = null;
    }
  }

  /** Its parts take seconds to end, in which the node's gateway answers already. */
  private void endLeft() {
    Standby ending;
    synchronized (this) {
      ending = left;
      left = null;
    }
    if (ending != null) {
      ending.close();
    }
  }

  private void own(PostgresNode node) throws IOException {
    log.atInfo().addKeyValue("node", settings.storage().node()).log("The node owns the store");
    NodeGateway running =
        new NodeGateway(settings, clock, node, this::leaveTheAddress, this::endLeft);
    running.start(() -> started.complete(null));
    boolean kept = true;
    while (kept && isOpen() && !running.hasFailed()) {
      pause(node.nextRenewal());
      kept = node.renew();
    }
    if (!kept) {
      log.atError()
          .addKeyValue("node", settings.storage().node())
          .addKeyValue("reason", node.givenUp().orElse("another node may own the store"))
          .log("The node has lost the store: the gateway stops");
    }
    CompletableFuture<Void> stopped = running.stop();
    long deadline = System.nanoTime() + LONGEST_STOP.toNanos();
    while (!stopped.isDone()) {
      if (System.nanoTime() - deadline > 0) {
        throw running.doesNotStop();
      }
      // The lease is kept while the last work is written.
      kept = kept && node.renew();
      await(stopped, kept ? node.nextRenewal() : PostgresNode.LOOK);
    }
    running.rethrow();
    node.givenUp()
        .ifPresent(
            reason -> {
              throw new IllegalStateException(reason);
            });
  }

  private void pause(Duration time) {
    try {
      var unused = closing.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nothing interrupts the thread of a node", e);
    }
  }

  private static void await(CompletableFuture<Void> end, Duration most) {
    CompletableFuture<Void> bounded =
        end.copy().completeOnTimeout(null, most.toMillis(), TimeUnit.MILLISECONDS);
    bounded.join();
  }

  /**
   * Stops the gateway as {@link Gateway#close} does, then gives the lease up, so that a standby
   * takes over at once. Repeating it does nothing.
   */
  @Override
  public void close() {
    closing.countDown();
    ended.join();
  }
}
