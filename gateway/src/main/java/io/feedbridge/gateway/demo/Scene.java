package io.feedbridge.gateway.demo;

import io.feedbridge.gateway.Gateway;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.config.SettingsReader;
import io.feedbridge.gateway.store.feeds.Figures;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All parties of the demo, each on a port of its own; closed in the reverse order of the opening.
 */
final class Scene implements AutoCloseable {

  /** The poll period of feeds that name neither hub nor cloud. */
  private static final String POLL = "1s";

  /** A feed whose next poll is farther away is left to push. */
  private static final Duration BEYOND_POLLING = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(Scene.class);

  private final Journal journal;
  private final Clock clock;
  private final Arrivals arrivals = new Arrivals();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  private final SmallHub hub;
  private final SmallCloud cloud;
  private final Publisher publisher;
  private final Gateway gateway;
  private final DemoSubscriber subscriber;
  private final Aggregator aggregator;

  /**
   * Opens the scene, without subscriptions.
   *
   * @throws IOException if a party finds no port or no disk
   * @throws io.feedbridge.gateway.store.StoreException if the gateway's store cannot be opened
   */
  Scene(Journal journal, Clock clock) throws IOException {
    this.journal = journal;
    this.clock = clock;
    try {
      TemporaryFolder data = opened(new TemporaryFolder("feedbridge-demo-"));
      LoopbackNet net = opened(new LoopbackNet(clock));
      hub = opened(new SmallHub(net, journal));
      cloud = opened(new SmallCloud(net, journal));
      publisher = opened(new Publisher(net, journal, clock, hub, cloud));
      subscriber = opened(new DemoSubscriber(net, journal, arrivals));
      aggregator = opened(new Aggregator(net, journal, arrivals));
      gateway = opened(Gateway.start(settings(data.path()), clock));
      opened(new LogWatch(gateway.store(), journal, topics()));
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private static Settings settings(Path data) {
    String networks = String.join(",", LoopbackNet.NETWORKS);
    return SettingsReader.of(
        "--listen=127.0.0.1:0",
        "--data=" + data,
        "--allow-fetch=" + networks,
        "--allow-callback=" + networks,
        "--hub-format=atom",
        "--poll-min=" + POLL,
        "--poll-max=" + POLL,
        "--host-pause=0",
        "--ping-quiet=0",
        "--ping-recheck=0");
  }

  private <T extends AutoCloseable> T opened(T part) {
    open.push(part);
    return part;
  }

  private List<String> topics() {
    return Arrays.stream(Source.values()).map(publisher::url).toList();
  }

  /** Introduces the parties in the commentary. */
  void introduce() {
    journal.print("");
    introduce(
        Actor.PUBLISHER,
        publisher.url(),
        "feeds: cloud.xml names the cloud, hub.xml the hub, plain.xml neither");
    introduce(Actor.CLOUD, cloud.pingUrl(), "speaks rssCloud for cloud.xml");
    introduce(Actor.HUB, hub.url(), "speaks WebSub for hub.xml");
    introduce(
        Actor.GATEWAY,
        gateway.publicUrl().toString(),
        "follows all three feeds; to subscribers it is both hub and cloud");
    introduce(Actor.SUBSCRIBER, subscriber.url(), "wants all three feeds, and speaks WebSub only");
    introduce(
        Actor.AGGREGATOR, aggregator.url(), "wants all three feeds, and speaks rssCloud only");
  }

  private void introduce(Actor who, String url, String what) {
    String host = URI.create(url).getAuthority();
    String name = journal.styled(who.style(), "%-10s".formatted(who.label()));
    journal.print("  %s  %-15s  %s".formatted(name, host, what));
  }

  /**
   * Subscribes the subscriber and the aggregator to all feeds at the gateway.
   *
   * @return completes when hub and cloud of the gateway have accepted; fails if one refuses
   */
  CompletableFuture<Void> subscribe() {
    journal.begin("First, subscriber and aggregator ask the gateway for all three feeds");
    List<CompletableFuture<Void>> asked = new ArrayList<>();
    for (Source source : Source.values()) {
      String topic = publisher.url(source);
      asked.add(subscriber.subscribe(gateway.publicUrl() + "/hub", source, topic));
      asked.add(aggregator.register(gateway.publicUrl() + "/pleaseNotify", source, topic));
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
  }

  /**
   * Whether the subscriptions are all verified and the gateway is itself subscribed upstream, so
   * that from now on nothing can be missed or be found by a poll in place of a push.
   */
  boolean settled() {
    Figures figures = gateway.store().figures();
    int feeds = Source.values().length;
    return figures.websubSubscriptions() == feeds
        && figures.rsscloudSubscriptions() == feeds
        && pushed(Source.RSSCLOUD)
        && pushed(Source.WEBSUB);
  }

  private boolean pushed(Source source) {
    Store store = gateway.store();
    Instant soon = clock.instant().plus(BEYOND_POLLING);
    return store
        .feeds()
        .byTopic(publisher.url(source))
        .filter(feed -> feed.nextFetchAt() != null && feed.nextFetchAt().isAfter(soon))
        .filter(
            feed ->
                store.upstreamSubscriptions().ofFeed(feed.id()).stream()
                    .map(UpstreamSubscription::state)
                    .anyMatch(UpstreamSubscription.State::isLive))
        .isPresent();
  }

  Publisher publisher() {
    return publisher;
  }

  DemoSubscriber subscriber() {
    return subscriber;
  }

  Aggregator aggregator() {
    return aggregator;
  }

  Arrivals arrivals() {
    return arrivals;
  }

  /** Stops all parties, and removes the gateway's data. Repeating it does nothing. */
  @Override
  public synchronized void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        log.atError().setCause(e).log("A part of the demo did not stop well");
      }
    }
  }
}
