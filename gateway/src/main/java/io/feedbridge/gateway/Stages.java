package io.feedbridge.gateway;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.SubscriptionLog;
import io.feedbridge.gateway.check.CheckBounds;
import io.feedbridge.gateway.check.Checks;
import io.feedbridge.gateway.check.OwnPush;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.cluster.ForwardedRequests;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.delivery.Digests;
import io.feedbridge.gateway.delivery.Fanout;
import io.feedbridge.gateway.delivery.send.DeliveryReports;
import io.feedbridge.gateway.delivery.webhooks.Endpoints;
import io.feedbridge.gateway.firehose.Firehose;
import io.feedbridge.gateway.guard.PasswordTries;
import io.feedbridge.gateway.guard.PublicFeeds;
import io.feedbridge.gateway.ingest.FetchReports;
import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.ingest.Ingest;
import io.feedbridge.gateway.ingest.Politeness;
import io.feedbridge.gateway.ingest.PollSchedule;
import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.fetch.UserAgent;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.lists.ListKeeper;
import io.feedbridge.gateway.log.LogFollowers;
import io.feedbridge.gateway.podping.Podpings;
import io.feedbridge.gateway.poll.PollTimer;
import io.feedbridge.gateway.publish.ListDocuments;
import io.feedbridge.gateway.publish.OwnEvents;
import io.feedbridge.gateway.publish.OwnTopics;
import io.feedbridge.gateway.publish.PasswordChecks;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.publish.TestFeed;
import io.feedbridge.gateway.relay.RelayedPings;
import io.feedbridge.gateway.retention.Retention;
import io.feedbridge.gateway.schedule.GroupingExecutor;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.search.Indexer;
import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.subscribers.CloudRegistrar;
import io.feedbridge.gateway.subscribers.Leases;
import io.feedbridge.gateway.subscribers.PolicySweep;
import io.feedbridge.gateway.subscribers.Removals;
import io.feedbridge.gateway.subscribers.Verifier;
import io.feedbridge.gateway.subscribers.WebhookVerifier;
import io.feedbridge.gateway.track.TrackerFollower;
import io.feedbridge.gateway.track.TrackerTopics;
import io.feedbridge.gateway.upstream.TrialSubscriptions;
import io.feedbridge.gateway.upstream.Upstream;
import io.feedbridge.gateway.upstream.UpstreamCallbacks;
import io.feedbridge.gateway.upstream.UpstreamUrls;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * The stages that the node runs that owns the store, in the order of the way of the data: ingest,
 * the log, delivery; beside them the way to upstream, and the way of subscribers in and out.
 */
final class Stages {

  /** Time for fetches that are under way at a stop. */
  private static final Duration FETCH_GRACE = Duration.ofSeconds(2);

  private final Settings settings;
  private final Machines machines;
  private final Retention retention;
  private final ClockWatch clockWatch;
  private final byte[] key;

  final SavedFeeds savedFeeds;
  final TestFeed testFeed;
  private final OwnEvents ownEvents;
  private final Optional<Podpings> podpings;
  private final Optional<Firehose> firehose;
  final Fetcher fetcher;
  final PollSchedule schedule;
  final Ingest ingest;
  final Fanout fanout;
  final LogFollowers followers;
  final Endpoints endpoints;

  final Indexer indexer;
  final Search search;
  final TrackerFollower trackers;
  private final ListKeeper lists;
  final ListDocuments listDocuments;

  final Upstream upstream;
  final RelayedPings relayed;
  final UpstreamCallbacks callbacks;
  final Checks checks;
  final PollTimer polls;

  final Verifier verifier;
  final CloudRegistrar registrar;
  final WebhookVerifier webhookVerifier;
  final Leases leases;
  private final Digests digests;
  final Removals removals;

