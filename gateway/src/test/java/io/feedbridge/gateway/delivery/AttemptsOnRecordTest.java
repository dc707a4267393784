package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is on record of each delivery, and what an operator can do about one that failed. */
class AttemptsOnRecordTest {

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

  private List<Attempt> attempts(long subscription) {
    return bed.attempts.of(subscription);
  }

  private void awaitEnded(long subscription, int count) {
    bed.until(
        () ->
            attempts(subscription).stream().filter(attempt -> attempt.outcome() != null).count()
                == count);
  }

  @Nested
  class TheRecord {

    @Test
    void has_a_delivery_of_a_round_with_event_size_and_status() {
      long one = bed.subscribe(feed, "one");
      bed.subscriber.answer("one", 201);

      long event = bed.append(feed, "a");

      awaitEnded(one, 1);
      Attempt attempt = attempts(one).get(0);
      assertThat(attempt.eventId()).isEqualTo(event);
      assertThat(attempt.number()).isEqualTo(1);
      assertThat(attempt.kind()).isEqualTo(Attempt.Kind.ROUND);
      assertThat(attempt.at()).isEqualTo(Bed.START);
      assertThat(attempt.bytes()).isEqualTo(bed.subscriber.received("one").get(0).body().length);
      assertThat(attempt.outcome()).isEqualTo(DeliveryOutcome.DELIVERED);
      assertThat(attempt.status()).isEqualTo(201);
      assertThat(attempt.took()).isPositive();
    }

    @Test
    void has_one_that_is_under_way() {
      long one = bed.subscribe(feed, "one");
      CompletableFuture<Response> gate = bed.gate("one");

      bed.append(feed, "a");

      bed.until(() -> bed.subscriber.received("one").size() == 1);
      assertThat(attempts(one)).hasSize(1);
      assertThat(attempts(one).get(0).outcome()).isNull();
      gate.complete(Response.noContent());
      awaitEnded(one, 1);
    }

    @Test
    void counts_the_attempts_at_a_document_until_it_is_delivered() {
      long one = bed.subscribe(feed, "one");
      bed.subscriber.answer("one", 503);
      long first = bed.append(feed, "a");
      awaitEnded(one, 1);
      bed.until(() -> bed.rows().size() == 1);
      turnToTheNext();
      awaitEnded(one, 2);
      bed.subscriber.answer("one", 204);
      bed.until(() -> bed.rows().get(0).attempts() == 2);
      turnToTheNext();
      awaitEnded(one, 3);

      assertThat(attempts(one)).extracting(Attempt::number).containsExactly(3, 2, 1);
      assertThat(attempts(one)).extracting(Attempt::eventId).containsOnly(first);
      assertThat(attempts(one))
          .extracting(Attempt::kind)
          .containsExactly(Attempt.Kind.CATCH_UP, Attempt.Kind.CATCH_UP, Attempt.Kind.ROUND);
      assertThat(attempts(one))
          .extracting(Attempt::outcome)
          .containsExactly(
              DeliveryOutcome.DELIVERED, DeliveryOutcome.REFUSED, DeliveryOutcome.REFUSED);
      assertThat(attempts(one)).extracting(Attempt::status).containsExactly(204, 503, 503);
    }

    private void turnToTheNext() {
      bed.timer.turn(Duration.ofHours(3));
    }

    @Test
    void has_what_a_stop_cut_off() {
      long one = bed.subscribe(feed, "one");
      var neverAnswered = bed.gate("one");
      bed.append(feed, "a");
      bed.until(() -> bed.subscriber.received("one").size() == 1);

      bed.stop();

      assertThat(neverAnswered).isNotDone();
      assertThat(attempts(one))
          .extracting(Attempt::outcome)
          .containsExactly(DeliveryOutcome.CUT_OFF);
    }

    @Test
    void costs_the_store_nothing() {
      long one = bed.subscribe(feed, "one");
      bed.append(feed, "a");
      awaitEnded(one, 1);
      bed.until(() -> bed.store.rounds().due(0, 1).isEmpty());

      assertThat(bed.rows()).isEmpty();
    }
  }

  @Nested
  class Retry {

    private long one;

    @BeforeEach
    void fail() {
      one = bed.subscribe(feed, "one");
      bed.subscriber.answer("one", 503);
      bed.append(feed, "a");
      bed.until(() -> bed.rows().stream().anyMatch(row -> row.attempts() == 1));
    }

    @Test
    void sends_at_once_what_would_have_waited() {
      bed.subscriber.answer("one", 204);

      assertThat(bed.retry(one)).isTrue();

      // The clock stands still: nothing but the retry made it due.
      bed.until(() -> bed.sent("one").size() == 2);
      assertThat(bed.sent("one").get(1)).isEqualTo(bed.sent("one").get(0));
    }

    @Test
    void that_fails_goes_on_with_the_back_off() {
      assertThat(bed.retry(one)).isTrue();

      bed.until(() -> bed.rows().stream().anyMatch(row -> row.attempts() == 2));
      assertThat(bed.rows().get(0).next()).isAfter(bed.timer.now());
      assertThat(bed.sent("one")).hasSize(2);
    }

    @Test
    void L2_of_one_in_flight_sends_nothing_more() {
      CompletableFuture<Response> gate = bed.gate("one");
      assertThat(bed.retry(one)).isTrue();
      bed.until(() -> bed.sent("one").size() == 2);

      assertThat(bed.retry(one)).isFalse();

      gate.complete(Response.noContent());
      awaitEnded(one, 2);
      assertThat(bed.sent("one")).hasSize(2);
    }

    @Test
    void of_one_that_is_not_behind_does_nothing() {
      assertThat(bed.retry(bed.subscribe(feed, "two"))).isFalse();
      assertThat(bed.retry(99)).isFalse();
    }
  }
}
