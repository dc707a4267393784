package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.delivery.send.DeliveryReports;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Whoever is more than 72 h behind jumps to the present (rule L13). */
class JumpsTest {

  @TempDir Path data;
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    bed = new Bed(data);
    feed = bed.feed(Bed.TOPIC);
  }

  @AfterEach
  void stop() {
    bed.close();
  }

  private List<Gap> gaps(long id) {
    return bed.store.laggards().gaps(id, 10);
  }

  @Test
  void L13_one_that_fails_for_72_hours_jumps_and_gets_what_comes_after() {
    bed.started();
    bed.subscriber.answer("down", 500);
    long id = bed.subscribe(feed, "down");
    long first = bed.append(feed, "a");
    bed.awaitRound(feed, first);
    bed.until(() -> bed.attempts(id) == 1);
    bed.timer.turn(Duration.ofHours(1));
    long second = bed.append(feed, "b");
    bed.awaitRound(feed, second);
    bed.until(() -> bed.attempts(id) == 2);

    bed.timer.turn(Duration.ofHours(71).minusMillis(1));
    bed.until(() -> !bed.row(id).inFlight());
    assertThat(gaps(id)).isEmpty();
    assertThat(bed.row(id).cursor()).isZero();
    bed.timer.turn(Duration.ofMillis(1));
    bed.until(() -> gaps(id).size() == 1);

    assertThat(gaps(id))
        .containsExactly(
            new Gap(id, feed, 0, second, 2, bed.timer.now(), Gap.Reason.TOO_FAR_BEHIND));
    bed.until(() -> bed.row(id).equals(new Bed.Row(id, second, null, 0, null, false)));
    assertThat(bed.store.subscriptions().byId(id)).isPresent();
    bed.subscriber.answer("down", 204);
    int before = bed.sent("down").size();
    long third = bed.append(feed, "c");
    bed.awaitRound(feed, third);
    long fourth = bed.append(feed, "d");
    bed.awaitRound(feed, fourth);
    // A round on a slow machine passes over a host that it takes for silent.
    bed.until(
        () -> {
          bed.timer.turn(Duration.ofMinutes(1));
          return bed.sent("down").contains(fourth);
        });
    assertThat(bed.sent("down").subList(before, bed.sent("down").size()))
        .doesNotContain(first, second)
        .doesNotHaveDuplicates();
    bed.until(() -> bed.rows().stream().allMatch(row -> row.next() == null && !row.inFlight()));
  }

  @Test
  void L13_one_in_flight_jumps_and_what_comes_of_its_request_changes_nothing() {
    bed.started();
    CompletableFuture<Response> gate = bed.gate("slow");
    long id = bed.subscribe(feed, "slow");
    long first = bed.append(feed, "a");
    bed.awaitRound(feed, first);
    assertThat(bed.row(id).inFlight()).isTrue();

    bed.timer.turn(Jumps.MOST_BEHIND);
    bed.until(() -> gaps(id).size() == 1);
    long second = bed.append(feed, "b");
    bed.awaitRound(feed, second);
    assertThat(bed.sent("slow")).containsExactly(first);
    bed.subscriber.answer("slow", 204);
    gate.complete(Response.empty(500));

    bed.until(() -> bed.row(id).cursor() == second);
    assertThat(bed.sent("slow")).containsExactly(first, second);
    assertThat(bed.row(id).next()).isNull();
  }

  @Test
  void L13_one_that_asks_to_be_left_alone_jumps_all_the_same() {
    bed.started();
    long id = bed.subscribe(feed, "busy");
    bed.subscriber.answer(
        "busy",
        request ->
            CompletableFuture.completedFuture(
                Response.empty(503).withHeader("Retry-After", "86400")));
    long first = bed.append(feed, "a");
    bed.awaitRound(feed, first);
    bed.until(() -> bed.attempts(id) == 1);
    for (int day = 1; day <= 2; day++) {
      int attempts = day + 1;
      bed.timer.turn(Duration.ofDays(1));
      bed.until(() -> bed.attempts(id) == attempts);
    }
    long last = bed.append(feed, "b");
    bed.awaitRound(feed, last);
    bed.timer.turn(Duration.ofHours(24).minusMillis(1));
    assertThat(gaps(id)).isEmpty();
    bed.timer.turn(Duration.ofMillis(1));

    bed.until(() -> gaps(id).size() == 1);
    assertThat(gaps(id).get(0).upTo()).isEqualTo(last);
  }

  private DeliveryReports reports(SimpleMeterRegistry registry, ActivityLog activity) {
    Clock clock = bed.timer.clock();
    return new DeliveryReports(
        new Meters(registry, clock), Attempts.inMemory(clock), activity, Traces.off());
  }

  @Test
  void L13_nothing_is_written_while_nobody_is_that_far_behind() {
    bed.hooks.fail("Laggards.jump");
    Jumps jumps =
        new Jumps(
            bed.hooks.store().laggards(),
            reports(new SimpleMeterRegistry(), new ActivityLog(bed.timer.clock())),
            bed.timer.clock());

    assertThat(jumps.step()).contains(Bed.START.plus(Duration.ofMinutes(1)));
  }

  @Test
  void a_gap_is_told_once_in_a_line_and_counted() {
    long id = bed.subscribe(feed, "down");
    bed.append(feed, "a");
    Round round = Bed.done(bed.store.rounds().open(feed, bed.timer.now())).orElseThrow();
    Subscription subscription = bed.store.subscriptions().byId(id).orElseThrow();
    Laggard behind = Laggard.behind(subscription, 0, bed.timer.now(), "no");
    Bed.done(bed.store.rounds().close(round, List.of(behind)));
    bed.timer.turn(Jumps.MOST_BEHIND);
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    List<Notice> told = new ArrayList<>();
    ActivityLog activity = new ActivityLog(bed.timer.clock());
    activity.onNotice(told::add);
    Jumps jumps = new Jumps(bed.store.laggards(), reports(registry, activity), bed.timer.clock());
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    Logger logger = (Logger) LoggerFactory.getLogger(Jumps.class);
    logger.addAppender(logged);
    try {
      jumps.step();
      jumps.step();
    } finally {
      logger.detachAppender(logged);
    }

    assertThat(logged.list).hasSize(1);
    assertThat(logged.list.get(0).getKeyValuePairs())
        .extracting(pair -> pair.key + "=" + pair.value)
        .contains("subscription=" + id, "feed=" + feed, "events=1", "reason=TOO_FAR_BEHIND");
    assertThat(registry.counter("feedbridge.gaps", "reason", "too_far_behind").count())
        .isEqualTo(1);
    assertThat(registry.counter("feedbridge.gap.events", "reason", "too_far_behind").count())
        .isEqualTo(1);
    assertThat(told).extracting(Notice::type).containsExactly(Notice.Type.SUBSCRIPTION_GAP);
  }
}
