package io.feedbridge.gateway.ingest;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.check.CheckCallbacks;
import io.feedbridge.gateway.client.ClientConfig;
import io.feedbridge.gateway.client.Gate;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.config.SettingsReader;
import io.feedbridge.gateway.guard.CallerWork;
import io.feedbridge.gateway.guard.KnownHubs;
import io.feedbridge.gateway.guard.Limiter;
import io.feedbridge.gateway.guard.Limits;
import io.feedbridge.gateway.guard.PasswordTries;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.Rate;
import io.feedbridge.gateway.guard.RefusedCallers;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UnaskedRequests;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.ingest.digest.PollSchedule;
import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.fetch.LocalTopics;
import io.feedbridge.gateway.ingest.fetch.UserAgent;
import io.feedbridge.gateway.ingest.throttle.PingBursts;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.intake.PingOutcomes;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.poll.PollTimer;
import io.feedbridge.gateway.publish.ListDocuments;
import io.feedbridge.gateway.publish.PasswordChecks;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.publish.TestFeed;
import io.feedbridge.gateway.relay.PassedPings;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.limits.TlsCertificate;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.WrappedStore;
import io.feedbridge.gateway.store.WrappedStore.Wrapping;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.sqlite.EmptyStore;
import io.feedbridge.gateway.store.sqlite.SqliteDatabase;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.subscribers.CloudRegistrar;
import io.feedbridge.gateway.subscribers.HubRequests;
import io.feedbridge.gateway.subscribers.Leases;
import io.feedbridge.gateway.subscribers.Outcomes;
import io.feedbridge.gateway.subscribers.Verifier;
import io.feedbridge.gateway.subscribers.WebhookVerifier;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.NamedHosts;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.upstream.Upstream;
import io.feedbridge.gateway.upstream.UpstreamCallbacks;
import io.feedbridge.gateway.upstream.UpstreamUrls;
import io.feedbridge.gateway.web.OperatorHandler;
import io.feedbridge.gateway.web.ProtocolPaths;
import io.feedbridge.gateway.web.cloud.ChangesHandler;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.Callers;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.websub.LeasePolicy;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The stages on a real store and real sockets, with a clock that the test turns. Nothing runs until
 * the test starts it, so that it can stop between two steps.
 */
public final class StageBench implements AutoCloseable {

  /** Where clocks stand when a test begins. */
  public static final Instant START = Instant.parse("2026-11-20T12:00:00Z");

  /** Bounds that tests can reach; the backup poll is as by default. */
  public static final PollSchedule CADENCE =
      new PollSchedule(
          Duration.ofMinutes(1), Duration.ofHours(24), Duration.ofHours(24), Duration.ZERO, false);

  /** Nothing waits for a clock that stands still. */
  static final Politeness MANNERS =
      new Politeness(
          Duration.ZERO, new PingBursts.Pauses(Duration.ZERO, Duration.ZERO, Duration.ZERO));

  private static final UserAgent READER =
      new UserAgent("Feedbridge", "test", URI.create("http://gateway.example"));

  private static final Policies POLICIES =
      new Policies(
          UrlPatterns.ALL,
          UrlPatterns.ALL,
          AddressPolicy.allowing(TestGateway.LOOPBACK, TestGateway.LOOPBACK),
          "http://127.0.0.1/",
          TrackerPolicy.OPEN);

  private final ManualTimer timer;
  private final ActivityLog activity;
  private final Store store;
  private final Work work;
  private final URI publicUrl;
  private final OutboundClient client;
  private final Fetcher fetcher;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Intake intake;
  private final UpstreamCallbacks callbacks;
  private final HubRequests requests;
  private final CloudRegistrar registrar;
  private final Meters meters;
  private final UpstreamUrls urls;
  private final Outcomes outcomes = new Outcomes();
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /** A bench on a data folder, with a clock of its own. */
  public static StageBench on(Path data) {
    return new StageBench(data, new ManualTimer(START), store -> store, work -> work);
  }

  /**
   * A bench on a data folder.
   *
   * @param faults wraps the store that the stages use
   * @param workFaults wraps the work that the stages use
   */
  public StageBench(
      Path data, ManualTimer timer, UnaryOperator<Store> faults, UnaryOperator<Work> workFaults) {
    this(data, timer, faults, workFaults, Optional.empty());
  }

