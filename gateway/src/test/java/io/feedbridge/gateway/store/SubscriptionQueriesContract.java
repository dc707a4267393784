package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.subscriptions.EndedSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.EventRecipients;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.websub.DocumentWishes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contract of {@link SubscriptionQueries}. */
public abstract class SubscriptionQueriesContract extends StoreContract {

  private SubscriptionQueries subscriptionQueries() {
    return store().subscriptionQueries();
  }

  private List<SubscriptionQueries.Entry> all() {
    return subscriptionQueries().list(SubscriptionQueries.Filter.ALL, null, 100);
  }

  private List<String> callbacks(
      @Nullable String topic,
      @Nullable Protocol protocol,
      @Nullable SubscriptionState state,
      @Nullable String callback) {
    return subscriptionQueries()
        .list(new SubscriptionQueries.Filter(topic, protocol, state, callback, null), null, 100)
        .stream()
        .map(SubscriptionQueries.Entry::callback)
        .toList();
  }

  private static SubscriptionQueries.Key key(Subscription subscription) {
    return new SubscriptionQueries.Key(false, subscription.id());
  }

  /** One of each kind: a pending, an active, a lagging and one of rssCloud. */
  private FollowedFeed crowd() {
    FollowedFeed feed = feed("feed");
    Subscription behind = subscribe(feed, "https://behind.example/");
    append(feed, 1);
    append(feed, 2);
    subscribe(feed, "https://fresh.example/");
    done(subscriptions().register(feed.id(), "https://cloud.example/", terms(Format.LIGHT), NOW));
    requestSubscription(feed.topic(), "https://new.example/", TERMS);
    walk(feed, laggard(behind, 0).failed(3, after(Duration.ofMinutes(2)), "HTTP 503").build());
    return feed;
  }

  @Nested
  class Entries {

    @Test
    void an_active_subscription_is_listed_with_what_was_agreed() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/", terms(Format.JSON));

      assertThat(all())
          .containsExactly(
              new SubscriptionQueries.Entry(
                  key(one),
                  Protocol.WEBSUB,
                  feed.topic(),
                  "https://one.example/",
                  Format.JSON,
                  DocumentWishes.NONE,
                  SubscriptionState.ACTIVE,
                  NOW.plus(LEASE),
                  NOW,
                  null,
                  null));
      assertThat(subscriptionQueries().find(key(one))).contains(all().get(0));
    }

    @Test
    void one_that_missed_something_lags_and_how_far_is_told() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      append(feed, 1);
      append(feed, 2);
      append(feed("other"), 1);
      Instant next = after(Duration.ofMinutes(2));
      walk(feed, laggard(one, 0).failed(3, next, "HTTP 503").build());

      SubscriptionQueries.Entry entry = subscriptionQueries().find(key(one)).orElseThrow();

