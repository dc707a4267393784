package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.fetch.DocumentMemory;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.work.Via;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No work item stops its feed, whatever fails while it is processed. */
class FailedWorkTest {

  private static final String RSS = "application/rss+xml";

  private final FakeOrigin origin = new FakeOrigin();

  /** How often the armed step still fails, and how often it has failed. */
  private final AtomicInteger armed = new AtomicInteger();

  private final AtomicInteger failed = new AtomicInteger();
  private volatile Fault fault = Fault.DIGEST_EXCEPTION;
  private volatile long faulty;

  @TempDir Path data;
  private StageBench bench;

  /** A step of the stage that fails for one feed. */
  enum Fault {
    READ_FEED("byId", () -> new IllegalStateException("a feed that cannot be read")),
    DIGEST_EXCEPTION("seen", () -> new IllegalArgumentException("a feed that breaks digesting")),
    DIGEST_ERROR("seen", () -> new StackOverflowError("of a deep document")),
    RECORD("record", () -> new StoreException("a value that the store refuses"));

    private final String method;

    @SuppressWarnings("ImmutableEnumChecker")
    private final Supplier<Throwable> failure;

    Fault(String method, Supplier<Throwable> failure) {
      this.method = method;
      this.failure = failure;
    }
  }

  // The stand-in hands the future on to the stage that asked for it.
  @SuppressWarnings("FutureReturnValueIgnored")
  @BeforeEach
  void start() {
    bench =
        new StageBench(
            data,
            new ManualTimer(StageBench.START),
            StageBench.faultyPart(
                Feeds.class,
                (method, arguments, rest) -> {
                  if (method.equals(fault.method) && isOfFaulty(arguments[0]) && isArmed()) {
                    failed.incrementAndGet();
                    Throwable failure = fault.failure.get();
                    if (method.equals("record")) {
                      return CompletableFuture.failedFuture(failure);
                    }
                    if (failure instanceof Error error) {
                      throw error;
                    }
                    throw (Exception) failure;
                  }
                  return rest.call();
                }),
            work -> work);
    bench.startIngest();
  }

  @AfterEach
  void stop() {
    bench.close();
    origin.close();
  }

  private boolean isOfFaulty(Object argument) {
    return argument instanceof Outcome outcome
        ? outcome.feed().id() == faulty
        : argument.equals(faulty);
  }

  private boolean isArmed() {
    return armed.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }

  private void arm(Fault step, FollowedFeed feed, int times) {
    fault = step;
    faulty = feed.id();
    armed.set(times);
  }

  /** Lets rests pass until the work is done. */
  private void work() {
    bench.until(
        () -> {
          bench.timer().advance(Duration.ofMillis(500));
          return bench.work().waiting() == 0;
        });
  }

  private void request(String topic, FakeSubscriber subscriber) {
    bench
        .store()
        .subscriptions()
        .request(
            Verification.Mode.SUBSCRIBE,
            topic,
            subscriber.url("callback"),
            StageBench.terms(topic, Format.ATOM),
            null,
            bench.timer().now())
        .join();
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void an_item_is_tried_a_bounded_number_of_times_and_then_its_feed_goes_on(Fault step) {
    String topic = origin.rss("feed.xml", "", "one");
    FollowedFeed feed = bench.followed(topic);
    String other = origin.rss("other.xml", "", "one");
    FollowedFeed beside = bench.followed(other);
    origin.rss("feed.xml", "", "two", "one");
    origin.rss("other.xml", "", "two", "one");
    int before = origin.requests("feed.xml").size();
    arm(step, feed, Integer.MAX_VALUE);

    bench.light(feed, Via.PING);
    bench.light(beside, Via.PING);
    work();

    assertThat(bench.news(other)).containsExactly("two");
    assertThat(origin.requests("feed.xml").size() - before)
        .isLessThanOrEqualTo(FailedWork.MAX_TRIES);
    armed.set(0);
    assertThat(bench.feed(topic).fetched().message())
        .contains("the gateway failed to process it")
        .contains(step.failure.get().getMessage());
    assertThat(bench.nextFetch(topic)).isAfter(bench.timer().now());

    bench.light(feed, Via.PING);
    work();
    assertThat(bench.news(topic)).containsExactly("two");
    assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ACTIVE);
    assertThat(bench.feed(topic).fetched().failures()).isZero();
  }

  @Test
  void a_delivery_whose_content_cannot_be_processed_becomes_a_ping() {
    String topic = origin.rss("feed.xml", "", "one");
    FollowedFeed feed = bench.followed(topic);
    origin.rss("feed.xml", "", "two", "one");
    int before = origin.requests("feed.xml").size();
    arm(Fault.DIGEST_EXCEPTION, feed, FailedWork.MAX_TRIES);

    bench.fat(feed, RSS, FakeOrigin.rssOf("", "two", "one"));
    work();

    assertThat(failed).hasValue(FailedWork.MAX_TRIES);
    assertThat(origin.requests("feed.xml")).hasSize(before + 1);
    assertThat(bench.news(topic)).containsExactly("two");
  }