  /** Wires them; {@link #start} starts them. */
  Stages(Settings settings, Machines machines, Serving serving) throws IOException {
    this.settings = settings;
    this.machines = machines;
    Machines.Owned owned = machines.owned();
    Intake intake = serving.intake;
    ActivityLog activity = serving.activity;
    URI url = settings.publicUrl();
    Pools pools = machines.pools;
    Store store = machines.store;
    Timer timer = machines.timer;
    SteadyClock clock = machines.clock;
    OutboundClient client = owned.client();
    SecureRandom random = machines.random;

    Settings.Polling polling = settings.polling();
    clockWatch = new ClockWatch(store.times(), clock, pools.stages, timer);
    clockWatch.bound(longer(polling.max(), polling.backup()));
    store.onTransition(new SubscriptionLog(activity));
    savedFeeds =
        new SavedFeeds(
            store.users(), serving.tokens, intake, url, passwords(), pools.intake, clock);
    testFeed =
        new TestFeed(url, settings.serving().testFeedPeriod(), store, intake, pools.stages, timer);

    ownEvents = new OwnEvents(store, activity, intake, pools.stages, timer);
    podpings =
        settings
            .outbound()
            .podping()
            .map(
                node ->
                    new Podpings(store, intake, client, node, owned.owns(), pools.stages, timer)
                        .watchedBy(machines.meters));
    firehose =
        settings
            .outbound()
            .firehose()
            .map(
                socket ->
                    new Firehose(store, intake, socket, owned.owns(), pools.stages, timer)
                        .watchedBy(machines.meters));
    TrackerTopics trackerTopics = new TrackerTopics(url);
    listDocuments = new ListDocuments(store.publishedLists(), intake, url);
    schedule =
        new PollSchedule(
            polling.min(), polling.max(), polling.backup(), polling.pingRecheck(), true);
    fetcher =
        new Fetcher(
            client,
            new OwnTopics(testFeed, savedFeeds, listDocuments, trackerTopics, ownEvents),
            new UserAgent("Feedbridge", Version.current(), url),
            polling.hubs(),
            clock,
            pools.ingest);
    machines.meters.gauge(
        "feedbridge.clock.origins.seconds",
        "Seconds that the system clock is ahead of the clocks of origins, in the median",
        fetcher.clocks()::secondsAhead);
    ingest =
        new Ingest(
            machines.work,
            store,
            fetcher,
            new FetchReports(machines.meters, activity, machines.traces),
            pools.ingest,
            timer,
            schedule,
            new Politeness(
                polling.hostPause(),
                polling.pingQuiet(),
                machines.unasked.firstFetches(),
                Networks.of(settings.guarding().limits().exempt()),
                polling.paces()));
    machines.meters.gauge(
        "feedbridge.sites.paced",
        "Sites that are sent requests at a pace",
        ingest.origins().sites()::paced);
    machines.meters.total(
        "feedbridge.fetches.paced",
        "Fetches put off for the pace of their site",
        ingest.origins().sites()::putOff);

    fanout =
        new Fanout(
            store,
            client,
            pools.fanout,
            timer,
            random,
            new DeliveryReports(machines.meters, owned.attempts(), activity, machines.traces),
            Machines.CONNECTIONS_PER_HOST,
            serving.bridges);
    followers = new LogFollowers(store, pools.fanout, timer, random);
    endpoints =
        fanout.endpoints(
            followers, pools.fanout, new GroupingExecutor(pools.webhooks, Pools.WEBHOOK_QUEUE));
    retention = new Retention(store, settings.retention(), pools.stages, timer, machines.meters);

    key = GatewayKey.of(store, settings.data(), random);
    indexer =
        new Indexer(
            owned.index(),
            store,
            UUID.nameUUIDFromBytes(key).toString(),
            trackerTopics::isTracker,
            pools.searchIndex,
            timer);
    search = new Search(owned.index(), store.entries(), pools.searches);
    trackers =
        new TrackerFollower(
            store,
            trackerTopics,
            new PublicFeeds(machines.policies),
            pools.trackers,
            timer,
            machines.meters);
    lists = new ListKeeper(store, serving.bridges, machines.policies, pools.stages, timer);
    relayed =
        new RelayedPings(
            settings.outbound().relays(),
            url,
            serving.passed,
            new PublicFeeds(machines.policies),
            store,
            followers,
            client,
            activity,
            pools.stages,
            timer);
    machines.meters.total(
        "feedbridge.relay.sent", "Pings passed on to the servers of --relay", relayed::sent);
    machines.meters.total(
        "feedbridge.relay.refused", "Pings that a server of --relay refused", relayed::refused);
    machines.meters.gauge(
        "feedbridge.relay.failing",
        "Servers of --relay that did not take their newest ping",
        relayed::failing);
    machines.meters.gauge("feedbridge.trackers", "Trackers that are followed", trackers::count);
    machines.meters.gauge(
        "feedbridge.lists.feeds", "Feeds that are followed for lists", lists::followed);
    machines.meters.total(
        "feedbridge.search.index.remade",
        "Times that the search index was made again: it was damaged, or another store's",
        owned.index()::remade);
    machines.meters.gauge(
        "feedbridge.search.events.behind",
        "Events of the log that are not in the search index yet",
        indexer::behind);

    UpstreamUrls urls = new UpstreamUrls(url, key);
    upstream =
        new Upstream(store, activity, client, pools.stages, timer, random, urls, machines.meters);
    callbacks = new UpstreamCallbacks(store, activity, pools.intake, urls, clock, random);
    checks =
        new Checks(
            new FirstLook(fetcher, ingest.origins(), schedule, clock),
            new TrialSubscriptions(store, client, pools.stages, timer, urls),
            new OwnPush(intake, serving.pingOutcomes, url),
            url,
            CheckBounds.USUAL,
            pools.checks,
            timer,
            random);
    polls = new PollTimer(store, machines.work, pools.stages, timer);

    verifier =
        new Verifier(
            store, client, pools.stages, timer, random, url, machines.policies, serving.outcomes);
    registrar =
        new CloudRegistrar(
            store,
            client,
            activity,
            serving.bridges,
            machines.policies,
            pools.stages,
            timer,
            random);
    webhookVerifier =
        new WebhookVerifier(
            store,
            client,
            owned.attempts(),
            pools.stages,
            timer,
            random,
            settings.publicUrl().getHost());
    leases = new Leases(store, settings.hub().leases().min(), pools.stages, timer);
    removals = new Removals(store, pools.stages, timer);
    digests = new Digests(store.laggards(), settings.hub().digestEvery(), pools.stages, timer);
  }

