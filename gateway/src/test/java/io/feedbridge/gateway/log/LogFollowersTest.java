package io.feedbridge.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.delivery.HookedStore;
import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.log.LogSink.Answer;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.log.Log.Scope;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.testing.StoredRows;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Readers of the whole log, on a real store and a clock that stands still. */
@Timeout(300)
class LogFollowersTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Answer FAILED = new Answer.Failed("500", Optional.empty());

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path folder;

  private final ManualTimer timer = new ManualTimer(NOW);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Sink> sinks = new CopyOnWriteArrayList<>();
  private SqliteBackend backend;
  private HookedStore hooks;
  private Store store;
  private final AtomicInteger writes = new AtomicInteger();
  private volatile boolean full;
  private LogFollowers followers;

  @BeforeEach
  void open() {
    backend = new SqliteBackend(folder);
    begin();
  }

  private void begin() {
    hooks =
        new HookedStore(
            new Store(StageBench.faulty(Database.class, backend.database(), this::written)));
    store = hooks.store();
    followers = new LogFollowers(store, threads, timer, new Random(1));
    followers.start();
  }

  /** Watches the writes of positions: of the writes here, only they have no body. */
  private @Nullable Object written(
      String method, @Nullable Object[] arguments, Callable<@Nullable Object> rest)
      throws Exception {
    if (!method.equals("write") || arguments.length > 1) {
      return rest.call();
    }
    writes.incrementAndGet();
    return full ? StageBench.diskFull() : rest.call();
  }

  @AfterEach
  void close() {
    // A stop waits for the answers of batches in flight.
    sinks.forEach(Sink::end);
    followers.close();
    backend.close();
    threads.shutdownNow();
  }

  /** The next start of the gateway, after one that ended like this. */
  private void restart() {
    followers.close();
    backend.restart();
    begin();
  }

  private static <T> T done(CompletableFuture<T> write) {
    try {
      return write.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ConditionFactory soon() {
    return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5));
  }

  private FollowedFeed feed(String name) {
    FollowedFeed feed = done(store.feeds().follow("https://origin.example/" + name, NOW));
    done(store.feeds().record(OutcomeBuilder.of(feed, NOW).baseline().build()));
    return store.feeds().byId(feed.id()).orElseThrow();
  }

  private long append(FollowedFeed feed) {
    return append(feed, 1).get(0);
  }

  /** Several events in one commit. */
  private List<Long> append(FollowedFeed feed, int events) {
    FollowedFeed now = store.feeds().byId(feed.id()).orElseThrow();
    OutcomeBuilder outcome = OutcomeBuilder.of(now, timer.now());
    LongStream.range(0, events).forEach(i -> outcome.event(0));
    return done(store.feeds().record(outcome.build()));
  }

  private LogConsumer consumer(String name) {
    return done(store.consumers().create(name, timer.now()));
  }

  private LogConsumer stored(String name) {
    return store.consumers().byName(name).orElseThrow();
  }

  /** Runs every round that is due, then removes all events. */
  private void removeAll(FollowedFeed feed) {
    Optional<Round> round = done(store.rounds().open(feed.id(), NOW));
    while (round.isPresent()) {
      done(store.rounds().close(round.get(), List.of()));
      round = done(store.rounds().open(feed.id(), NOW));
    }
    done(store.log().trim(timer.now().plusMillis(1), 10_000, 1L << 30, NOW));
  }

  /** Notes what it is brought, and answers when it is told. */
  private static final class Sink implements LogSink {
    private final List<List<Long>> batches = new CopyOnWriteArrayList<>();
    private final List<Integer> retries = new CopyOnWriteArrayList<>();
    private final List<String> gaps = new CopyOnWriteArrayList<>();
    private volatile Optional<Answer> always;
    private volatile boolean letGo;
    private volatile CompletableFuture<Answer> open = new CompletableFuture<>();

    /** Answers this at once; with nothing, it waits for {@link #answer}. */
    Sink(Optional<Answer> always) {
      this.always = always;
    }

    @Override
    public CompletableFuture<Answer> take(List<Event> events, boolean more, int times) {
      assertThat(open.isDone() || open.getNumberOfDependents() == 0).isTrue();
      open = always.map(CompletableFuture::completedFuture).orElseGet(CompletableFuture::new);
      CompletableFuture<Answer> answer = open;
      retries.add(times);
      batches.add(events.stream().map(Event::seq).toList());
      return answer;
    }

    @Override
    public void letGo() {
      letGo = true;
      open.complete(Answer.END);
    }

    @Override
    public void missed(long after, long upTo) {
      gaps.add(after + "-" + upTo);
    }

    void answer(Answer verdict) {
      open.complete(verdict);
    }

    void end() {
      always = Optional.of(Answer.END);
      open.complete(Answer.END);
    }

    List<Long> seqs() {
      return batches.stream().flatMap(List::stream).toList();
    }

    void awaits(List<Long> seqs) {
      soon().untilAsserted(() -> assertThat(seqs()).isEqualTo(seqs));
    }

    void awaitsBatches(int count) {
      soon().until(() -> batches.size() >= count);
      assertThat(batches).hasSize(count);
    }
  }

  private Sink taking() {
    return sink(Optional.of(Answer.TAKEN));
  }

  private Sink waiting() {
    return sink(Optional.empty());
  }

  private Sink sink(Optional<Answer> always) {
    Sink sink = new Sink(always);
    sinks.add(sink);
    return sink;
  }

  // In sequence.

  @Test
  void L8_a_consumer_gets_what_is_appended_after_it_began_of_all_feeds_in_order() {
    FollowedFeed one = feed("one");
    FollowedFeed two = feed("two");
    append(one);
    Sink sink = taking();
    LogFollower follower = followers.follow(consumer("hook"), Scope.ALL, sink);
    List<Long> appended = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      appended.add(append(i % 2 == 0 ? one : two));
    }

    sink.awaits(appended);

    soon().until(() -> follower.position() == appended.get(19));
    assertThat(sink.gaps).isEmpty();
  }

  @Test
  void L8_one_batch_is_in_flight_and_what_comes_meanwhile_is_the_next() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    followers.follow(consumer("hook"), Scope.ALL, sink);
    long first = append(feed);
    sink.awaits(List.of(first));
    long second = append(feed);
    long third = append(feed);
    assertThat(sink.batches).hasSize(1);

    sink.answer(Answer.TAKEN);

    sink.awaitsBatches(2);
    assertThat(sink.batches.get(1)).containsExactly(second, third);
  }

  @Test
  void L8_whoever_never_answers_holds_up_nobody() {
    FollowedFeed feed = feed("feed");
    List<Sink> slow = LongStream.range(0, 50).mapToObj(i -> waiting()).toList();
    for (int i = 0; i < slow.size(); i++) {
      followers.follow(consumer("slow " + i), Scope.ALL, slow.get(i));
    }
    Sink quick = taking();
    followers.follow(consumer("quick"), Scope.ALL, quick);

    List<Long> appended = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      appended.add(append(feed));
    }

    quick.awaits(appended);
    for (Sink sink : slow) {
      soon().until(() -> sink.batches.size() == 1);
    }
  }

  @Test
  void L8_a_consumer_of_some_feeds_passes_over_the_others_and_its_cursor_moves_on() {
    FollowedFeed wanted = feed("wanted");
    FollowedFeed other = feed("other");
    LogConsumer consumer = consumer("hook");
    Sink sink = taking();
    LogFollower follower = followers.follow(consumer, new Scope.Some(Set.of(wanted.id())), sink);
    List<Long> passed = append(other, 300);
    soon().until(() -> follower.position() == passed.get(299));
    assertThat(stored("hook")).isEqualTo(consumer);

    soon()
        .untilAsserted(
            () -> assertThat(timer.nextAt()).contains(NOW.plus(LogPosition.AFTER_OTHERS)));
    timer.advance(LogPosition.AFTER_OTHERS);

    soon().until(() -> stored("hook").cursor() == passed.get(299));
    long seq = append(wanted);
    sink.awaits(List.of(seq));
  }

  @Test
  void L9_nothing_that_is_appended_concurrently_is_skipped_or_brought_twice() throws Exception {
    List<FollowedFeed> feeds = LongStream.range(0, 4).mapToObj(i -> feed("feed " + i)).toList();
    Sink all = taking();
    Sink some = taking();
    followers.follow(consumer("all"), Scope.ALL, all);
    followers.follow(
        consumer("some"), new Scope.Some(Set.of(feeds.get(1).id(), feeds.get(2).id())), some);
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (FollowedFeed feed : feeds) {
      writers.add(
          CompletableFuture.runAsync(
              () -> LongStream.range(0, 200).forEach(i -> append(feed)), threads));
    }
    CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);

    List<Long> wanted = new ArrayList<>();
    wanted.addAll(seqsOf(feeds.get(1)));
    wanted.addAll(seqsOf(feeds.get(2)));
    some.awaits(wanted.stream().sorted().toList());
    List<Long> everything = LongStream.rangeClosed(1, 800).boxed().toList();
    all.awaits(everything);
  }

  private List<Long> seqsOf(FollowedFeed feed) {
    return store.feeds().events(feed.id(), 0, Long.MAX_VALUE).stream().map(Event::seq).toList();
  }

  // Retries.

  @Test
  void L12_a_failed_batch_is_repeated_after_its_back_off_as_it_was() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    followers.follow(consumer("hook"), Scope.ALL, sink);
    long first = append(feed);
    sink.awaitsBatches(1);
    long second = append(feed);
    sink.answer(FAILED);
    soon().until(() -> stored("hook").attempts() == 1);
    assertThat(stored("hook").sentTo()).isEqualTo(first);
    assertThat(stored("hook").error()).isEqualTo("500");
    Instant again = stored("hook").nextAttemptAt();
    assertThat(again).isBetween(NOW.plusSeconds(1), NOW.plusSeconds(5));
    append(feed);
    assertThat(sink.batches).hasSize(1);

    turnTo(again);

    sink.awaitsBatches(2);
    assertThat(sink.batches.get(1)).containsExactly(first);
    assertThat(sink.retries).containsExactly(0, 1);
    sink.answer(Answer.TAKEN);
    sink.awaitsBatches(3);
    assertThat(sink.batches.get(2)).startsWith(second).hasSize(2);
    assertThat(sink.retries).containsExactly(0, 1, 0);
  }

  /** Turns the clock once the follower waits for that time. */
  private void turnTo(Instant at) {
    soon().until(() -> timer.nextAt().filter(next -> !next.isAfter(at)).isPresent());
    timer.advanceTo(at);
  }

  @Test
  void L12_L16_a_retry_waits_over_a_restart_and_repeats_the_same() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    followers.follow(consumer("hook"), Scope.ALL, sink);
    long first = append(feed);
    sink.awaitsBatches(1);
    sink.answer(FAILED);
    soon().until(() -> stored("hook").attempts() == 1);
    append(feed);
    restart();

    Sink after = taking();
    LogConsumer consumer = stored("hook");
    followers.follow(consumer, Scope.ALL, after);
    soon().until(() -> timer.nextAt().filter(consumer.nextAttemptAt()::equals).isPresent());
    timer.advanceTo(consumer.nextAttemptAt().minusMillis(1));
    assertThat(after.batches).isEmpty();
    timer.advanceTo(consumer.nextAttemptAt());

    after.awaitsBatches(2);
    assertThat(after.batches.get(0)).containsExactly(first);
    assertThat(after.retries).containsExactly(1, 0);
  }

  @Test
  void a_manual_retry_is_made_at_once() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    LogFollower follower = followers.follow(consumer("hook"), Scope.ALL, sink);
    append(feed);
    sink.awaitsBatches(1);
    sink.answer(new Answer.Failed("503", Optional.of(Duration.ofHours(3))));
    soon()
        .untilAsserted(
            () -> assertThat(stored("hook").nextAttemptAt()).isEqualTo(NOW.plusSeconds(10_800)));

    follower.retryNow();

    sink.awaitsBatches(2);
  }

  @Test
  void a_sink_that_breaks_is_a_failure_of_that_batch_alone() {
    FollowedFeed feed = feed("feed");
    LogSink broken =
        (events, more, retries) -> {
          throw new IllegalStateException("broken");
        };
    followers.follow(consumer("broken"), Scope.ALL, broken);
    LogSink late =
        (events, more, retries) -> CompletableFuture.failedFuture(new StoreException("late"));
    followers.follow(consumer("late"), Scope.ALL, late);
    Sink sink = taking();
    followers.follow(consumer("hook"), Scope.ALL, sink);

    long seq = append(feed);

    sink.awaits(List.of(seq));
    soon().until(() -> stored("broken").attempts() == 1 && stored("late").attempts() == 1);
    assertThat(stored("broken").error()).contains("broken");
  }

  @Test
  void L12_what_was_taken_of_a_failed_batch_is_not_repeated() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    LogConsumer consumer = consumer("hook");
    List<Long> some = append(feed, 3);
    followers.follow(consumer, Scope.ALL, sink);
    sink.awaitsBatches(1);

    sink.answer(new Answer.Failed("500", Optional.empty(), some.get(0)));

    soon().until(() -> stored("hook").attempts() == 1);
    assertThat(stored("hook").cursor()).isEqualTo(some.get(0));
    assertThat(stored("hook").sentTo()).isEqualTo(some.get(2));
    append(feed);
    turnTo(stored("hook").nextAttemptAt());
    sink.awaitsBatches(2);
    assertThat(sink.batches.get(1)).containsExactly(some.get(1), some.get(2));
    sink.answer(new Answer.Failed("500", Optional.empty(), some.get(0)));
    soon().until(() -> stored("hook").attempts() == 2);
  }

  @Test
  void one_that_took_a_part_is_brought_the_rest_when_it_is_ready_and_that_is_no_failure() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    LogConsumer consumer = consumer("hook");
    List<Long> some = append(feed, 3);
    followers.follow(consumer, Scope.ALL, sink);
    sink.awaitsBatches(1);
    CompletableFuture<Void> ready = new CompletableFuture<>();

    sink.answer(new Answer.Part(some.get(1), ready));

    turnTo(NOW.plus(LogPosition.AFTER_EVENTS));
    soon().until(() -> stored("hook").cursor() == some.get(1));
    long more = append(feed);
    assertThat(sink.batches).hasSize(1);
    ready.complete(null);
    sink.awaitsBatches(2);
    assertThat(sink.batches.get(1)).containsExactly(some.get(2), more);
    assertThat(sink.retries).containsExactly(0, 0);
    sink.answer(Answer.TAKEN);
    assertThat(stored("hook").attempts()).isZero();
  }

  @Test
  void L12_a_retry_that_has_to_wait_for_its_sink_stays_a_retry() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    followers.follow(consumer("hook"), Scope.ALL, sink);
    long first = append(feed);
    sink.awaitsBatches(1);
    sink.answer(FAILED);
    soon().until(() -> stored("hook").attempts() == 1);
    append(feed);
    turnTo(stored("hook").nextAttemptAt());
    sink.awaitsBatches(2);

    sink.answer(new Answer.Part(0, CompletableFuture.completedFuture(null)));

    sink.awaitsBatches(3);
    assertThat(sink.batches.get(2)).containsExactly(first);
    assertThat(sink.retries).containsExactly(0, 1, 1);
  }

  @Test
  void one_that_ends_in_a_batch_keeps_what_it_took_and_one_that_waits_can_be_stopped() {
    FollowedFeed feed = feed("feed");
    Sink ends = waiting();
    Sink waits = waiting();
    LogFollower follower = followers.follow(consumer("ends"), Scope.ALL, ends);
    LogFollower other = followers.follow(consumer("waits"), Scope.ALL, waits);
    List<Long> some = append(feed, 2);
    ends.awaitsBatches(1);
    waits.awaitsBatches(1);

    ends.answer(new Answer.End(some.get(0)));
    waits.answer(new Answer.Part(some.get(0), new CompletableFuture<>()));

    assertThat(done(follower.stop()).cursor()).isEqualTo(some.get(0));
    assertThat(done(other.stop()).cursor()).isEqualTo(some.get(0));
    assertThat(stored("ends").cursor()).isEqualTo(some.get(0));
  }

  // Checkpoints.

  @Test
  void L16_a_crash_brings_again_at_most_one_checkpoint_interval_and_what_was_in_flight() {
    FollowedFeed feed = feed("feed");
    consumer("hook");
    List<Long> ahead = new CopyOnWriteArrayList<>();
    LogSink sink =
        (events, more, retries) -> {
          ahead.add(events.get(0).seq() - 1 - stored("hook").cursor());
          return CompletableFuture.completedFuture(Answer.TAKEN);
        };
    LogFollower follower = followers.follow(stored("hook"), Scope.ALL, sink);
    for (int i = 0; i < 20; i++) {
      List<Long> some = append(feed, 30);
      soon().until(() -> follower.position() == some.get(29));
    }
    List<Long> many = append(feed, 500);
    soon().until(() -> follower.position() == many.get(499));

    assertThat(ahead).hasSize(25);
    assertThat(ahead).allMatch(events -> events < LogPosition.CHECKPOINT_INTERVAL);
    assertThat(ahead).startsWith(0L, 30L, 60L, 90L).contains(0L);
  }

  @Test
  void L16_what_was_taken_is_written_within_a_second_where_it_is_less() {
    FollowedFeed feed = feed("feed");
    Sink sink = taking();
    followers.follow(consumer("hook"), Scope.ALL, sink);
    long seq = append(feed);
    sink.awaits(List.of(seq));
    assertThat(stored("hook").cursor()).isZero();

    turnTo(NOW.plus(LogPosition.AFTER_EVENTS));

    soon().until(() -> stored("hook").cursor() == seq);
  }

  @Test
  void L16_positions_that_are_due_at_the_same_time_are_written_together() {
    FollowedFeed feed = feed("feed");
    List<Sink> sinks = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      Sink sink = taking();
      followers.follow(consumer("hook " + i), new Scope.Some(Set.of(feed.id())), sink);
      sinks.add(sink);
    }
    writes.set(0);
    long seq = append(feed);
    sinks.forEach(sink -> sink.awaits(List.of(seq)));
    soon().until(() -> timer.nextAt().isPresent());

    turnTo(NOW.plus(LogPosition.AFTER_EVENTS));

    soon()
        .untilAsserted(
            () ->
                assertThat(store.consumers().all()).allMatch(consumer -> consumer.cursor() == seq));
    assertThat(writes).hasValueLessThan(20);
  }

  @Test
  void L16_of_positions_that_are_written_together_one_that_is_gone_holds_up_no_other() {
    FollowedFeed feed = feed("feed");
    Sink gone = taking();
    Sink stays = taking();
    LogConsumer removed = consumer("gone");
    LogFollower ended = followers.follow(removed, Scope.ALL, gone);
    followers.follow(consumer("stays"), Scope.ALL, stays);
    long seq = append(feed);
    gone.awaits(List.of(seq));
    stays.awaits(List.of(seq));
    done(store.consumers().remove(removed.id()));

    turnTo(NOW.plus(LogPosition.AFTER_EVENTS));

    soon().until(() -> stored("stays").cursor() == seq);
    done(ended.stop());
    long next = append(feed);
    stays.awaits(List.of(seq, next));
    assertThat(gone.seqs()).containsExactly(seq);
  }

  @Test
  void L16_a_stop_waits_for_what_is_in_flight_and_writes_where_everyone_is() {
    FollowedFeed feed = feed("feed");
    Sink quick = taking();
    Sink slow = waiting();
    followers.follow(consumer("quick"), Scope.ALL, quick);
    LogFollower follower = followers.follow(consumer("slow"), Scope.ALL, slow);
    long seq = append(feed);
    quick.awaits(List.of(seq));
    slow.awaits(List.of(seq));
    CompletableFuture<LogConsumer> stopped = follower.stop();
    append(feed);
    assertThat(stopped).isNotDone();

    slow.answer(Answer.TAKEN);

    assertThat(done(stopped).cursor()).isEqualTo(seq);
    assertThat(stored("slow").cursor()).isEqualTo(seq);
    assertThat(slow.batches).hasSize(1);
    restart();
    assertThat(stored("quick").cursor()).isEqualTo(seq + 1);
    assertThatThrownBy(() -> store.consumers().byName("other").orElseThrow()).isNotNull();
  }

  @Test
  void L16_a_stop_that_has_begun_waits_for_nothing_and_begins_nothing() {
    FollowedFeed feed = feed("feed");
    Sink quick = taking();
    Sink slow = waiting();
    LogFollower first = followers.follow(consumer("quick"), Scope.ALL, quick);
    followers.follow(consumer("slow"), Scope.ALL, slow);
    long seq = append(feed);
    quick.awaits(List.of(seq));
    slow.awaits(List.of(seq));

    followers.stop();

    assertThat(done(first.stop()).cursor()).isEqualTo(seq);
    LogConsumer late = consumer("late");
    assertThatThrownBy(() -> followers.follow(late, Scope.ALL, quick))
        .isInstanceOf(IllegalStateException.class);
    slow.answer(Answer.TAKEN);
    followers.close();
    assertThat(stored("slow").cursor()).isEqualTo(seq);
  }

  @Test
  void L16_while_positions_cannot_be_written_no_more_than_the_interval_is_handed_on() {
    FollowedFeed feed = feed("feed");
    Sink sink = taking();
    LogConsumer consumer = consumer("hook");
    full = true;
    LogFollower follower = followers.follow(consumer, Scope.ALL, sink);
    List<Long> appended = append(feed, 1_000);
    soon().until(() -> follower.position() == appended.get(99));

    turnTo(NOW.plusSeconds(1));
    append(feed);
    turnTo(NOW.plusSeconds(2));
    assertThat(sink.seqs()).hasSizeLessThan(LogPosition.CHECKPOINT_INTERVAL);

    full = false;
    turnTo(NOW.plusSeconds(3));
    soon().until(() -> sink.seqs().size() == 1_001);
    assertThat(sink.seqs()).startsWith(1L).endsWith(1_001L);
  }

  @Test
  void a_log_that_cannot_be_read_is_read_again_later() {
    FollowedFeed feed = feed("feed");
    Sink sink = taking();
    hooks.on(
        "Log.read",
        (arguments, call) -> {
          throw new StoreException("the disk is broken");
        });
    followers.follow(consumer("hook"), Scope.ALL, sink);
    long seq = append(feed);
    soon().until(() -> timer.nextAt().isPresent());
    hooks.off("Log.read");

    timer.advance(Duration.ofSeconds(1));

    sink.awaits(List.of(seq));
  }

  // What ends a follower.

  @Test
  void L7_a_consumer_that_was_removed_is_not_served_any_more() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    LogConsumer consumer = consumer("hook");
    LogFollower follower = followers.follow(consumer, Scope.ALL, sink);
    append(feed);
    sink.awaitsBatches(1);
    done(store.consumers().remove(consumer.id()));
    LogConsumer another = consumer("hook");

    sink.answer(FAILED);

    done(follower.stop());
    assertThat(stored("hook")).isEqualTo(another);
    assertThat(sink.batches).hasSize(1);
  }

  @Test
  void one_that_wants_no_more_ends_before_what_it_did_not_take() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    LogFollower follower = followers.follow(consumer("hook"), Scope.ALL, sink);
    long first = append(feed);
    sink.awaitsBatches(1);
    sink.answer(Answer.TAKEN);
    append(feed);
    sink.awaitsBatches(2);

    sink.answer(Answer.END);

    assertThat(done(follower.stop()).cursor()).isEqualTo(first);
    assertThat(stored("hook").cursor()).isEqualTo(first);
  }

  // What left the log.

  @Test
  void L13_a_consumer_that_fell_out_of_the_log_is_told_and_goes_on_where_it_begins() {
    FollowedFeed feed = feed("feed");
    LogConsumer consumer = consumer("hook");
    append(feed, 5);
    removeAll(feed);
    long young = append(feed);
    Sink sink = taking();

    followers.follow(consumer, Scope.ALL, sink);

    sink.awaits(List.of(young));
    assertThat(sink.gaps).containsExactly("0-5");
    assertThat(store.consumers().gaps(consumer.id())).containsExactly(new Consumers.Gap(0, 5, NOW));
  }

  @Test
  void L13_one_that_was_to_repeat_what_left_the_log_does_not_repeat_it() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    followers.follow(consumer("hook"), Scope.ALL, sink);
    append(feed, 3);
    sink.awaitsBatches(1);
    sink.answer(FAILED);
    soon().until(() -> stored("hook").attempts() == 1);
    removeAll(feed);
    long young = append(feed);

    turnTo(stored("hook").nextAttemptAt());

    sink.awaitsBatches(2);
    assertThat(sink.batches.get(1)).containsExactly(young);
    assertThat(sink.retries.get(1)).isZero();
    assertThat(sink.gaps).containsExactly("0-3");
  }

  @Test
  void L13_with_its_last_checkpoint_still_to_be_written_the_gap_begins_where_it_is() {
    FollowedFeed feed = feed("feed");
    Sink sink = waiting();
    LogConsumer consumer = consumer("hook");
    followers.follow(consumer, Scope.ALL, sink);
    append(feed, 2);
    sink.awaitsBatches(1);
    append(feed, 2);
    removeAll(feed);

    sink.answer(Answer.TAKEN);

    soon().until(() -> !sink.gaps.isEmpty());
    assertThat(sink.gaps).containsExactly("2-4");
    assertThat(store.consumers().gaps(consumer.id())).containsExactly(new Consumers.Gap(2, 4, NOW));
  }

  // Readers that keep their position themselves.

  @Test
  void L8_a_reader_is_served_from_its_own_position_and_nothing_is_written() {
    FollowedFeed feed = feed("feed");
    List<Long> appended = append(feed, 150);
    Sink sink = taking();
    LogFollower reader = followers.read(appended.get(9), Scope.ALL, sink, null);

    sink.awaits(appended.subList(10, 150));
    long next = append(feed);
    soon().until(() -> reader.position() == next);

    assertThat(done(reader.stop()).cursor()).isEqualTo(next);
    append(feed);
    assertThat(store.consumers().all()).isEmpty();
    assertThat(timer.waiting()).isZero();
    assertThat(sink.seqs()).doesNotContain(next + 1);
  }

  @Test
  void L13_a_reader_whose_position_is_older_than_the_log_is_told() {
    FollowedFeed feed = feed("feed");
    append(feed, 5);
    removeAll(feed);
    long young = append(feed);
    Sink sink = taking();

    followers.read(2, Scope.ALL, sink, null);

    sink.awaits(List.of(young));
    assertThat(sink.gaps).containsExactly("2-5");
  }

  /** Events of about a mebibyte each, of which a page holds one. */
  private List<Long> appendBig(FollowedFeed feed, int events) {
    FollowedFeed now = store.feeds().byId(feed.id()).orElseThrow();
    OutcomeBuilder outcome = OutcomeBuilder.of(now, timer.now());
    LongStream.range(0, events).forEach(i -> outcome.longEvent(1 << 20));
    return done(store.feeds().record(outcome.build()));
  }

  private Sink reading(long after, String caller, Sink sink) {
    followers.read(after, Scope.ALL, sink, caller);
    return sink;
  }

  private List<Sink> stalled(int readers, long after, String caller) {
    return LongStream.range(0, readers).mapToObj(i -> reading(after, caller, waiting())).toList();
  }

  private static long begun(List<Sink> sinks) {
    return sinks.stream().filter(sink -> !sink.batches.isEmpty()).count();
  }

  @Test
  void readers_that_take_nothing_hold_up_no_reader_at_the_logs_end_not_even_of_their_caller() {
    FollowedFeed feed = feed("feed");
    long head = appendBig(feed, 12).get(11);
    append(feed, 150);
    long end = append(feed);
    List<Sink> stalled = stalled(20, 0, "attacker");
    soon().until(() -> begun(stalled) >= 4);
    Sink other = reading(end, "other", taking());
    Sink own = reading(end, "attacker", taking());

    long next = append(feed);

    other.awaits(List.of(next));
    own.awaits(List.of(next));
    assertThat(head).isLessThan(end);
    assertThat(begun(stalled)).isEqualTo(4);
    assertThat(stalled).noneMatch(sink -> sink.letGo);
    assertThat(followers.unreadBytes()).isLessThan(6 << 20);
  }

  @Test
  void a_reader_that_leaves_a_batch_untaken_is_let_go_where_another_of_its_caller_needs_the_room() {
    FollowedFeed feed = feed("feed");
    List<Sink> stalled = stalled(20, 0, "attacker");
    soon().until(() -> timer.waiting() == 0);
    appendBig(feed, 1);
    soon().until(() -> begun(stalled) == 8);

    timer.advance(UnreadBytes.PATIENCE);

    soon().until(() -> stalled.stream().filter(sink -> sink.letGo).count() > 0);
    assertThat(followers.readersLetGo()).isPositive();
    soon().until(() -> begun(stalled) > 8);
  }

  @Test
  void where_there_is_no_room_in_all_the_caller_with_most_unread_gives_way() {
    FollowedFeed feed = feed("feed");
    appendBig(feed, 1);
    append(feed, 150);
    List<Sink> stalled = new ArrayList<>();
    for (int caller = 0; caller < 10; caller++) {
      stalled.addAll(stalled(10, 0, "attacker " + caller));
    }
    soon().until(() -> begun(stalled) == 32);
    Sink newcomer = reading(0, "newcomer", taking());

    timer.advance(UnreadBytes.PATIENCE);

    soon().until(() -> !newcomer.batches.isEmpty());
    assertThat(followers.readersLetGo()).isPositive();
  }

  @Test
  void a_durable_consumer_is_never_let_go_and_has_no_share_of_a_caller() {
    FollowedFeed feed = feed("feed");
    List<Sink> hooks = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      Sink hook = waiting();
      followers.follow(consumer("hook " + i), Scope.ALL, hook);
      hooks.add(hook);
    }
    appendBig(feed, 1);

    soon().until(() -> begun(hooks) == 12);
    timer.advance(Duration.ofMinutes(1));
    assertThat(hooks).noneMatch(sink -> sink.letGo);
    hooks.forEach(hook -> hook.answer(Answer.TAKEN));
  }

  @Test
  void L8_many_readers_at_one_position_cost_one_reading() {
    FollowedFeed feed = feed("feed");
    List<Sink> sinks = LongStream.range(0, 60).mapToObj(i -> taking()).toList();
    sinks.forEach(sink -> followers.read(0, Scope.ALL, sink, null));
    soon().until(() -> timer.waiting() == 0);
    List<Object> withEvents = new CopyOnWriteArrayList<>();
    hooks.on(
        "Log.read",
        (arguments, call) -> {
          Object page = call.run();
          if (page instanceof Log.Page found && !found.events().isEmpty()) {
            withEvents.add(found);
          }
          return page;
        });

    long seq = append(feed);

    for (Sink sink : sinks) {
      sink.awaits(List.of(seq));
    }
    assertThat(withEvents).hasSizeLessThan(10);
  }

  @Test
  void L8_many_readers_of_some_feeds_at_one_position_cost_few_readings() {
    List<FollowedFeed> feeds = LongStream.range(0, 5).mapToObj(i -> feed("feed " + i)).toList();
    List<Sink> sinks = LongStream.range(0, 100).mapToObj(i -> taking()).toList();
    for (int i = 0; i < sinks.size(); i++) {
      followers.read(0, new Scope.Some(Set.of(feeds.get(i % 5).id())), sinks.get(i), null);
    }
    List<Object> readings = new CopyOnWriteArrayList<>();
    hooks.on(
        "Log.read",
        (arguments, call) -> {
          readings.add(arguments);
          return call.run();
        });

    List<Long> seqs = feeds.stream().map(this::append).toList();

    for (int i = 0; i < sinks.size(); i++) {
      sinks.get(i).awaits(List.of(seqs.get(i % 5)));
    }
    assertThat(readings).hasSizeLessThan(60);
  }

  // Bounds.

  @Test
  void memory_is_bounded_by_what_is_in_flight_and_those_who_wait_get_room_in_turn() {
    FollowedFeed feed = feed("feed");
    List<Sink> sinks = LongStream.range(0, 80).mapToObj(i -> waiting()).toList();
    for (int i = 0; i < sinks.size(); i++) {
      followers.follow(consumer("hook " + i), new Scope.Some(Set.of(feed.id())), sinks.get(i));
    }
    done(store.feeds().record(OutcomeBuilder.of(feed, NOW).longEvent(Document.MAX_BYTES).build()));
    int room = (int) (LogFollowers.MAX_BYTES / Document.MAX_BYTES);
    soon().until(() -> served(sinks) == room);
    Sink first = sinks.stream().filter(sink -> !sink.batches.isEmpty()).findFirst().orElseThrow();

    first.answer(Answer.TAKEN);

    soon().until(() -> served(sinks) == room + 1);
    sinks.forEach(sink -> sink.always = Optional.of(Answer.TAKEN));
    sinks.forEach(sink -> sink.answer(Answer.TAKEN));
    sinks.forEach(sink -> soon().until(() -> sink.batches.size() == 1));
  }

  private static int served(List<Sink> sinks) {
    return (int) sinks.stream().filter(sink -> !sink.batches.isEmpty()).count();
  }

  // Damage.

  @Test
  void a_damaged_event_is_a_gap_and_what_follows_is_brought() {
    FollowedFeed feed = feed("a");
    FollowedFeed other = feed("b");
    List<Long> seqs = append(feed, 3);
    StoredRows.change(folder, "UPDATE event SET payload = x'00' WHERE seq = " + seqs.get(1));
    Sink reader = taking();
    Sink ofAnother = taking();

    followers.read(0, Scope.ALL, reader, null);
    followers.read(0, new Scope.Some(Set.of(other.id())), ofAnother, null);
    long last = append(other);

    reader.awaits(List.of(seqs.get(0), seqs.get(2), last));
    ofAnother.awaits(List.of(last));
    assertThat(reader.gaps).containsExactly(seqs.get(0) + "-" + seqs.get(1));
    assertThat(ofAnother.gaps).isEmpty();
  }

  @Test
  void the_gap_that_a_damaged_event_makes_for_a_consumer_is_on_record() {
    FollowedFeed feed = feed("a");
    LogConsumer consumer = consumer("one");
    List<Long> seqs = append(feed, 3);
    StoredRows.change(folder, "UPDATE event SET payload = x'00' WHERE seq = " + seqs.get(1));
    Sink sink = taking();

    followers.follow(consumer, Scope.ALL, sink);

    sink.awaits(List.of(seqs.get(0), seqs.get(2)));
    assertThat(store.consumers().gaps(consumer.id()))
        .containsExactly(new Consumers.Gap(seqs.get(0), seqs.get(1), NOW));
  }
}
