package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.delivery.Digests;
import io.feedbridge.gateway.delivery.Fanout;
import io.feedbridge.gateway.delivery.send.DeliveryReports;
import io.feedbridge.gateway.delivery.webhooks.Endpoints;
import io.feedbridge.gateway.guard.PublicFeeds;
import io.feedbridge.gateway.log.LogFollowers;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.relay.RelayedPings;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.schedule.GroupingExecutor;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import java.util.concurrent.ThreadPoolExecutor;

/** From the log to subscribers, webhooks and the servers of {@code --relay}. */
final class DeliveryPart {

  /** These threads render and sign deliveries; each webhook endpoint has one task at most. */
  private static final int WEBHOOK_THREADS = 2;

  private static final int WEBHOOK_QUEUE = Webhooks.MAX;

  final Fanout fanout;
  final Endpoints endpoints;
  final RelayedPings relayed;
  private final LogFollowers followers;
  private final Digests digests;

  DeliveryPart(Settings settings, Machines machines, ServingPart serving) {
    ThreadPoolExecutor threads = machines.pool("fanout", Fanout.THREADS, Machines.QUEUE);
    ThreadPoolExecutor webhooks = machines.pool("webhooks", WEBHOOK_THREADS, WEBHOOK_QUEUE);
    fanout =
        new Fanout(
            machines.store,
            machines.owned().client(),
            threads,
            machines.timer,
            machines.random,
            new DeliveryReports(
                machines.meters, machines.owned().attempts(), serving.activity, machines.traces),
            Machines.CONNECTIONS_PER_HOST,
            serving.bridges);
    followers = new LogFollowers(machines.store, threads, machines.timer, machines.random);
    endpoints = fanout.endpoints(followers, threads, new GroupingExecutor(webhooks, WEBHOOK_QUEUE));
    digests =
        new Digests(
            machines.store.laggards(),
            settings.hub().digestEvery(),
            machines.stages,
            machines.timer);
    relayed =
        new RelayedPings(
            settings.outbound().relays(),
            followers,
            new RelayedPings.Parts(
                settings.publicUrl(),
                machines.store,
                new PublicFeeds(machines.policies),
                serving.passed,
                machines.owned().client(),
                serving.activity,
                machines.stages,
                machines.timer));
    watch(machines.meters);
  }

  private void watch(Meters meters) {
    meters.total(
        "feedbridge.relay.sent", "Pings passed on to the servers of --relay", relayed::sent);
    meters.total(
        "feedbridge.relay.refused", "Pings that a server of --relay refused", relayed::refused);
    meters.gauge(
        "feedbridge.relay.failing",
        "Servers of --relay that did not take their newest ping",
        relayed::failing);
  }

  void start(Lifecycle lifecycle) {
    lifecycle.start(fanout::start, fanout::close);
    lifecycle.start(digests::start, digests::close);
    lifecycle.start(followers::start, followers::close);
    relayed.start();
    lifecycle.start(endpoints::start, endpoints::close);
    lifecycle.onStop(this::stop);
  }

  /** Tells rounds and webhooks at once: each waits some seconds for its requests under way. */
  private void stop() {
    followers.stop();
    fanout.stop();
  }
}
