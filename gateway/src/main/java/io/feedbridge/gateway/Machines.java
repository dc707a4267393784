package io.feedbridge.gateway;

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
import java.net.URI;
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

  final SteadyClock clock;
  final SecureRandom random = new SecureRandom();
  final Telemetry telemetry;
  final Meters meters;
  final Curves curves;
  final SystemTimer timer;
  final Attempts attempts;
  final Pools pools;
  final Store store;
  final Work work;
  final TextIndex index;
  final Policies policies;
  final UnaskedRequests unasked;
  final OutboundClient client;

  /** Whether the process may trust that it owns the store, before each effect on the world. */
  final BooleanSupplier owns;

  /** Event loops, for the client and for the server each. */
  final int loops = Runtime.getRuntime().availableProcessors();

  /**
   * Starts them.
   *
   * @throws IOException if the record of attempts cannot be opened
   * @throws StoreException if the store cannot be opened
   */
  Machines(
      Settings settings,
      SteadyClock clock,
      OutboundClient.Network network,
      Optional<PostgresNode> node,
      Lifecycle lifecycle)
      throws IOException {
    this.clock = clock;
    telemetry = new Telemetry(clock);
    meters = telemetry.meters();
    lifecycle.onStop(telemetry::close);

    owns = () -> node.map(PostgresNode::holds).orElse(true);

    ThreadPoolExecutor commits = Pools.commits(lifecycle, telemetry);
    timer = new SystemTimer(clock);
    curves = new Curves(telemetry.registry(), timer);
    KeyFile keyFile =
        settings.protection().keyFile().map(KeyFile::new).orElse(KeyFile.in(settings.data()));
    Database database = database(settings.storage(), node, keyFile, commits, lifecycle);
    index = FtsIndex.open(settings.data());
    lifecycle.onStop(index::close);
    attempts = Attempts.open(settings.data(), clock);
    lifecycle.onStop(attempts::close);
    lifecycle.onStop(timer::close);
    pools = new Pools(lifecycle, telemetry);
    store = new Store(database);
    work = new SqlWork(database);
    store.ownership().announce(settings.storage().node()).join();
    watch(database);

    URI url = settings.publicUrl();
    Settings.Guarding guarding = settings.guarding();
    AddressPolicy addresses =
        AddressPolicy.allowing(
                settings.outbound().allowFetch(), settings.outbound().allowCallback())
            .exceptFor(new OwnAddress(settings.listen(), url));
    policies =
        Policies.of(guarding.topics(), guarding.callbacks(), addresses, url, guarding.trackers());
    unasked = new UnaskedRequests(policies, guarding.limits().unasked(), clock);
    client =
        OutboundClient.start(
            loops,
            ClientConfig.defaults()
                .withConnectionsPerHost(CONNECTIONS_PER_HOST)
                .withTrustManager(network.trust())
                .withUserAgent("Feedbridge/%s (+%s)".formatted(Version.current(), url)),
            addresses,
            network.resolving(),
            new OwnerGate(owns, unasked));
    lifecycle.onStop(client::close);
    lifecycle.start(curves::start, curves::close);
    meters.gauge("feedbridge.client.calls", "Outbound calls under way", client::inFlight);
    meters.gauge("feedbridge.client.connections", "Outbound connections", client::connections);
  }

  private Database database(
      Settings.Storage storage,
      Optional<PostgresNode> node,
      KeyFile keyFile,
      Executor commits,
      Lifecycle lifecycle) {
    if (node.isPresent()) {
      PostgresDatabase database = PostgresDatabase.open(node.get(), keyFile, commits, timer);
      lifecycle.onStop(database::close);
      return database;
    }
    SqliteDatabase database = SqliteDatabase.open(storage.folder(), keyFile, commits, timer);
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
