package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contract of {@link Rounds}, and of what a round does to laggards. */
public abstract class RoundsContract extends StoreContract {

  private List<Long> recipients(FollowedFeed feed) {
    return recipients(feed.id(), 0, 1000).stream().map(Subscription::id).toList();
  }

  @Nested
  class L1_a_round_is_due {

    @Test
    void L1_a_round_is_due_whenever_the_head_is_past_the_last_round() {
      FollowedFeed feed = feed("feed");
      assertThat(due(0, 10)).isEmpty();

      append(feed, 1);
      assertThat(due(0, 10)).containsExactly(feed.id());

      walk(feed);
      assertThat(due(0, 10)).isEmpty();
    }

    @Test
    void L1_what_was_appended_during_a_round_is_the_next_ones() {
      FollowedFeed feed = feed("feed");
      long first = append(feed, 1);
      Round round = openRound(feed);
      long second = append(feed, 1);
      done(rounds().close(round, List.of()));

      assertThat(due(0, 10)).containsExactly(feed.id());
      assertThat(openRound(feed)).isEqualTo(new Round(feed.id(), first, second, 0));
    }

    @Test
    void L1_those_who_are_due_can_be_asked_for_round_and_round_a_few_at_a_time() {
      FollowedFeed one = feed("one");
      FollowedFeed two = feed("two");
      FollowedFeed three = feed("three");
      append(three, 1);
      append(one, 1);
      append(two, 1);

      assertThat(due(0, 2)).containsExactly(one.id(), two.id());
      assertThat(due(two.id(), 2)).containsExactly(three.id());
      assertThat(due(three.id(), 2)).isEmpty();
    }

    @Test
    void L1_L16_a_feed_stays_due_until_its_round_is_closed() {
      FollowedFeed feed = feed("feed");
      append(feed, 1);

      Round round = openRound(feed);
      assertThat(due(0, 10)).containsExactly(feed.id());

      done(rounds().close(round, List.of()));
      assertThat(due(0, 10)).isEmpty();
    }
  }

  @Nested
  class L2_one_round_per_feed {

    @Test
    void L2_no_second_round_is_opened() {
      FollowedFeed feed = feed("feed");
      append(feed, 1);
      Round round = openRound(feed);
      append(feed, 1);

      assertThat(done(rounds().open(feed.id(), NOW))).isEmpty();
      assertThat(rounds().current(feed.id())).contains(round);
    }

    @Test
    void L2_of_many_who_open_it_at_once_one_does() {
      FollowedFeed feed = feed("feed");
      append(feed, 1);

      assertThat(concurrently(50, i -> rounds().open(feed.id(), NOW)))
          .filteredOn(Optional::isPresent)
          .hasSize(1);
      assertThat(rounds().current(feed.id())).isPresent();
    }

    @Test
    void L2_none_is_opened_where_none_is_due() {
      FollowedFeed feed = feed("feed");

      assertThat(done(rounds().open(feed.id(), NOW))).isEmpty();
      assertThat(done(rounds().open(feed.id() + 1, NOW))).isEmpty();
    }

    @Test
    void L2_each_feed_has_its_own() {
      FollowedFeed one = feed("one");
      FollowedFeed two = feed("two");
      append(one, 1);
      append(two, 1);

      assertThat(rounds().current(one.id())).isEmpty();
      Round first = openRound(one);
      Round second = openRound(two);

      assertThat(rounds().current(one.id())).contains(first);
      assertThat(rounds().current(two.id())).contains(second);
    }
  }

  @Nested
  class DocumentBounds {

    @Test
    void a_round_takes_as_many_events_as_fit_one_document() {
      FollowedFeed feed = feed("feed");
      append(feed, 60);
      long second = append(feed, 40);
      long third = append(feed, 1);

      assertThat(walk(feed).to()).isEqualTo(second);
      assertThat(walk(feed)).isEqualTo(new Round(feed.id(), second, third, 0));
      assertThat(due(0, 10)).isEmpty();
    }

