package io.feedbridge.gateway.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.guard.FirstFetches;
import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.guard.KnownHubs;
import io.feedbridge.gateway.ingest.FetchReports;
import io.feedbridge.gateway.ingest.Ingest;
import io.feedbridge.gateway.ingest.Politeness;
import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.ingest.digest.PollSchedule;
import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.fetch.LocalTopics;
import io.feedbridge.gateway.ingest.fetch.UserAgent;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.poll.PollTimer;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.sqlite.SqliteDatabase;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.upstream.Upstream;
import io.feedbridge.gateway.upstream.UpstreamCallbacks;
import io.feedbridge.gateway.upstream.UpstreamUrls;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.websub.IntentRequest;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Ingest, upstream, the poll timer, intake and the store as they are, between a fake web and a
 * clock. The clock stands still while anything is done, so that the time of an event is what it
 * would be if machines took no time.
 */
final class Simulation implements AutoCloseable {

  /** Bounds as they are by default. */
  static final PollSchedule CADENCE =
      new PollSchedule(
          Duration.ofMinutes(1),
          Duration.ofHours(24),
          Duration.ofHours(24),
          Duration.ofSeconds(30),
          true);

  /** What is due within this time is done together. */
  static final Duration TICK = Duration.ofSeconds(30);

  /** What the publishers wait with their first entry, until the hubs have verified. */
  static final Duration SETTLING = Duration.ofHours(1);

  /** After the last entry, until the last backup poll. */
  static final Duration DRAIN = Duration.ofHours(26);

  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

  /** From when on the publishers publish. */
  static final Instant BEGIN = START.plus(SETTLING);

  private final ManualTimer timer = new ManualTimer(START);
  private final CountedThreads threads = new CountedThreads();
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final Store store;
  private final List<Site> sites = new ArrayList<>();

  /** By sites with hubs that soon fail for good, the same ones without. */
  private final Map<Site, Site> twins = new HashMap<>();

  private final FakeWeb web;
  private final Instant end;
  private long settledAt = -1;

