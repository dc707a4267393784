package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.activity.SubscriptionLog;
import io.feedbridge.gateway.cluster.ForwardedRequests;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.runtime.GatewayKey;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.server.ServerConfig;
import java.io.IOException;

/**
 * The parts that the node runs that owns the store, in the order of the way of the data: ingest,
 * the log, delivery; beside them the way to upstream, and the way of subscribers in and out.
 */
final class OwnerParts {

  final OwnFeedsPart ownFeeds;
  final IngestPart ingest;
  final DeliveryPart delivery;
  final SearchPart search;
  final UpstreamPart upstream;
  final SubscribersPart subscribers;
  private final SourcesPart sources;
  private final UpkeepPart upkeep;
  private final TopicPart topic;
  private final ServerConfig.Forwards forwards;

  /** Wires them; {@link #start} starts them. */
  OwnerParts(Settings settings, Machines machines, ServingPart serving) throws IOException {
    byte[] key = GatewayKey.of(machines.store, settings.data(), machines.random);
    machines.store.onTransition(new SubscriptionLog(serving.activity));
    upkeep = new UpkeepPart(settings, machines);
    ownFeeds = new OwnFeedsPart(settings, machines, serving);
    ingest = new IngestPart(settings, machines, serving, ownFeeds.topics());
    delivery = new DeliveryPart(settings, machines, serving);
    search = new SearchPart(machines, serving, ownFeeds.trackerTopics, key);
    topic = new TopicPart(settings.storage().topic(), key, machines);
    upstream = new UpstreamPart(settings, machines, serving, ingest.firstLook(), key);
    subscribers = new SubscribersPart(settings, machines, serving);
    sources = new SourcesPart(settings, machines, serving.intake);
    forwards = new ForwardedRequests(key, SteadyClock.systemOf(machines.clock)).forwards();
  }

  /** Requests that other nodes pass on to this one. */
  ServerConfig.Forwards forwards() {
    return forwards;
  }

  /**
   * Starts them from the end of the way to its beginning, so that nothing arrives at a stage that
   * does not run yet.
   *
   * @throws IOException if the topic in Kafka is wanted, and its client cannot be used
   */
  void start(Lifecycle lifecycle) throws IOException {
    upkeep.start(lifecycle);
    lifecycle.onStop(ingest::stop);
    delivery.start(lifecycle);
    search.start(lifecycle);
    topic.start(lifecycle);
    ingest.start();
    upstream.start(lifecycle);
    subscribers.start(lifecycle);
    ownFeeds.start(lifecycle);
    sources.start(lifecycle);
  }
}
