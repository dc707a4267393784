package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.subscriptions.EndedSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Transition;
import io.feedbridge.gateway.store.subscriptions.Verification;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of {@link Store#onTransition}: each step, once, and nothing that is none. */
public abstract class TransitionsContract extends StoreContract {

  private static final String TOPIC = "https://origin.example/feed";
  private static final String CALLBACK = "https://subscriber.example/callback?key=x";

  private final List<Transition> told = new ArrayList<>();

  @BeforeEach
  void listen() {
    store().onTransition(this::add);
  }

  private void add(Transition step) {
    synchronized (told) {
      told.add(step);
    }
  }

  /** What was told since it was asked last. */
  private List<SubscriptionState> steps() {
    synchronized (told) {
      List<SubscriptionState> steps = told.stream().map(Transition::state).toList();
      assertThat(told).extracting(Transition::topic).allMatch(TOPIC::equals);
      told.clear();
      return steps;
    }
  }

  @Test
  void a_request_that_is_confirmed_is_pending_and_then_active() {
    FollowedFeed feed = feed("feed");

    Verification request = requestSubscription(TOPIC, CALLBACK, TERMS);
    assertThat(steps()).containsExactly(SubscriptionState.PENDING);
    done(subscriptions().confirm(request, NOW));
    assertThat(steps()).containsExactly(SubscriptionState.ACTIVE);
    assertThat(done(subscriptions().confirm(request, NOW))).isFalse();
    assertThat(steps()).isEmpty();

    subscribe(feed, CALLBACK);
    assertThat(steps()).as("a renewal").containsExactly(SubscriptionState.ACTIVE);
  }

  @Test
  void one_that_comes_to_nothing_says_as_what() {
    feed("feed");
    for (SubscriptionState as : List.of(SubscriptionState.UNCONFIRMED, SubscriptionState.DENIED)) {
      drop(requestSubscription(TOPIC, CALLBACK, TERMS), as);
      assertThat(steps()).containsExactly(SubscriptionState.PENDING, as);
    }
  }

  @Test
  void H5_a_renewal_or_an_end_that_comes_to_nothing_says_that_the_state_stays() {
    FollowedFeed feed = feed("feed");
    Subscription subscription = subscribe(feed, CALLBACK);
    steps();

    drop(requestSubscription(TOPIC, CALLBACK, TERMS), SubscriptionState.UNCONFIRMED);

    assertThat(told)
        .containsExactly(
            new Transition(SubscriptionState.ACTIVE, TOPIC, CALLBACK, true, "not renewed: why"));
    append(feed, 1);
    walk(feed, laggard(subscription, 0).build());
    steps();
    drop(
        done(
            subscriptions()
                .request(Verification.Mode.UNSUBSCRIBE, TOPIC, CALLBACK, TERMS, null, NOW)),
        SubscriptionState.UNCONFIRMED);
    assertThat(told)
        .containsExactly(
            new Transition(SubscriptionState.LAGGING, TOPIC, CALLBACK, true, "not ended: why"));
  }

  private void drop(Verification request, SubscriptionState as) {
    done(subscriptions().drop(request, as, "why", NOW));
  }

  @Test
  void a_subscription_ends_in_one_of_four_ways() {
    FollowedFeed feed = feed("feed");
    Terms hour = new Terms(TOPIC, Format.LIGHT, null, "", true, false, Duration.ofHours(1));
    Subscription cloud = done(subscriptions().register(feed.id(), CALLBACK + 5, hour, NOW));
    Subscription gone = subscribe(feed, CALLBACK);
    Subscription denied = subscribe(feed, CALLBACK + 2);
    subscribe(feed, CALLBACK + 3);
    steps();

    done(subscriptions().end(gone.id(), "gone", NOW));
    done(subscriptions().end(gone.id(), "gone", NOW));
    assertThat(steps()).containsExactly(SubscriptionState.ENDED);
    done(subscriptions().deny(denied.id(), "enough", NOW));
    assertThat(steps()).containsExactly(SubscriptionState.DENIED);
    Verification end =
        done(
            subscriptions()
                .request(Verification.Mode.UNSUBSCRIBE, TOPIC, CALLBACK + 3, TERMS, null, NOW));
    assertThat(steps()).isEmpty();
    done(subscriptions().confirm(end, NOW));
    assertThat(steps()).containsExactly(SubscriptionState.ENDED);
    done(subscriptions().expire(after(Duration.ofHours(1)), 10));
    assertThat(steps()).containsExactly(SubscriptionState.EXPIRED);
    assertThat(subscriptions().byId(cloud.id())).isEmpty();
    assertThat(ended())
        .containsExactly(
            tuple(cloud.id(), SubscriptionState.EXPIRED, "it was not renewed in time"),
            tuple(gone.id(), SubscriptionState.ENDED, "gone"),
            tuple(denied.id(), SubscriptionState.DENIED, "enough"),
            tuple(denied.id() + 1, SubscriptionState.ENDED, "unsubscribed"));
  }

  private List<Tuple> ended() {
    return store().endedSubscriptions().list(SubscriptionQueries.Filter.ALL, 0, 0, 10).stream()
        .map(one -> tuple(one.id(), one.state(), one.reason()))
        .toList();
  }

  @Test
  void an_ended_subscription_is_kept_until_it_is_too_old_or_its_callback_ends_another() {
    FollowedFeed feed = feed("feed");
    Subscription first = subscribe(feed, CALLBACK);
    done(subscriptions().end(first.id(), "gone", NOW));
    Subscription second = subscribe(feed, CALLBACK);
    assertThat(store().endedSubscriptions().find(first.id()).orElseThrow())
        .isEqualTo(
            new EndedSubscriptions.Entry(
                first.id(),
                Protocol.WEBSUB,
                TOPIC,
                CALLBACK,
                TERMS.format(),
                SubscriptionState.ENDED,
                "gone",
                NOW,
                NOW));

    done(subscriptions().dismiss(feed.id(), "enough", after(Duration.ofHours(1)), 10));
    assertThat(ended()).containsExactly(tuple(second.id(), SubscriptionState.DENIED, "enough"));
    assertThat(store().endedSubscriptions().ofFeed(feed.id(), 0, 10)).hasSize(1);
    assertThat(store().endedSubscriptions().ofFeed(feed.id(), second.id(), 10)).isEmpty();

    assertThat(done(store().endedSubscriptions().trim(after(Duration.ofHours(1)), 10))).isZero();
    assertThat(done(store().endedSubscriptions().trim(after(Duration.ofHours(2)), 10))).isOne();
    assertThat(ended()).isEmpty();
  }

  @Test
  void of_a_dismissed_feed_each_is_denied_once_also_one_whose_renewal_waits() {
    FollowedFeed feed = feed("feed");
    subscribe(feed, CALLBACK);
    subscribe(feed, CALLBACK + 2);
    requestSubscription(TOPIC, CALLBACK, TERMS);
    requestSubscription(TOPIC, CALLBACK + 3, TERMS);
    steps();

    done(subscriptions().dismiss(feed.id(), "enough", NOW, 2));
    assertThat(told)
        .containsExactly(
            new Transition(SubscriptionState.DENIED, TOPIC, CALLBACK + 3, false, "enough"));
    done(subscriptions().dismiss(feed.id(), "enough", NOW, 10));

    assertThat(steps()).hasSize(3).containsOnly(SubscriptionState.DENIED);
  }

  @Test
  void whoever_misses_something_lags_until_it_has_all_there_is() {
    FollowedFeed feed = feed("feed");
    Subscription subscription = subscribe(feed, CALLBACK);
    steps();
    long head = append(feed, 1);
    Laggard row = laggard(subscription, 0).build();
    walk(feed, row);
    assertThat(steps()).containsExactly(SubscriptionState.LAGGING);

    done(laggards().claim(laggards().next(row.host(), 1)));
    assertThat(steps()).isEmpty();
    done(laggards().settle(laggard(subscription, head).build(), NOW));

    assertThat(steps()).containsExactly(SubscriptionState.ACTIVE);
  }
}
