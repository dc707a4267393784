package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.Resolver;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** The pools of one event loop, and on it. */
final class Shard {
  private final Shared shared;
  private final EventLoop loop;
  private final Map<HostPool.Key, HostPool> pools = new HashMap<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private boolean closed;

  /**
   * Whether the shard is failing its calls: a pool may be unused before its last call has failed.
   */
  private boolean closing;

  /**
   * The parts that all shards of a client share.
   *
   * @param policy which addresses may be called
   * @param resolver finds them
   * @param connector dials them
   * @param budget of the connections of all shards
   * @param shedIdle asks every shard to close one unused connection
   */
  record Shared(
      ClientConfig config,
      AddressPolicy policy,
      Resolver resolver,
      Connector connector,
      ConnectionBudget budget,
      Runnable shedIdle) {}

  Shard(Shared shared, EventLoop loop) {
    this.shared = shared;
    this.loop = loop;
  }

  Shared shared() {
    return shared;
  }

  EventLoop loop() {
    return loop;
  }

  boolean isClosed() {
    return closed;
  }

  /** Runs something on the loop; nothing if the loop has ended, and with it everything here. */
  void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // A loop that has ended has no connections, so there is nothing left to act on.
      return;
    }
  }

  /**
   * Completes when the loop has handled all input that had come by now, or has ended.
   *
   * @param pause longer than none, so that the loop looks at its sockets in between
   */
  CompletableFuture<Void> heardOut(Duration pause) {
    CompletableFuture<Void> heard = new CompletableFuture<>();
    try {
      var unused = loop.schedule(() -> heard.complete(null), pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      heard.complete(null);
    }
    return heard;
  }

  /** Takes over an exchange from any thread. */
  void submit(Exchange exchange) {
    try {
      loop.execute(() -> accept(exchange));
    } catch (RejectedExecutionException e) {
      exchange.fail(CallException.closed());
    }
  }

  private void accept(Exchange exchange) {
    if (closed) {
      exchange.fail(CallException.closed());
      return;
    }
    exchange.begin(loop);
    if (exchange.hasEnded()) {
      return;
    }
    HostPool.Key key =
        new HostPool.Key(
            exchange.request().target().origin(), exchange.call().purpose(), exchange.proxy());
    pools.computeIfAbsent(key, k -> new HostPool(k, this)).submit(exchange);
  }

  void remove(HostPool pool) {
    pools.remove(pool.key(), pool);
    endIfUnused();
  }

  private void endIfUnused() {
    if (closed && !closing && pools.isEmpty()) {
      ended.complete(null);
    }
  }

  /** Closes one unused connection, if there is any, to make room for a pool that has none. */
  void shedOne() {
    for (HostPool pool : pools.values()) {
      if (pool.shedOne()) {
        return;
      }
    }
  }

  /** Ends everything; the future completes when no connection is left. */
  CompletableFuture<Void> close() {
    try {
      loop.execute(
          () -> {
            closed = true;
            closing = true;
            List.copyOf(pools.values()).forEach(pool -> pool.close(CallException.closed()));
            closing = false;
            endIfUnused();
          });
    } catch (RejectedExecutionException e) {
      ended.complete(null);
    }
    return ended;
  }
}
