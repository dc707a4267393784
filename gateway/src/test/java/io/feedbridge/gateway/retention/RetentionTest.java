package io.feedbridge.gateway.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.log.Log.Trimmed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Old events leave the log: when, in what batches, and over a stop in the middle (rule L13). */
@Timeout(300)
class RetentionTest {

  private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");
  private static final Duration WEEK = Duration.ofDays(7);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String TOPIC = "https://origin.example/feed";

  @TempDir Path folder;

  private final ManualTimer timer = new ManualTimer(NOW);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  /** What each commit of a run did. */
  private final List<Trimmed> batches = new CopyOnWriteArrayList<>();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private static <T> T done(CompletableFuture<T> write) throws Exception {
    return write.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static Retention retention(Store store, ManualTimer timer, ExecutorService threads) {
    Meters meters = new Meters(new SimpleMeterRegistry(), timer.clock());
    return new Retention(store, WEEK, threads, timer, meters);
  }

  /** One that notes its batches. */
  // The watched write is the result, if one without a type.
  @SuppressWarnings("FutureReturnValueIgnored")
  private Retention watched(Store store) {
    UnaryOperator<Store> watching =
        StageBench.faultyPart(
            Log.class,
            (method, arguments, rest) -> {
              Object result = rest.call();
              if (result instanceof CompletableFuture<?> write && method.equals("trim")) {
                return write.whenComplete((batch, failure) -> batches.add((Trimmed) batch));
              }
              return result;
            });
    Meters meters = new Meters(registry, timer.clock());
    return new Retention(watching.apply(store), WEEK, threads, timer, meters);
  }

  private static FollowedFeed feed(Store store) throws Exception {
    FollowedFeed feed = done(store.feeds().follow(TOPIC, NOW));
    done(store.feeds().record(OutcomeBuilder.of(feed, NOW).baseline().build()));
    return store.feeds().byId(feed.id()).orElseThrow();
  }

  private static long append(Store store, Instant at) throws Exception {
    FollowedFeed feed = store.feeds().byTopic(TOPIC).orElseThrow();
    return done(store.feeds().record(OutcomeBuilder.of(feed, at).event(1).build())).get(0);
  }

  private static void walk(Store store) throws Exception {
    FollowedFeed feed = store.feeds().byTopic(TOPIC).orElseThrow();
    Round round = done(store.rounds().open(feed.id(), NOW)).orElseThrow();
    done(store.rounds().close(round, List.of()));
  }

  /** A store with so many events of a feed, a millisecond apart, all of them walked. */
  private static void fill(Path folder, int events, Instant first) throws Exception {
    try (SqliteBackend backend = new SqliteBackend(folder)) {
      feed(backend.store());
      append(backend.store(), first);
    }
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("feedbridge.db"));
        PreparedStatement fill =
            connection.prepareStatement(
                """
                WITH RECURSIVE number (n) AS
                  (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
                INSERT INTO event (seq, feed_id, at, via, entries, payload)
                SELECT n, e.feed_id, e.at + n, e.via, e.entries, e.payload FROM number, event e
                """);
        Statement statement = connection.createStatement()) {
      fill.setInt(1, events);
      fill.execute();
      statement.execute(
          "UPDATE feed SET head = (SELECT MAX(seq) FROM event), rounded = (SELECT MAX(seq) FROM event)");
    }
  }

  private static long number(Path folder, String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("feedbridge.db"));
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void L13_events_go_within_an_hour_after_their_time_and_not_before_it() throws Exception {
    try (SqliteBackend backend = new SqliteBackend(folder)) {
      Store store = backend.store();
      feed(store);
      append(store, NOW);
      walk(store);
      long second = append(store, NOW.plusSeconds(1));
      walk(store);
      try (Retention retention = watched(store)) {
        retention.start();
        for (Duration time = Duration.ZERO; time.compareTo(WEEK) < 0; time = time.plusHours(1)) {
          awaitNextRun();
          assertThat(store.log().extent().events()).isEqualTo(2);
          timer.advance(Retention.PERIOD);
        }
        awaitNextRun();
        assertThat(store.log().extent().start()).isZero();

        timer.advance(Retention.PERIOD);
        awaitNextRun();

        assertThat(store.log().extent().start()).isEqualTo(second);
        assertThat(registry.counter("feedbridge.log.removed").count()).isEqualTo(2);
      }
    }
  }

  /** Until a run is over: it has planned the next. */
  private void awaitNextRun() {
    Instant next = timer.now().plus(Retention.PERIOD);
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> timer.nextAt().filter(next::equals).isPresent());
  }

  @Test
  void L13_what_is_too_old_at_the_start_goes_at_once() throws Exception {
    fill(folder, 3, NOW.minus(WEEK).minusSeconds(1));
    try (SqliteBackend backend = new SqliteBackend(folder);
        Retention retention = watched(backend.store())) {
      retention.start();
      awaitNextRun();

      assertThat(backend.store().log().extent().events()).isZero();
    }
  }

  @Test
  void L13_20_000_events_go_in_many_small_commits() throws Exception {
    fill(folder, 20_000, NOW.minus(WEEK).minus(Duration.ofHours(1)));
    try (SqliteBackend backend = new SqliteBackend(folder)) {
      Store store = backend.store();
      assertThat(store.log().extent().events()).isEqualTo(20_000);
      try (Retention retention = watched(store)) {
        retention.start();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> !batches.isEmpty());
        long young = append(store, NOW);
        awaitNextRun();

        assertThat(batches).allMatch(batch -> batch.events() <= Retention.MAX_EVENTS);
        assertThat(batches.stream().mapToInt(Trimmed::events).sum()).isEqualTo(20_000);
        assertThat(batches).hasSize(20_000 / Retention.MAX_EVENTS + 1);
        assertThat(store.log().read(20_000, Long.MAX_VALUE, Log.Scope.ALL).events())
            .singleElement()
            .satisfies(event -> assertThat(event.seq()).isEqualTo(young));
      }
    }
  }

  @Test
  void L13_a_stop_in_the_middle_is_gone_on_from() throws Exception {
    fill(folder, 5_000, NOW.minus(WEEK).minus(Duration.ofHours(1)));
    try (SqliteBackend backend = new SqliteBackend(folder)) {
      try (Retention retention = watched(backend.store())) {
        retention.start();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> !batches.isEmpty());
      }
      long removed = batches.stream().mapToInt(Trimmed::events).sum();
      assertThat(number(folder, "SELECT COUNT(*) FROM event")).isEqualTo(5_000 - removed);
      backend.restart();
      assertThat(backend.store().log().extent().start()).isEqualTo(removed);
      try (Retention retention = watched(backend.store())) {
        retention.start();
        awaitNextRun();
      }
      assertThat(batches.stream().mapToInt(Trimmed::events).sum()).isEqualTo(5_000);
      assertThat(backend.store().log().extent().events()).isZero();
    }
  }

  /** Removes what is old, in a process of its own. */
  static final class Trimming {
    private Trimming() {}

    public static void main(String[] arguments) throws Exception {
      ManualTimer timer = new ManualTimer(NOW);
      ExecutorService threads = Executors.newCachedThreadPool();
      try (SqliteBackend backend = new SqliteBackend(Path.of(arguments[0]));
          Retention retention = retention(backend.store(), timer, threads)) {
        retention.start();
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(5))
            .until(() -> timer.waiting() > 0);
      }
      threads.shutdownNow();
    }
  }

  private static int process(Path folder, String failpoint) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            "-D" + Failpoint.PROPERTY + "=" + failpoint,
            Trimming.class.getName(),
            folder.toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  @Test
  void L13_L16_a_process_that_is_killed_in_the_middle_leaves_whole_batches() throws Exception {
    fill(folder, 2_000, NOW.minus(WEEK).minus(Duration.ofHours(1)));

    assertThat(process(folder, "mid-retention:3")).isEqualTo(Failpoint.HALTED);

    assertThat(number(folder, "SELECT COUNT(*) FROM event")).isEqualTo(500);
    assertThat(number(folder, "SELECT start FROM log")).isEqualTo(1_500);
    assertThat(number(folder, "SELECT MIN(seq) FROM event")).isEqualTo(1_501);
    assertThat(process(folder, "none")).isZero();
    assertThat(number(folder, "SELECT COUNT(*) FROM event")).isZero();
    try (SqliteBackend backend = new SqliteBackend(folder)) {
      assertThat(backend.store().rounds().due(0, 10)).isEmpty();
      assertThat(append(backend.store(), NOW)).isEqualTo(2_001);
      walk(backend.store());
    }
  }

  @Test
  void L13_the_space_is_used_again() throws Exception {
    try (SqliteBackend backend = new SqliteBackend(folder)) {
      Store store = backend.store();
      feed(store);
      long afterOneWeek = 0;
      for (int week = 0; week < 4; week++) {
        for (int i = 0; i < 60; i++) {
          FollowedFeed feed = store.feeds().byTopic(TOPIC).orElseThrow();
          done(
              store.feeds().record(OutcomeBuilder.of(feed, timer.now()).longEvent(50_000).build()));
          walk(store);
        }
        try (Retention retention = watched(store)) {
          retention.start();
          awaitNextRun();
        }
        timer.advance(WEEK.plusSeconds(1));
        long size = number(folder, "PRAGMA page_count");
        if (week == 1) {
          afterOneWeek = size;
        } else if (week > 1) {
          assertThat(size).isLessThanOrEqualTo(afterOneWeek + afterOneWeek / 20);
        }
      }
    }
  }
}