  /** A bench that is known by an https URL, has a certificate, and knows these hosts alone. */
  public StageBench(Path data, ManualTimer timer, URI publicUrl, NamedHosts hosts) {
    this(data, timer, store -> store, work -> work, Optional.of(new Known(publicUrl, hosts)));
  }

  private record Known(URI by, NamedHosts among) {}

  private StageBench(
      Path data,
      ManualTimer timer,
      UnaryOperator<Store> faults,
      UnaryOperator<Work> workFaults,
      Optional<Known> known) {
    this.timer = timer;
    activity = new ActivityLog(timer.clock());
    EmptyStore.in(data);
    SqliteDatabase database = SqliteDatabase.open(data, threads);
    parts.push(database);
    store = faults.apply(new Store(database));
    work = workFaults.apply(new SqlWork(database));
    OutboundClient.Network network =
        known.map(one -> one.among.network()).orElse(OutboundClient.Network.USUAL);
    client =
        OutboundClient.start(
            1,
            ClientConfig.defaults().withTrustManager(network.trust()),
            AddressPolicy.allowing(TestGateway.LOOPBACK, TestGateway.LOOPBACK),
            network.resolving(),
            Gate.OPEN);
    parts.push(client);
    fetcher =
        new Fetcher(client, LocalTopics.NONE, READER, KnownHubs.USUAL, timer.clock(), threads);
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    meters = new Meters(registry, timer.clock());
    int port = FreePort.next();
    publicUrl = known.map(Known::by).orElse(URI.create("http://127.0.0.1:" + port));
    known.ifPresent(one -> one.among.open(publicUrl, port));
    urls =
        new UpstreamUrls(
            publicUrl, "a key for tests".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    SecureRandom random = new SecureRandom();
    BridgedUrls bridges = new BridgedUrls(publicUrl);
    intake = new Intake(store, work, activity(), threads, timer.clock(), meters);
    callbacks = new UpstreamCallbacks(store, activity(), threads, urls, timer.clock(), random);
    requests =
        new HubRequests(
            store.subscriptions(),
            LeasePolicy.DEFAULT,
            Format.ATOM,
            bridges,
            publicUrl,
            timer,
            outcomes);
    registrar =
        new CloudRegistrar(store, client, activity(), bridges, POLICIES, threads, timer, random);
    serve(port, registry, known.map(Known::among));
  }

  /** The log of activity of all its stages. */
  public ActivityLog activity() {
    return activity;
  }

  private Settings settings(int port) {
    return SettingsReader.of(
        "--listen=127.0.0.1:" + port,
        "--public-url=" + publicUrl,
        "--data=unused",
        "--hub-format=atom",
        "--poll-min=1h",
        "--poll-max=2h",
        "--bridge=open",
        "--host-pause=0",
        "--ping-quiet=0",
        "--ping-recheck=0");
  }

  private Admission admission(int port) {
    Limits limits = Settings.Guarding.DEFAULT.limits();
    UnaskedRequests unasked = new UnaskedRequests(POLICIES, limits.unasked(), timer.clock());
    return new Admission(
        settings(port),
        new Limiter(limits, unasked, new RefusedCallers(kind -> {}, timer.clock()), timer.clock()),
        POLICIES,
        store,
        new CallerWork(threads, timer.clock()),
        new PassedPings(
            URI.create("http://127.0.0.1:" + port), new ActivityLog(timer.clock()), timer.clock()),
        threads);
  }

  private void serve(int port, PrometheusMeterRegistry registry, Optional<NamedHosts> among) {
    SavedFeeds savedFeeds =
        new SavedFeeds(
            store.users(),
            new AccessTokens(store.tokens()),
            intake,
            publicUrl,
            new PasswordChecks(store.users(), new PasswordTries(Rate.NONE, timer.clock()), threads),
            threads,
            timer.clock());
    TestFeed testFeed =
        new TestFeed(publicUrl, Duration.ofMinutes(15), store, intake, threads, timer);
    EventLoopGroup loops = Transport.best().newGroup(1, "bench");
    Admission admission = admission(port);
    CallerThreads blocking = admission.threads(CallerThreads.AT_ONCE, threads);
    Router.Builder routes = Router.builder();
    new ProtocolPaths(
            Optional.of(
                new ProtocolPaths.Owned(
                    registrar,
                    callbacks,
                    CheckCallbacks.NONE,
                    testFeed,
                    savedFeeds,
                    new ListDocuments(store.publishedLists(), intake, settings(port).publicUrl()))),
            intake,
            new PingOutcomes(store, threads, timer),
            new ChangesHandler(store.pings(), timer.clock(), threads, blocking),
            new OperatorHandler(
                store,
                registry,
                new AdminAccess(Optional.empty(), settings(port).publicUrl()),
                true,
                blocking),
            new Callers(Networks.of(List.of())),
            admission,
            blocking)
        .addTo(routes);
    Router router = routes.build();
    HttpServer server =
        new HttpServer(
            new ServerConfig(
                loops,
                loops,
                Transport.best().serverChannelClass(),
                () -> router,
                ServerLimits.DEFAULT,
                ServerObserver.NONE,
                timer.clock(),
                address -> false,
                among.map(this::certificate),
                Set.of(),
                Optional.empty()));
    try {
      server.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    parts.push(() -> loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly());
    parts.push(() -> server.close(Duration.ZERO));
  }

  private TlsCertificate certificate(NamedHosts hosts) {
    try {
      return TlsCertificate.of(hosts.certificateFile(), hosts.keyFile(), threads);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts ingest with the cadence of tests. */
  public StageBench startIngest() {
    return startIngest(CADENCE, MANNERS);
  }

  /** Starts ingest with topics that are read in the process. */
  StageBench startIngest(LocalTopics own) {
    return startIngest(
        CADENCE,
        MANNERS,
        new Fetcher(client, own, READER, KnownHubs.USUAL, timer.clock(), threads),
        threads);
  }

  /** Starts ingest with threads that refuse tasks. */
  StageBench startIngestOn(UnaryOperator<Executor> refusing) {
    return startIngest(CADENCE, MANNERS, fetcher, refusing.apply(threads));
  }

  /** Starts ingest. */
  public StageBench startIngest(PollSchedule pollSchedule, Politeness politeness) {
    return startIngest(pollSchedule, politeness, fetcher, threads);
  }

  private StageBench startIngest(
      PollSchedule pollSchedule, Politeness politeness, Fetcher fetching, Executor workers) {
    Ingest ingest =
        new Ingest(
            work,
            store,
            fetching,
            new FetchReports(meters, activity(), Traces.off()),
            workers,
            timer,
            pollSchedule,
            politeness);
    ingest.start();
    parts.push(() -> ingest.stop(Duration.ofSeconds(2)));
    return this;
  }

  /** Starts the poll timer. */
  public StageBench startPolls() {
    PollTimer polls = new PollTimer(store, work, threads, timer);
    polls.start();
    parts.push(polls);
    return this;
  }

  /** Starts upstream. */
  public StageBench startUpstream() {
    Upstream upstream =
        new Upstream(store, activity(), client, threads, timer, new SecureRandom(), urls, meters);
    upstream.start();
    parts.push(upstream);
    return this;
  }

  /** Starts the verifier. */
  public StageBench startVerifier() {
    Verifier verifier =
        new Verifier(
            store, client, threads, timer, new SecureRandom(), publicUrl, POLICIES, outcomes);
    verifier.start();
    parts.push(verifier);
    return this;
  }

  /** Starts the verifier of webhooks. */
  public StageBench startWebhookVerifier() {
    WebhookVerifier verifier =
        new WebhookVerifier(
            store,
            client,
            Attempts.inMemory(timer.clock()),
            threads,
            timer,
            new SecureRandom(),
            "gateway.example");
    verifier.start();
    parts.push(verifier);
    return this;
  }

  /** Starts the watch for first fetches. */
  public StageBench startRegistrar() {
    registrar.start();
    parts.push(registrar);
    return this;
  }

  /** Starts the watch over leases. */
  public StageBench startLeases() {
    return startLeases(LeasePolicy.DEFAULT.min());
  }

  /** The same where leases as short as this are granted. */
  public StageBench startLeases(Duration shortest) {
    Leases leases = new Leases(store, shortest, threads, timer);
    leases.start();
    parts.push(leases);
    return this;
  }

  /** The clock, to be turned. */
  public ManualTimer timer() {
    return timer;
  }

  /** The store that the stages use. */
  public Store store() {
    return store;
  }

  /** The work that the stages use. */
  public Work work() {
    return work;
  }

  /** The stage that takes pings. */
  public Intake intake() {
    return intake;
  }

  /** The part that answers upstream hubs and clouds. */
  public UpstreamCallbacks callbacks() {
    return callbacks;
  }

  /** The part that takes WebSub requests. */
  public HubRequests requests() {
    return requests;
  }

  /** The part that registers aggregators. */
  public CloudRegistrar registrar() {
    return registrar;
  }

  /** The client of all stages. */
  public OutboundClient client() {
    return client;
  }

  /** What ingest fetches with. */
  public Fetcher fetcher() {
    return fetcher;
  }

  /** Where the stages' pumps run. */
  public ExecutorService threads() {
    return threads;
  }

  /** The base of the callbacks that hubs and clouds are given. */
  public URI publicUrl() {
    return publicUrl;
  }

  /** The URLs and tokens that upstreams are given. */
  public UpstreamUrls urls() {
    return urls;
  }

  /** Waits for what the stages' threads are to do, letting the timer run what is due already. */
  public void until(Callable<Boolean> condition) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              timer.runDue();
              return condition.call();
            });
  }

  /** Whether no thread of the stages does anything, as far as can be told. */
  public boolean threadsAreIdle() {
    return ((ThreadPoolExecutor) threads).getActiveCount() == 0 && client.inFlight() == 0;
  }

  /** Holds for as long as it would take to go wrong: until all work that there is has been done. */
  public void untilIdle() {
    until(() -> work.waiting() == 0);
  }

  /** The feed of a topic, as it is now. */
  public FollowedFeed feed(String topic) {
    return store.feeds().byTopic(topic).orElseThrow();
  }

  /** When a topic is to be fetched next, which must be known. */
  public Instant nextFetch(String topic) {
    return Objects.requireNonNull(feed(topic).nextFetchAt());
  }

  /** Every event of a topic. */
  public List<Event> events(String topic) {
    return store.feeds().events(feed(topic).id(), 0, Long.MAX_VALUE);
  }

  /** The ids of new entries of every event, in order. */
  public List<String> news(String topic) {
    return events(topic).stream()
        .flatMap(event -> event.update().feed().entries().stream())
        .map(Entry::id)
        .toList();
  }

  /** Follows a topic with a subscriber, and waits for its baseline; ingest must be running. */
  public FollowedFeed followed(String topic) {
    FollowedFeed feed = subscribed(topic, Format.ATOM);
    light(feed, Via.POLL);
    until(() -> feed(topic).tried() && work.waiting() == 0);
    return feed(topic);
  }

  /** {@link #followed} while other work is waiting that cannot be done. */
  public FollowedFeed followedBeside(String topic) {
    FollowedFeed feed = subscribed(topic, Format.ATOM);
    light(feed, Via.POLL);
    until(() -> feed(topic).tried());
    return feed(topic);
  }

  /** Records a first fetch that found nothing, with the time of the next one. */
  public void baseline(FollowedFeed feed, Instant nextFetch) {
    store
        .feeds()
        .record(OutcomeBuilder.of(feed, timer.now()).baseline().nextFetchAt(nextFetch).build())
        .join();
  }

  /** A topic with a subscriber, no baseline yet. */
  public FollowedFeed subscribed(String topic, Format format) {
    Instant now = timer.now();
    Verification verification =
        store
            .subscriptions()
            .request(
                Verification.Mode.SUBSCRIBE,
                topic,
                "http://subscriber.example/" + format,
                terms(topic, format),
                null,
                now)
            .join();
    store.subscriptions().confirm(verification, now).join();
    return feed(topic);
  }

  /** Terms of a subscription that lasts a year. */
  public static Terms terms(String topic, Format format) {
    return new Terms(topic, format, null, "sha256", false, false, Duration.ofDays(365));
  }

  /** Ends every subscription of a topic. */
  public void unsubscribe(String topic) {
    store
        .subscriptions()
        .ofFeed(feed(topic).id(), 0, 100)
        .forEach(
            subscription ->
                store.subscriptions().end(subscription.id(), "gone", timer.now()).join());
  }

  /** Registers an aggregator at a followed feed without a test. */
  public void register(FollowedFeed feed) {
    store
        .subscriptions()
        .register(
            feed.id(),
            "http://aggregator.example/" + Protocol.RSSCLOUD,
            terms(feed.topic(), Format.LIGHT),
            timer.now())
        .join();
  }

  /** A following of a feed as a test wants it, in place of whatever there is to choose. */
  public UpstreamSubscription follow(
      FollowedFeed feed,
      UpstreamSubscription.Kind kind,
      String endpoint,
      UpstreamSubscription.State state,
      int attempts,
      Instant nextAction,
      @Nullable Instant leaseEnds) {
    store.upstreamSubscriptions().chooseAgain(feed.id()).join();
    UpstreamSubscriptions.Choice choice =
        store.upstreamSubscriptions().toChoose(Integer.MAX_VALUE).stream()
            .filter(open -> open.feed().id() == feed.id())
            .findFirst()
            // Before the first fetch there is nothing to choose.
            .orElseGet(
                () ->
                    new UpstreamSubscriptions.Choice(
                        feed, 0, store.upstreamSubscriptions().ofFeed(feed.id())));
    boolean hub = kind == UpstreamSubscription.Kind.WEBSUB;
    String token = "token-" + feed.id() + "-" + choice.upstreamSubscriptions().size();
    UpstreamSubscription following =
        new UpstreamSubscription(
            0,
            feed.id(),
            kind,
            endpoint,
            feed.topic(),
            token,
            hub ? "secret" : null,
            state,
            leaseEnds,
            nextAction,
            attempts,
            null);
    store.upstreamSubscriptions().choose(choice, List.of(following), List.of()).join();
    return store.upstreamSubscriptions().byToken(token).orElseThrow();
  }

  /** The upstream subscriptions of a topic, the oldest first. */
  public List<UpstreamSubscription> upstreamSubscriptions(String topic) {
    return store.upstreamSubscriptions().ofFeed(feed(topic).id());
  }

  /** Adds light work. */
  public void light(FollowedFeed feed, Via via) {
    work.add(new WorkItem.Light(feed.id(), via, timer.now())).join();
  }

  /** Adds a believed delivery. */
  public void fat(FollowedFeed feed, @Nullable String contentType, String body) {
    work.add(
            new WorkItem.Fat(
                feed.id(),
                Via.WEBSUB,
                timer.now(),
                contentType,
                body.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
        .join();
  }

  /** Does something else than an object of the store or the work would, or passes the call on. */
  @FunctionalInterface
  public interface Fault {
    /** The result, or what {@code rest} gives. */
    @Nullable Object call(
        String method, @Nullable Object[] arguments, Callable<@Nullable Object> rest)
        throws Exception;
  }

  /** What a write gives that a full disk refuses. */
  @SuppressWarnings("FutureReturnValueIgnored") // it is the result, if one without a type
  public static Object diskFull() {
    return CompletableFuture.failedFuture(StoreException.noWrites("the disk is full"));
  }

  /** The target with some of its methods behaving otherwise. */
  public static <T> T faulty(Class<T> type, T target, Fault fault) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                fault.call(
                    method.getName(),
                    arguments == null ? new Object[0] : arguments,
                    () -> {
                      try {
                        return method.invoke(target, arguments);
                      } catch (InvocationTargetException e) {
                        throw e.getCause() instanceof Exception cause ? cause : e;
                      }
                    })));
  }

  /** A store whose part of this type behaves otherwise. */
  public static <T> UnaryOperator<Store> faultyPart(Class<T> type, Fault fault) {
    Wrapping wrapping =
        new Wrapping() {
          @Override
          public <P> P part(Class<P> of, P part) {
            return of.equals(type) ? faulty(of, part, fault) : part;
          }
        };
    return store -> WrappedStore.of(store, wrapping);
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    threads.shutdownNow();
  }
}
