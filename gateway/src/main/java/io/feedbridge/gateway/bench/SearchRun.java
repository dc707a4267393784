package io.feedbridge.gateway.bench;

import io.feedbridge.gateway.bench.data.Furnishing;
import io.feedbridge.gateway.bench.data.Prose;
import io.feedbridge.gateway.bench.data.StorePlace;
import io.feedbridge.gateway.bench.figures.Figure;
import io.feedbridge.gateway.bench.figures.Goal;
import io.feedbridge.gateway.bench.figures.Medians;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.PublicFeeds;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.offline.OfflineStore;
import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.search.Indexer;
import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.search.TextIndex;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.track.TrackerFollower;
import io.feedbridge.gateway.track.TrackerTopics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Scenario (m): the cost of the search and of trackers. The entries go through the store's own
 * writer, which is a step of a ping, once with the index and once without; then searches of two
 * words run one after the other. At last entries come at a steady rate while trackers are followed,
 * and while none is: the difference in processor time is theirs.
 */
final class SearchRun {

  private static final URI URL = URI.create("https://bench.example");
  private static final int ENTRIES = 1_000_000;
  private static final int FEEDS = 1_000;
  private static final int OF_ONE_EVENT = 10;

  /** Events that wait for the writer at once; more would be more bytes than it takes. */
  private static final int WRITTEN_AT_ONCE = 1_000;

  private static final int WORDS_OF_ENTRY = 100;
  private static final int SEARCHES = 2_000;
  private static final int TRACKERS = 100_000;
  private static final int ENTRIES_A_SECOND = 100;
  private static final Duration PHASE = Duration.ofSeconds(20);
  private static final int EVENTS = (int) PHASE.toSeconds() * ENTRIES_A_SECOND / OF_ONE_EVENT;
  private static final Duration SETTLED = Duration.ofSeconds(3);
  private static final int PERCENT = 100;
  private static final double P99 = 0.99;

  /** Parts of the entries, which are written one after the other. */
  private static final int PARTS = 10;

  /** Pairs of parts, of which one is written without the index and one with it. */
  private static final int MOST_COMPARED = 4;

  private final Plan plan;
  private final StorePlace store;
  private final Clock clock;
  private final Progress progress;
  private final Medians medians = new Medians();
  private final Prose prose = new Prose(1);

