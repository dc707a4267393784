package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.access.AccessTokens;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.CallerWork;
import io.feedbridge.gateway.guard.Limiter;
import io.feedbridge.gateway.guard.RefusedCallers;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.intake.PingOutcomes;
import io.feedbridge.gateway.log.LogFollowers;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.publish.BridgedFeeds;
import io.feedbridge.gateway.relay.PassedPings;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.schedule.JoinedTask;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.subscribers.HubRequests;
import io.feedbridge.gateway.subscribers.Outcomes;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.stream.ActivityStream;
import io.feedbridge.gateway.web.stream.EventStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * The parts that each node runs, whether it owns the store or not: intake, and the reads of the
 * store for callers.
 */
final class ServingPart {

  /** How often a node that does not own the store reads which feeds are private. */
  private static final Duration PRIVACY_LOOK = Duration.ofSeconds(1);

  private static final int INTAKE_THREADS = 8;

  /** These threads read the store for bridged feeds, and make bridged feeds of the usual size. */
  private static final int BRIDGE_THREADS = BridgedFeeds.AT_ONCE + 1;

  /** Long bridged feeds, of which one is made at a time. */
  private static final int LONG_BRIDGE_QUEUE = 64;

  /** Each reader of a stream may have a document to be rendered. */
  private static final int STREAM_THREADS = 3;

  private static final int STREAM_QUEUE = 2 * EventStream.MAX_READERS;

  /** These threads make a few look-ups or writes for a caller. */
  final ThreadPoolExecutor intakeThreads;

  final ActivityLog activity;
  final BridgedUrls bridges;
  final AccessTokens tokens;
  final Intake intake;
  final PingOutcomes pingOutcomes;
  final Outcomes outcomes = new Outcomes();
  final HubRequests requests;
  final BridgedFeeds bridgedFeeds;
  final EventStream stream;
  final ActivityStream activityStream;
  final RefusedCallers refused;
  final Limiter limiter;
  final Admission admission;
  final PassedPings passed;

  private final LogFollowers followers;
  private final JoinedTask privacy;
  private final Pump privacyLooks;

  /** Wires them; {@link #start} starts them. */
  ServingPart(Settings settings, Machines machines) {
    intakeThreads = machines.pool("intake", INTAKE_THREADS, Machines.QUEUE);
    ThreadPoolExecutor streams = machines.pool("streams", STREAM_THREADS, STREAM_QUEUE);
    activity = new ActivityLog(machines.clock);
    bridges = new BridgedUrls(settings.publicUrl());
    tokens = new AccessTokens(machines.store.tokens());
    intake =
        new Intake(
            machines.store,
            machines.work,
            activity,
            intakeThreads,
            machines.clock,
            machines.meters);
    pingOutcomes = new PingOutcomes(machines.store, machines.stages, machines.timer);
    requests =
        new HubRequests(
            machines.store.subscriptions(),
            settings.hub().leases(),
            settings.hub().format(),
            bridges,
            settings.publicUrl(),
            machines.timer,
            outcomes);
    bridgedFeeds =
        new BridgedFeeds(
            machines.store,
            settings.publicUrl(),
            settings.serving().bridge(),
            machines.pool("bridges", BRIDGE_THREADS, Machines.QUEUE),
            machines.pool("long-bridges", 1, LONG_BRIDGE_QUEUE),
            machines.timer);
    followers = new LogFollowers(machines.store, streams, machines.timer, machines.random);
    stream = new EventStream(followers, streams, machines.timer);
    activityStream = new ActivityStream(activity, streams, machines.timer);
    privacy = new JoinedTask(machines.store.privateFeeds()::refresh, machines.stages);
    privacyLooks = looks(privacy, machines);
    watchStream(machines.meters);
    refused =
        new RefusedCallers(
            machines.meters.counts(
                    "feedbridge.callers.refused",
                    "Callers refused for their limits, by reason",
                    "reason",
                    Limiter.Kind.class)
                ::add,
            machines.clock);
    limiter = new Limiter(settings.guarding().limits(), machines.unasked, refused, machines.clock);
    passed = new PassedPings(settings.publicUrl(), activity, machines.clock);
    admission =
        new Admission(
            settings,
            limiter,
            machines.policies,
            machines.store,
            new CallerWork(intakeThreads, machines.clock),
            passed,
            intakeThreads);
  }

  private static Pump looks(JoinedTask privacy, Machines machines) {
    return new Pump(
        "private-feeds",
        () -> {
          var unused = privacy.run();
          return Optional.of(machines.clock.instant().plus(PRIVACY_LOOK));
        },
        machines.stages,
        machines.timer);
  }

  /**
   * Has a handler called when this node, which does not own the store, knows which feeds were
   * private at the arrival of the request.
   */
  Handler knowingPrivacy(Handler handler) {
    return request -> privacy.run().thenCompose(known -> handler.handle(request));
  }

  /** Reads again and again which feeds are private, at a node that does not own the store. */
  void startPrivacy(Lifecycle lifecycle) {
    lifecycle.start(privacyLooks::start, privacyLooks::close);
  }

  private void watchStream(Meters meters) {
    meters.gauge(
        "feedbridge.stream.readers", "Readers of the live stream", stream.readers()::count);
    meters.gauge(
        "feedbridge.stream.unread.bytes",
        "Bytes of events that readers of the live stream have not taken yet",
        followers::unreadBytes);
    meters.total(
        "feedbridge.stream.readers.let.go",
        "Readers of the live stream that were disconnected because other readers waited for room",
        followers::readersLetGo);
  }

  /** Starts them. */
  void start(Lifecycle lifecycle) {
    lifecycle.start(pingOutcomes::start, pingOutcomes::close);
    lifecycle.start(bridgedFeeds::start, bridgedFeeds::close);
    lifecycle.start(followers::start, followers::close);
    lifecycle.start(stream.readers()::start, stream.readers()::close);
    lifecycle.start(activityStream.readers()::start, activityStream.readers()::close);
  }
}