    @Test
    void and_at_least_one_however_long() {
      FollowedFeed feed = feed("feed");
      Outcome outcome =
          OutcomeBuilder.of(feed, NOW).longEvent(Document.MAX_BYTES + 1).event(1).build();
      List<Long> seqs = done(feeds().record(outcome));

      assertThat(walk(feed).to()).isEqualTo(seqs.get(0));
      assertThat(walk(feed).to()).isEqualTo(seqs.get(1));
    }
  }

  @Nested
  class L4_checkpoint {

    @Test
    void L4_a_checkpoint_commits_with_the_rows_of_those_who_were_not_served() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example:8443/");
      Subscription two = subscribe(feed, "https://two.example/");
      long head = append(feed, 1);
      Round round = openRound(feed);
      Round moved = new Round(feed.id(), round.from(), round.to(), two.id());
      Laggard failed =
          laggard(one, round.from())
              .sending(head)
              .failed(1, after(Duration.ofSeconds(10)), "500")
              .build();

      done(rounds().checkpoint(moved, List.of(failed)));
      restart();

      assertThat(rounds().current(feed.id())).contains(moved);
      assertThat(allDue()).containsExactly(failed);
    }

    // A host is not optional: the second row cannot be written.
    @SuppressWarnings("NullAway")
    @Test
    void L4_a_checkpoint_whose_rows_cannot_be_written_does_not_move() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      Subscription two = subscribe(feed, "https://two.example/");
      append(feed, 1);
      Round round = openRound(feed);
      Round moved = new Round(feed.id(), round.from(), round.to(), two.id());
      List<Laggard> rows = List.of(laggard(one, 0).build(), laggard(two, 0).host(null).build());

      assertThat(rounds().checkpoint(moved, rows)).failsWithin(Duration.ofSeconds(20));

