package io.feedbridge.gateway.delivery.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.delivery.Bed;
import io.feedbridge.gateway.delivery.hosts.HostBulkhead;
import io.feedbridge.gateway.log.LogFollowers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Endpoints of webhooks beside each other and over time, on a clock that stands still. */
@Timeout(300)
class EndpointsTest {

  private static final Duration FIVE_DAYS = Duration.ofDays(5);

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

  private Webhook webhook(String path) {
    return bed.webhook(bed.subscriber.url(path));
  }

  private LogConsumer consumer(Webhook webhook) {
    return bed.store.consumers().byName(webhook.consumer()).orElseThrow();
  }

  private Webhook reread(Webhook webhook) {
    return bed.store.webhooks().byId(webhook.id()).orElseThrow();
  }

  private static List<String> ids(List<Request> messages) {
    return messages.stream().map(m -> m.header("webhook-id").orElseThrow()).toList();
  }

  private List<Request> received(String path) {
    return bed.subscriber.received(path);
  }

  private void awaitReceived(String path, int count) {
    bed.until(() -> received(path).size() >= count);
    assertThat(received(path)).hasSize(count);
  }

  /** Turns the clock to the next attempt. */
  private void turnToRetry(Webhook webhook, int attempts) {
    bed.until(() -> consumer(webhook).attempts() == attempts);
    bed.timer.turn(Duration.between(bed.timer.now(), consumer(webhook).nextAttemptAt()));
  }

  // Over time.

  @Test
  void pauses_grow_up_to_two_hours_and_a_wish_is_respected_up_to_a_day() {
    Webhook webhook = webhook("one");
    bed.subscriber.answer("one", 500);
    bed.append(feed, "a");
    List<Duration> most =
        List.of(
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofMinutes(2),
            Duration.ofMinutes(10),
            Duration.ofMinutes(30),
            Duration.ofHours(1),
            Duration.ofHours(2),
            Duration.ofHours(2));
    for (int attempts = 1; attempts <= most.size(); attempts++) {
      int so = attempts;
      bed.until(() -> consumer(webhook).attempts() == so);
      assertThat(Duration.between(bed.timer.now(), consumer(webhook).nextAttemptAt()))
          .isBetween(Duration.ofSeconds(1), most.get(attempts - 1));
      turnToRetry(webhook, attempts);
    }
    bed.until(() -> consumer(webhook).attempts() == 9);
    bed.subscriber.answer(
        "one",
        request ->
            CompletableFuture.completedFuture(
                Response.empty(503).withHeader("Retry-After", "999999")));

    turnToRetry(webhook, 9);

    bed.until(() -> consumer(webhook).attempts() == 10);
    assertThat(consumer(webhook).nextAttemptAt())
        .isEqualTo(bed.timer.now().plus(Duration.ofHours(24)));
    assertThat(ids(received("one"))).hasSize(10).containsOnly(ids(received("one")).get(0));
  }

  @Test
  void after_five_days_of_nothing_but_failures_it_is_disabled_and_kept() {
    Webhook webhook = webhook("one");
    bed.subscriber.answer("one", 500);
    bed.append(feed, "a");
    bed.until(() -> reread(webhook).failingSince() != null);
    bed.timer.turn(FIVE_DAYS.minusSeconds(1));
    bed.until(() -> consumer(webhook).attempts() == 2);
    assertThat(reread(webhook).state()).isEqualTo(Webhook.State.ACTIVE);

    turnToRetry(webhook, 2);

    bed.until(() -> reread(webhook).state() == Webhook.State.DISABLED);
    assertThat(reread(webhook).reason()).isEqualTo("every delivery failed for 5 days");
    bed.until(() -> bed.endpoints.count() == 0);
    bed.subscriber.answer("one", 204);
    bed.append(feed, "b");
    bed.timer.turn(Duration.ofDays(1));
    assertThat(received("one")).hasSize(3);

    Bed.done(bed.store.webhooks().enable(webhook.id(), bed.timer.now()));

    awaitReceived("one", 5);
    assertThat(ids(received("one")).get(3)).isEqualTo(ids(received("one")).get(0));
    assertThat(Bed.body(received("one").get(4))).contains("\"b\"").doesNotContain("\"a\"");
  }

