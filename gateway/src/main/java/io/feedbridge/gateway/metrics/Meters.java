package io.feedbridge.gateway.metrics;

import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.Figures;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
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
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Every meter of the gateway, in the order of the way of the data. Thread-safe.
 *
 * <p>Labels are enums and route patterns only, so that no request can add a label.
 */
public final class Meters {

  private final MeterRegistry registry;
  private final Clock clock;
  private final Map<Via, Counts<Ping>> pings;
  private final Map<Fetch, Timer> fetchTimes;
  private final Counts<Fetch> fetches;
  private final Counts<Via> workGivenUp;
  private final Counts<UpstreamSubscription.Kind> upstreamsRefused;
  private final Counter webhooksDisabled;
  private final Counter fetchesHeldBack;
  private final Counts<Via> events;
  private final Counter freshEntries;
  private final Counter changedEntries;
  private final Map<Protocol, Counts<DeliveryOutcome>> deliveries;
  private final Counter trackerEntriesPassedOver;
  private final Counter trackerEntriesLeftOut;
  private final Counter eventsRemoved;
  private final Counts<Gap.Reason> gaps;
  private final Counts<Gap.Reason> gapEvents;
  private final Counter deliveriesHeldBack;
  private final FirstDeliveries firstDeliveries;

  /**
   * A counter for each value of a label, each at 0 from the start: an alert that looks for an
   * increase does not see a counter that appears with its first event. Thread-safe.
   */
  public static final class Counts<E extends Enum<E>> {
    private final Map<E, Counter> counters;

    private Counts(Map<E, Counter> counters) {
      this.counters = counters;
    }

    /** One more. */
    public void add(E value) {
      add(value, 1);
    }

    void add(E value, double more) {
      of(counters, value).increment(more);
    }
  }

  /** Meters in a registry. */
  public Meters(MeterRegistry registry, Clock clock) {
    this.registry = registry;
    this.clock = clock;
    firstDeliveries = new FirstDeliveries(registry, clock);
    pings = pingsByVia();
    fetchTimes = timesByOutcome();
    deliveries = deliveriesByProtocol();
    fetches = counts("feedbridge.fetches.total", "Fetches of topics", "outcome", Fetch.class);
    workGivenUp =
        counts(
            "feedbridge.work.given.up",
            "Work items that failed each time and were recorded as failed fetches",
            "via",
            Via.class);
    upstreamsRefused =
        counts(
            "feedbridge.upstream.refused",
            "Upstream hubs and clouds that were given up for a feed, by kind",
            "kind",
            UpstreamSubscription.Kind.class);
    webhooksDisabled =
        counter(
            "feedbridge.webhooks.disabled",
            "Webhooks disabled because their endpoints are gone or failed for too long");
    fetchesHeldBack =
        counter("feedbridge.fetches.held.back", "Fetches put off because a budget is spent");
    events =
        counts(
            "feedbridge.events",
            "Events appended to the log, by the way that the change was found",
            "via",
            Via.class);
    String aboutEntries = "Entries appended to the log, new or changed";
    freshEntries = counter("feedbridge.entries", aboutEntries, "kind", "new");
    changedEntries = counter("feedbridge.entries", aboutEntries, "kind", "changed");
    trackerEntriesPassedOver =
        counter(
            "feedbridge.trackers.passed.over",
            "Entries passed over for trackers, because they cannot be matched or stored");
    trackerEntriesLeftOut =
        counter(
            "feedbridge.trackers.left.out",
            "Entries left out for a tracker, because the day's budget of entries is spent");
    eventsRemoved = counter("feedbridge.log.removed", "Events removed from the log for their age");
    gaps =
        counts(
            "feedbridge.gaps",
            "Times that a subscriber skipped missed events, by reason",
            "reason",
            Gap.Reason.class);
    gapEvents =
        counts(
            "feedbridge.gap.events",
            "Missed events that a subscriber skipped, by reason",
            "reason",
            Gap.Reason.class);
    deliveriesHeldBack =
        counter(
            "feedbridge.deliveries.held.back",
            "Deliveries left to catch-up without a try, since their host does not answer in time");
  }

