package io.feedbridge.gateway.delivery.rounds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.delivery.Bed;
import io.feedbridge.gateway.delivery.hosts.DeliveryBounds;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.laggards.Settlement;
import io.feedbridge.gateway.delivery.send.DeliveryReports;
import io.feedbridge.gateway.delivery.send.EventDocuments;
import io.feedbridge.gateway.delivery.send.Recipients;
import io.feedbridge.gateway.delivery.send.RssCloudAdapter;
import io.feedbridge.gateway.delivery.send.Sender;
import io.feedbridge.gateway.delivery.send.WebSubAdapter;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rounds open and close without a thread. The feeds have no subscriber: a pass is one turn. */
class RoundPassesTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path folder;
  private Bed bed;

  /** One thread, so that a wait that held it would keep all other feeds from their turns. */
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  /** The opens that the store has not answered, by their feeds; others it answers at once. */
  private final Map<Long, CompletableFuture<Optional<Round>>> unanswered =
      new ConcurrentHashMap<>();

  private final List<Long> asked = new CopyOnWriteArrayList<>();
  private final List<Long> made = new CopyOnWriteArrayList<>();

  private final AtomicInteger closes = new AtomicInteger();

  /** Of each pass that has ended, whether it failed. */
  private final List<Boolean> ended = new CopyOnWriteArrayList<>();

  private ParkedPasses parked;
  private RoundPasses passes;
  private Parts parts;

  /** The parts of a gateway that a pass needs. */
  private record Parts(
      Recipients recipients,
      EventDocuments documents,
      Sender sender,
      HostBulkheads windows,
      Settlement settlement,
      Meters meters,
      Clock clock) {}

  @BeforeEach
  void start() {
    bed = new Bed(folder.resolve("data"));
    Clock clock = bed.timer.clock();
    Random random = new Random(1);
    Meters meters = new Meters(new SimpleMeterRegistry(), clock);
    DeliveryReports reports =
        new DeliveryReports(meters, Attempts.inMemory(clock), new ActivityLog(clock), Traces.off());
    parts =
        new Parts(
            new Recipients(bed.hooks.store(), Runnable::run),
            new EventDocuments(bed.hooks.store(), Bed.URLS),
            new Sender(
                bed.client,
                new WebSubAdapter(Bed.URLS, random),
                new RssCloudAdapter(random),
                reports,
                clock),
            new HostBulkheads(DeliveryBounds.of(4), bed.timer, random),
            new Settlement(bed.hooks.store(), bed.timer, reports),
            meters,
            clock);
    parked = new ParkedPasses(thread);
    passes = new RoundPasses(thread, parked, this::open, this::pass, ended::add);
  }

  @AfterEach
  void stop() {
    thread.shutdownNow();
    bed.close();
  }

  private CompletableFuture<Optional<Round>> open(long feedId) {
    asked.add(feedId);
    return Optional.ofNullable(unanswered.get(feedId)).orElseGet(() -> opened(feedId));
  }

  private CompletableFuture<Optional<Round>> opened(long feedId) {
    return bed.store.rounds().open(feedId, Bed.START);
  }

  private Optional<RoundPass> pass(long feedId, Optional<Round> opened) {
    made.add(feedId);
    return opened
        .or(() -> bed.store.rounds().current(feedId))
        .map(round -> pass(round, opened.isEmpty()));
  }

  private RoundPass pass(Round round, boolean resumed) {
    Rounds rounds = bed.hooks.store().rounds();
    Tally tally = new Tally(parts.windows::isFull, () -> CompletableFuture.completedFuture(null));
    return new RoundPass(
        new Progress(round, resumed, rounds, tally, parts.settlement, parts.meters, parts.clock),
        rounds,
        new RoundRequests(round, parts.recipients, parts.documents, parts.sender),
        parts.windows,
        parts.settlement,
        parts.clock,
        parked,
        () -> false);
  }

  /** Feeds with an event that no round has brought. */
  private List<Long> due(int count) {
    List<Long> feeds = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      long feed = bed.feed(Bed.TOPIC + number);
      bed.append(feed, "entry");
      feeds.add(feed);
    }
    return feeds;
  }

  private long leftUnanswered(long feedId) {
    unanswered.put(feedId, new CompletableFuture<>());
    return feedId;
  }

  private void answer(long feedId) {
    Optional<Round> round = opened(feedId).join();
    noLongerLeft(feedId).complete(round);
  }

  private CompletableFuture<Optional<Round>> noLongerLeft(long feedId) {
    return Objects.requireNonNull(unanswered.remove(feedId), "it was left unanswered");
  }

  /** From now on rounds close when this completes. */
  private CompletableFuture<Void> closesHeld() {
    CompletableFuture<Void> written = new CompletableFuture<>();
    bed.hooks.on(
        "Rounds.close",
        (arguments, call) -> {
          closes.incrementAndGet();
          Object answer = written;
          return answer;
        });
    return written;
  }

  private List<Long> stillDue() {
    return bed.store.rounds().due(0, 100).stream().map(Rounds.Due::feedId).toList();
  }

  private void fill() {
    passes.fill(after -> bed.store.rounds().due(after, RoundPasses.PAGE));
  }

  private void awaitEnded(Boolean... failed) {
    await().atMost(SOON).until(() -> ended.equals(List.of(failed)));
  }

  private static StoreException refused() {
    return StoreException.noWrites("the disk is full");
  }

  @Test
  void while_opens_are_unanswered_other_feeds_get_their_turns() {
    List<Long> feeds = due(RoundPasses.MAX_TURNS + 4);
    List<Long> wait = feeds.subList(0, RoundPasses.MAX_TURNS + 2);
    wait.forEach(this::leftUnanswered);

    fill();

    await().atMost(SOON).until(() -> stillDue().equals(wait));
    assertThat(asked).as("each once").containsExactlyElementsOf(feeds);
    assertThat(made).doesNotContainAnyElementsOf(wait);
    wait.forEach(this::answer);
    await().atMost(SOON).until(() -> stillDue().isEmpty());
    await().atMost(SOON).until(() -> ended.size() == feeds.size());
    assertThat(ended).containsOnly(false);
  }

  @Test
  void L2_a_feed_whose_open_is_unanswered_is_not_opened_again() {
    long feed = leftUnanswered(due(1).get(0));
    fill();
    await().atMost(SOON).until(() -> asked.size() == 1);

    fill();
    answer(feed);

    awaitEnded(false);
    assertThat(asked).containsExactly(feed);
    assertThat(made).containsExactly(feed);
  }

  @Test
  void an_open_that_is_refused_ends_the_feeds_turn_as_failed_and_the_next_one_opens_it() {
    long feed = leftUnanswered(due(1).get(0));
    fill();
    await().atMost(SOON).until(() -> asked.size() == 1);

    noLongerLeft(feed).completeExceptionally(refused());

    awaitEnded(true);
    assertThat(made).isEmpty();
    fill();
    awaitEnded(true, false);
    assertThat(stillDue()).isEmpty();
  }

  @Test
  void L2_a_pass_whose_close_is_not_written_has_not_ended() {
    long feed = due(1).get(0);
    CompletableFuture<Void> written = closesHeld();
    fill();
    await().atMost(SOON).until(() -> closes.get() == 1);

    // A feed whose turn comes after this one's has ended.
    bed.append(bed.feed(Bed.TOPIC), "entry");
    fill();
    await().atMost(SOON).until(() -> closes.get() == 2);

    assertThat(ended).isEmpty();
    assertThat(asked).filteredOn(one -> one == feed).hasSize(1);
    written.complete(null);
    awaitEnded(false, false);
  }

  @Test
  void
      L2_a_close_that_fails_after_the_turn_ends_the_pass_as_failed_and_another_resumes_the_round() {
    long feed = due(1).get(0);
    CompletableFuture<Void> written = closesHeld();
    fill();
    await().atMost(SOON).until(() -> closes.get() == 1);
    bed.hooks.off("Rounds.close");
    assertThat(ended).isEmpty();

    written.completeExceptionally(refused());

    awaitEnded(true);
    assertThat(bed.store.rounds().current(feed)).isPresent();
    fill();
    awaitEnded(true, false);
    assertThat(bed.store.rounds().current(feed)).isEmpty();
    assertThat(stillDue()).isEmpty();
  }

  @Test
  void a_stop_waits_no_longer_than_it_may_for_an_open_and_begins_no_pass_afterwards() {
    long feed = leftUnanswered(due(1).get(0));
    fill();
    await().atMost(SOON).until(() -> asked.size() == 1);

    assertThat(CompletableFuture.runAsync(() -> passes.close(Duration.ofMillis(20))))
        .succeedsWithin(SOON);
    assertThat(ended).isEmpty();
    answer(feed);

    awaitEnded(false);
    assertThat(made).isEmpty();
    assertThat(bed.store.rounds().current(feed)).as("for the next start").isPresent();
    fill();
    assertThat(asked).containsExactly(feed);
  }

  @Test
  void a_stop_ends_once_the_open_under_way_is_answered() {
    long feed = leftUnanswered(due(1).get(0));
    fill();
    await().atMost(SOON).until(() -> asked.size() == 1);

    CompletableFuture<Void> stop =
        CompletableFuture.runAsync(() -> passes.close(Duration.ofHours(1)));
    assertThat(stop).isNotDone();
    answer(feed);

    assertThat(stop).succeedsWithin(SOON);
    awaitEnded(false);
  }
}
