package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.normalizer.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An event of which no document can be made stops neither its feed nor another one. */
@Timeout(300)
class UnmakeableTest {

  private static final String OTHER = "https://feeds.example/other.xml";

  @TempDir Path data;
  private Bed bed;
  private long feed;
  private long other;

  @BeforeEach
  void start() {
    bed = new Bed(data).started();
    feed = bed.feed(Bed.TOPIC);
    other = bed.feed(OTHER);
  }

  @AfterEach
  void stop() {
    bed.close();
  }

  private static void fail(boolean error) {
    if (error) {
      throw new StackOverflowError("of one event");
    }
    throw new IllegalArgumentException("a defect that one event meets");
  }

  /** Reads of events fail where they include this one. */
  private void damage(long event, boolean error) {
    bed.hooks.on(
        "Feeds.events",
        (arguments, call) -> {
          boolean ofFeed = arguments[0].equals(feed);
          if (ofFeed && (long) arguments[1] < event && (long) arguments[2] >= event) {
            fail(error);
          }
          return call.run();
        });
  }

  /** Turns the clock from retry to retry until something holds. */
  private void retryUntil(Supplier<Instant> next, Supplier<Boolean> held) {
    bed.until(
        () -> {
          Instant at = next.get();
          if (!held.get() && at != null && at.isAfter(bed.timer.now())) {
            bed.timer.turn(Duration.between(bed.timer.now(), at));
          }
          return held.get();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_subscriber_gets_the_events_around_it_and_the_gap_is_on_record(boolean error) {
    long id = bed.subscribe(feed, bed.subscriber.url("one"), Bed.terms(Format.ATOM, "secret"));
    bed.subscribe(other, bed.subscriber.url("two"), Bed.terms(Format.ATOM, "secret"));
    long first = bed.append(feed, "a");
    bed.awaitRound(feed, first);
    bed.subscriber.answer("one", 500);
    long good = bed.append(feed, "b");
    bed.awaitRound(feed, good);
    long bad = bed.append(feed, "bad");
    long last = bed.append(feed, "c");
    damage(bad, error);

    long beside = bed.append(other, "d");
    bed.awaitRoundOf(other, beside);
    bed.until(() -> bed.sent("two").contains(beside));
    bed.subscriber.answer("one", 204);

    retryUntil(() -> bed.row(id).next(), () -> bed.sent("one").contains(last));
    assertThat(bed.sent("one")).contains(first, good, last).doesNotContain(bad);
    assertThat(bed.store.laggards().gaps(id, 10))
        .singleElement()
        .satisfies(
            gap -> {
              assertThat(gap.reason()).isEqualTo(Gap.Reason.UNMAKEABLE);
              assertThat(gap.events()).isEqualTo(1);
              assertThat(gap.upTo()).isEqualTo(bad);
            });
    assertThat(bed.meters.counter("feedbridge.gaps", "reason", "unmakeable").count()).isEqualTo(1);
  }

  @Test
  void a_healthy_subscriber_whose_round_meets_it_is_not_left_for_ever() {
    long id = bed.subscribe(feed, "one");
    damage(2, false);
    long first = bed.append(feed, "a");
    bed.awaitRound(feed, first);
    long bad = bed.append(feed, "bad");
    assertThat(bad).isEqualTo(2);
    bed.awaitRound(feed, bad);
    long next = bed.append(feed, "b");

    retryUntil(() -> bed.row(id).next(), () -> bed.sent("one").contains(next));

    assertThat(bed.sent("one")).containsExactly(first, next);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_webhook_on_all_feeds_gets_those_of_the_others(boolean error) {
    Webhook webhook = bed.webhook(bed.subscriber.url("hook"));
    // Before the event, which the webhook's step may read as soon as it is there.
    bed.hooks.on(
        "Feeds.byId",
        (arguments, call) -> {
          if (arguments[0].equals(feed)) {
            fail(error);
          }
          return call.run();
        });
    long bad =
        bed.append(feed, new Update(Bed.fresh().feed(), List.of(), Status.of(Bed.TOPIC), true));
    bed.append(other, "b");

    retryUntil(
        () -> {
          LogConsumer consumer = bed.store.consumers().byName(webhook.consumer()).orElseThrow();
          return consumer.attempts() > 0 ? consumer.nextAttemptAt() : null;
        },
        () -> !bed.subscriber.received("hook").isEmpty());

    assertThat(bed.subscriber.received("hook")).hasSize(1);
    assertThat(Bed.body(bed.subscriber.received("hook").get(0))).contains("\"b\"");
    assertThat(bad).isPositive();
    // Counted beside the delivery of the others, which may be over first.
    bed.until(() -> bed.meters.counter("feedbridge.gaps", "reason", "unmakeable").count() == 1);
  }
}
