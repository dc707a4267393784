package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of {@link Consumers}. */
public abstract class ConsumersContract extends StoreContract {

  private static final Instant LATER = after(Duration.ofHours(1));

  private LogConsumer created(String name) {
    return done(consumers().create(name, NOW));
  }

  private LogConsumer reread(LogConsumer consumer) {
    return consumers().byName(consumer.name()).orElseThrow();
  }

  @Test
  void L8_a_consumer_begins_at_the_end_of_the_log() {
    FollowedFeed feed = feed("feed");
    append(feed, 1);
    long head = append(feed, 1);

    LogConsumer consumer = created("webhook 1");

    assertThat(consumer)
        .isEqualTo(new LogConsumer(consumer.id(), "webhook 1", head, null, 0, NOW, null));
    assertThat(consumers().byName("webhook 1")).contains(consumer);
    assertThat(consumers().start(consumer.id())).isEqualTo(head);
    assertThat(consumers().start(987_654)).isZero();
    assertThat(consumers().byName("webhook 2")).isEmpty();
  }

  @Test
  void a_consumer_that_is_moved_back_gets_later_events_again_and_never_fewer() {
    FollowedFeed feed = feed("feed");
    long first = append(feed, 1);
    append(feed, 1);
    LogConsumer consumer = created("one");
    done(consumers().move(List.of(consumer.failed(consumer.cursor(), LATER, "it failed"))));

    assertThat(done(consumers().rewind(consumer.id(), first, NOW))).isTrue();
    assertThat(reread(consumer))
        .isEqualTo(new LogConsumer(consumer.id(), "one", first, null, 0, NOW, null));
    assertThat(done(consumers().rewind(consumer.id(), first + 1, NOW))).isTrue();
    assertThat(reread(consumer).cursor()).isEqualTo(first);
    assertThat(consumers().start(consumer.id())).isEqualTo(first);
    assertThat(done(consumers().rewind(999_999, 0, NOW))).isFalse();
  }

  @Test
  void L8_an_empty_log_has_its_end_at_0() {
    assertThat(created("one").cursor()).isZero();
  }

  @Test
  void L8_the_end_of_a_log_whose_events_are_gone_is_where_they_ended() {
    FollowedFeed feed = feed("feed");
    long head = append(feed, 1);
    walk(feed);
    done(log().trim(after(Duration.ofDays(1)), 10, 1 << 20, NOW));

    assertThat(created("one").cursor()).isEqualTo(head);
  }

  @Test
  void L8_a_name_that_is_taken_finds_its_consumer_as_it_is() {
    LogConsumer first = created("one");
    append(feed("feed"), 1);

    assertThat(created("one")).isEqualTo(first);
    assertThat(consumers().all()).containsExactly(first);
  }

  @Test
  void L8_what_is_appended_as_it_is_created_is_either_before_its_cursor_or_read_from_there() {
    FollowedFeed feed = feed("feed");
    List<LogConsumer> created =
        concurrently(
            200,
            i ->
                i % 2 == 0
                    ? consumers().create("consumer " + i, NOW)
                    : feeds()
                        .record(OutcomeBuilder.of(feed, NOW).event(1).build())
                        .thenCompose(seqs -> consumers().create("after " + seqs.get(0), NOW)));

    long head = log().extent().head();
    for (LogConsumer consumer : created) {
      assertThat(log().read(consumer.cursor(), Long.MAX_VALUE, Log.Scope.ALL).events())
          .hasSize((int) (head - consumer.cursor()));
      if (consumer.name().startsWith("after ")) {
        assertThat(consumer.cursor())
            .isGreaterThanOrEqualTo(Long.parseLong(consumer.name().substring(6)));
      }
    }
  }

  @Test
  void L8_its_cursor_moves_on_and_outlives_a_restart() {
    LogConsumer consumer = created("one");

    assertThat(moved(consumer.at(12, LATER))).isTrue();
    restart();

    assertThat(reread(consumer)).isEqualTo(consumer.at(12, LATER));
  }

  @Test
  void L8_it_never_moves_back() {
    LogConsumer consumer = created("one");
    moved(consumer.at(12, NOW));

    assertThat(moved(consumer.at(11, NOW))).isFalse();

    assertThat(reread(consumer).cursor()).isEqualTo(12);
  }