  SearchRun(Plan plan, StorePlace store, Clock clock, Progress progress) {
    this.plan = plan;
    this.store = store;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it. */
  Result run() throws BenchException, IOException {
    Files.createDirectories(store.data());
    ExecutorService blocking = Executors.newCachedThreadPool();
    try (SystemTimer timer = new SystemTimer(clock);
        Furnishing furnishing = new Furnishing(store, clock);
        TextIndex index = OfflineStore.searchIndex(store.data())) {
      TrackerTopics topics = new TrackerTopics(URL);
      progress.prepares(Scenario.M, "the entries are written, which takes a while");
      List<FollowedFeed> feeds =
          furnishing.feeds(
              IntStream.range(0, FEEDS)
                  .mapToObj(i -> "https://host-%d.bench.example/feed".formatted(i))
                  .toList());
      int part = plan.scaled(ENTRIES) / PARTS;
      // The code is compiled.
      written(furnishing, feeds, part);
      int compared = Math.min(plan.rounds(), MOST_COMPARED);
      for (int round = 1; round <= compared; round++) {
        progress.show(Scenario.M, round, compared, "writes");
        double alone = written(furnishing, feeds, part);
        try (Indexer indexer = indexer(furnishing, index, topics, blocking, timer)) {
          long start = System.nanoTime();
          indexer.start();
          await(indexer);
          medians.add("index", part / seconds(System.nanoTime() - start));
          medians.add("slower", PERCENT * (written(furnishing, feeds, part) / alone - 1));
          await(indexer);
        }
      }
      for (int rest = 1 + 2 * compared; rest < PARTS; rest++) {
        written(furnishing, feeds, part);
      }
      try (Indexer indexer = indexer(furnishing, index, topics, blocking, timer)) {
        indexer.start();
        await(indexer);
        searches(new Search(index, furnishing.store().entries(), blocking));
        trackers(furnishing, feeds, topics, blocking, timer);
      }
    } finally {
      blocking.shutdown();
    }
    return new Result(
        Scenario.M,
        plan.rounds(),
        List.of(
            new Figure(
                "p99", "ms for a search of two words, 99 %", medians.of("p99"), Goal.atMost(50)),
            Figure.of("p50", "ms for a search of two words, half", medians.of("p50")),
            new Figure(
                "slower",
                "% more time to record entries, with the index",
                medians.of("slower"),
                Goal.atMost(10)),
            Figure.of("index", "entries indexed a second", medians.of("index")),
            new Figure(
                "trackers",
                "% of one core for the trackers, with 100 entries a second",
                medians.of("trackers"),
                Goal.atMost(20)),
            Figure.of("caught", "events of trackers a second", medians.of("caught"))));
  }

  private static Indexer indexer(
      Furnishing furnishing,
      TextIndex index,
      TrackerTopics topics,
      ExecutorService blocking,
      SystemTimer timer) {
    return new Indexer(index, furnishing.store(), "bench", topics::isTracker, blocking, timer);
  }

  /** Writes entries, and tells how many seconds that took. */
  private double written(Furnishing furnishing, List<FollowedFeed> feeds, int entries) {
    long start = System.nanoTime();
    for (int i = 0; i < entries / OF_ONE_EVENT; i++) {
      furnishing.event(feeds.get(i % feeds.size()), texts(OF_ONE_EVENT));
      if (i % WRITTEN_AT_ONCE == 0) {
        furnishing.flush();
      }
    }
    furnishing.flush();
    return seconds(System.nanoTime() - start);
  }

  private List<String> texts(int count) {
    return IntStream.range(0, count).mapToObj(i -> prose.words(WORDS_OF_ENTRY)).toList();
  }

  private static void await(Indexer indexer) {
    while (indexer.behind() > 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private void searches(Search search) throws BenchException {
    for (int round = 0; round <= plan.rounds(); round++) {
      progress.show(Scenario.M, round, plan.rounds(), "searches");
      long[] took = new long[SEARCHES];
      for (int i = 0; i < SEARCHES; i++) {
        String query = prose.words(2);
        long start = System.nanoTime();
        try {
          search.find("bench", QueryParser.parse(query), 1, Search.PAGE).join();
        } catch (BadQueryException e) {
          throw new BenchException("No query: " + query, e);
        }
        took[i] = System.nanoTime() - start;
      }
      Arrays.sort(took);
      if (round > 0) {
        medians.add("p50", PERCENT * 10 * seconds(took[SEARCHES / 2]));
        medians.add("p99", PERCENT * 10 * seconds(took[(int) (SEARCHES * P99)]));
      }
    }
  }

  private void trackers(
      Furnishing furnishing,
      List<FollowedFeed> feeds,
      TrackerTopics topics,
      ExecutorService blocking,
      SystemTimer timer) {
    Meters meters = new Meters(new SimpleMeterRegistry(), clock);
    PublicFeeds all =
        new PublicFeeds(
            Policies.of(
                UrlPatterns.ALL,
                UrlPatterns.ALL,
                AddressPolicy.allowing(List.of(), List.of()),
                URL,
                TrackerPolicy.OPEN));
    double without = steady(furnishing, feeds);
    try (TrackerFollower follower =
        new TrackerFollower(furnishing.store(), topics, all, blocking, timer, meters)) {
      // Before there is a tracker: it reads the log from the first one on.
      follower.start();
      progress.prepares(Scenario.M, "the trackers are made");
      furnishing.feeds(
          IntStream.range(0, plan.scaled(TRACKERS))
              .mapToObj(i -> URL + "/track?query=" + prose.rare(2).replace(" ", "%20"))
              .distinct()
              .toList());
      // The follower learns the trackers, and its code is compiled.
      steady(furnishing, feeds);
      for (int round = 1; round <= plan.rounds(); round++) {
        progress.show(Scenario.M, round, plan.rounds(), "trackers");
        long before = furnishing.store().log().extent().head();
        double with = steady(furnishing, feeds);
        medians.add("trackers", PERCENT * (with - without));
        double caught = furnishing.store().log().extent().head() - before;
        medians.add("caught", (caught - EVENTS) / seconds(PHASE.toNanos()));
      }
    }
  }

  /** Writes entries at the steady rate, and tells the share of a core that the process takes. */
  private double steady(Furnishing furnishing, List<FollowedFeed> feeds) {
    LockSupport.parkNanos(SETTLED.toNanos());
    long cpu = cpu();
    long start = System.nanoTime();
    for (int i = 0; i < EVENTS; i++) {
      long due = start + i * PHASE.toNanos() / EVENTS;
      LockSupport.parkNanos(Math.max(0, due - System.nanoTime()));
      furnishing.event(feeds.get(i % feeds.size()), texts(OF_ONE_EVENT));
    }
    furnishing.flush();
    LockSupport.parkNanos(SETTLED.toNanos());
    return (double) (cpu() - cpu) / (System.nanoTime() - start);
  }

  private static long cpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static double seconds(long nanos) {
    return nanos / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
