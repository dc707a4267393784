package io.feedbridge.gateway.metrics;

import io.feedbridge.gateway.store.DeliveryOutcome;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.Figures;
import io.feedbridge.gateway.store.Gap;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.UpstreamSubscription;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Every meter of the gateway, in the order of the way of the data. Thread-safe.
 *
 * <p>Labels are enums and route patterns only, so that no request can add a label.
 */
public final class Meters {

  /** How old the store's figures may be; several gauges of one scrape share one look. */
  private static final Duration FIGURES_AGE = Duration.ofSeconds(1);

  /** Of a large store they may be older: counting takes no more than this part of the time. */
  private static final int COUNTING_PART = 20;

  private final MeterRegistry registry;
  private final Clock clock;

  /** Kept, because a lookup in the registry takes longer than the rest of an answer's handling. */
  private final Map<Delivery, Counter> deliveries = new ConcurrentHashMap<>();

  private record Delivery(Protocol protocol, DeliveryOutcome outcome) {}

  /** Meters in a registry. */
  public Meters(MeterRegistry registry, Clock clock) {
    this.registry = registry;
    this.clock = clock;
  }

  /** The outcome of a report that a feed changed. */
  public enum Ping {
    /** The report became a work item. */
    ACCEPTED,
    /** The gateway does not follow the feed. */
    UNKNOWN_FEED,
    /** Its signature was missing or wrong: taken as a light ping, not believed. */
    BAD_SIGNATURE
  }

  /** The outcome of a fetch. */
  public enum Fetch {
    FRESH,
    UNCHANGED,
    FAILED,
    /** The fetch was put off, because too many were under way at once. */
    NO_ROOM
  }

  /** A publisher, hub or cloud reported that a feed changed. */
  public void ping(Via via, Ping outcome) {
    counter(
            "feedbridge.pings",
            "Reports that a feed changed, by the way they came and their outcome",
            "via",
            label(via),
            "outcome",
            label(outcome))
        .increment();
  }

  /** An inbound connection was closed for want of room; the reason is one of a few. */
  public void connectionClosed(String reason) {
    counter(
            "feedbridge.server.connections.closed",
            "Inbound connections closed for want of room, by reason",
            "reason",
            reason)
        .increment();
  }

  /** A fetch ended. */
  public void fetch(Fetch outcome, Duration took) {
    Timer.builder("feedbridge.fetches")
        .description("Fetches of topics by outcome")
        .tag("outcome", label(outcome))
        .register(registry)
        .record(took);
    counter("feedbridge.fetches.total", "Fetches of topics", "outcome", label(outcome)).increment();
  }

  /** Work failed by an exception each time and was recorded as a failed fetch. */
  public void workGivenUp(Via via) {
    counter(
            "feedbridge.work.given.up",
            "Work items that failed each time and were recorded as failed fetches",
            "via",
            label(via))
        .increment();
  }

  /** An upstream hub or cloud was given up for a feed for a while. */
  public void upstreamRefused(UpstreamSubscription.Kind kind) {
    counter(
            "feedbridge.upstream.refused",
            "Upstream hubs and clouds that were given up for a feed, by kind",
            "kind",
            label(kind))
        .increment();
  }

  /** A webhook was disabled because its endpoint is gone or failed for too long. */
  public void webhookDisabled() {
    counter(
            "feedbridge.webhooks.disabled",
            "Webhooks disabled because their endpoints are gone or failed for too long")
        .increment();
  }

  /** A fetch was put off because a budget is spent. */
  public void fetchHeldBack() {
    counter("feedbridge.fetches.held.back", "Fetches put off because a budget is spent")
        .increment();
  }

  /** An event was appended. */
  public void event(Via via, int fresh, int changed) {
    counter(
            "feedbridge.events",
            "Events appended to the log, by the way that the change was found",
            "via",
            label(via))
        .increment();
    counter("feedbridge.entries", "Entries appended to the log, new or changed", "kind", "new")
        .increment(fresh);
    counter("feedbridge.entries", "Entries appended to the log, new or changed", "kind", "changed")
        .increment(changed);
  }

  /** An attempt to deliver ended. */
  public void delivery(Protocol protocol, DeliveryOutcome outcome) {
    deliveries
        .computeIfAbsent(
            new Delivery(protocol, outcome),
            kind ->
                counter(
                    "feedbridge.deliveries",
                    "Attempts to deliver, by protocol and outcome",
                    "protocol",
                    label(kind.protocol),
                    "outcome",
                    label(kind.outcome)))
        .increment();
  }

  /** An entry was passed over for trackers, because it cannot be matched or stored. */
  public void trackerEntryPassedOver() {
    counter(
            "feedbridge.trackers.passed.over",
            "Entries passed over for trackers, because they cannot be matched or stored")
        .increment();
  }

  /** An entry was left out for a tracker, because the day's budget of entries is spent. */
  public void trackerEntryLeftOut() {
    counter(
            "feedbridge.trackers.left.out",
            "Entries left out for a tracker, because the day's budget of entries is spent")
        .increment();
  }

