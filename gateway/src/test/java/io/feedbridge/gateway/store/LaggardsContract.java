package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.websub.DocumentWishes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contract of {@link Laggards}. */
public abstract class LaggardsContract extends StoreContract {

  /** A subscription that missed the one event its feed has. */
  private Laggard behind(String name, Instant nextAttemptAt) {
    FollowedFeed feed = feed(name);
    Subscription subscription = subscribe(feed, "https://" + name + ".example/");
    append(feed, 1);
    Laggard laggard = laggard(subscription, 0).failed(1, nextAttemptAt, "no answer").build();
    walk(feed, laggard);
    return laggard;
  }

  private FollowedFeed feedOf(Laggard laggard) {
    return feeds().byId(laggard.feedId()).orElseThrow();
  }

  private static Laggard sending(Laggard laggard, long upTo) {
    return LaggardBuilder.of(laggard).sending(upTo).build();
  }

  @Nested
  class Due {

    @Test
    void laggards_are_due_longest_due_first_and_at_most_as_many_as_asked_for() {
      Laggard second = behind("two", after(Duration.ofSeconds(2)));
      Laggard first = behind("one", after(Duration.ofSeconds(1)));
      behind("three", after(Duration.ofSeconds(3)));

      assertThat(nextDue()).contains(after(Duration.ofSeconds(1)));
      assertThat(laggardsDue(NOW)).isEmpty();
      assertThat(laggardsDue(after(Duration.ofSeconds(2)))).containsExactly(first, second);
    }

    @Test
    void those_of_one_host_come_longest_due_first_with_those_that_are_not_due_yet() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://same.example/one");
      Subscription two = subscribe(feed, "https://same.example/two");
      Subscription three = subscribe(feed, "https://same.example/three");
      Subscription rests = subscribe(feed, "https://same.example/rests");
      Subscription flies = subscribe(feed, "https://same.example/flies");
      long head = append(feed, 1);
      Laggard last = laggard(one, 0).failed(1, after(Duration.ofDays(1)), "500").build();
      Laggard first = laggard(two, 0).failed(1, NOW, "500").build();
      Laggard second = laggard(three, 0).failed(1, after(Duration.ofSeconds(1)), "500").build();
      Laggard got = laggard(rests, 0).build();
      walk(feed, last, first, second, got, laggard(flies, 0).inFlight(head).build());
      done(laggards().settle(LaggardBuilder.of(got).got(head).build(), NOW));
      behind("other", NOW);

      assertThat(laggards().next("same.example", 10)).containsExactly(first, second, last);
      assertThat(laggards().next("same.example", 2)).containsExactly(first, second);
      assertThat(laggards().next("nobody.example", 2)).isEmpty();
    }

    @Test
    void hosts_are_found_page_by_page_with_the_time_of_their_first() {
      behind("b", NOW);
      behind("a", after(Duration.ofSeconds(5)));
      behind("c", NOW);
      FollowedFeed feed = feed("more");
      Subscription sooner = subscribe(feed, "https://a.example/sooner");
      Subscription flies = subscribe(feed, "https://flies.example/");
      long head = append(feed, 1);
      Instant soon = after(Duration.ofSeconds(2));
      walk(
          feed,
          laggard(sooner, 0).failed(1, soon, "500").build(),
          laggard(flies, 0).inFlight(head).build());

      assertThat(laggards().hosts("", 2))
          .containsExactly(
              new Laggards.Host("a.example", soon), new Laggards.Host("b.example", NOW));
      assertThat(laggards().hosts("b.example", 2))
          .containsExactly(new Laggards.Host("c.example", NOW));
      assertThat(laggards().hosts("c.example", 2)).isEmpty();
    }

    @Test
    void nothing_is_due_where_nobody_lags() {
      assertThat(nextDue()).isEmpty();
      assertThat(laggardsDue(NOW)).isEmpty();
    }

