package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Origin;
import io.feedbridge.gateway.client.address.Proxy;
import io.feedbridge.gateway.client.address.Purpose;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one origin for one purpose, by one proxy or none, and the exchanges that wait
 * for them. Everything in it happens on one event loop, its connections' own, so nothing is locked.
 *
 * <p>Purposes do not share connections: an address that a fetch may reach is not one that a
 * callback may reach, and a subscriber's slow callback must not hold up the feed on the same host.
 */
final class HostPool implements Connection.Owner, ConnectionBudget.Starved {
  /**
   * The requests that a pool serves.
   *
   * @param proxy between; absent for none
   */
  record Key(Origin origin, Purpose purpose, @Nullable Proxy proxy) {}

  private final Key key;
  private final Shard shard;
  private final ClientConfig config;
  private final ConnectionBudget budget;
  private final Deque<Exchange> waiting = new ArrayDeque<>();
  private final Deque<Connection> idle = new ArrayDeque<>();
  private final Set<Exchange> dialling = new HashSet<>();
  private final Set<Connection> connections = new HashSet<>();
  private int open;
  private boolean pumping;
  private boolean starved;
  private boolean granted;
  private boolean sweepDue;

  HostPool(Key key, Shard shard) {
    this.key = key;
    this.shard = shard;
    config = shard.shared().config();
    budget = shard.shared().budget();
  }

  Key key() {
    return key;
  }

  Shard shard() {
    return shard;
  }

  void submit(Exchange exchange) {
    exchange.heldAt(Exchange.Stage.QUEUED, () -> withdraw(exchange));
    waiting.addLast(exchange);
    pump();
    // The first waiting exchanges may be about to get a connection, so the newest one is refused.
    if (waiting.size() > config.queuePerHost() && waiting.peekLast() == exchange) {
      String message = "Too many calls are waiting for a connection to " + exchange.host();
      exchange.fail(new CallException(Failure.SATURATED, message));
    }
    removeIfUnused();
  }

  /** Sends an exchange again, before all others, over a new connection. */
  @Override
  public Header userAgent() {
    return config.userAgent();
  }

  @Override
  public void retry(Exchange exchange) {
    exchange.markRetried();
    exchange.heldAt(Exchange.Stage.QUEUED, () -> withdraw(exchange));
    waiting.addFirst(exchange);
    pump();
  }

  private void withdraw(Exchange exchange) {
    waiting.remove(exchange);
    removeIfUnused();
  }

  /** Gives waiting exchanges to kept connections and to new ones, as far as the bounds allow. */
  private void pump() {
    if (pumping) {
      return;
    }
    pumping = true;
    try {
      Exchange next = waiting.peekFirst();
      while (next != null && (sendOverKept(next) || dial(next))) {
        next = waiting.peekFirst();
      }
    } finally {
      pumping = false;
    }
  }

  private boolean sendOverKept(Exchange next) {
    // The one used last is the one most likely to be alive.
    Connection kept = next.retried() ? null : idle.pollLast();
    if (kept == null) {
      return false;
    }
    waiting.removeFirst();
    Optional<CallException> refusal = next.refusal(kept.address());
    if (refusal.isPresent()) {
      idle.addLast(kept);
      next.fail(refusal.get());
    } else {
      kept.send(next);
    }
    return true;
  }

  private boolean dial(Exchange next) {
    if (open >= config.connectionsPerHost() || !acquire()) {
      makeRoom();
      return false;
    }
    waiting.removeFirst();
    open++;
    dialling.add(next);
    new Dial(this, next).start();
    return true;
  }

  private boolean acquire() {
    if (granted) {
      granted = false;
      return true;
    }
    return budget.acquire();
  }

  private void makeRoom() {
    if (!idle.isEmpty()) {
      // Only an exchange that must not use a kept connection comes here while there is one: it gets
      // its place.
      idle.removeFirst().close();
    } else if (open == 0 && !starved) {
      // A pool with connections reuses them; only a pool without any may take one from other pools.
      starved = true;
      budget.await(this);
      shard.shared().shedIdle().run();
    }
  }

  /** Called by the budget from any thread: the pool has been given a permit. */
  @Override
  public void grant() {
    shard.execute(this::useGrant);
  }

  private void useGrant() {
    starved = false;
    granted = true;
    pump();
    if (granted) {
      granted = false;
      budget.release();
    }
    removeIfUnused();
  }

  /** A dial has ended without a connection. */
  void dialFailed(Exchange exchange) {
    dialling.remove(exchange);
    slotFreed();
  }

  /** A dial has ended with a connection, for the exchange that wanted it. */
  void dialled(Exchange exchange, Connection connection) {
    dialling.remove(exchange);
    connections.add(connection);
    // A dial may take seconds, or as long as the process was suspended in its midst.
    if (exchange.mayGo()) {
      connection.send(exchange);
    } else {
      connection.close();
      exchange.fail(CallException.closed());
    }
  }

  /** A connection has nothing to do: it is kept, unless a pool without any waits for a permit. */
  @Override
  public void release(Connection connection) {
    if (shard.isClosed() || budget.contended() || (config.idle().isZero() && waiting.isEmpty())) {
      connection.close();
      return;
    }
    idle.addLast(connection);
    pump();
    sweepLater();
  }

  /** A connection is gone. */
  @Override
  public void closed(Connection connection) {
    idle.remove(connection);
    if (connections.remove(connection)) {
      slotFreed();
    }
  }

  private void slotFreed() {
    open--;
    budget.release();
    pump();
    removeIfUnused();
  }

  private void removeIfUnused() {
    if (open == 0 && waiting.isEmpty()) {
      shard.remove(this);
    }
  }

  /** Closes one unused connection; false if there is none. */
  boolean shedOne() {
    Connection oldest = idle.pollFirst();
    if (oldest != null) {
      oldest.close();
    }
    return oldest != null;
  }

  private void sweepLater() {
    Connection oldest = idle.peekFirst();
    if (sweepDue || oldest == null) {
      return;
    }
    sweepDue = true;
    long left = oldest.idleSinceNanos() + config.idle().toNanos() - System.nanoTime();
    var unused = shard.loop().schedule(this::sweep, Math.max(0, left), TimeUnit.NANOSECONDS);
  }

  private void sweep() {
    sweepDue = false;
    long now = System.nanoTime();
    @Nullable Connection oldest = idle.peekFirst();
    while (oldest != null && now - oldest.idleSinceNanos() >= config.idle().toNanos()) {
      idle.removeFirst().close();
      oldest = idle.peekFirst();
    }
    sweepLater();
  }

  /**
   * Fails everything and closes every connection; nothing is accepted afterwards, since the shard
   * is closed.
   */
  void close(CallException reason) {
    List<Exchange> pending = new ArrayList<>(waiting);
    pending.addAll(dialling);
    pending.forEach(exchange -> exchange.fail(reason));
    List.copyOf(connections).forEach(connection -> connection.fail(reason));
  }
}