  /** Events were removed for their age. */
  public void eventsRemoved(int events) {
    counter("feedbridge.log.removed", "Events removed from the log for their age")
        .increment(events);
  }

  /** Events that a subscriber missed were skipped, because they are too old or cannot be made. */
  public void gap(Gap.Reason reason, long events) {
    counter(
            "feedbridge.gaps",
            "Times that a subscriber skipped missed events, by reason",
            "reason",
            label(reason))
        .increment();
    counter(
            "feedbridge.gap.events",
            "Missed events that a subscriber skipped, by reason",
            "reason",
            label(reason))
        .increment((double) events);
  }

  /**
   * A round left so many subscriptions to catch-up without a try, since their host does not answer
   * in time.
   */
  public void heldBack(int subscriptions) {
    counter(
            "feedbridge.deliveries.held.back",
            "Deliveries left to catch-up without a try, since their host does not answer in time")
        .increment(subscriptions);
  }

  /** A caller was refused for its limits; the reason is one of a few. */
  public void refused(String reason) {
    counter(
            "feedbridge.callers.refused",
            "Callers refused for their limits, by reason",
            "reason",
            reason)
        .increment();
  }

  /** A request was answered. */
  public void request(String route, String method, int status, Duration took) {
    Timer.builder("feedbridge.requests")
        .description("Requests answered by route, method and class of status")
        .tag("route", route)
        .tag("method", method)
        .tag("status", status / 100 + "xx")
        .register(registry)
        .record(took);
  }

  /** Adds gauges for store and work, whose values are read at each scrape. */
  public void watch(Store store, Work work) {
    Supplier<Figures> figures = new Recent(store);
    for (FeedState state : FeedState.values()) {
      for (Figures.Way way : Figures.Way.values()) {
        Figures.Followed followed = new Figures.Followed(state, way);
        Gauge.builder("feedbridge.feeds", () -> figures.get().feedsBy().getOrDefault(followed, 0L))
            .description("Feeds followed, by state and by the way in which news of them comes")
            .tag("state", label(state))
            .tag("way", label(way))
            .register(registry);
      }
    }
    gauge(
        "feedbridge.followings",
        "Live subscriptions at upstream hubs and clouds",
        () -> figures.get().upstreamSubscriptions());
    gauge(
        "feedbridge.subscriptions.websub",
        "Active WebSub subscriptions",
        () -> figures.get().websubSubscriptions());
    gauge(
        "feedbridge.subscriptions.rsscloud",
        "Active rssCloud subscriptions",
        () -> figures.get().rsscloudSubscriptions());
    gauge(
        "feedbridge.laggards",
        "Subscriptions that have missed an event",
        () -> figures.get().laggards());
    gauge(
        "feedbridge.documents.bytes",
        "Bytes of the newest documents of feeds in the store",
        () -> figures.get().documentBytes());
    gauge(
        "feedbridge.trackers.entries",
        "Entries stored for trackers, each once for all trackers",
        () -> figures.get().sharedEntries());
    gauge(
        "feedbridge.undelivered.oldest.seconds",
        "Age of the oldest event that a subscriber has not received",
        () -> age(figures.get().oldestUndelivered()));
    gauge("feedbridge.log.events", "Events in the log", () -> store.log().extent().events());
    gauge(
        "feedbridge.log.oldest.seconds",
        "Age of the oldest event in the log",
        () -> age(store.log().extent().oldest()));
    gauge(
        "feedbridge.store.writable",
        "1 while the store takes writes, 0 while it refuses them",
        () -> store.health() instanceof StoreHealth.Writable ? 1 : 0);
    gauge("feedbridge.work.waiting", "Work items not done yet", work::waiting);
  }

  /** Shows a number that only grows. */
  public void total(String name, String description, Supplier<Number> value) {
    // A counter holds its object weakly, and its function strongly.
    FunctionCounter.builder(name, this, meters -> value.get().doubleValue())
        .description(description)
        .register(registry);
  }

  /** Watches a number. */
  public void gauge(String name, String description, Supplier<Number> value) {
    Gauge.builder(name, value).description(description).register(registry);
  }

  private long age(@Nullable Instant since) {
    return since == null ? 0 : Math.max(0, Duration.between(since, clock.instant()).toSeconds());
  }

  private Counter counter(String name, String description, String... tags) {
    return Counter.builder(name).description(description).tags(tags).register(registry);
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** One look at the store for all gauges of a scrape. */
  private final class Recent implements Supplier<Figures> {
    private final Store store;
    private @Nullable Figures figures;
    private Instant readAgainAt = Instant.MIN;

    Recent(Store store) {
      this.store = store;
    }

    @Override
    public synchronized Figures get() {
      Instant now = clock.instant();
      if (figures == null || readAgainAt.isBefore(now)) {
        figures = store.figures();
        Instant read = clock.instant();
        Duration rest = Duration.between(now, read).multipliedBy(COUNTING_PART);
        readAgainAt = read.plus(rest.compareTo(FIGURES_AGE) > 0 ? rest : FIGURES_AGE);
      }
      return figures;
    }
  }
}