  /** Requests that other nodes pass on to this one. */
  ServerConfig.Forwards forwards() {
    return new ForwardedRequests(key, SteadyClock.systemOf(machines.clock)).forwards();
  }

  private PasswordChecks passwords() {
    return new PasswordChecks(
        machines.store.users(),
        new PasswordTries(settings.guarding().limits().passwords(), machines.clock),
        machines.pools.passwords);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /**
   * Starts them from the end of the way to its beginning, so that nothing arrives at a stage that
   * does not run yet.
   *
   * @throws IOException if the topic in Kafka is wanted, and its client cannot be used
   */
  void start(Lifecycle lifecycle) throws IOException {
    new PolicySweep(machines.store, machines.policies, machines.clock).run();
    lifecycle.start(clockWatch::start, clockWatch::close);
    lifecycle.onStop(() -> ingest.stop(FETCH_GRACE));
    lifecycle.start(leases::start, leases::close);
    lifecycle.start(removals::start, removals::close);
    lifecycle.start(retention::start, retention::close);
    lifecycle.start(fanout::start, fanout::close);
    lifecycle.start(digests::start, digests::close);
    lifecycle.start(followers::start, followers::close);
    relayed.start();
    lifecycle.start(endpoints::start, endpoints::close);
    lifecycle.start(indexer::start, indexer::close);
    lifecycle.start(trackers::start, trackers::close);
    lifecycle.start(lists::start, lists::close);
    Topic.start(settings.storage().topic(), key, machines, lifecycle);
    ingest.start();
    lifecycle.start(upstream::start, upstream::close);
    lifecycle.onStop(checks::close);
    lifecycle.start(verifier::start, verifier::close);
    lifecycle.start(webhookVerifier::start, webhookVerifier::close);
    lifecycle.start(registrar::start, registrar::close);
    lifecycle.start(polls::start, polls::close);
    lifecycle.start(testFeed::start, testFeed::close);
    lifecycle.start(ownEvents::start, ownEvents::close);
    podpings.ifPresent(one -> lifecycle.start(one::start, one::close));
    firehose.ifPresent(one -> lifecycle.start(one::start, one::close));
  }
}
