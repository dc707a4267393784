package io.feedbridge.gateway;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.SubscriptionLog;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.AddressPolicy;
import io.feedbridge.gateway.client.ClientConfig;
import io.feedbridge.gateway.client.DnsResolver;
import io.feedbridge.gateway.client.Networks;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Transport;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.downstream.CloudRegistrar;
import io.feedbridge.gateway.downstream.HubRequests;
import io.feedbridge.gateway.downstream.Leases;
import io.feedbridge.gateway.downstream.Outcomes;
import io.feedbridge.gateway.downstream.PolicySweep;
import io.feedbridge.gateway.downstream.Removals;
import io.feedbridge.gateway.downstream.Verifier;
import io.feedbridge.gateway.downstream.WebhookVerifier;
import io.feedbridge.gateway.explain.Explainer;
import io.feedbridge.gateway.face.Admission;
import io.feedbridge.gateway.face.Api;
import io.feedbridge.gateway.face.BridgeFace;
import io.feedbridge.gateway.face.Face;
import io.feedbridge.gateway.face.HubPaths;
import io.feedbridge.gateway.face.Onlookers;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.fanout.Endpoints;
import io.feedbridge.gateway.fanout.Fanout;
import io.feedbridge.gateway.fanout.LogFollowers;
import io.feedbridge.gateway.guard.Limiter;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.UnaskedRequests;
import io.feedbridge.gateway.ingest.Cadence;
import io.feedbridge.gateway.ingest.Fetcher;
import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.ingest.Ingest;
import io.feedbridge.gateway.ingest.Manners;
import io.feedbridge.gateway.ingest.UserAgent;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.publish.BridgedFeeds;
import io.feedbridge.gateway.publish.OwnTopics;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.publish.TestFeed;
import io.feedbridge.gateway.retention.Retention;
import io.feedbridge.gateway.schedule.GroupingExecutor;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.server.ServerLimits;
import io.feedbridge.gateway.server.TlsCertificate;
import io.feedbridge.gateway.sqlite.SqliteDatabase;
import io.feedbridge.gateway.sqlite.SqliteStore;
import io.feedbridge.gateway.sqlite.SqliteWork;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.Webhooks;
import io.feedbridge.gateway.stream.ActivityStream;
import io.feedbridge.gateway.stream.EventStream;
import io.feedbridge.gateway.upstream.PollTimer;
import io.feedbridge.gateway.upstream.Upstream;
import io.feedbridge.gateway.upstream.UpstreamCallbacks;
import io.feedbridge.gateway.upstream.UpstreamUrls;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.work.Work;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The composition root: everything is made and wired here, in the order of the way of the data, and
 * stopped in the reverse order.
 */