  private Map<Via, Counts<Ping>> pingsByVia() {
    String about = "Reports that a feed changed, by the way they came and their outcome";
    return each(
        Via.class,
        via -> counts("feedbridge.pings", about, "outcome", Ping.class, "via", label(via)));
  }

  private Map<Fetch, Timer> timesByOutcome() {
    return each(
        Fetch.class,
        outcome ->
            Timer.builder("feedbridge.fetches")
                .description("Fetches of topics by outcome")
                .tag("outcome", label(outcome))
                .register(registry));
  }

  private Map<Protocol, Counts<DeliveryOutcome>> deliveriesByProtocol() {
    String name = "feedbridge.deliveries";
    String about = "Attempts to deliver, by protocol and outcome";
    Class<DeliveryOutcome> outcomes = DeliveryOutcome.class;
    return each(
        Protocol.class,
        protocol -> counts(name, about, "outcome", outcomes, "protocol", label(protocol)));
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
    of(pings, via).add(outcome);
  }

  /** A fetch ended. */
  public void fetch(Fetch outcome, Duration took) {
    of(fetchTimes, outcome).record(took);
    fetches.add(outcome);
  }

  /** Work failed by an exception each time and was recorded as a failed fetch. */
  public void workGivenUp(Via via) {
    workGivenUp.add(via);
  }

  /** An upstream hub or cloud was given up for a feed for a while. */
  public void upstreamRefused(UpstreamSubscription.Kind kind) {
    upstreamsRefused.add(kind);
  }

  /** A webhook was disabled because its endpoint is gone or failed for too long. */
  public void webhookDisabled() {
    webhooksDisabled.increment();
  }

  /** A fetch was put off because a budget is spent. */
  public void fetchHeldBack() {
    fetchesHeldBack.increment();
  }

  /** An event was appended. */
  public void event(Via via, int fresh, int changed) {
    events.add(via);
    freshEntries.increment(fresh);
    changedEntries.increment(changed);
  }

  /** The time from pings to deliveries. */
  public FirstDeliveries firstDeliveries() {
    return firstDeliveries;
  }

  /** An attempt to deliver ended. */
  public void delivery(Protocol protocol, DeliveryOutcome outcome) {
    of(deliveries, protocol).add(outcome);
  }

  /** An entry was passed over for trackers, because it cannot be matched or stored. */
  public void trackerEntryPassedOver() {
    trackerEntriesPassedOver.increment();
  }

  /** An entry was left out for a tracker, because the day's budget of entries is spent. */
  public void trackerEntryLeftOut() {
    trackerEntriesLeftOut.increment();
  }

  /** Events were removed for their age. */
  public void eventsRemoved(int removed) {
    eventsRemoved.increment(removed);
  }

  /** Events that a subscriber missed were skipped, because they are too old or cannot be made. */
  public void gap(Gap.Reason reason, long skipped) {
    gaps.add(reason);
    gapEvents.add(reason, (double) skipped);
  }

  /**
   * A round left so many subscriptions to catch-up without a try, since their host does not answer
   * in time.
   */
  public void heldBack(int subscriptions) {
    deliveriesHeldBack.increment(subscriptions);
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
    Supplier<Figures> figures = new RecentFigures(store, clock);
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

  /**
   * Makes a counter for each value of a label.
   *
   * @param tags names and values of the other labels
   */
  public <E extends Enum<E>> Counts<E> counts(
      String name, String description, String label, Class<E> values, String... tags) {
    return new Counts<>(
        each(
            values,
            value ->
                Counter.builder(name)
                    .description(description)
                    .tag(label, label(value))
                    .tags(tags)
                    .register(registry)));
  }

  private static <E extends Enum<E>, M> Map<E, M> each(Class<E> values, Function<E, M> meter) {
    Map<E, M> meters = new EnumMap<>(values);
    for (E value : values.getEnumConstants()) {
      meters.put(value, meter.apply(value));
    }
    return meters;
  }

  private static <E extends Enum<E>, M> M of(Map<E, M> meters, E value) {
    return Objects.requireNonNull(meters.get(value), "there is a meter for each value");
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
