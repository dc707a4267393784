package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.DnsResolver;
import io.feedbridge.gateway.client.address.KnownAuthorities;
import io.feedbridge.gateway.client.address.Origin;
import io.feedbridge.gateway.client.address.Proxy;
import io.feedbridge.gateway.client.address.Resolver;
import io.feedbridge.gateway.client.address.Target;
import io.feedbridge.gateway.client.address.Transport;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP/1.1 client of all deliveries and fetches. Each origin belongs to one event loop, on
 * which its connections live and its calls end. Thread-safe.
 */
public final class OutboundClient implements Sender, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutboundClient.class);
  private static final Duration HEARD_OUT_AFTER = Duration.ofMillis(1);
  private static final Duration CALLS_END_WITHIN = Duration.ofSeconds(1);
  private static final Duration LOOPS_END_WITHIN = Duration.ofMillis(800);

  private final ClientConfig config;
  private final AddressPolicy policy;
  private final Resolver resolver;
  private final ConnectionBudget budget;
  private final KnownAuthorities authorities = new KnownAuthorities();
  private final List<Shard> shards;
  private final boolean owner;
  private final RunningCall.Hops hops;
  private final EventLoopGroup group;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * A client on event loops and with a resolver of the caller. The caller ends both after closing
   * the client.
   *
   * @param transport the group's own
   */
  public OutboundClient(
      EventLoopGroup group,
      Transport transport,
      ClientConfig config,
      AddressPolicy policy,
      Resolver resolver) {
    this(group, transport, config, policy, resolver, Gate.OPEN, false);
  }

  private OutboundClient(
      EventLoopGroup group,
      Transport transport,
      ClientConfig config,
      AddressPolicy policy,
      Resolver resolver,
      Gate gate,
      boolean owner) {
    this.config = config;
    this.policy = policy;
    this.resolver = resolver;
    this.group = group;
    this.owner = owner;
    hops = new Hops(gate);
    budget = new ConnectionBudget(config.maxConnections());
    Connector connector = new Connector(transport, config.trustManager());
    Shard.Shared shared =
        new Shard.Shared(config, policy, resolver, connector, budget, this::shedIdle);
    List<Shard> perLoop = new ArrayList<>();
    for (EventExecutor loop : group) {
      perLoop.add(new Shard(shared, (EventLoop) loop));
    }
    shards = List.copyOf(perLoop);
  }

  /** A client with event loops and a {@link DnsResolver} of its own, which end with it. */
  public static OutboundClient start(int threads, ClientConfig config, AddressPolicy policy) {
    return start(threads, config, policy, DnsResolver::new, Gate.OPEN);
  }

  /** How a client with event loops of its own gets its resolver, which ends with it. */
  @FunctionalInterface
  public interface Resolving {
    /** A resolver that may use one of the loops, which are of this transport. */
    Resolver on(EventLoop loop, Transport transport);
  }

  /**
   * The network that a client sees.
   *
   * @param resolving finds the addresses of hosts
   * @param trust judges the certificates of hosts; null for the JDK's own trust store
   */
  public record Network(Resolving resolving, @Nullable TrustManager trust) {
    /** Names by DNS, certificates by the JDK's own trust store. */
    public static final Network USUAL = new Network(DnsResolver::new, null);
  }

  /** The same with a resolver of another kind, and with a gate that may refuse requests. */
  public static OutboundClient start(
      int threads, ClientConfig config, AddressPolicy policy, Resolving resolving, Gate gate) {
    Transport transport = Transport.best();
    EventLoopGroup group = transport.newGroup(threads, "outbound");
    Resolver resolver = resolving.on(group.next(), transport);
    return new OutboundClient(group, transport, config, policy, resolver, gate, true);
  }

  /**
   * Sends a call. Never blocks; a bad call fails its future and throws nothing.
   *
   * @return completes with the answer, whatever its status, or exceptionally with a {@link
   *     CallException}. It completes on an event loop, so dependent stages must not block.
   *     Cancelling it does not end the call, only the call's timeout does
   */
  @Override
  public CompletableFuture<Reply> send(Call call) {
    if (closed.get()) {
      return CompletableFuture.failedFuture(CallException.closed());
    }
    if (inFlight.incrementAndGet() > config.maxCalls()) {
      inFlight.decrementAndGet();
      return CompletableFuture.failedFuture(
          new CallException(Failure.SATURATED, "Too many calls are under way; try again later"));
    }
    RunningCall running = new RunningCall(hops, call);
    try {
      Target target = call.destination().target(authorities);
      begin(
          running,
          new Request(call.method(), target, call.headersAt(target, call.headers()), call.body()));
    } catch (CallException e) {
      running.fail(e);
    }
    return running.reply();
  }

  /** Starts a hop: from here on the call is on the event loop of the request's origin. */
  private void begin(RunningCall call, Request request) throws CallException {
    Optional<CallException> refusal = policy.refusal(call.call().purpose(), request.target());
    if (refusal.isPresent()) {
      throw refusal.get();
    }
    Proxy proxy = call.call().proxyAt(request.target());
    if (proxy != null && policy.refusal(call.call().purpose(), proxy.target()).isPresent()) {
      throw new CallException(
          Failure.ADDRESS_REFUSED,
          Proxy.of(request.target().origin().host())
              + " has an address or a port that must not be called; the operator can allow a"
              + " network (--allow-fetch)");
    }
    Origin origin = request.target().origin();
    shards.get(Math.floorMod(origin.hashCode(), shards.size())).submit(new Exchange(call, request));
  }

  private final class Hops implements RunningCall.Hops {
    private final Gate gate;

    Hops(Gate gate) {
      this.gate = gate;
    }

    @Override
    public Gate gate() {
      return gate;
    }

    @Override
    public void begin(RunningCall call, Request request) throws CallException {
      OutboundClient.this.begin(call, request);
    }

    @Override
    public void ended() {
      inFlight.decrementAndGet();
    }
  }

  /** Asks every event loop to close one unused connection, because some pool can open none. */
  private void shedIdle() {
    shards.forEach(shard -> shard.execute(shard::shedOne));
  }

  /**
   * Completes soon, when every answer that had come by now has been read. A server that has not
   * answered by then is itself silent, and this process did not miss its answer for lack of time.
   */
  public CompletableFuture<Void> heardOut() {
    return CompletableFuture.allOf(
        shards.stream()
            .map(shard -> shard.heardOut(HEARD_OUT_AFTER))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Calls accepted and not ended, waiting ones included. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Connections open or being opened. */
  public int connections() {
    return budget.used();
  }

  /**
   * Fails all calls under way as CLOSED and closes all connections. Waits for that at most 2 s, and
   * not at all when called on one of the client's event loops. Twice is once.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    CompletableFuture<?>[] ends =
        shards.stream().map(Shard::close).toArray(CompletableFuture<?>[]::new);
    CompletableFuture<Void> ended =
        CompletableFuture.allOf(ends).whenComplete((nothing, error) -> endOwned());
    if (shards.stream().anyMatch(shard -> shard.loop().inEventLoop())) {
      return;
    }
    try {
      ended.get(CALLS_END_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("Some outbound connections did not close in time", e);
      endOwned();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    if (owner) {
      group.terminationFuture().awaitUninterruptibly(LOOPS_END_WITHIN.toMillis());
    }
  }

  private void endOwned() {
    if (owner) {
      resolver.close();
      var unused = group.shutdownGracefully(0, LOOPS_END_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    }
  }
}