    @Test
    void L16_laggards_are_found_after_a_restart() {
      Laggard laggard = behind("one", NOW);

      restart();

      assertThat(laggardsDue(NOW)).containsExactly(laggard);
    }
  }

  @Nested
  class L12_claim {

    @Test
    void L12_a_claim_fixes_the_end_of_the_document() {
      Laggard laggard = behind("one", NOW);
      long head = feedOf(laggard).head();

      List<Laggard> claimed = done(laggards().claim(List.of(sending(laggard, head))));
      append(feedOf(laggard), 1);
      restart();
      done(laggards().landAll());

      assertThat(claimed).extracting(Laggard::documentEnd).containsExactly(head);
      assertThat(laggardsDue(NOW)).extracting(Laggard::documentEnd).containsExactly(head);
    }

    @Test
    void L2_L3_one_in_flight_is_neither_due_nor_claimed_again() {
      Laggard laggard = behind("one", NOW);
      Laggard sent = sending(laggard, 1);
      done(laggards().claim(List.of(sent)));

      assertThat(laggardsDue(after(Duration.ofDays(1)))).isEmpty();
      assertThat(nextDue()).isEmpty();
      assertThat(done(laggards().claim(List.of(sent)))).isEmpty();
    }

    @Test
    void L3_one_whose_request_a_round_left_behind_is_not_due_before_it_ended() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      long head = append(feed, 1);
      Laggard slow = laggard(subscription, 0).inFlight(head).build();
      walk(feed, slow);
      assertThat(allDue()).isEmpty();
      assertThat(done(laggards().claim(List.of(slow)))).isEmpty();

      Instant retryAt = after(Duration.ofSeconds(30));
      Laggard failed = LaggardBuilder.of(slow).failed(1, retryAt, "500").build();
      done(laggards().settle(failed, NOW));

      assertThat(nextDue()).contains(retryAt);
      assertThat(laggardsDue(retryAt)).containsExactly(failed);
    }

    @Test
    void L2_of_two_claims_read_at_the_same_time_one_comes_first() {
      Laggard laggard = behind("one", NOW);

      assertThat(concurrently(20, i -> laggards().claim(List.of(sending(laggard, 1)))))
          .filteredOn(claimed -> !claimed.isEmpty())
          .hasSize(1);
    }

    @Test
    void one_that_was_tried_since_it_was_read_is_not_claimed_before_its_time() {
      Laggard read = behind("one", NOW);
      done(laggards().claim(List.of(sending(read, 1))));
      Instant retryAt = after(Duration.ofMinutes(1));
      done(
          laggards()
              .settle(LaggardBuilder.of(read).sending(1L).failed(2, retryAt, "500").build(), NOW));

      assertThat(done(laggards().claim(List.of(sending(read, 1))))).isEmpty();
      assertThat(laggardsDue(retryAt)).hasSize(1);
    }

    @Test
    void one_that_got_more_since_it_was_read_is_not_claimed() {
      Laggard read = behind("one", NOW);
      long first = feedOf(read).head();
      append(feedOf(read), 1);
      openRound(feedOf(read));
      done(laggards().claim(List.of(sending(read, first))));
      done(laggards().settle(LaggardBuilder.of(read).got(first).build(), NOW));

      assertThat(done(laggards().claim(List.of(sending(read, first))))).isEmpty();
    }

    @Test
    void L7_one_whose_subscription_ended_since_it_was_read_is_not_claimed() {
      Laggard gone = behind("gone", NOW);
      Laggard stays = behind("stays", NOW);
      done(subscriptions().end(gone.subscriptionId(), "gone", NOW));

      assertThat(done(laggards().claim(List.of(sending(gone, 1), sending(stays, 2)))))
          .containsExactly(sending(stays, 2));
    }
  }

  @Nested
  class Settling {

    @Test
    void L12_a_failure_keeps_cursor_and_document_and_waits() {
      Laggard laggard = behind("one", NOW);
      long head = feedOf(laggard).head();
      done(laggards().claim(List.of(sending(laggard, head))));
      append(feedOf(laggard), 1);
      Instant retryAt = after(Duration.ofMinutes(2));
      Laggard failed =
          LaggardBuilder.of(laggard).sending(head).failed(2, retryAt, "503 busy").build();

      done(laggards().settle(failed, NOW));

      assertThat(laggardsDue(after(Duration.ofMinutes(1)))).isEmpty();
      assertThat(laggardsDue(retryAt)).containsExactly(failed);
    }

    @Test
    void one_that_got_everything_rests() {
      Laggard laggard = behind("one", NOW);

      done(laggards().settle(LaggardBuilder.of(laggard).got(feedOf(laggard).head()).build(), NOW));

      assertThat(allDue()).isEmpty();
      assertThat(nextDue()).isEmpty();
    }

    @Test
    void L5_one_that_misses_what_the_next_round_brings_waits_for_that() {
      Laggard laggard = behind("one", NOW);
      long first = feedOf(laggard).head();
      append(feedOf(laggard), 1);

      done(laggards().settle(LaggardBuilder.of(laggard).got(first).build(), NOW));

      assertThat(allDue()).isEmpty();
      openRound(feedOf(laggard));
      assertThat(recipients(laggard.feedId(), 0, 10)).hasSize(1);
    }

    @Test
    void one_that_rests_is_no_matter_of_a_round_and_due_when_its_rest_is_over() {
      Laggard laggard = behind("one", NOW);
      FollowedFeed feed = feedOf(laggard);
      Instant until = NOW.plusSeconds(900);
      done(laggards().settle(laggard.resting(feed.head(), until), NOW));
      assertThat(allDue()).isEmpty();
      append(feedOf(laggard), 1);

      openRound(feedOf(laggard));

      assertThat(recipients(laggard.feedId(), 0, 10)).isEmpty();
      assertThat(laggardsDue(until)).hasSize(1);
      assertThat(laggards().next(laggard.host(), 1).get(0).nextAttemptAt()).isEqualTo(until);
      assertThat(laggards().oldestMissed()).contains(until);
    }

    @Test
    void a_round_takes_one_back_whose_rest_is_over() {
      Laggard laggard = behind("one", NOW);
      done(laggards().settle(laggard.resting(feedOf(laggard).head(), NOW.plusMillis(1)), NOW));
      append(feedOf(laggard), 1);

      done(rounds().open(laggard.feedId(), NOW.plusMillis(1)));

      assertThat(recipients(laggard.feedId(), 0, 10)).hasSize(1);
    }

    @Test
    void one_that_rests_and_misses_more_than_a_document_holds_is_served_at_once() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      long first = append(feed, Document.MAX_ENTRIES);
      append(feed, 1);
      Laggard laggard = laggard(subscription, 0).build();
      walk(feed, laggard);
      walk(feed);

      done(laggards().settle(laggard.resting(first, after(Duration.ofHours(1))), NOW));

      assertThat(laggardsDue(NOW)).hasSize(1);
    }

    @Test
    void one_that_rests_waits_for_its_time_where_more_came_since_its_document_was_made() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      long first = append(feed, 1);
      append(feed, 1);
      Laggard laggard = laggard(subscription, 0).build();
      walk(feed, laggard);
      Instant until = after(Duration.ofHours(1));

      done(laggards().settle(laggard.resting(first, until), NOW));

      assertThat(laggardsDue(NOW)).isEmpty();
      assertThat(laggardsDue(until)).hasSize(1);
      assertThat(laggards().oldestMissed()).contains(until);
    }

    @Test
    void a_round_that_begins_at_the_last_event_of_one_that_rests_does_not_take_it_back() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      append(feed, 1);
      Laggard laggard = laggard(subscription, 0).build();
      walk(feed, laggard);
      long second = append(feed, 1);
      Round open = openRound(feed);
      append(feed, 1);
      Instant until = after(Duration.ofHours(1));
      done(laggards().settle(laggard.resting(second, until), NOW));
      done(rounds().close(open, List.of()));

      openRound(feed);

      assertThat(recipients(feed.id(), 0, 10)).isEmpty();
      assertThat(laggardsDue(until)).hasSize(1);
    }

    @Test
    void one_that_misses_more_is_served_at_once() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      long first = append(feed, 1);
      append(feed, 1);
      Laggard laggard =
          laggard(subscription, 0).failed(3, after(Duration.ofDays(1)), "500").build();
      walk(feed, laggard);
      Instant later = after(Duration.ofHours(1));

      done(laggards().settle(LaggardBuilder.of(laggard).got(first).dueAt(later).build(), later));

      assertThat(laggardsDue(later))
          .containsExactly(laggard(subscription, first).dueAt(later).build());
    }

    @Test
    void L7_an_outcome_of_an_ended_subscription_changes_nothing() {
      Laggard laggard = behind("one", NOW);
      done(laggards().claim(List.of(sending(laggard, 1))));
      done(subscriptions().end(laggard.subscriptionId(), "gone", NOW));

      done(laggards().settle(laggard, NOW));

      assertThat(allDue()).isEmpty();
      assertThat(store().figures().laggards()).isZero();
    }

    @Test
    void L7_nor_does_it_touch_who_subscribed_again_with_the_same_callback() {
      Laggard laggard = behind("one", NOW);
      done(laggards().claim(List.of(sending(laggard, 1))));
      done(subscriptions().end(laggard.subscriptionId(), "gone", NOW));
      FollowedFeed feed = feed("one");
      Subscription again = subscribe(feed, "https://one.example/");

      done(laggards().settle(laggard, NOW));

      assertThat(recipients(feed.id(), 0, 10)).containsExactly(again);
    }
  }

  @Nested
  class Digests {

    private static final Duration DAY = Duration.ofDays(1);

    private Subscription wanting(FollowedFeed feed) {
      return subscribe(
          feed,
          "https://one.example/",
          terms(Format.JSON).wishing(DocumentWishes.NONE.withDigest(true)));
    }

    private Instant due() {
      return laggards().nextDigest().orElseThrow();
    }

    private int begin(Instant now) {
      return done(laggards().beginDigests(now, DAY, 10));
    }

    @Test
    void a_first_one_is_put_into_the_period_and_each_further_one_a_period_later() {
      wanting(feed("feed"));
      assertThat(begin(NOW)).isZero();
      Instant first = due();
      assertThat(first).isAfter(NOW).isBeforeOrEqualTo(NOW.plus(DAY));

      assertThat(begin(first)).isEqualTo(1);

      Laggard laggard = laggardsDue(first).get(0);
      assertThat(laggard.digestAt()).isEqualTo(first);
      assertThat(laggard.documentEnd()).isEqualTo(laggard.cursor());
      assertThat(due()).isEqualTo(first.plus(DAY));
    }

    @Test
    void one_that_was_sent_leaves_no_trace_and_one_that_failed_stays() {
      wanting(feed("feed"));
      begin(NOW);
      Instant first = due();
      begin(first);
      Laggard laggard = laggardsDue(first).get(0);
      done(laggards().claim(List.of(laggard)));
      done(laggards().settle(laggard.failed(laggard.cursor(), 1, first, "500"), first));
      assertThat(laggardsDue(first).get(0).digestAt()).isEqualTo(first);

      done(laggards().settle(laggard.past(laggard.cursor(), first, null), first));

      assertThat(allDue()).isEmpty();
      assertThat(begin(due())).isEqualTo(1);
    }

    @Test
    void L2_none_begins_while_a_round_is_open_or_events_are_missed() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = wanting(feed);
      begin(NOW);
      append(feed, 1);
      Round round = openRound(feed);
      assertThat(begin(due())).isZero();
      done(rounds().close(round, List.of(laggard(subscription, 0).build())));
      assertThat(begin(due())).isZero();
    }

    @Test
    void after_an_outage_there_is_one() {
      wanting(feed("feed"));
      begin(NOW);
      Instant late = due().plus(Duration.ofDays(9)).plusSeconds(1);

      assertThat(begin(late)).isEqualTo(1);

      assertThat(due()).isAfter(late).isBeforeOrEqualTo(late.plus(DAY));
    }

    @Test
    void a_renewal_keeps_the_time_and_one_without_the_wish_ends_it() {
      FollowedFeed feed = feed("feed");
      wanting(feed);
      begin(NOW);
      Instant first = due();
      wanting(feed);
      assertThat(due()).isEqualTo(first);

      subscribe(feed, "https://one.example/", terms(Format.JSON));

      assertThat(laggards().nextDigest()).isEmpty();
    }
  }

  @Nested
  class Retry {

    @Test
    void makes_one_due_now_with_its_failures_and_its_document_kept() {
      Laggard laggard = behind("one", after(Duration.ofHours(2)));
      Laggard waits =
          LaggardBuilder.of(laggard)
              .sending(feedOf(laggard).head())
              .failed(5, after(Duration.ofHours(2)), "HTTP 503")
              .build();
      done(laggards().settle(waits, NOW));
      append(feedOf(laggard), 1);

      Laggard due = LaggardBuilder.of(waits).failed(5, NOW, "HTTP 503").build();
      assertThat(done(laggards().retry(laggard.subscriptionId(), NOW))).contains(due);

      assertThat(laggardsDue(NOW)).containsExactly(due);
    }

    @Test
    void touches_nobody_else() {
      Laggard one = behind("one", after(Duration.ofHours(2)));
      behind("two", after(Duration.ofHours(2)));

      done(laggards().retry(one.subscriptionId(), NOW));

      assertThat(laggardsDue(NOW))
          .extracting(Laggard::subscriptionId)
          .containsExactly(one.subscriptionId());
    }

    @Test
    void L3_changes_nothing_while_a_request_is_under_way() {
      Laggard laggard = behind("one", after(Duration.ofHours(2)));
      done(laggards().claim(List.of(sending(laggard, 1))));

      assertThat(done(laggards().retry(laggard.subscriptionId(), NOW))).isEmpty();

      assertThat(allDue()).isEmpty();
    }

    @Test
    void wakes_nobody_who_misses_nothing() {
      Laggard rests = behind("one", NOW);
      done(laggards().settle(LaggardBuilder.of(rests).got(feedOf(rests).head()).build(), NOW));
      Subscription healthy = subscribe(feed("two"), "https://two.example/");

      assertThat(done(laggards().retry(rests.subscriptionId(), NOW))).isEmpty();
      assertThat(done(laggards().retry(healthy.id(), NOW))).isEmpty();
      assertThat(done(laggards().retry(99, NOW))).isEmpty();

      assertThat(allDue()).isEmpty();
    }

    @Test
    void leaves_one_that_is_due_anyway_where_it_stands() {
      Laggard laggard = behind("one", NOW);

      assertThat(done(laggards().retry(laggard.subscriptionId(), after(Duration.ofHours(1)))))
          .isEmpty();

      assertThat(laggardsDue(NOW)).containsExactly(laggard);
    }

    @Test
    void is_told() {
      Laggard laggard = behind("one", after(Duration.ofHours(2)));
      Signal<Integer> told = signal(() -> laggardsDue(NOW).size());
      laggards().onDue((host, at) -> told.run());

      done(laggards().retry(laggard.subscriptionId(), NOW));

      told.awaits(1);
    }
  }

  @Nested
  class L16_landing {

    @Test
    void L16_after_landAll_everyone_in_flight_is_due_with_the_same_document() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://slow.example/");
      long head = append(feed, 1);
      walk(feed, laggard(subscription, 0).inFlight(head).build());
      Laggard claimed = behind("one", NOW);
      done(laggards().claim(List.of(sending(claimed, feedOf(claimed).head()))));

      restart();
      assertThat(allDue()).isEmpty();
      done(laggards().landAll());

      assertThat(laggardsDue(NOW))
          .containsExactlyInAnyOrder(
              laggard(subscription, 0).sending(head).build(),
              sending(claimed, feedOf(claimed).head()));
    }

    @Test
    void L16_landing_wakes_nobody_who_rests() {
      Laggard laggard = behind("one", NOW);
      done(laggards().settle(LaggardBuilder.of(laggard).got(feedOf(laggard).head()).build(), NOW));

      done(laggards().landAll());

      assertThat(allDue()).isEmpty();
    }
  }

  @Nested
  class DocumentEnd {

    @Test
    void a_document_is_all_that_was_missed_if_it_fits() {
      FollowedFeed feed = feed("feed");
      long first = append(feed, 1);
      append(feed("other"), 1);
      append(feed, 1);
      long third = append(feed, 1);

      assertThat(laggards().documentEnd(feed.id(), 0)).isEqualTo(third);
      assertThat(laggards().documentEnd(feed.id(), first)).isEqualTo(third);
    }

    @Test
    void it_has_at_most_100_entries() {
      FollowedFeed feed = feed("feed");
      append(feed, 50);
      long full = append(feed, Document.MAX_ENTRIES - 50);
      append(feed, 1);

      assertThat(laggards().documentEnd(feed.id(), 0)).isEqualTo(full);
    }

    @Test
    void changed_entries_count_as_well() {
      FollowedFeed feed = feed("feed");
      long first = append(feed, Document.MAX_ENTRIES);
      Update changed =
          new Update(
              io.feedbridge.normalizer.Feed.bare(feed.topic(), "A feed"),
              List.of(OutcomeBuilder.entry("a", "text")),
              io.feedbridge.normalizer.Status.of(feed.topic()),
              true);
      done(feeds().record(OutcomeBuilder.of(feed, NOW).event(changed).build()));

      assertThat(laggards().documentEnd(feed.id(), 0)).isEqualTo(first);
    }

    @Test
    void it_has_at_most_1_MiB() {
      FollowedFeed feed = feed("feed");
      List<Long> seqs =
          done(
              feeds()
                  .record(
                      OutcomeBuilder.of(feed, NOW)
                          .longEvent(Document.MAX_BYTES / 2 - 5_000)
                          .longEvent(Document.MAX_BYTES / 2 - 5_000)
                          .longEvent(20_000)
                          .build()));

      assertThat(laggards().documentEnd(feed.id(), 0)).isEqualTo(seqs.get(1));
    }

    @Test
    void bytes_are_counted_not_characters() {
      FollowedFeed feed = feed("feed");
      Update wide =
          OutcomeBuilder.update(
              feed.topic(),
              List.of(OutcomeBuilder.entry("wide", "\u20ac".repeat(Document.MAX_BYTES / 5))));
      List<Long> seqs =
          done(feeds().record(OutcomeBuilder.of(feed, NOW).event(wide).event(wide).build()));

      assertThat(laggards().documentEnd(feed.id(), 0)).isEqualTo(seqs.get(0));
    }

    @Test
    void but_at_least_one_event_however_long() {
      FollowedFeed feed = feed("feed");
      List<Long> seqs =
          done(
              feeds()
                  .record(
                      OutcomeBuilder.of(feed, NOW)
                          .longEvent(Document.MAX_BYTES + 1)
                          .event(150)
                          .event(1)
                          .build()));

      assertThat(laggards().documentEnd(feed.id(), 0)).isEqualTo(seqs.get(0));
      assertThat(laggards().documentEnd(feed.id(), seqs.get(0))).isEqualTo(seqs.get(1));
    }

    @Test
    void it_ends_at_the_cursor_where_nothing_was_missed() {
      FollowedFeed feed = feed("feed");
      long head = append(feed, 1);

      assertThat(laggards().documentEnd(feed.id(), head)).isEqualTo(head);
      assertThat(laggards().documentEnd(feed.id(), head + 7)).isEqualTo(head + 7);
    }

    @Test
    void events_without_entries_are_bounded_too() {
      FollowedFeed feed = feed("feed");
      OutcomeBuilder outcome = OutcomeBuilder.of(feed, NOW);
      for (int i = 0; i <= Document.MAX_ENTRIES; i++) {
        outcome.event(0);
      }
      List<Long> seqs = done(feeds().record(outcome.build()));

      assertThat(laggards().documentEnd(feed.id(), 0))
          .isEqualTo(seqs.get(Document.MAX_ENTRIES - 1));
    }
  }

  @Nested
  class Signals {

    @Test
    void an_outcome_is_told_once_it_is_there() {
      Laggard laggard = behind("one", NOW);
      Laggard failed =
          LaggardBuilder.of(laggard).failed(2, after(Duration.ofMinutes(1)), "500").build();
      Signal<List<Laggard>> told = signal(() -> allDue());
      List<Laggards.Host> hosts = new CopyOnWriteArrayList<>();
      laggards()
          .onDue(
              (host, at) -> {
                hosts.add(new Laggards.Host(host, at));
                told.run();
              });

      done(laggards().settle(failed, NOW));

      told.awaits(List.of(failed));
      assertThat(hosts)
          .containsExactly(new Laggards.Host("one.example", after(Duration.ofMinutes(1))));
    }

    @Test
    void a_round_tells_of_each_host_of_its_rows_once_and_of_none_that_is_in_flight() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://same.example/one");
      Subscription two = subscribe(feed, "https://same.example/two");
      Subscription flies = subscribe(feed, "https://flies.example/");
      long head = append(feed, 1);
      List<Laggards.Host> hosts = new CopyOnWriteArrayList<>();
      laggards().onDue((host, at) -> hosts.add(new Laggards.Host(host, at)));

      walk(
          feed,
          laggard(one, 0).failed(1, after(Duration.ofMinutes(1)), "500").build(),
          laggard(two, 0).build(),
          laggard(flies, 0).inFlight(head).build());

      assertThat(hosts).containsExactly(new Laggards.Host("same.example", NOW));
    }

    @Test
    void a_listener_that_fails_is_not_the_others_trouble() {
      Laggard laggard = behind("one", NOW);
      List<String> hosts = new CopyOnWriteArrayList<>();
      laggards()
          .onDue(
              (host, at) -> {
                throw new IllegalStateException("a bug");
              });
      laggards().onDue((host, at) -> hosts.add(host));

      done(laggards().settle(LaggardBuilder.of(laggard).got(1).build(), NOW));

      assertThat(hosts).containsExactly("one.example");
    }

    @Test
    void a_round_that_wakes_laggards_tells_it() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, "https://one.example/");
      append(feed, 1);
      Round first = openRound(feed);
      Laggard behind = laggard(subscription, 0).build();
      done(rounds().checkpoint(first, List.of(behind)));
      long second = append(feed, 1);
      // It gets ahead of the round and rests.
      done(laggards().settle(LaggardBuilder.of(behind).got(second).build(), NOW));
      done(rounds().close(first, List.of()));
      append(feed, 1);
      Signal<List<Laggard>> told = signal(() -> allDue());
      laggards().onDue((host, at) -> told.run());

      openRound(feed);

      told.awaits(allDue());
      assertThat(allDue()).hasSize(1);
    }
  }
}