  Simulation(Path data, int feeds, Duration span, long seed) {
    Random random = new Random(seed);
    end = BEGIN.plus(span);
    for (int i = 0; i < feeds; i++) {
      sites.add(Site.any(i, BEGIN, span, random));
    }
    for (Site site : sites) {
      if (site.hub() == Site.Hub.SILENT || site.hub() == Site.Hub.DROPPING) {
        twins.put(site, site.withoutHub(feeds + twins.size()));
      }
    }
    List<Site> all = new ArrayList<>(sites);
    all.addAll(twins.values());
    web = new FakeWeb(all, timer, BEGIN, span);
    parts.push(threads);
    SqliteDatabase database = SqliteDatabase.open(data, threads);
    parts.push(database);
    store = new Store(database);
    Work work = new SqlWork(database);
    Meters meters =
        new Meters(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT), timer.clock());
    ActivityLog activity = new ActivityLog(timer.clock());
    URI url = URI.create("http://gateway.example");
    UpstreamUrls urls = new UpstreamUrls(url, "a key for tests".getBytes(UTF_8));
    Intake intake = new Intake(store, work, activity, threads, timer.clock(), meters);
    UpstreamCallbacks callbacks =
        new UpstreamCallbacks(
            store, new ActivityLog(timer.clock()), threads, urls, timer.clock(), random);
    web.subscriber(
        new FakeWeb.Subscriber() {
          @Override
          public Optional<String> verify(String token, IntentRequest.Verify question) {
            return callbacks.verify(token, question).join();
          }

          @Override
          public void deliver(String token, String signature, byte[] body) {
            intake.delivery(token, signature, "application/rss+xml", body, () -> true).join();
          }
        });
    all.forEach(site -> subscribe(site.topic()));
    UserAgent userAgent = new UserAgent("Feedbridge", "test", url);
    Fetcher fetcher =
        new Fetcher(web, LocalTopics.NONE, userAgent, KnownHubs.USUAL, timer.clock(), threads);
    Ingest ingest =
        new Ingest(
            work,
            store,
            fetcher,
            new FetchReports(meters, activity, Traces.off()),
            threads,
            timer,
            CADENCE,
            new Politeness(
                Duration.ZERO,
                Duration.ZERO,
                FirstFetches.unlimited(),
                Networks.of(List.of()),
                GivenPaces.NONE));
    ingest.start();
    parts.push(ingest);
    Upstream upstream =
        new Upstream(
            store, new ActivityLog(timer.clock()), web, threads, timer, random, urls, meters);
    upstream.start();
    parts.push(upstream);
    PollTimer polls = new PollTimer(store, work, threads, timer);
    polls.start();
    parts.push(polls);
  }

  private void subscribe(String topic) {
    Verification verification =
        store
            .subscriptions()
            .request(
                Verification.Mode.SUBSCRIBE,
                topic,
                "http://subscriber.example/",
                StageBench.terms(topic, Format.ATOM),
                null,
                START)
            .join();
    store.subscriptions().confirm(verification, START).join();
  }

  List<Site> sites() {
    return sites;
  }

  /**
   * What publishes the same as a site and has no hub; empty where its hub does not fail for good.
   */
  Optional<Site> twin(Site site) {
    return Optional.ofNullable(twins.get(site));
  }

  private record Delivery(Instant at, Site site, int entry) {}

  /** All of the time, from the first fetch to the last backup poll. */
  void run() throws InterruptedException {
    List<Delivery> deliveries = new ArrayList<>();
    for (Site site : sites) {
      int first = site.hub() == Site.Hub.NONE ? site.entries().size() : site.published(BEGIN);
      for (int i = first; i < site.entries().size(); i++) {
        deliveries.add(new Delivery(site.entries().get(i).plus(FakeWeb.PUSH), site, i));
      }
    }
    deliveries.sort(Comparator.comparing(Delivery::at));
    for (Delivery delivery : deliveries) {
      advanceTo(delivery.at);
      web.deliver(delivery.site, delivery.entry);
      settle();
    }
    advanceTo(end.plus(DRAIN));
  }

  private void advanceTo(Instant to) throws InterruptedException {
    settle();
    while (timer.now().isBefore(to)) {
      Instant due = timer.nextAt().filter(at -> at.isBefore(to)).orElse(to);
      Instant tick = due.plus(TICK);
      timer.advanceTo(tick.isBefore(to) ? tick : to);
      settle();
    }
  }

  /**
   * Waits until nothing is under way, and nothing is due. What waits for the disk alone shows in no
   * thread, but a write that is given to the store after it ends after it.
   */
  private void settle() throws InterruptedException {
    while (true) {
      timer.runDue();
      long before = idle();
      if (before == settledAt) {
        return;
      }
      store.subscriptions().standsFor(-1, 1).join();
      // The barrier's own end is the one task that may have come.
      if (idle() == before + 1) {
        settledAt = before + 1;
      }
    }
  }

  private long idle() throws InterruptedException {
    return threads.awaitIdle();
  }

  /** What reading a site cost and gave. */
  Score score(Site site) {
    Map<String, Instant> arrivals = new HashMap<>();
    long feed = store.feeds().byTopic(site.topic()).orElseThrow().id();
    for (Event event : store.feeds().events(feed, 0, Long.MAX_VALUE)) {
      for (Entry entry : event.update().feed().entries()) {
        arrivals.putIfAbsent(entry.id(), event.at());
      }
    }
    Score score = new Score();
    score.requests = web.requests(site);
    for (int i = site.published(BEGIN); i < site.entries().size(); i++) {
      Instant arrival = arrivals.get(site.id(i));
      if (arrival == null) {
        score.lost++;
      } else {
        Instant published = site.entries().get(i);
        score.arrived(published, Duration.between(published, arrival));
      }
    }
    return score;
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
  }
}