      assertThat(entry.state()).isEqualTo(SubscriptionState.LAGGING);
      assertThat(entry.behind()).isEqualTo(new Behind(2, NOW, 3, next, "HTTP 503"));
    }

    @Test
    void one_in_flight_lags_and_has_no_next_attempt() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      long head = append(feed, 1);
      walk(feed, laggard(one, 0).inFlight(head).build());

      assertThat(subscriptionQueries().find(key(one)).orElseThrow().behind())
          .isEqualTo(new Behind(1, NOW, 0, null, null));
    }

    @Test
    void L5_one_that_only_waits_for_the_next_round_is_active() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      long head = append(feed, 1);
      Laggard laggard = laggard(one, 0).failed(1, NOW, "HTTP 500").build();
      walk(feed, laggard);
      done(laggards().settle(LaggardBuilder.of(laggard).got(head).build(), NOW));

      SubscriptionQueries.Entry entry = subscriptionQueries().find(key(one)).orElseThrow();

      assertThat(entry.state()).isEqualTo(SubscriptionState.ACTIVE);
      assertThat(entry.behind()).isNull();
      assertThat(callbacks(null, null, SubscriptionState.ACTIVE, null)).hasSize(1);
      assertThat(callbacks(null, null, SubscriptionState.LAGGING, null)).isEmpty();
    }

    @Test
    void a_request_that_waits_for_its_callback_is_pending() {
      Verification request =
          requestSubscription(feed("feed").topic(), "https://one.example/", TERMS);
      SubscriptionQueries.Key key = new SubscriptionQueries.Key(true, request.id());

      assertThat(all())
          .containsExactly(
              new SubscriptionQueries.Entry(
                  key,
                  Protocol.WEBSUB,
                  request.topic(),
                  "https://one.example/",
                  Format.ATOM,
                  DocumentWishes.NONE,
                  SubscriptionState.PENDING,
                  null,
                  NOW,
                  null,
                  null));
      assertThat(subscriptionQueries().find(key)).contains(all().get(0));
    }

    @Test
    void a_renewal_that_waits_is_still_one_active_subscription() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      Verification renewal = requestSubscription(feed.topic(), one.callback(), TERMS);

      assertThat(all()).extracting(SubscriptionQueries.Entry::key).containsExactly(key(one));
      assertThat(subscriptionQueries().find(new SubscriptionQueries.Key(true, renewal.id())))
          .isEmpty();
    }

    @Test
    void a_request_to_end_is_none() {
      FollowedFeed feed = feed("feed");
      subscribe(feed, "https://one.example/");
      done(
          subscriptions()
              .request(
                  Verification.Mode.UNSUBSCRIBE,
                  feed.topic(),
                  "https://other.example/",
                  TERMS,
                  null,
                  NOW));

      assertThat(all())
          .extracting(SubscriptionQueries.Entry::state)
          .containsExactly(SubscriptionState.ACTIVE);
    }

    @Test
    void who_is_not_there_is_not_found() {
      crowd();

      assertThat(subscriptionQueries().find(new SubscriptionQueries.Key(false, 99))).isEmpty();
      assertThat(subscriptionQueries().find(new SubscriptionQueries.Key(true, 99))).isEmpty();
    }
  }

  @Nested
  class Filters {

    @Test
    void choose_by_topic_protocol_state_and_callback() {
      FollowedFeed feed = crowd();
      subscribe(feed("other"), "https://fresh.example/");

      assertThat(callbacks(feed.topic(), null, null, null)).hasSize(4);
      assertThat(callbacks("https://nobody.example/", null, null, null)).isEmpty();
      assertThat(callbacks(null, Protocol.RSSCLOUD, null, null))
          .containsExactly("https://cloud.example/");
      assertThat(callbacks(null, Protocol.WEBSUB, null, null)).hasSize(4);
      assertThat(callbacks(null, null, SubscriptionState.LAGGING, null))
          .containsExactly("https://behind.example/");
      assertThat(callbacks(null, null, SubscriptionState.PENDING, null))
          .containsExactly("https://new.example/");
      assertThat(callbacks(null, null, SubscriptionState.ACTIVE, null)).hasSize(3);
      assertThat(callbacks(null, null, null, "https://fresh.example/")).hasSize(2);
      assertThat(callbacks(null, null, null, "https://new.example/")).hasSize(1);
    }

    @Test
    void apply_together() {
      FollowedFeed feed = crowd();
      subscribe(feed("other"), "https://fresh.example/");

      assertThat(
              callbacks(
                  feed.topic(),
                  Protocol.WEBSUB,
                  SubscriptionState.ACTIVE,
                  "https://fresh.example/"))
          .hasSize(1);
      assertThat(callbacks(feed.topic(), Protocol.RSSCLOUD, null, "https://fresh.example/"))
          .isEmpty();
      assertThat(callbacks(null, Protocol.RSSCLOUD, SubscriptionState.PENDING, null)).isEmpty();
    }
  }

  @Nested
  class Parts {

    @Test
    void follow_one_another_without_a_gap_whatever_their_size() {
      crowd();
      requestSubscription("https://origin.example/feed", "https://newer.example/", TERMS);
      List<SubscriptionQueries.Entry> whole = all();
      assertThat(whole).hasSize(5).extracting(SubscriptionQueries.Entry::key).isSorted();

      for (int size = 1; size <= whole.size(); size++) {
        List<SubscriptionQueries.Entry> joined = new ArrayList<>();
        SubscriptionQueries.Key after = null;
        List<SubscriptionQueries.Entry> part =
            subscriptionQueries().list(SubscriptionQueries.Filter.ALL, null, size);
        while (!part.isEmpty()) {
          assertThat(part).hasSizeLessThanOrEqualTo(size);
          joined.addAll(part);
          after = part.get(part.size() - 1).key();
          part = subscriptionQueries().list(SubscriptionQueries.Filter.ALL, after, size);
        }
        assertThat(joined).isEqualTo(whole);
      }
    }
  }

  @Nested
  class Places {

    @Test
    void are_found_by_the_number_of_entries_before_them_and_all_are_counted() {
      crowd();
      requestSubscription("https://origin.example/feed", "https://newer.example/", TERMS);
      List<SubscriptionQueries.Filter> filters = new ArrayList<>();
      filters.add(SubscriptionQueries.Filter.ALL);
      for (SubscriptionState state : SubscriptionState.values()) {
        filters.add(new SubscriptionQueries.Filter(null, null, state, null, null));
      }
      filters.add(new SubscriptionQueries.Filter(null, Protocol.RSSCLOUD, null, null, null));
      filters.add(new SubscriptionQueries.Filter(null, null, null, null, "NEW"));
      for (SubscriptionQueries.Filter filter : filters) {
        List<SubscriptionQueries.Entry> whole = subscriptionQueries().list(filter, null, 100);
        assertThat(subscriptionQueries().count(filter)).as("%s", filter).isEqualTo(whole.size());
        for (int skip = 0; skip < whole.size(); skip++) {
          SubscriptionQueries.Key place = subscriptionQueries().behind(filter, skip).orElseThrow();
          assertThat(subscriptionQueries().list(filter, place, 100))
              .isEqualTo(whole.subList(skip, whole.size()));
        }
        assertThat(subscriptionQueries().behind(filter, whole.size())).isEmpty();
      }
    }
  }

  @Nested
  class Withdrawal {

    @Test
    void forgets_a_request_and_the_feed_that_nobody_else_wants() {
      Verification request =
          requestSubscription(feed("feed").topic(), "https://one.example/", TERMS);

      assertThat(done(subscriptionQueries().withdraw(request.id(), NOW))).isTrue();

      assertThat(all()).isEmpty();
      assertThat(feeds().byTopic(request.topic()).orElseThrow().followed()).isFalse();
      assertThat(done(subscriptionQueries().withdraw(request.id(), NOW))).isFalse();
      assertThat(done(subscriptions().confirm(request, NOW))).isFalse();
    }

    @Test
    void leaves_subscriptions_alone() {
      Subscription one = subscribe(feed("feed"), "https://one.example/");

      assertThat(done(subscriptionQueries().withdraw(one.id(), NOW))).isFalse();

      assertThat(all()).hasSize(1);
    }
  }

  @Nested
  class Where_a_subscription_stands_with_an_event {

    private EventRecipients.Recipient only(FollowedFeed feed, long seq) {
      List<EventRecipients.Recipient> all = subscriptionQueries().recipients(feed.id(), seq, 0, 10);
      assertThat(all).hasSize(1);
      return all.get(0);
    }

    private EventRecipients.Reach reach(FollowedFeed feed, long seq) {
      return only(feed, seq).reach();
    }

    @Test
    void L6_one_that_began_after_the_event_is_too_early_for_it() {
      FollowedFeed feed = feed("feed");
      long before = append(feed, 1);
      subscribe(feed, "https://one.example/");
      long after = append(feed, 1);

      assertThat(reach(feed, before)).isEqualTo(EventRecipients.Reach.TOO_EARLY);
      assertThat(reach(feed, after)).isEqualTo(EventRecipients.Reach.NOT_BEGUN);
    }

    @Test
    void L4_an_open_round_has_passed_the_subscriptions_up_to_its_checkpoint() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      Subscription two = subscribe(feed, "https://two.example/");
      long event = append(feed, 1);
      Round round = openRound(feed);
      assertThat(subscriptionQueries().recipients(feed.id(), event, 0, 10))
          .extracting(EventRecipients.Recipient::reach)
          .containsOnly(EventRecipients.Reach.IN_ROUND);

      long next = append(feed, 1);
      Round further = new Round(round.feedId(), round.from(), round.to(), one.id());
      done(rounds().checkpoint(further, List.of()));

      assertThat(subscriptionQueries().recipients(feed.id(), event, 0, 10))
          .extracting(EventRecipients.Recipient::id, EventRecipients.Recipient::reach)
          .containsExactly(
              tuple(one.id(), EventRecipients.Reach.PAST),
              tuple(two.id(), EventRecipients.Reach.IN_ROUND));
      assertThat(subscriptionQueries().recipients(feed.id(), next, one.id(), 10))
          .extracting(EventRecipients.Recipient::id, EventRecipients.Recipient::reach)
          .containsExactly(tuple(two.id(), EventRecipients.Reach.NOT_BEGUN));

      done(rounds().close(further, List.of()));
      assertThat(subscriptionQueries().recipients(feed.id(), event, 0, 1))
          .extracting(EventRecipients.Recipient::reach)
          .containsExactly(EventRecipients.Reach.PAST);
    }

    @Test
    void a_laggard_failed_at_its_document_and_is_behind_with_later_events() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      long first = append(feed, 1);
      Instant next = after(Duration.ofMinutes(2));
      walk(feed, laggard(one, 0).sending(first).failed(3, next, "HTTP 503").build());
      long second = append(feed, 1);

      assertThat(only(feed, first))
          .isEqualTo(
              new EventRecipients.Recipient(
                  one.id(),
                  Protocol.WEBSUB,
                  "https://one.example/",
                  EventRecipients.Reach.FAILED,
                  3,
                  next,
                  "HTTP 503"));
      assertThat(reach(feed, second)).isEqualTo(EventRecipients.Reach.BEHIND);
    }

    @Test
    void a_request_in_flight_is_told_for_the_events_of_its_document_alone() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      long first = append(feed, 1);
      walk(feed, laggard(one, 0).inFlight(first).build());
      long second = append(feed, 1);

      assertThat(only(feed, first).reach()).isEqualTo(EventRecipients.Reach.UNDER_WAY);
      assertThat(only(feed, first).nextAttemptAt()).isNull();
      assertThat(reach(feed, second)).isEqualTo(EventRecipients.Reach.BEHIND);
    }

    @Test
    void L13_an_event_in_a_gap_is_skipped_and_says_why() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      long event = append(feed, 1);
      walk(feed, laggard(one, 0).failed(3, NOW, "HTTP 503").build());
      done(store().laggards().jump(after(Duration.ofDays(4)), Gap.Reason.TOO_FAR_BEHIND, 10, NOW));

      assertThat(only(feed, event).reach()).isEqualTo(EventRecipients.Reach.SKIPPED);
      assertThat(only(feed, event).reason()).isEqualTo("too_far_behind");
    }
  }

  @Test
  void a_part_of_the_callback_finds_the_subscription_before_and_after_its_end() {
    FollowedFeed feed = feed("feed");
    subscribe(feed, "https://one.example/Hook_1");
    Subscription ended = subscribe(feed, "https://two.example/hook%2");
    done(subscriptions().end(ended.id(), "ended by a test", NOW));

    assertThat(callbacks("HOOK_1")).containsExactly("https://one.example/Hook_1");
    assertThat(callbacks("hook")).containsExactly("https://one.example/Hook_1");
    assertThat(callbacks("hook%1")).isEmpty();
    assertThat(
            store()
                .endedSubscriptions()
                .list(new SubscriptionQueries.Filter(null, null, null, null, "hook%2"), 0, 0, 9))
        .extracting(EndedSubscriptions.Entry::callback)
        .containsExactly("https://two.example/hook%2");
  }

  private List<String> callbacks(String part) {
    return subscriptionQueries()
        .list(new SubscriptionQueries.Filter(null, null, null, null, part), null, 100)
        .stream()
        .map(SubscriptionQueries.Entry::callback)
        .toList();
  }
}
