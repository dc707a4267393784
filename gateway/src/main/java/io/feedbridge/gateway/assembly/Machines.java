package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.client.ClientConfig;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.OwnAddress;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.OwnerGate;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.UnaskedRequests;
import io.feedbridge.gateway.metrics.Curves;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.TraceExport;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.runtime.Threads;
import io.feedbridge.gateway.runtime.Version;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.search.TextIndex;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.postgres.PostgresDatabase;
import io.feedbridge.gateway.store.postgres.PostgresNode;
import io.feedbridge.gateway.store.sql.Ownership;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.sqlite.SqliteDatabase;
import io.feedbridge.gateway.store.sqlite.search.FtsIndex;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.work.Work;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.BooleanSupplier;

/**
 * The parts below all stages: clock, threads, store, client. They are started before everything
 * else and stopped after it.
 */
final class Machines {

  static final int CONNECTIONS_PER_HOST = 32;

  private static final int STAGE_THREADS = 8;
  private static final int COMMIT_THREADS = 2;

  /** Tasks that wait for a thread of a pool that serves many. */
  static final int QUEUE = 4_096;

  final SteadyClock clock;
  final SecureRandom random = new SecureRandom();
  final MetersPart metersPart;
  final Meters meters;
  final Traces traces;
  final SystemTimer timer;

  /** These threads run the tasks of the gateway itself, a few for each feed, host or webhook. */
  final ThreadPoolExecutor stages;

  final Store store;
  final Work work;
  final Policies policies;
  final UnaskedRequests unasked;

  /** Event loops, for the client and for the server each. */
  final int loops = Runtime.getRuntime().availableProcessors();

  private final Optional<Owned> owned;
  private final Lifecycle lifecycle;

  /**
   * The machines that only the node that owns the store has.
   *
   * @param owns whether the process may trust that it owns the store, before each effect on the
   *     world
   */
  record Owned(
      TextIndex index,
      Attempts attempts,
      Curves curves,
      OutboundClient client,
      BooleanSupplier owns) {}

  /**
   * Starts the machines of a node that owns nothing: it reads the store, and adds work.
   *
   * @throws StoreException if the store cannot be opened
   */
  static Machines serving(
      Settings settings, SteadyClock clock, PostgresNode node, Lifecycle lifecycle) {
    try {
      return new Machines(settings, clock, Optional.empty(), Optional.of(node), lifecycle);
    } catch (IOException e) {
      throw new UncheckedIOException("only the owner opens files", e);
    }
  }

  /**
   * Starts the machines of the node that owns the store.
   *
   * @param network that it calls
   * @param node absent where the store is a file
   * @throws IOException if the record of attempts cannot be opened
   * @throws StoreException if the store cannot be opened
   */
  static Machines owning(
      Settings settings,
      SteadyClock clock,
      OutboundClient.Network network,
      Optional<PostgresNode> node,
      Lifecycle lifecycle)
      throws IOException {
    return new Machines(settings, clock, Optional.of(network), node, lifecycle);
  }

  private Traces traces(Settings settings, Lifecycle lifecycle) {
    return settings
        .tracesUrl()
        .map(
            url -> {
              TraceExport export = TraceExport.to(url, Version.current(), meters);
              lifecycle.onStop(export::close);
              return export.traces(settings.publicUrl(), settings.tracing().percent(), clock);
            })
        .orElseGet(Traces::off);
  }

  private Machines(
      Settings settings,
      SteadyClock clock,
      Optional<OutboundClient.Network> network,
      Optional<PostgresNode> node,
      Lifecycle lifecycle)
      throws IOException {
    this.clock = clock;
    this.lifecycle = lifecycle;
    metersPart = new MetersPart(clock);
    meters = metersPart.meters();
    lifecycle.onStop(metersPart::close);
    traces = traces(settings, lifecycle);

    // The store needs it, and outlives the other pools.
    ThreadPoolExecutor commits = pool("commits", COMMIT_THREADS, QUEUE);
    timer = new SystemTimer(clock);
    Database database = database(settings, network.isPresent(), node, commits, lifecycle);
    Optional<Files> files = Optional.empty();
    if (network.isPresent()) {
      files = Optional.of(Files.open(settings.data(), clock, lifecycle));
    }
    lifecycle.onStop(timer::close);
    stages = pool("stages", STAGE_THREADS, QUEUE);
    store = new Store(database);
    work = new SqlWork(database);
    AddressPolicy addresses =
        AddressPolicy.allowing(
                settings.outbound().allowFetch(), settings.outbound().allowCallback())
            .exceptFor(new OwnAddress(settings.listen(), settings.publicUrl()));
    Settings.Guarding guarding = settings.guarding();
    policies =
        Policies.of(
            guarding.topics(),
            guarding.callbacks(),
            addresses,
            settings.publicUrl(),
            guarding.trackers());
    unasked = new UnaskedRequests(policies, guarding.limits().unasked(), clock);
    owned =
        files.map(
            opened ->
                new Owned(
                    opened.index,
                    opened.attempts,
                    curves(lifecycle),
                    client(settings, addresses, network.orElseThrow(), owns(node), lifecycle),
                    owns(node)));
    if (owned.isPresent()) {
      store
          .ownership()
          .announce(
              settings.storage().node(),
              settings.address(),
              node.map(PostgresNode::cause).orElse("the gateway was started"))
          .join();
      watch(database);
    }
  }

