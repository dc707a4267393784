package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contract of {@link Laggards} for those who are too far behind (rule L13). */
public abstract class GapsContract extends StoreContract {

  private static final Gap.Reason TOO_FAR = Gap.Reason.TOO_FAR_BEHIND;

  private long append(FollowedFeed feed, Instant at) {
    return done(feeds().record(OutcomeBuilder.of(reread(feed), at).event(1).build())).get(0);
  }

  private List<Gap> jump(Instant since) {
    return done(laggards().jump(since, TOO_FAR, 100, after(Duration.ofDays(9))));
  }

  private static Instant hour(int hour) {
    return after(Duration.ofHours(hour));
  }

  @Nested
  class L13_who_jumps {

    @Test
    void L13_whoever_misses_an_event_that_is_old_enough_and_nobody_else() {
      FollowedFeed feed = feed("feed");
      Subscription old = subscribe(feed, "https://old.example/");
      Subscription young = subscribe(feed, "https://young.example/");
      long first = append(feed, hour(0));
      long second = append(feed, hour(1));
      walk(feed, laggard(old, 0).build(), laggard(young, first).build());
      assertThat(laggards().oldestMissed()).contains(hour(0));

      assertThat(jump(hour(0).minusMillis(1))).isEmpty();
      assertThat(jump(hour(0)))
          .containsExactly(
              new Gap(old.id(), feed.id(), 0, second, 2, after(Duration.ofDays(9)), TOO_FAR));

      assertThat(laggards().oldestMissed()).contains(hour(1));
      assertThat(allDue()).extracting(Laggard::subscriptionId).containsExactly(young.id());
      assertThat(jump(hour(0))).isEmpty();
    }

    @Test
    void L13_the_longest_behind_first_and_at_most_as_many_as_asked_for() {
      List<Long> inOrder = new ArrayList<>();
      for (int i = 3; i >= 1; i--) {
        FollowedFeed feed = feed("feed" + i);
        Subscription subscription = subscribe(feed, "https://s.example/");
        append(feed, hour(i));
        walk(feed, laggard(subscription, 0).build());
        inOrder.add(0, subscription.id());
      }

      assertThat(done(laggards().jump(hour(9), TOO_FAR, 2, hour(9))))
          .extracting(Gap::subscriptionId)
          .containsExactlyElementsOf(inOrder.subList(0, 2));
      assertThat(done(laggards().jump(hour(9), TOO_FAR, 2, hour(9))))
          .extracting(Gap::subscriptionId)
          .containsExactly(inOrder.get(2));
    }

    @Test
    void L13_what_it_is_behind_by_follows_its_cursor() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://s.example/");
      long first = append(feed, hour(0));
      long second = append(feed, hour(1));
      Laggard laggard = laggard(subscription, 0).build();
      walk(feed, laggard);

      done(
          laggards()
              .settle(
                  LaggardBuilder.of(laggard).sending(second).failed(1, hour(3), "no").build(),
                  hour(2)));
      assertThat(laggards().oldestMissed()).contains(hour(0));
      done(laggards().settle(LaggardBuilder.of(laggard).got(first).build(), hour(3)));
      assertThat(laggards().oldestMissed()).contains(hour(1));
      done(laggards().settle(LaggardBuilder.of(laggard).got(second).build(), hour(3)));
      assertThat(laggards().oldestMissed()).isEmpty();
    }

    @Test
    void L13_one_that_rests_is_behind_only_once_a_round_passes_it_by() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://s.example/");
      append(feed, hour(0));
      Laggard laggard = laggard(subscription, 0).build();
      walk(feed, laggard);
      append(feed, hour(1));
      Round open = openRound(feed);
      long ahead = append(feed, hour(2));
      done(laggards().settle(LaggardBuilder.of(laggard).got(ahead).build(), hour(2)));
      append(feed, hour(3));
      assertThat(laggards().oldestMissed()).isEmpty();

      done(rounds().close(open, List.of()));
      openRound(feed);