  @Test
  void one_success_in_between_and_the_days_are_counted_anew() {
    Webhook webhook = webhook("one");
    bed.subscriber.answer("one", 500);
    bed.append(feed, "a");
    bed.until(() -> reread(webhook).failingSince() != null);
    bed.timer.turn(FIVE_DAYS.minusSeconds(1));
    bed.until(() -> consumer(webhook).attempts() == 2);
    bed.subscriber.answer("one", 204);
    turnToRetry(webhook, 2);
    bed.until(() -> reread(webhook).failingSince() == null);
    bed.subscriber.answer("one", 500);

    bed.append(feed, "b");

    bed.until(() -> reread(webhook).failingSince() != null);
    assertThat(reread(webhook).state()).isEqualTo(Webhook.State.ACTIVE);
    assertThat(reread(webhook).failingSince()).isEqualTo(bed.timer.now());
  }

  @Test
  void operators_are_told_at_half_and_nine_tenths_of_its_patience_and_when_it_is_disabled() {
    Webhook webhook = webhook("one");
    bed.subscriber.answer("one", 500);
    bed.append(feed, "a");
    bed.until(() -> reread(webhook).failingSince() != null);

    int attempts = 1;
    for (int hours : List.of(59, 2, 46, 2)) {
      int so = ++attempts;
      bed.timer.turn(Duration.ofHours(hours));
      bed.until(() -> consumer(webhook).attempts() >= so);
    }
    bed.timer.turn(Duration.ofHours(12));

    bed.until(() -> reread(webhook).state() == Webhook.State.DISABLED);
    assertThat(bed.notices)
        .extracting(Notice::type)
        .containsExactly(
            Notice.Type.WEBHOOK_FAILING, Notice.Type.WEBHOOK_FAILING, Notice.Type.WEBHOOK_DISABLED);
    assertThat(bed.notices.get(0).text()).contains("webhook 1 ", "disabled after 120");
  }

  @Test
  void nothing_is_told_of_a_webhook_that_is_told_of_such_events() {
    bed.feed(GatewayTopic.BASE);
    Webhook webhook =
        bed.webhook(
            new Webhook.Terms(
                bed.subscriber.url("ops"), List.of(Bed.TOPIC, GatewayTopic.BASE), null, null));
    bed.subscriber.answer("ops", 410);

    bed.append(feed, "a");

    bed.until(() -> reread(webhook).state() == Webhook.State.DISABLED);
    assertThat(bed.notices).isEmpty();
  }

  // Another URL.

  private void move(Webhook webhook, String path, boolean verified) {
    Webhook now = reread(webhook);
    Webhook.Terms terms =
        new Webhook.Terms(bed.subscriber.url(path), List.of(), null, now.terms().description());
    assertThat(Bed.done(bed.store.webhooks().change(now, terms, verified, bed.timer.now())))
        .isPresent();
  }

  private static Response busyForADay() {
    return Response.empty(503).withHeader("Retry-After", "86400");
  }

  @Test
  void a_410_of_the_url_before_does_not_disable_the_one_it_has_now() {
    Webhook webhook = webhook("old");
    CompletableFuture<Response> old = bed.gate("old");
    bed.append(feed, "a");
    awaitReceived("old", 1);
    move(webhook, "new", true);

    old.complete(Response.empty(410));

    bed.until(
        () -> {
          bed.timer.turn(Duration.ofSeconds(1));
          return !received("new").isEmpty();
        });
    assertThat(reread(webhook).state()).isEqualTo(Webhook.State.ACTIVE);
    assertThat(ids(received("new"))).hasSize(1);
    // The gateway may hear of the change only after another call of the old URL.
    assertThat(ids(received("old"))).hasSameElementsAs(ids(received("new")));
  }

  @Test
  void a_410_to_one_that_was_changed_meanwhile_counts_only_when_it_is_given_again() {
    Webhook webhook = webhook("one");
    CompletableFuture<Response> before = bed.gate("one");
    bed.append(feed, "a");
    awaitReceived("one", 1);
    bed.subscriber.answer("one", 204);
    Webhook now = reread(webhook);
    Bed.done(
        bed.store
            .webhooks()
            .rotate(
                webhook.id(),
                WebhookSecret.make(WebhookSecret.Scheme.SHARED, new Random(2)).text(),
                false,
                bed.timer.now()));
    assertThat(reread(webhook).revision()).isGreaterThan(now.revision());

    before.complete(Response.empty(410));

    bed.until(
        () -> {
          bed.timer.turn(Duration.ofSeconds(1));
          return received("one").size() == 2;
        });
    assertThat(reread(webhook).state()).isEqualTo(Webhook.State.ACTIVE);
  }