  @Test
  void L8_many_move_at_once_and_one_that_cannot_holds_up_no_other() {
    LogConsumer quick = created("quick");
    LogConsumer ahead = created("ahead");
    LogConsumer gone = created("gone");
    LogConsumer failing = created("failing");
    moved(ahead.at(20, NOW));
    done(consumers().remove(gone.id()));

    assertThat(
            done(
                consumers()
                    .move(
                        List.of(
                            quick.at(12, LATER),
                            ahead.at(12, LATER),
                            gone.at(12, LATER),
                            failing.failed(9, LATER, "500")))))
        .containsExactlyInAnyOrder(quick.id(), failing.id());

    restart();
    assertThat(reread(quick)).isEqualTo(quick.at(12, LATER));
    assertThat(reread(ahead)).isEqualTo(ahead.at(20, NOW));
    assertThat(reread(failing)).isEqualTo(failing.failed(9, LATER, "500"));
    assertThat(done(consumers().move(List.of()))).isEmpty();
  }

  @Test
  void L12_a_failure_keeps_the_cursor_and_says_what_a_retry_repeats_and_when() {
    LogConsumer consumer = created("one").at(5, NOW);
    LogConsumer failed = consumer.failed(9, LATER, "no answer");
    LogConsumer again = failed.failed(9, after(Duration.ofHours(2)), "500");

    moved(failed);
    moved(again);
    restart();

    assertThat(reread(consumer))
        .isEqualTo(
            new LogConsumer(consumer.id(), "one", 5, 9L, 2, after(Duration.ofHours(2)), "500"));

    moved(again.at(9, LATER));
    assertThat(reread(consumer))
        .isEqualTo(new LogConsumer(consumer.id(), "one", 9, null, 0, LATER, null));
  }

  @Test
  void L13_one_that_fell_out_of_the_log_goes_on_where_it_begins_with_the_gap_on_record() {
    LogConsumer consumer = created("one");
    LogConsumer failed = consumer.failed(3, LATER, "no answer");
    moved(failed);

    assertThat(done(consumers().skip(failed, 7, LATER))).isTrue();
    restart();

    assertThat(reread(consumer)).isEqualTo(consumer.at(7, LATER));
    assertThat(consumers().gaps(consumer.id())).containsExactly(new Consumers.Gap(0, 7, LATER));
  }

  @Test
  void L13_what_it_consumed_since_its_last_checkpoint_is_no_gap() {
    LogConsumer consumer = created("one");

    done(consumers().skip(consumer.at(4, NOW), 7, LATER));

    assertThat(consumers().gaps(consumer.id())).containsExactly(new Consumers.Gap(4, 7, LATER));
  }

  @Test
  void L13_the_newest_gaps_are_kept() {
    LogConsumer consumer = created("one");
    LogConsumer other = created("other");
    done(consumers().skip(other, 1, NOW));
    for (int i = 0; i < Consumers.MAX_GAPS + 5; i++) {
      done(consumers().skip(consumer.at(10L * i, NOW), 10L * i + 1, NOW));
    }

    assertThat(consumers().gaps(consumer.id()))
        .hasSize(Consumers.MAX_GAPS)
        .startsWith(new Consumers.Gap(50, 51, NOW));
    assertThat(consumers().gaps(other.id())).hasSize(1);
  }

  @Test
  void L8_a_consumer_that_was_removed_is_not_moved_nor_is_another_of_its_name() {
    LogConsumer removed = created("one");
    done(consumers().skip(removed, 3, NOW));
    done(consumers().remove(removed.id()));
    assertThat(consumers().all()).isEmpty();
    assertThat(consumers().gaps(removed.id())).isEmpty();

    LogConsumer another = created("one");

    assertThat(moved(removed.at(12, NOW))).isFalse();
    assertThat(done(consumers().skip(removed, 12, NOW))).isFalse();
    assertThat(another.id()).isNotEqualTo(removed.id());
    assertThat(consumers().all()).containsExactly(another);
    assertThat(consumers().gaps(removed.id())).isEmpty();
  }

  @Test
  void all_are_listed_in_the_order_of_their_creation() {
    LogConsumer two = created("two");
    LogConsumer one = created("one");

    assertThat(consumers().all()).containsExactly(two, one);
  }
}