      assertThat(laggards().oldestMissed()).contains(hour(3));
    }

    @Test
    void L13_it_is_known_over_a_restart() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://s.example/");
      append(feed, hour(0));
      walk(feed, laggard(subscription, 0).build());

      restart();
      assertThat(laggards().oldestMissed()).contains(hour(0));
      List<Gap> gaps = jump(hour(0));
      restart();

      assertThat(laggards().gaps(subscription.id(), 10)).isEqualTo(gaps);
    }
  }

  @Nested
  class L5_after_the_jump {

    @Test
    void L5_it_rests_and_the_next_round_takes_it_back_for_what_is_younger() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://s.example/");
      long first = append(feed, hour(0));
      walk(feed, laggard(subscription, 0).failed(7, hour(99), "no").sending(first).build());

      jump(hour(0));
      assertThat(allDue()).isEmpty();
      assertThat(recipients(feed.id(), 0, 10)).isEmpty();
      long second = append(feed, hour(1));
      Round round = openRound(feed);

      assertThat(round.from()).isEqualTo(first);
      assertThat(round.to()).isEqualTo(second);
      assertThat(recipients(feed.id(), 0, 10)).containsExactly(subscription);
    }

    @Test
    void L5_ahead_of_a_round_it_is_passed_by_and_misses_nothing_that_comes_after() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://s.example/");
      append(feed, hour(0));
      walk(feed, laggard(subscription, 0).build());
      append(feed, hour(1));
      Round open = openRound(feed);
      long head = append(feed, hour(2));

      jump(hour(0));
      done(rounds().close(open, List.of()));
      Round next = openRound(feed);
      assertThat(next.to()).isEqualTo(head);
      assertThat(recipients(feed.id(), 0, 10)).isEmpty();
      assertThat(allDue()).isEmpty();
      done(rounds().close(next, List.of()));
      append(feed, hour(3));
      openRound(feed);

      assertThat(recipients(feed.id(), 0, 10)).containsExactly(subscription);
    }

    @Test
    void L2_one_in_flight_jumps_as_well_and_is_left_alone_until_its_request_has_ended() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://s.example/");
      long first = append(feed, hour(0));
      Laggard slow = laggard(subscription, 0).inFlight(first).build();
      walk(feed, slow);
      long second = append(feed, hour(1));

      assertThat(jump(hour(0))).extracting(Gap::upTo).containsExactly(second);
      walk(feed);
      long third = append(feed, hour(2));
      openRound(feed);
      assertThat(recipients(feed.id(), 0, 10)).isEmpty();
      assertThat(allDue()).isEmpty();

      done(laggards().settle(LaggardBuilder.of(slow).failed(1, hour(50), "no").build(), hour(3)));
      assertThat(laggards().documentEnd(feed.id(), second)).isEqualTo(third);
      assertThat(allDue())
          .singleElement()
          .satisfies(
              due -> {
                assertThat(due.cursor()).isEqualTo(second);
                assertThat(due.state()).isEqualTo(Laggard.State.BEHIND);
                assertThat(due.attempts()).isZero();
                assertThat(due.nextAttemptAt()).isBeforeOrEqualTo(hour(3));
              });
    }

    @Test
    void L13_that_it_took_what_was_in_flight_does_not_bring_it_back() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://s.example/");
      long first = append(feed, hour(0));
      Laggard slow = laggard(subscription, 0).inFlight(first).build();
      walk(feed, slow);
      append(feed, hour(1));
      jump(hour(0));

      done(laggards().settle(LaggardBuilder.of(slow).got(first).build(), hour(2)));

      assertThat(allDue()).isEmpty();
      assertThat(laggards().oldestMissed()).isEmpty();
      openRound(feed);
      assertThat(recipients(feed.id(), 0, 10)).isEmpty();
    }

    @Test
    void L16_one_that_jumped_in_flight_rests_after_a_crash() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://s.example/");
      long first = append(feed, hour(0));
      walk(feed, laggard(subscription, 0).inFlight(first).build());
      jump(hour(0));

      restart();
      done(laggards().landAll());

      assertThat(allDue()).isEmpty();
      append(feed, hour(1));
      openRound(feed);
      assertThat(recipients(feed.id(), 0, 10)).containsExactly(subscription);
    }

    @Test
    void one_that_was_read_before_it_jumped_is_not_claimed() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://s.example/");
      long first = append(feed, hour(0));
      Laggard read = laggard(subscription, 0).build();
      walk(feed, read);
      jump(hour(0));

      assertThat(done(laggards().claim(List.of(LaggardBuilder.of(read).sending(first).build()))))
          .isEmpty();
    }
  }

  @Nested
  class The_record {

    private Subscription behind(FollowedFeed feed, String callback, Instant at) {
      Subscription subscription = subscribe(feed, callback);
      append(feed, at);
      walk(feed, laggard(subscription, subscription.start()).build());
      return subscription;
    }

    @Test
    void says_why_and_is_read_newest_first() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = behind(feed, "https://s.example/", hour(0));
      Gap first = jump(hour(0)).get(0);
      append(feed, hour(1));
      walk(feed, laggard(subscription, first.upTo()).build());
      Gap second = done(laggards().jump(hour(1), Gap.Reason.RETENTION, 1, hour(8))).get(0);

      assertThat(second.reason()).isEqualTo(Gap.Reason.RETENTION);
      assertThat(laggards().gaps(subscription.id(), 10)).containsExactly(second, first);
      assertThat(laggards().gaps(subscription.id(), 1)).containsExactly(second);
    }

    @Test
    void ends_with_its_subscription() {
      Subscription subscription = behind(feed("feed"), "https://s.example/", hour(0));
      jump(hour(0));

      done(subscriptions().end(subscription.id(), "gone", hour(1)));

      assertThat(laggards().gaps(subscription.id(), 10)).isEmpty();
    }

    @Test
    void is_bounded_and_forgets_the_oldest() {
      FollowedFeed feed = feed("feed");
      List<Subscription> all = new ArrayList<>();
      int count = 2_600;
      concurrently(
              count, i -> subscriptions().register(feed.id(), "https://s.example/" + i, TERMS, NOW))
          .forEach(all::add);
      int jumps = 0;
      long cursor = 0;
      while (jumps < Gap.MAX_KEPT + count) {
        long from = cursor;
        cursor = append(feed, hour(0));
        walk(feed, all.stream().map(one -> laggard(one, from).build()).toArray(Laggard[]::new));
        jumps += done(laggards().jump(hour(0), TOO_FAR, count, hour(9))).size();
      }

      assertThat(all.stream().mapToInt(one -> laggards().gaps(one.id(), 100).size()).sum())
          .isEqualTo(Gap.MAX_KEPT);
      assertThat(laggards().gaps(all.get(0).id(), 1)).extracting(Gap::upTo).containsExactly(cursor);
    }
  }
}