  @Test
  void a_long_delivery_whose_content_cannot_be_processed_becomes_a_ping_too() {
    String topic = origin.rss("feed.xml", "", "one");
    FollowedFeed feed = bench.followed(topic);
    origin.rss("feed.xml", "", "two", "one");
    int before = origin.requests("feed.xml").size();
    arm(Fault.DIGEST_EXCEPTION, feed, FailedWork.MAX_TRIES);
    String padding = "<!--" + "x".repeat(DocumentMemory.USUAL) + "-->";

    bench.fat(feed, RSS, FakeOrigin.rssOf(padding, "two", "one"));
    work();

    assertThat(failed).hasValue(FailedWork.MAX_TRIES);
    assertThat(origin.requests("feed.xml")).hasSize(before + 1);
    assertThat(bench.news(topic)).containsExactly("two");
  }

  @Test
  void a_step_for_which_the_threads_have_no_room_is_no_failure_of_an_item() {
    String topic = origin.rss("feed.xml", "", "one");
    FollowedFeed feed = bench.followed(topic);
    bench.close();
    bench = StageBench.on(data);
    bench.startIngestOn(
        threads ->
            task -> {
              if (task instanceof CompletableFuture.AsynchronousCompletionTask && isArmed()) {
                failed.incrementAndGet();
                throw new RejectedExecutionException("no room");
              }
              threads.execute(task);
            });
    origin.rss("feed.xml", "", "two", "one");
    armed.set(2 * FailedWork.MAX_TRIES);

    bench.light(feed, Via.PING);
    work();

    assertThat(failed).hasValue(2 * FailedWork.MAX_TRIES);
    assertThat(bench.news(topic)).containsExactly("two");
    assertThat(bench.feed(topic).fetched().failures()).isZero();
  }

  @Test
  void a_delivery_that_fails_as_a_ping_too_is_given_up() {
    String topic = origin.rss("feed.xml", "", "one");
    FollowedFeed feed = bench.followed(topic);
    arm(Fault.DIGEST_ERROR, feed, Integer.MAX_VALUE);
    origin.rss("feed.xml", "", "two", "one");

    bench.fat(feed, RSS, FakeOrigin.rssOf("", "two", "one"));
    work();

    assertThat(failed).hasValue(2 * FailedWork.MAX_TRIES);
    assertThat(bench.feed(topic).fetched().failures()).isEqualTo(1);
  }

  @Test
  void what_the_store_refuses_to_everybody_is_no_failure_of_an_item() {
    String topic = origin.rss("feed.xml", "", "one");
    FollowedFeed feed = bench.followed(topic);
    bench.close();
    bench =
        new StageBench(
                data,
                new ManualTimer(StageBench.START),
                StageBench.faultyPart(
                    Feeds.class,
                    (method, arguments, rest) ->
                        method.equals("record") && isArmed() ? StageBench.diskFull() : rest.call()),
                work -> work)
            .startIngest();
    origin.rss("feed.xml", "", "two", "one");
    armed.set(FailedWork.MAX_TRIES + 1);

    bench.fat(feed, RSS, FakeOrigin.rssOf("", "two"));
    int before = origin.requests("feed.xml").size();
    work();

    assertThat(bench.news(topic)).containsExactly("two");
    assertThat(origin.requests("feed.xml")).as("the content was kept").hasSize(before);
  }

  @Test
  void a_subscription_to_such_a_feed_waits_and_the_feed_tells_the_reason() {
    try (FakeSubscriber subscriber = new FakeSubscriber()) {
      String topic = origin.rss("feed.xml", "", "one");
      request(topic, subscriber);
      arm(Fault.DIGEST_EXCEPTION, bench.feed(topic), Integer.MAX_VALUE);
      bench.startVerifier();

      bench.light(bench.feed(topic), Via.POLL);
      work();

      bench.until(() -> !subscriber.asked("callback").isEmpty());
      assertThat(subscriber.asked("callback").get(0).query())
          .containsEntry("hub.mode", List.of("subscribe"));
      assertThat(bench.feed(topic).waiting()).contains("the gateway failed to process it");
    }
  }

  @Test
  void a_request_for_a_feed_whose_host_wants_to_be_left_alone_waits_with_the_reason() {
    try (FakeSubscriber subscriber = new FakeSubscriber();
        FakeSubscriber busy = new FakeSubscriber()) {
      busy.onQuestion(
          "first",
          request ->
              CompletableFuture.completedFuture(
                  Response.empty(503).withHeader("Retry-After", "7200")));
      bench.followed(busy.url("first"));
      String topic = busy.url("second");
      request(topic, subscriber);
      bench.startVerifier();

      bench.light(bench.feed(topic), Via.POLL);
      work();

      bench.until(() -> !subscriber.asked("callback").isEmpty());
      assertThat(subscriber.asked("callback").get(0).query())
          .containsEntry("hub.mode", List.of("subscribe"));
      assertThat(bench.feed(topic).fetched().message())
          .contains("its host requested a pause (Retry-After) until 2026-11-20T14:00:0");
      assertThat(busy.asked("second")).isEmpty();
    }
  }

  @Test
  void a_message_of_any_length_makes_a_reason_of_bounded_length() {
    assertThat(FailedWork.reason(new IllegalStateException("x".repeat(100_000)))).hasSize(300);
    assertThat(List.of(FailedWork.reason(new StackOverflowError())))
        .containsExactly("the gateway failed to process it: java.lang.StackOverflowError");
  }
}