      assertThat(rounds().current(feed.id())).contains(round);
      assertThat(allDue()).isEmpty();
    }

    @Test
    void L4_a_laggard_whose_subscription_has_ended_is_left_out() {
      FollowedFeed feed = feed("feed");
      Subscription stays = subscribe(feed, "https://one.example/");
      Subscription ended = subscribe(feed, "https://two.example/");
      append(feed, 1);
      Round round = openRound(feed);
      done(subscriptions().end(ended.id(), "gone", NOW));

      done(
          rounds()
              .checkpoint(round, List.of(laggard(ended, 0).build(), laggard(stays, 0).build())));
      done(rounds().close(round, List.of(laggard(ended, 0).build())));

      assertThat(allDue()).extracting(Laggard::subscriptionId).containsExactly(stays.id());
    }

    @Test
    void L4_a_round_closes_with_the_rows_of_those_who_were_not_served() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      append(feed, 1);
      Laggard behind = laggard(subscription, 0).build();

      walk(feed, behind);

      assertThat(rounds().current(feed.id())).isEmpty();
      assertThat(allDue()).containsExactly(behind);
    }
  }

  @Nested
  class L5_laggards_and_rounds {

    @Test
    void L5_a_round_skips_whoever_has_a_laggard_row() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      Subscription two = subscribe(feed, "https://two.example/");
      Subscription three = subscribe(feed, "https://three.example/");
      append(feed, 1);
      walk(feed, laggard(two, 0).build());
      append(feed, 1);
      openRound(feed);

      assertThat(recipients(feed)).containsExactly(one.id(), three.id());
    }

    @Test
    void L5_recipients_are_read_in_id_order_page_by_page_and_per_feed() {
      FollowedFeed feed = feed("feed");
      subscribe(feed("other"), "https://other.example/");
      Subscription one = subscribe(feed, "https://z.example/");
      Subscription two = subscribe(feed, "https://a.example/");
      Subscription three = subscribe(feed, "https://m.example/");

      assertThat(recipients(feed.id(), 0, 2)).containsExactly(one, two);
      assertThat(recipients(feed.id(), two.id(), 2)).containsExactly(three);
    }

    @Test
    void L5_only_the_opening_of_the_next_round_takes_a_recovered_laggard_back() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      long first = append(feed, 1);
      Laggard behind = laggard(subscription, 0).build();
      walk(feed, behind);

      done(laggards().claim(List.of(LaggardBuilder.of(behind).inFlight(first).build())));
      done(laggards().settle(LaggardBuilder.of(behind).got(first).build(), NOW));
      assertThat(recipients(feed)).isEmpty();
      append(feed, 1);
      assertThat(recipients(feed)).isEmpty();

      openRound(feed);
      assertThat(recipients(feed)).containsExactly(subscription.id());
    }

    @Test
    void L5_one_whose_cursor_is_elsewhere_is_not_taken_back() {
      FollowedFeed feed = feed("feed");
      Subscription behind = subscribe(feed, "https://behind.example/");
      Subscription level = subscribe(feed, "https://level.example/");
      long first = append(feed, 1);
      long second = append(feed, 1);
      walk(feed, laggard(behind, first).build(), laggard(level, second).build());
      append(feed, 1);

      openRound(feed);

      assertThat(recipients(feed)).containsExactly(level.id());
      assertThat(allDue()).extracting(Laggard::subscriptionId).containsExactly(behind.id());
    }

    @Test
    void L5_one_in_flight_is_not_taken_back_and_is_served_what_the_round_brings() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      long first = append(feed, 1);
      Laggard slow = laggard(subscription, 0).inFlight(first).build();
      walk(feed, slow);
      long second = append(feed, 1);
      Round round = openRound(feed);
      assertThat(recipients(feed)).isEmpty();

      done(laggards().settle(LaggardBuilder.of(slow).got(first).build(), NOW));

      assertThat(laggardsDue(NOW)).singleElement().extracting(Laggard::cursor).isEqualTo(first);
      Laggard again = allDue().get(0);
      done(laggards().claim(List.of(LaggardBuilder.of(again).inFlight(second).build())));
      done(laggards().settle(LaggardBuilder.of(again).got(second).build(), NOW));
      done(rounds().close(round, List.of()));
      append(feed, 1);
      openRound(feed);
      assertThat(recipients(feed)).containsExactly(subscription.id());
    }

    @Test
    void L5_one_in_flight_is_not_taken_back_though_its_cursor_is_where_the_round_begins() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      long first = append(feed, 1);
      Round round = openRound(feed);
      Laggard behind = laggard(subscription, 0).build();
      done(rounds().checkpoint(round, List.of(behind)));
      long second = append(feed, 1);
      done(laggards().claim(List.of(LaggardBuilder.of(behind).inFlight(first).build())));
      done(laggards().settle(LaggardBuilder.of(behind).got(first).build(), NOW));
      Laggard again = allDue().get(0);
      done(laggards().claim(List.of(LaggardBuilder.of(again).inFlight(second).build())));
      done(rounds().close(round, List.of()));

      assertThat(openRound(feed).from()).isEqualTo(first);

      // The round would send it what is under way to it already.
      assertThat(recipients(feed)).isEmpty();
    }

    @Test
    void L5_a_laggard_ahead_of_the_round_is_woken_when_a_round_brings_more_than_it_has() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      long first = append(feed, 1);
      Round slow = openRound(feed);
      Laggard behind = laggard(subscription, 0).build();
      done(rounds().checkpoint(slow, List.of(behind)));
      long second = append(feed, 1);
      // It is served past the round, which is still under way.
      done(laggards().claim(List.of(LaggardBuilder.of(behind).inFlight(second).build())));
      done(laggards().settle(LaggardBuilder.of(behind).got(second).build(), NOW));
      assertThat(allDue()).isEmpty();
      long third = append(feed, 1);
      done(rounds().close(slow, List.of()));
      assertThat(slow.to()).isEqualTo(first);

      Round next = openRound(feed);

      assertThat(next.to()).isEqualTo(third);
      assertThat(recipients(feed)).isEmpty();
      assertThat(laggardsDue(NOW)).singleElement().extracting(Laggard::cursor).isEqualTo(second);
    }

    @Test
    void L5_a_laggard_that_has_all_that_the_round_brings_goes_on_resting() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      append(feed, 1);
      Round slow = openRound(feed);
      Laggard behind = laggard(subscription, 0).build();
      done(rounds().checkpoint(slow, List.of(behind)));
      long second = append(feed, 1);
      done(laggards().claim(List.of(LaggardBuilder.of(behind).inFlight(second).build())));
      done(laggards().settle(LaggardBuilder.of(behind).got(second).build(), NOW));
      done(rounds().close(slow, List.of()));

      Round next = openRound(feed);
      assertThat(recipients(feed)).isEmpty();
      assertThat(allDue()).isEmpty();
      done(rounds().close(next, List.of()));

      append(feed, 1);
      openRound(feed);
      assertThat(recipients(feed)).containsExactly(subscription.id());
    }

    @Test
    void L5_the_rounds_of_one_feed_do_not_touch_the_laggards_of_another() {
      FollowedFeed feed = feed("feed");
      FollowedFeed other = feed("other");
      Subscription subscription = subscribe(other, "https://one.example/");
      append(other, 1);
      walk(other, laggard(subscription, 0).build());
      append(feed, 1);

      openRound(feed);

      assertThat(recipients(other)).isEmpty();
      assertThat(allDue()).hasSize(1);
    }
  }

  @Nested
  class L16_restart {

    @Test
    void L16_open_rounds_go_on_from_their_checkpoints_after_a_restart() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      Subscription two = subscribe(feed, "https://two.example/");
      append(feed, 1);
      Round round = openRound(feed);
      Round moved = new Round(feed.id(), round.from(), round.to(), one.id());
      done(rounds().checkpoint(moved, List.of()));

      restart();

      assertThat(rounds().current(feed.id())).contains(moved);
      assertThat(due(0, 10)).containsExactly(feed.id());
      assertThat(recipients(feed.id(), moved.checkpoint(), 10)).containsExactly(two);
    }

    @Test
    void L16_a_laggard_written_again_after_a_restart_keeps_what_it_got_meanwhile() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      long first = append(feed, 1);
      long second = append(feed, 1);
      Round round = openRound(feed);
      Laggard behind = laggard(subscription, 0).build();
      done(rounds().checkpoint(round, List.of(behind)));
      done(laggards().claim(List.of(LaggardBuilder.of(behind).inFlight(first).build())));
      done(laggards().settle(LaggardBuilder.of(behind).got(first).build(), NOW));

      done(rounds().close(round, List.of(behind)));

      assertThat(second).isGreaterThan(first);
      assertThat(allDue()).singleElement().extracting(Laggard::cursor).isEqualTo(first);
    }
  }

  @Nested
  class Signals {

    @Test
    void the_end_of_a_round_is_told_so_that_the_next_one_is_looked_for() {
      FollowedFeed feed = feed("feed");
      append(feed, 1);
      Round round = openRound(feed);
      append(feed, 1);
      Signal<List<Long>> told = signal(() -> due(0, 10));
      store().onChange(Change.APPENDED, told);

      done(rounds().close(round, List.of()));

      told.awaits(List.of(feed.id()));
    }

    @Test
    void a_laggard_row_is_told_once_it_is_there() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      append(feed, 1);
      Round round = openRound(feed);
      Laggard behind = laggard(subscription, 0).build();
      Signal<List<Laggard>> told = signal(() -> allDue());
      laggards().onDue((host, at) -> told.run());

      done(rounds().checkpoint(round, List.of(behind)));

      told.awaits(List.of(behind));
    }
  }
}