  @Test
  void another_url_inherits_no_retry_after_and_no_days_of_failure() {
    Webhook webhook = webhook("old");
    bed.subscriber.answer("old", request -> CompletableFuture.completedFuture(busyForADay()));
    bed.append(feed, "a");
    bed.until(() -> consumer(webhook).attempts() == 1 && reread(webhook).failingSince() != null);
    bed.timer.turn(Duration.ofHours(1));
    bed.subscriber.answer("new", 500);

    move(webhook, "new", true);

    awaitReceived("new", 1);
    bed.until(() -> consumer(webhook).attempts() == 1);
    bed.until(() -> bed.timer.now().equals(reread(webhook).failingSince()));
    assertThat(Duration.between(bed.timer.now(), consumer(webhook).nextAttemptAt()))
        .isLessThan(Duration.ofMinutes(1));
  }

  @Test
  void an_answer_of_the_url_before_that_comes_late_puts_off_nothing_at_the_one_it_has_now() {
    Webhook webhook = webhook("old");
    CompletableFuture<Response> old = bed.gate("old");
    bed.append(feed, "a");
    awaitReceived("old", 1);
    move(webhook, "new", false);
    Webhook pending = reread(webhook);
    assertThat(pending.state()).isEqualTo(Webhook.State.PENDING);
    Bed.done(bed.store.webhooks().confirm(pending, bed.timer.now()));

    old.complete(busyForADay());

    bed.until(
        () -> {
          bed.timer.turn(Duration.ofSeconds(1));
          return !received("new").isEmpty();
        });
    bed.until(() -> consumer(webhook).attempts() == 0);
    assertThat(reread(webhook).failingSince()).isNull();
  }

  // Crashes.

  @Test
  void L16_a_crash_repeats_what_was_not_checkpointed_under_the_same_ids(@TempDir Path copy) {
    webhook("one");
    bed.append(feed, "a");
    awaitReceived("one", 1);

    try (Bed after = bed.afterCrash(copy).started()) {
      awaitReceived("one", 2);
      after.append(feed, "b");
      awaitReceived("one", 3);
    }

    assertThat(ids(received("one")).get(1)).isEqualTo(ids(received("one")).get(0));
    assertThat(received("one").get(1).body()).isEqualTo(received("one").get(0).body());
  }

  @Test
  void L16_a_stop_in_a_batch_repeats_nothing_that_was_taken() {
    long other = bed.feed("https://feeds.example/other");
    Webhook webhook = webhook("one");
    bed.until(() -> bed.endpoints.count() == 1);
    CompletableFuture<Response> gate = bed.gate("one");
    bed.append(feed, "a");
    awaitReceived("one", 1);
    bed.append(feed, "b");
    bed.append(other, "c");
    CompletableFuture<Response> second = bed.gate("one");
    gate.complete(Response.noContent());
    awaitReceived("one", 2);
    CompletableFuture<Void> stopped = CompletableFuture.runAsync(bed::stop);
    second.complete(Response.noContent());
    Bed.done(stopped);
    bed.subscriber.answer("one", 204);

    try (Bed after = bed.afterStop().started()) {
      bed.until(() -> received("one").size() >= 3);
      after.until(() -> after.endpoints.count() == 1);
    }

    assertThat(ids(received("one"))).doesNotHaveDuplicates().hasSize(3);
    assertThat(webhook.id()).isPositive();
  }

  // Beside each other.

  @Test
  void a_dead_host_is_probed_and_whoever_it_holds_back_was_not_tried() {
    int port = FreePort.next();
    List<Webhook> dead = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      dead.add(bed.webhook("http://127.0.0.1:%d/dead%d".formatted(port, i)));
    }
    webhook("well");
    bed.until(() -> bed.endpoints.count() == 41);
    bed.append(feed, "a");
    awaitReceived("well", 1);
    bed.until(() -> bed.openHosts() == 1);
    bed.append(feed, "b");
    awaitReceived("well", 2);
    assertThat(dead.stream().filter(one -> consumer(one).attempts() > 0).count())
        .isLessThan(HostBulkhead.FIRST_SIZE + 2L);