  /** The files of the owner, which outlive the threads that use them. */
  private record Files(TextIndex index, Attempts attempts) {
    static Files open(Path folder, SteadyClock clock, Lifecycle lifecycle) throws IOException {
      TextIndex index = FtsIndex.open(folder);
      lifecycle.onStop(index::close);
      Attempts attempts = Attempts.open(folder, clock);
      lifecycle.onStop(attempts::close);
      return new Files(index, attempts);
    }
  }

  private static BooleanSupplier owns(Optional<PostgresNode> node) {
    return () -> node.map(PostgresNode::holds).orElse(true);
  }

  private Curves curves(Lifecycle lifecycle) {
    Curves curves = new Curves(metersPart.registry(), metersPart.meters().firstDeliveries(), timer);
    lifecycle.start(curves::start, curves::close);
    return curves;
  }

  private OutboundClient client(
      Settings settings,
      AddressPolicy addresses,
      OutboundClient.Network network,
      BooleanSupplier owns,
      Lifecycle lifecycle) {
    OutboundClient client =
        OutboundClient.start(
            loops,
            ClientConfig.defaults()
                .withConnectionsPerHost(CONNECTIONS_PER_HOST)
                .withTrustManager(network.trust())
                .withUserAgent(
                    "Feedbridge/%s (+%s)".formatted(Version.current(), settings.publicUrl())),
            addresses,
            network.resolving(),
            new OwnerGate(owns, unasked));
    lifecycle.onStop(client::close);
    meters.gauge("feedbridge.client.calls", "Outbound calls under way", client::inFlight);
    meters.gauge("feedbridge.client.connections", "Outbound connections", client::connections);
    return client;
  }

  /**
   * Makes a pool of threads. A task beyond its queue is refused, so that no kind of work takes
   * memory without end or the threads of another kind. The pool ends after the parts that start
   * later, and is watched by meters.
   *
   * @param name of the threads and of the meters
   * @param queue tasks that wait at most
   */
  ThreadPoolExecutor pool(String name, int threads, int queue) {
    ThreadPoolExecutor pool = Threads.pool(name, threads, queue);
    metersPart.watch(pool, name);
    lifecycle.onStop(() -> Threads.end(pool));
    return pool;
  }

  /** The machines of the owner; only its parts ask. */
  Owned owned() {
    return owned.orElseThrow();
  }

  private Database database(
      Settings settings,
      boolean owns,
      Optional<PostgresNode> node,
      Executor commits,
      Lifecycle lifecycle) {
    KeyFile keyFile = KeyFile.of(settings.protection().keyFile(), settings.data());
    if (node.isPresent()) {
      PostgresDatabase database =
          owns
              ? PostgresDatabase.open(node.get(), keyFile, commits, timer)
              : PostgresDatabase.beside(node.get(), keyFile, commits, timer);
      lifecycle.onStop(database::close);
      return database;
    }
    SqliteDatabase database =
        SqliteDatabase.open(settings.storage().folder(), keyFile, commits, timer);
    lifecycle.onStop(database::close);
    meters.gauge(
        "feedbridge.store.wal.bytes", "Size of the write-ahead log's file", database::walBytes);
    return database;
  }

  private void watch(Database database) {
    meters.watch(store, work);
    meters.gauge(
        "feedbridge.cluster.epoch",
        "Epoch in which this process opened the store; it grows with each start",
        () -> store.ownership().self().epoch());
    meters.gauge(
        "feedbridge.cluster.partitions",
        "Partitions of the store that this process owns",
        () ->
            store.ownership().owner().epoch() == store.ownership().self().epoch()
                ? Ownership.PARTITIONS
                : 0);
    meters.gauge(
        "feedbridge.cluster.standbys",
        "Nodes that would take over from this node",
        () -> store.ownership().standbys().stream().filter(standby -> !standby.dead()).count());
    meters.gauge(
        "feedbridge.clock.ahead.seconds",
        "How far the gateway's clock is ahead of a system clock that was set back",
        () -> clock.ahead().toSeconds());
    meters.total(
        "feedbridge.store.damaged.rows",
        "Stored rows that cannot be read and are passed over, each counted once",
        database::damagedRows);
  }
}