public final class Gateway implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);

  private static final int INTAKE_THREADS = 8;
  private static final int STAGE_THREADS = 8;
  private static final int COMMIT_THREADS = 2;
  private static final int QUEUE = 4_096;

  /** Each password takes its time and memory to check, and whoever waits has a feed with him. */
  private static final int PASSWORD_THREADS = 1;

  private static final int PASSWORD_QUEUE = 16;

  /** They render and sign; each endpoint has one task at most. */
  private static final int WEBHOOK_THREADS = 2;

  private static final int CONNECTIONS_PER_HOST = 32;

  /** Each reader of a stream may have a document to be rendered. */
  private static final int STREAM_THREADS = 3;

  private static final int STREAM_QUEUE = 2 * EventStream.MAX_READERS;

  /** They work with keys, one handshake after the other. */
  private static final int TLS_THREADS = 2;

  /** How soon a certificate that was renewed is taken. */
  private static final Duration CERTIFICATE_LOOKS = Duration.ofSeconds(1);

  /** What is under way at a stop: fetches, then requests that wait for an answer. */
  private static final Duration FETCH_GRACE = Duration.ofSeconds(2);

  private static final Duration REQUEST_GRACE = Duration.ofSeconds(1);

  private final Settings settings;
  private final OutboundClient.Resolving resolving;

  /** What to undo, the last made first; each is run even if another fails. */
  private final Deque<Stop> stops = new ArrayDeque<>();

  private @Nullable Store store;
  private @Nullable Router router;

  private Gateway(Settings settings, OutboundClient.Resolving resolving) {
    this.settings = settings;
    this.resolving = resolving;
  }

  private interface Stop {
    void run() throws Exception;
  }

  /**
   * Starts a gateway.
   *
   * @throws IOException if it cannot listen, with a message for the operator
   * @throws StoreException if its store cannot be opened or written, likewise
   */
  public static Gateway start(Settings asked, Clock clock) throws IOException {
    return start(asked, clock, DnsResolver::new);
  }

  /** The same with another way to find the addresses of hosts. */
  public static Gateway start(Settings asked, Clock clock, OutboundClient.Resolving resolving)
      throws IOException {
    Settings settings = asked.listen().getPort() == 0 ? asked.on(freePort(asked)) : asked;
    Gateway gateway = new Gateway(settings, resolving);
    try {
      gateway.run(clock);
    } catch (CompletionException e) {
      gateway.close();
      throw e.getCause() instanceof StoreException failure ? failure : e;
    } catch (IOException | RuntimeException e) {
      gateway.close();
      throw e;
    }
    return gateway;
  }

  /** The port must be known before the server listens, because callbacks name it. */
  private static InetSocketAddress freePort(Settings settings) throws IOException {
    try (ServerSocket probe = new ServerSocket(0, 1, settings.listen().getAddress())) {
      return new InetSocketAddress(settings.listen().getAddress(), probe.getLocalPort());
    }
  }

  private void run(Clock clock) throws IOException {
    SecureRandom random = new SecureRandom();
    URI url = settings.publicUrl();
    String userAgent = "Feedbridge/%s (+%s)".formatted(Version.current(), url);
    Telemetry telemetry = new Telemetry(clock);
    Meters meters = telemetry.meters();
    stops.push(telemetry::close);

    // The machines below: threads, the store, the client.
    ThreadPoolExecutor commits = pool(telemetry, "commits", COMMIT_THREADS);
    SystemTimer timer = new SystemTimer(clock);
    KeyFile keyFile =
        settings.protection().keyFile().map(KeyFile::new).orElse(KeyFile.in(settings.data()));
    SqliteDatabase database = SqliteDatabase.open(settings.data(), keyFile, commits, timer);
    stops.push(database::close);
    Attempts attempts = Attempts.open(settings.data(), clock);
    stops.push(attempts::close);
    stops.push(timer::close);
    ThreadPoolExecutor intakeThreads = pool(telemetry, "intake", INTAKE_THREADS);
    ThreadPoolExecutor ingestThreads = pool(telemetry, "ingest", Ingest.WORKERS + 1);
    ThreadPoolExecutor fanoutThreads = pool(telemetry, "fanout", Fanout.THREADS);
    ThreadPoolExecutor webhookThreads = Threads.pool("webhooks", WEBHOOK_THREADS, Webhooks.MAX);
    stops.push(() -> Threads.end(webhookThreads));
    ThreadPoolExecutor apiThreads = pool(telemetry, "api", Api.THREADS);
    ThreadPoolExecutor passwordThreads =
        Threads.pool("passwords", PASSWORD_THREADS, PASSWORD_QUEUE);
    stops.push(() -> Threads.end(passwordThreads));
    ThreadPoolExecutor streamThreads = Threads.pool("streams", STREAM_THREADS, STREAM_QUEUE);
    stops.push(() -> Threads.end(streamThreads));
    telemetry.watch(streamThreads, "streams");
    ThreadPoolExecutor stageThreads = pool(telemetry, "stages", STAGE_THREADS);
    Store store = new SqliteStore(database);
    this.store = store;
    Work work = new SqliteWork(database);
    meters.watch(store, work);
    meters.gauge(
        "feedbridge.store.wal.bytes", "Size of the write-ahead log's file", database::walBytes);
    AddressPolicy addresses =
        AddressPolicy.allowing(
            settings.outbound().allowFetch(), settings.outbound().allowCallback());
    Settings.Guarding guarding = settings.guarding();
    Policies policies = Policies.of(guarding.topics(), guarding.callbacks(), url);
    UnaskedRequests unasked = new UnaskedRequests(policies, guarding.limits().unasked(), clock);
    int loops = Runtime.getRuntime().availableProcessors();
    OutboundClient client =
        OutboundClient.start(
            loops,
            ClientConfig.defaults().withConnectionsPerHost(CONNECTIONS_PER_HOST),
            addresses,
            resolving,
            unasked);
    stops.push(client::close);
    meters.gauge("feedbridge.client.calls", "Outbound calls under way", client::inFlight);
    meters.gauge("feedbridge.client.connections", "Outbound connections", client::connections);

    // The way of the data: intake, ingest, the log, fan-out; and upstream, which feeds it.
    ActivityLog activity = new ActivityLog(clock);
    store.onTransition(new SubscriptionLog(activity));
    UpstreamUrls urls = new UpstreamUrls(url, GatewayKey.of(store, settings.data(), random));
    Settings.Polling polling = settings.polling();
    Intake intake = new Intake(store, work, activity, intakeThreads, clock, meters);
    AccessTokens tokens = new AccessTokens(store.tokens());
    SavedFeeds savedFeeds =
        new SavedFeeds(store.users(), tokens, intake, url, passwordThreads, clock);
    TestFeed testFeed =
        new TestFeed(url, settings.serving().testFeedPeriod(), store, intake, stageThreads, timer);
    Cadence cadence =
        new Cadence(polling.min(), polling.max(), polling.backup(), polling.pingRecheck(), true);
    UserAgent reader = new UserAgent("Feedbridge", Version.current(), url);
    Fetcher fetcher =
        new Fetcher(client, new OwnTopics(testFeed, savedFeeds), reader, clock, ingestThreads);
    Ingest ingest =
        new Ingest(
            work,
            store,
            fetcher,
            activity,
            ingestThreads,
            timer,
            meters,
            cadence,
            new Manners(polling.hostPause(), polling.pingQuiet()));
    Fanout fanout =
        new Fanout(
            store,
            client,
            fanoutThreads,
            timer,
            random,
            meters,
            attempts,
            activity,
            CONNECTIONS_PER_HOST,
            url + "/hub",
            userAgent);
    LogFollowers followers = new LogFollowers(store, fanoutThreads, timer, random);
    Endpoints endpoints =
        fanout.endpoints(followers, fanoutThreads, new GroupingExecutor(webhookThreads));
    Upstream upstream = new Upstream(store, client, stageThreads, timer, random, urls, userAgent);
    UpstreamCallbacks callbacks = new UpstreamCallbacks(store, intakeThreads, urls, clock, random);
    PollTimer polls = new PollTimer(store, work, stageThreads, timer);

    // Subscribers, on their way in and out.
    Outcomes outcomes = new Outcomes();
    BridgedUrls bridges = new BridgedUrls(url);
    HubRequests requests =
        new HubRequests(
            store.subscriptions(),
            settings.hub().leases(),
            settings.hub().format(),
            bridges,
            url,
            timer,
            outcomes);
    Verifier verifier =
        new Verifier(
            store, client, stageThreads, timer, random, userAgent, url, policies, outcomes);
    CloudRegistrar registrar =
        new CloudRegistrar(
            store, client, activity, bridges, policies, stageThreads, timer, random, userAgent);
    WebhookVerifier webhookVerifier =
        new WebhookVerifier(store, client, attempts, stageThreads, timer, random, userAgent);
    Leases leases = new Leases(store, stageThreads, timer);
    Removals removals = new Removals(store, stageThreads, timer);
    Retention retention = new Retention(store, settings.retention(), stageThreads, timer, meters);

    BridgedFeeds bridgedFeeds =
        new BridgedFeeds(store, url, settings.serving().bridge(), apiThreads, timer);
    LogFollowers streamFollowers = new LogFollowers(store, streamThreads, timer, random);
    EventStream stream = new EventStream(streamFollowers, streamThreads, timer);
    ActivityStream activityStream = new ActivityStream(activity, streamThreads, timer);
    meters.gauge(
        "feedbridge.stream.readers", "Readers of the live stream", stream.readers()::count);

    FirstLook firstLook = new FirstLook(fetcher, cadence, clock);
    Explainer explainer = new Explainer(firstLook, Optional.of(store.upstreams()), clock);
    Api api =
        new Api(
            store,
            intake,
            fanout,
            endpoints,
            attempts,
            explainer,
            random,
            settings.adminToken(),
            url,
            policies,
            clock,
            apiThreads);
    Admission admission =
        new Admission(
            settings,
            new Limiter(guarding.limits(), unasked, clock),
            policies,
            store.feeds(),
            intakeThreads);

    Onlookers onlookers =
        new Onlookers(activity, activityStream, stream, store, settings, apiThreads);

    HubPaths hub =
        new HubPaths(
            requests, admission, intake, store, tokens, fanout, stream, settings, apiThreads);

    new PolicySweep(store, policies, clock).run();
    stops.push(() -> ingest.stop(FETCH_GRACE));
    leases.start();
    stops.push(leases::close);
    removals.start();
    stops.push(removals::close);
    retention.start();
    stops.push(retention::close);
    fanout.start();
    stops.push(fanout::close);
    followers.start();
    stops.push(followers::close);
    endpoints.start();
    stops.push(endpoints::close);
    ingest.start();
    upstream.start();
    stops.push(upstream::close);
    verifier.start();
    stops.push(verifier::close);
    webhookVerifier.start();
    stops.push(webhookVerifier::close);
    registrar.start();
    stops.push(registrar::close);
    polls.start();
    stops.push(polls::close);
    testFeed.start();
    stops.push(testFeed::close);
    bridgedFeeds.start();
    stops.push(bridgedFeeds::close);
    streamFollowers.start();
    stops.push(streamFollowers::close);
    stream.readers().start();
    stops.push(stream.readers()::close);
    activityStream.readers().start();
    stops.push(activityStream.readers()::close);

    serve(
        hub.addTo(
                new BridgeFace(bridgedFeeds, url, admission)
                    .addTo(
                        onlookers.addTo(
                            api.addTo(
                                Face.routes(
                                    registrar,
                                    intake,
                                    callbacks,
                                    store,
                                    testFeed,
                                    savedFeeds,
                                    settings,
                                    clock,
                                    telemetry.registry(),
                                    admission,
                                    intakeThreads)))))
            .build(),
        telemetry,
        loops,
        timer);
    log.atInfo()
        .addKeyValue("listen", settings.listen())
        .addKeyValue("publicUrl", url)
        .addKeyValue("data", settings.data())
        .log("The gateway is ready");
  }

  private void serve(Router router, Telemetry telemetry, int loops, Timer timer)
      throws IOException {
    this.router = router;
    Transport transport = Transport.best();
    EventLoopGroup boss = group(transport, 1, "accept");
    EventLoopGroup workers = group(transport, loops, "serve");
    Optional<TlsCertificate> certificate = certificate(timer);
    HttpServer server =
        new HttpServer(
            new ServerConfig(
                boss,
                workers,
                transport.serverChannelClass(),
                router,
                Descriptors.within(ServerLimits.DEFAULT, settings.protection()),
                telemetry.serverObserver(),
                timer.clock(),
                Networks.of(settings.serving().trustedProxies())::contains,
                certificate));
    telemetry
        .meters()
        .gauge(
            "feedbridge.server.requests.bytes",
            "What inbound requests take that are being read or answered",
            server::requestBytes);
    server.start(settings.listen());
    stops.push(() -> server.close(REQUEST_GRACE));
    stops.push(server::stopIntake);
  }

  private Optional<TlsCertificate> certificate(Timer timer) throws IOException {
    Optional<Settings.Tls> files = settings.protection().tls();
    if (files.isEmpty()) {
      return Optional.empty();
    }
    ThreadPoolExecutor threads =
        Threads.pool("tls", TLS_THREADS, ServerLimits.DEFAULT.connections());
    stops.push(() -> Threads.end(threads));
    TlsCertificate certificate =
        TlsCertificate.of(files.get().certificate(), files.get().key(), threads);
    Pump renewals =
        new Pump(
            "tls-certificate",
            () -> {
              certificate.reload();
              return Optional.of(timer.clock().instant().plus(CERTIFICATE_LOOKS));
            },
            threads,
            timer);
    renewals.start();
    stops.push(renewals::close);
    return Optional.of(certificate);
  }

  private EventLoopGroup group(Transport transport, int threads, String name) {
    EventLoopGroup group = transport.newGroup(threads, name);
    stops.push(
        () ->
            group
                .shutdownGracefully(0, REQUEST_GRACE.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly());
    return group;
  }

  private ThreadPoolExecutor pool(Telemetry telemetry, String name, int threads) {
    ThreadPoolExecutor pool = Threads.pool(name, threads, QUEUE);
    telemetry.watch(pool, name);
    stops.push(() -> Threads.end(pool));
    return pool;
  }

  /** The base of every URL that this gateway hands to others. */
  public URI publicUrl() {
    return settings.publicUrl();
  }

  /** What it knows and keeps, for others in the process that want to look; until it is closed. */
  public Store store() {
    return Objects.requireNonNull(store, "a gateway that started has a store");
  }

  /** What it serves. */
  public Router router() {
    return Objects.requireNonNull(router, "a gateway that started has routes");
  }

  /**
   * Stops intake first, then lets each stage finish or checkpoint what it has in flight, and lets
   * go of the store last. Takes less than 10 s. Repeating it does nothing.
   */
  @Override
  public synchronized void close() {
    while (!stops.isEmpty()) {
      Failpoint.MID_SHUTDOWN.reached();
      Stop stop = stops.pop();
      try {
        stop.run();
      } catch (Exception e) {
        log.atError().setCause(e).log("A part of the gateway did not stop well");
      }
    }
  }
}
