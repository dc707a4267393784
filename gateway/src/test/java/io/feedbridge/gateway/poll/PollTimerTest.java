package io.feedbridge.gateway.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Feeds that are due become work, once. */
class PollTimerTest {

  private final FakeOrigin origin = new FakeOrigin();

  /** While there is one, adding work succeeds, but its caller learns so only by this. */
  private final AtomicReference<CompletableFuture<?>> news = new AtomicReference<>();

  /** While there is one, work is not written, and this is what its caller gets. */
  private final AtomicReference<CompletableFuture<?>> unwritten = new AtomicReference<>();

  private final AtomicInteger asked = new AtomicInteger();

  @TempDir Path data;
  private StageBench bench;

  @BeforeEach
  void start() {
    bench =
        new StageBench(
            data,
            new ManualTimer(StageBench.START),
            store -> store,
            work -> StageBench.faulty(Work.class, work, this::slowly));
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it is the result, if one without a type
  private Object slowly(
      String method, Object[] arguments, java.util.concurrent.Callable<Object> rest)
      throws Exception {
    CompletableFuture<?> instead = unwritten.get();
    if (method.equals("add") && instead != null) {
      asked.incrementAndGet();
      return instead;
    }
    Object result = rest.call();
    CompletableFuture<?> late = news.get();
    return method.equals("add") && late != null && result instanceof CompletableFuture<?> added
        ? added.thenCombine(late, (one, other) -> null)
        : result;
  }

  /** A feed is put off after its work is there, by a commit of its own. */
  private void untilAllAsked() {
    bench.until(() -> bench.store().feeds().due(bench.timer().now(), 1).isEmpty());
  }

  @AfterEach
  void stop() {
    bench.close();
    origin.close();
  }

  @Test
  void more_feeds_than_fit_one_step_all_become_work_once() {
    CompletableFuture<?>[] follows = new CompletableFuture<?>[PollTimer.BATCH + 50];
    for (int i = 0; i < follows.length; i++) {
      follows[i] = bench.store().feeds().follow("http://news.example/" + i, bench.timer().now());
    }
    CompletableFuture.allOf(follows).join();

    bench.startPolls();
    bench.until(() -> bench.work().waiting() == follows.length);
    untilAllAsked();
    bench.timer().advance(PollTimer.UNTIL_FETCHED.minusSeconds(1));
    bench.timer().runDue();

    assertThat(bench.store().feeds().due(bench.timer().now(), 1)).isEmpty();
    assertThat(bench.work().waiting()).isEqualTo(follows.length);
  }

  @Test
  void after_a_long_stop_overdue_polls_are_no_burst() {
    int overdue = 2 * PollTimer.BATCH;
    for (int i = 0; i < overdue; i++) {
      FollowedFeed feed = bench.subscribed("http://news.example/" + i, Format.ATOM);
      bench.baseline(feed, bench.timer().now().plus(Duration.ofMinutes(15)));
    }
    bench.timer().advance(Duration.ofDays(3));

    bench.startPolls();

    bench.until(() -> bench.work().waiting() == PollTimer.PER_TICK);
    for (int ticks = 1; ticks < overdue / PollTimer.PER_TICK; ticks++) {
      bench.timer().advance(PollTimer.TICK);
      int most = (ticks + 1) * PollTimer.PER_TICK;
      bench.until(() -> bench.work().waiting() == most);
    }
    untilAllAsked();
  }

  @Test
  void a_new_feed_is_polled_before_those_that_are_overdue() {
    for (int i = 0; i < PollTimer.BATCH; i++) {
      bench.baseline(
          bench.subscribed("http://news.example/" + i, Format.ATOM), bench.timer().now());
    }
    bench.timer().advance(Duration.ofDays(3));
    FollowedFeed fresh = bench.subscribed("http://news.example/fresh", Format.ATOM);

    bench.startPolls();

    bench.until(() -> bench.work().waiting() == PollTimer.PER_TICK + 1);
    Instant later = bench.timer().now().plus(PollTimer.UNTIL_FETCHED);
    bench.until(() -> bench.nextFetch(fresh.topic()).equals(later));
  }

  @Test
  void a_feed_whose_fetch_came_to_nothing_is_due_again() {
    bench.subscribed("http://news.example/", Format.ATOM);
    bench.startPolls();
    bench.until(() -> bench.work().waiting() == 1);
    untilAllAsked();

    bench.timer().advance(PollTimer.UNTIL_FETCHED);

    bench.until(() -> bench.work().waiting() == 2);
  }

  @Test
  void L16_a_process_that_ends_before_a_fetch_is_asked_for_leaves_the_feed_due() {
    bench.subscribed("http://news.example/", Format.ATOM);
    CompletableFuture<Void> never = new CompletableFuture<>();
    unwritten.set(never);

    bench.startPolls();
    bench.until(() -> asked.get() == 1);

    assertThat(bench.store().feeds().due(bench.timer().now(), 1)).hasSize(1);
    never.completeExceptionally(new IllegalStateException("the process has ended"));
  }

  @Test
  void what_a_fetch_says_of_the_next_one_is_not_overwritten() {
    String topic = origin.rss("feed.xml", "", "one");
    bench.startIngest();
    CompletableFuture<Void> late = new CompletableFuture<>();
    news.set(late);
    bench.subscribed(topic, Format.ATOM);

    bench.startPolls();
    bench.until(() -> bench.feed(topic).tried() && bench.work().waiting() == 0);
    late.complete(null);
    bench.close();
    bench = StageBench.on(data);

    assertThat(bench.nextFetch(topic)).isEqualTo(StageBench.START.plus(Duration.ofMinutes(15)));
  }

  @Test
  void a_feed_that_is_gone_stays_unpolled_after_the_poll_that_found_it() {
    String topic = origin.rss("feed.xml", "", "one");
    bench.startIngest().startPolls();
    bench.subscribed(topic, Format.ATOM);
    bench.until(() -> bench.feed(topic).hasBaseline());
    origin.fail("feed.xml", 410);
    CompletableFuture<Void> late = new CompletableFuture<>();
    news.set(late);

    bench.timer().advance(Duration.ofMinutes(15));
    bench.until(() -> bench.feed(topic).state() == FeedState.GONE);
    late.complete(null);
    bench.close();
    bench = StageBench.on(data);

    assertThat(bench.feed(topic).nextFetchAt()).isNull();
  }

  @Test
  void a_retry_after_a_ping_counts_as_that_ping() {
    String topic = origin.rss("feed.xml", "", "one");
    bench.startIngest();
    FollowedFeed feed = bench.followed(topic);
    origin.fail("feed.xml", 500);
    bench.light(feed, Via.RSSCLOUD);
    bench.untilIdle();
    // Changed bytes alone are news only after a ping.
    origin.rss("feed.xml", "<ttl>5</ttl>", "one");

    bench.startPolls();
    bench.timer().advance(Duration.ofSeconds(5));
    bench.until(() -> bench.events(topic).size() == 1);

    assertThat(bench.events(topic).get(0).via()).isEqualTo(Via.RSSCLOUD);
    assertThat(bench.feed(topic).retryVia()).isNull();
  }

  @Test
  void nobody_is_polled_whom_nobody_follows() {
    bench.subscribed("http://news.example/", Format.ATOM);
    bench.unsubscribe("http://news.example/");

    bench.startPolls();
    bench.subscribed("http://other.example/", Format.ATOM);
    bench.until(() -> bench.work().waiting() == 1);

    assertThat(bench.work().take(10))
        .extracting(assignment -> assignment.feedId())
        .containsExactly(bench.feed("http://other.example/").id());
  }
}