    try (FakeSubscriber alive = FakeSubscriber.on(port)) {
      bed.until(
          () -> {
            bed.timer.turn(HostBulkhead.LONGEST_PAUSE);
            return IntStream.range(0, 40).allMatch(i -> !alive.received("dead" + i).isEmpty());
          });
      bed.until(() -> bed.openHosts() == 0);
    }
  }

  @Test
  void those_that_a_dead_host_holds_back_are_disabled_with_it() {
    String host = "http://127.0.0.1:%d/".formatted(FreePort.next());
    List<Webhook> dead = IntStream.range(0, 12).mapToObj(i -> bed.webhook(host + i)).toList();
    bed.until(() -> bed.endpoints.count() == 12);
    bed.append(feed, "a");
    bed.until(
        () -> {
          bed.timer.turn(HostBulkhead.LONGEST_PAUSE);
          return dead.stream().allMatch(one -> reread(one).failingSince() != null);
        });

    bed.timer.turn(FIVE_DAYS.plusHours(1));

    bed.until(() -> dead.stream().allMatch(one -> reread(one).state() == Webhook.State.DISABLED));
    bed.until(() -> bed.endpoints.count() == 0);
  }

  /** Threads of this process but those of the subscribers, which answer on threads of their own. */
  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.getName().startsWith(FakeSubscriber.THREADS))
        .count();
  }

  @Test
  void L8_very_many_on_all_feeds_cost_no_thread_and_those_that_hang_delay_nobody() {
    int hanging = 200;
    int well = 800;
    FakeSubscriber stuck = new FakeSubscriber();
    for (int i = 0; i < hanging; i++) {
      stuck.answer("stuck" + i, request -> new CompletableFuture<>());
    }
    webhook("first");
    bed.until(() -> bed.endpoints.count() == 1);
    long before = threads();
    List<CompletableFuture<?>> made = new ArrayList<>();
    for (int i = 0; i < hanging + well; i++) {
      String url = i < hanging ? stuck.url("stuck" + i) : bed.subscriber.url("well" + i);
      made.add(CompletableFuture.runAsync(() -> bed.webhook(url)));
    }
    made.forEach(Bed::done);
    bed.until(() -> bed.endpoints.count() == hanging + well + 1);

    for (int round = 1; round <= 3; round++) {
      int count = round;
      bed.append(feed, "entry" + round);
      bed.until(
          () ->
              IntStream.range(hanging, hanging + well)
                  .allMatch(i -> received("well" + i).size() == count));
    }

    assertThat(threads()).as("threads, the common pool's too").isLessThan(before + 20);
    assertThat(stuck.received("stuck0").size()).isLessThan(2);
    stuck.close();
  }

  @Test
  void whoever_waits_for_a_place_holds_no_events_that_others_would_have_room_for() {
    // As many as all the room for events in flight, twice over.
    int many = (int) (2 * LogFollowers.MAX_BYTES / Document.MAX_BYTES);
    FakeSubscriber stuck = new FakeSubscriber();
    for (int i = 0; i < many; i++) {
      stuck.answer("stuck" + i, request -> new CompletableFuture<>());
      bed.webhook(stuck.url("stuck" + i));
    }
    webhook("well");
    bed.until(() -> bed.endpoints.count() == many + 1);

    bed.append(feed, longOne("long"));
    awaitReceived("well", 1);
    bed.append(feed, longOne("longer"));

    awaitReceived("well", 2);
    assertThat(bed.store.consumers().all())
        .as("nobody's time was over yet, which would have made room")
        .allMatch(consumer -> consumer.attempts() == 0);
    stuck.close();
  }

  /** An event that fills a document. */
  private static Update longOne(String id) {
    return new Update(
        Feed.bare(Bed.TOPIC, "a feed")
            .withEntries(List.of(Bed.entry(id, "x".repeat(Document.MAX_BYTES - 2_000)))),
        List.of(),
        Status.of(Bed.TOPIC),
        false);
  }
}
