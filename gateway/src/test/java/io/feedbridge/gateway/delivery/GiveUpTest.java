package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.subscribers.Removals;
import io.feedbridge.gateway.testing.Rpc;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of whoever does not take what it is sent, a protocol at a time. */
class GiveUpTest {

  /** The longest that jitter makes the pauses of rssCloud. */
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5_500);

  private static final Duration SECOND_PAUSE = Duration.ofSeconds(33);

  @TempDir Path data;
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    bed = new Bed(data).started();
    feed = bed.feed(Bed.TOPIC);
  }

  @AfterEach
  void stop() {
    bed.close();
  }

  private Optional<Subscription> subscription(long id) {
    return bed.store.subscriptions().byId(id);
  }

  private int errors(long id) {
    return subscription(id).orElseThrow().errors();
  }

  private int attempts(long id) {
    return bed.attempts(id);
  }

  private Duration pauseOf(long id) {
    return Duration.between(bed.timer.now(), bed.row(id).next());
  }

  @Nested
  class WebSub {

    @ParameterizedTest
    @ValueSource(ints = {302, 308, 400, 403, 404, 429, 500, 503})
    void everything_but_2xx_and_410_is_retried_and_no_redirect_is_followed(int status) {
      bed.subscriber.answer(
          "one",
          request ->
              CompletableFuture.completedFuture(
                  Response.empty(status).withHeader("Location", bed.subscriber.url("other"))));
      long id = bed.subscribe(feed, "one");
      long event = bed.append(feed, "a");

      bed.until(() -> attempts(id) == 1);
      bed.timer.turn(Duration.ofSeconds(5));
      bed.until(() -> attempts(id) == 2);
      bed.subscriber.answer("one", 202);
      bed.timer.turn(Duration.ofSeconds(30));
      bed.until(() -> bed.row(id).cursor() == event);

      assertThat(bed.sent("one")).containsExactly(event, event, event);
      assertThat(bed.sent("other")).isEmpty();
      assertThat(errors(id)).isZero();
    }

    @Test
    void one_that_fails_for_a_day_keeps_its_subscription_and_later_events_wait_in_order() {
      bed.subscriber.answer("one", 500);
      long id = bed.subscribe(feed, "one");
      long first = bed.append(feed, "a");
      bed.until(() -> attempts(id) == 1);
      long second = bed.append(feed, "b");
      bed.awaitRound(feed, second);
      for (int attempts = 2; attempts <= 12; attempts++) {
        int until = attempts;
        bed.timer.turn(Duration.ofHours(2));
        bed.until(() -> attempts(id) == until);
        assertThat(pauseOf(id)).isLessThanOrEqualTo(Duration.ofHours(2));
      }

      assertThat(subscription(id)).isPresent();
      assertThat(bed.sent("one")).hasSize(12).containsOnly(first);
      bed.subscriber.answer("one", 204);
      bed.timer.turn(Duration.ofHours(2));
      bed.until(() -> bed.row(id).cursor() == second);
      assertThat(bed.sent("one").subList(12, 14)).containsExactly(first, second);
    }
  }

  @Nested
  class RssCloud {

    /** Has a notification fail for good; what comes next is tried at once. */
    private void fail(long id, String path) {
      bed.subscriber.answer(path, 500);
      failAsItIs(id);
    }

    private void failAsItIs(long id) {
      int errors = errors(id);
      long event = bed.append(feed, "entry");
      bed.until(() -> attempts(id) == 1);
      bed.timer.turn(FIRST_PAUSE);
      bed.until(() -> attempts(id) == 2);
      bed.timer.turn(SECOND_PAUSE);
      bed.until(() -> errors(id) == errors + 1);
      bed.awaitRound(feed, event);
    }

    @Test
    void a_notification_is_tried_at_once_after_5_s_and_after_30_s_and_is_then_one_error() {
      bed.subscriber.answer("cloud", 500);
      long id = bed.register(feed, "cloud");
      long first = bed.append(feed, "a");

      bed.until(() -> attempts(id) == 1);
      assertThat(pauseOf(id)).isBetween(Duration.ofSeconds(5), FIRST_PAUSE);
      bed.timer.turn(FIRST_PAUSE);
      bed.until(() -> attempts(id) == 2);
      assertThat(pauseOf(id)).isBetween(Duration.ofSeconds(30), SECOND_PAUSE);
      assertThat(errors(id)).isZero();
      bed.timer.turn(SECOND_PAUSE);
      bed.until(() -> errors(id) == 1);

      assertThat(bed.row(id)).isEqualTo(new Bed.Row(id, first, null, 0, null, false));
      assertThat(bed.sent("cloud")).containsExactly(first, first, first);
      long second = bed.append(feed, "b");
      bed.until(() -> bed.sent("cloud").size() == 4);
      assertThat(bed.sent("cloud").get(3)).isEqualTo(second);
    }

    @Test
    void what_came_between_the_tries_is_notified_at_once_when_they_are_over() {
      bed.subscriber.answer("cloud", 500);
      long id = bed.register(feed, "cloud");
      long first = bed.append(feed, "a");
      bed.until(() -> attempts(id) == 1);
      long second = bed.append(feed, "b");
      bed.awaitRound(feed, second);
      bed.timer.turn(FIRST_PAUSE);
      bed.until(() -> attempts(id) == 2);
      CompletableFuture<Response> last = bed.gate("cloud");
      bed.timer.turn(SECOND_PAUSE);
      bed.until(() -> bed.sent("cloud").size() == 3);
      bed.subscriber.answer("cloud", 204);
      last.complete(Response.empty(500));

      bed.until(() -> bed.row(id).cursor() == second);
      assertThat(bed.sent("cloud")).containsExactly(first, first, first, second);
      bed.until(() -> errors(id) == 0);
    }

    @Test
    void a_wish_to_be_left_alone_stretches_a_pause_to_30_s_at_most() {
      bed.subscriber.answer(
          "cloud",
          request ->
              CompletableFuture.completedFuture(
                  Response.empty(503).withHeader("Retry-After", "3600")));
      long id = bed.register(feed, "cloud");
      bed.append(feed, "a");

      bed.until(() -> attempts(id) == 1);

      assertThat(pauseOf(id)).isBetween(Duration.ofSeconds(30), Duration.ofMillis(30_500));
    }

    @Test
    void a_redirect_is_followed() {
      bed.subscriber.answer(
          "cloud",
          request ->
              CompletableFuture.completedFuture(
                  Response.empty(307).withHeader("Location", bed.subscriber.url("moved"))));
      bed.register(feed, "cloud");
      long event = bed.append(feed, "a");

      bed.awaitRound(feed, event);

      assertThat(bed.sent("moved")).containsExactly(event);
      assertThat(bed.rows()).isEmpty();
    }

    @Test
    void a_success_in_a_round_clears_the_count() {
      long id = bed.register(feed, "cloud");
      fail(id, "cloud");
      fail(id, "cloud");
      assertThat(errors(id)).isEqualTo(2);

      bed.subscriber.answer("cloud", 204);
      bed.append(feed, "b");

      bed.until(() -> errors(id) == 0);
    }

    @Test
    void a_success_at_the_second_try_clears_the_count() {
      long id = bed.register(feed, "cloud");
      fail(id, "cloud");
      bed.append(feed, "b");
      bed.until(() -> attempts(id) == 1);

      bed.subscriber.answer("cloud", 204);
      bed.timer.turn(FIRST_PAUSE);

      bed.until(() -> errors(id) == 0);
      assertThat(bed.row(id).next()).isNull();
    }

    @Test
    void a_delivery_that_succeeds_writes_nothing() {
      AtomicInteger writes = new AtomicInteger();
      for (String method : List.of("Subscriptions.clearErrors", "Laggards.settle")) {
        bed.hooks.on(
            method,
            (arguments, call) -> {
              writes.incrementAndGet();
              return call.run();
            });
      }
      bed.register(feed, "cloud");
      bed.awaitRound(feed, bed.append(feed, "a"));
      bed.awaitRound(feed, bed.append(feed, "b"));

      assertThat(bed.sent("cloud")).hasSize(2);
      assertThat(writes).hasValue(0);
    }

    @Test
    void three_errors_in_a_row_remove_it_at_the_top_of_the_hour() {
      try (Removals removals = new Removals(bed.store, Runnable::run, bed.timer)) {
        removals.start();
        long id = bed.register(feed, "cloud");
        long other = bed.register(feed, "other");
        for (int i = 0; i < 3; i++) {
          fail(id, "cloud");
        }
        turnTo(Bed.START.plus(Duration.ofHours(1)).minusMillis(1));
        assertThat(subscription(id)).isPresent();

        turnTo(Bed.START.plus(Duration.ofHours(1)));

        assertThat(subscription(id)).isEmpty();
        assertThat(bed.rows()).extracting(Bed.Row::subscription).doesNotContain(id);
        assertThat(subscription(other)).isPresent();
        int sent = bed.sent("cloud").size();
        bed.awaitRound(feed, bed.append(feed, "after"));
        assertThat(bed.sent("cloud")).hasSize(sent);
      }
    }

    @Test
    void faults_of_a_procedure_are_errors_too_though_their_status_is_200() {
      try (Removals removals = new Removals(bed.store, Runnable::run, bed.timer)) {
        removals.start();
        long id =
            bed.register(feed, "cloud", new Terms.Procedure("xml-rpc", "river.updated", null));
        bed.subscriber.answer(
            "cloud", request -> CompletableFuture.completedFuture(Rpc.fault(request, "no")));
        for (int i = 0; i < 3; i++) {
          failAsItIs(id);
        }

        turnTo(Bed.START.plus(Duration.ofHours(1)));

        assertThat(subscription(id)).isEmpty();
        assertThat(Rpc.call(bed.subscriber.received("cloud").get(0)).procedure())
            .isEqualTo("river.updated");
      }
    }

    @Test
    void a_fourth_that_is_taken_before_the_top_of_the_hour_keeps_it() {
      try (Removals removals = new Removals(bed.store, Runnable::run, bed.timer)) {
        removals.start();
        long id = bed.register(feed, "cloud");
        for (int i = 0; i < 3; i++) {
          fail(id, "cloud");
        }
        bed.subscriber.answer("cloud", 204);
        bed.append(feed, "b");
        bed.until(() -> errors(id) == 0);

        turnTo(Bed.START.plus(Duration.ofHours(2)));

        assertThat(subscription(id)).isPresent();
      }
    }

    @Test
    void a_renewal_before_the_top_of_the_hour_keeps_it() {
      try (Removals removals = new Removals(bed.store, Runnable::run, bed.timer)) {
        removals.start();
        long id = bed.register(feed, "cloud");
        for (int i = 0; i < 3; i++) {
          fail(id, "cloud");
        }
        assertThat(bed.register(feed, "cloud")).isEqualTo(id);

        turnTo(Bed.START.plus(Duration.ofHours(2)));

        assertThat(subscription(id)).isPresent();
        assertThat(errors(id)).isZero();
      }
    }

    @Test
    void L16_an_hour_that_struck_while_the_gateway_was_stopped_is_made_up_for() {
      long id = bed.register(feed, "cloud");
      for (int i = 0; i < 3; i++) {
        fail(id, "cloud");
      }
      turnTo(Bed.START.plus(Duration.ofHours(1)));

      try (Removals removals = new Removals(bed.store, Runnable::run, bed.timer)) {
        removals.start();

        assertThat(subscription(id)).isEmpty();
      }
    }

    private void turnTo(Instant when) {
      bed.timer.turn(Duration.between(bed.timer.now(), when));
    }
  }

  @Nested
  class L7_what_waits_in_a_hosts_queue {

    /**
     * A walk that stands still while one delivery is under way and the next waits for its place.
     */
    private CompletableFuture<Response> first;

    private final CompletableFuture<Void> release = new CompletableFuture<>();
    private final AtomicInteger pages = new AtomicInteger();
    private String callback;
    private long waiting;
    private long event;

    @BeforeEach
    void hold() {
      bed.close();
      bed = new Bed(data.resolve("narrow"), 1).started();
      feed = bed.feed(Bed.TOPIC);
      first = bed.gate("first");
      bed.subscribe(feed, "first");
      callback = bed.subscriber.url("waits");
      waiting = bed.subscribe(feed, callback, Bed.terms(Format.ATOM, "old secret"));
      bed.hooks.on(
          "Rounds.recipients",
          (arguments, call) -> {
            if (pages.incrementAndGet() > 1) {
              release.join();
            }
            return call.run();
          });
      event = bed.append(feed, "a");
      bed.until(() -> pages.get() == 2);
    }

    @AfterEach
    void release() {
      release.complete(null);
    }

    @Test
    void L7_is_sent_with_the_secret_and_the_format_of_a_renewal() {
      bed.subscribe(feed, callback, Bed.terms(Format.JSON, "new secret"));
      first.complete(Response.noContent());
      bed.until(() -> bed.sent("waits").size() == 1);
      release.complete(null);
      bed.awaitRound(feed, event);

      var sent = bed.subscriber.received("waits").get(0);
      assertThat(sent.header("Content-Type")).hasValue("application/json; charset=utf-8");
      assertThat(
              io.feedbridge.websub.Signature.verify(
                  sent.header("X-Hub-Signature").orElseThrow(), "new secret", sent.body()))
          .isTrue();
      assertThat(bed.rows()).isEmpty();
    }

    @Test
    void L7_is_not_sent_to_one_that_has_ended() {
      Bed.done(bed.store.subscriptions().end(waiting, "gone", bed.timer.now()));
      first.complete(Response.noContent());
      bed.until(() -> bed.client.inFlight() == 0);
      release.complete(null);
      bed.awaitRound(feed, event);

      assertThat(bed.sent("waits")).isEmpty();
      assertThat(bed.rows()).isEmpty();
    }

    @Test
    void L7_is_sent_as_it_was_prepared_where_nothing_was_renewed() {
      AtomicInteger reads = new AtomicInteger();
      bed.hooks.on(
          "Subscriptions.byId",
          (arguments, call) -> {
            reads.incrementAndGet();
            return call.run();
          });

      first.complete(Response.noContent());
      bed.until(() -> bed.sent("waits").size() == 1);

      assertThat(reads).hasValue(0);
    }

    @Test
    void L7_a_store_that_cannot_be_read_just_then_costs_it_a_retry() {
      bed.hooks.on(
          "Subscriptions.byId",
          (arguments, call) -> {
            throw new io.feedbridge.gateway.store.StoreException("unreadable");
          });
      bed.subscribe(feed, callback, Bed.terms(Format.JSON, "new secret"));
      first.complete(Response.noContent());
      release.complete(null);
      bed.awaitRound(feed, event);
      bed.until(() -> attempts(waiting) == 1);
      bed.hooks.off("Subscriptions.byId");

      bed.timer.turn(Duration.ofSeconds(5));

      bed.until(() -> bed.sent("waits").size() == 1);
    }
  }
}
