package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.PeerGateway;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Subscriptions.Pending;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.websub.TopicUrl;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contract of {@link Subscriptions}. */
public abstract class SubscriptionsContract extends StoreContract {

  private static final String TOPIC = "https://origin.example/feed";
  private static final String CALLBACK = "https://subscriber.example/callback?x=%2F";

  /** Unlike {@link #TERMS} in everything. */
  private static final Terms OTHER_TERMS =
      new Terms(
          "http://topic.example/as-named",
          Format.RAW,
          "key",
          "sha512",
          true,
          true,
          Duration.ofHours(3));

  private Verification requestEnd(String topic, String callback) {
    return done(
        subscriptions().request(Verification.Mode.UNSUBSCRIBE, topic, callback, TERMS, null, NOW));
  }

  private List<Verification> due(Instant now) {
    return subscriptions().due(now, Set.of(), 100).stream().map(Pending::verification).toList();
  }

  private @Nullable Laggard laggardOf(Subscription subscription) {
    return allDue().stream()
        .filter(laggard -> laggard.subscriptionId() == subscription.id())
        .findFirst()
        .orElse(null);
  }

  @Nested
  class Requests {

    @Test
    void a_request_is_kept_whole_over_a_restart() {
      FollowedFeed feed = feed("feed");
      Verification request =
          done(
              subscriptions()
                  .request(
                      Verification.Mode.SUBSCRIBE, TOPIC, CALLBACK, OTHER_TERMS, "token", NOW));

      restart();

      assertThat(subscriptions().due(NOW, Set.of(), 10))
          .containsExactly(new Pending(request, reread(feed), false, null));
      assertThat(request.feedId()).isEqualTo(feed.id());
      assertThat(request.terms()).isEqualTo(OTHER_TERMS);
      assertThat(request.verifyToken()).isEqualTo("token");
      assertThat(request.attempts()).isZero();
    }

    /** No part of them repeats, so that no engine stores them as shorter texts. */
    private String longest(String begin, int seed) {
      StringBuilder url = new StringBuilder(begin);
      Random random = new Random(seed);
      while (url.length() < TopicUrl.MAX_LENGTH) {
        url.append((char) ('a' + random.nextInt(26)));
      }
      return url.toString();
    }

    @Test
    void a_topic_and_a_callback_of_the_greatest_length_are_kept() {
      String topic = longest("https://origin.example/", 1);
      String callback = longest("https://reader.example/", 2);
      String other = longest("https://reader.example/", 3);

      requestSubscription(topic, callback, TERMS);
      Verification again = requestSubscription(topic, callback, OTHER_TERMS);
      Verification of = requestSubscription(topic, other, TERMS);
      done(feeds().record(OutcomeBuilder.of(feeds().byTopic(topic).orElseThrow(), NOW).build()));

      assertThat(due(NOW)).containsExactlyInAnyOrder(again, of);
      assertThat(done(subscriptions().confirm(again, NOW))).isTrue();
      assertThat(done(subscriptions().confirm(requestEnd(topic, callback), NOW))).isTrue();
    }

    @Test
    void U_0000_in_a_text_is_kept_as_U_FFFD_on_each_engine() {
      Verification request = requestSubscription(TOPIC, CALLBACK + "\0", TERMS);

      assertThat(request.callback()).isEqualTo(CALLBACK + "\uFFFD");
      assertThat(feeds().byTopic(TOPIC + "\0")).isEmpty();
      assertThat(Json.text(Map.of("a", "é\0€"))).isEqualTo("{\"a\":\"é\\uFFFD€\"}");
      assertThat(Json.text(Map.of("a", "é\\u0000"))).isEqualTo("{\"a\":\"é\\\\u0000\"}");
    }

    @Test
    void a_subscription_request_follows_its_topic() {
      Verification request = requestSubscription(TOPIC, CALLBACK, TERMS);

      FollowedFeed feed = feeds().byTopic(TOPIC).orElseThrow();
      assertThat(feed.followed()).isTrue();
      assertThat(request.feedId()).isEqualTo(feed.id());
    }

    @Test
    void an_unsubscription_from_what_is_not_followed_has_no_feed_and_follows_nothing() {
      Verification request = requestEnd(TOPIC, CALLBACK);

      assertThat(subscriptions().due(NOW, Set.of(), 10))
          .containsExactly(new Pending(request, null, false, null));
      assertThat(request.feedId()).isNull();
      assertThat(feeds().byTopic(TOPIC)).isEmpty();
      assertThat(done(subscriptions().confirm(request, NOW))).isTrue();
      assertThat(due(NOW)).isEmpty();
    }

    @Test
    void requests_of_some_hosts_can_be_passed_over() {
      feed("feed");
      requestSubscription(TOPIC, "https://User:key@Full.example:81?a=b/c", TERMS);
      Verification other = requestSubscription(TOPIC, "https://full.example/one", TERMS);

      Set<String> full = Set.of("full.example:81");
      assertThat(subscriptions().due(NOW, full, 10))
          .extracting(Pending::verification)
          .containsExactly(other);
      assertThat(due(NOW)).extracting(Verification::host).contains("full.example:81");
    }

    @Test
    void requests_of_some_hosts_can_be_passed_over_that_are_not_about_active_subscriptions() {
      feed("feed");
      String own = "https://shared.example/own";
      done(subscriptions().confirm(requestSubscription(TOPIC, own, TERMS), NOW));
      requestSubscription(TOPIC, "https://shared.example/new", TERMS);
      Verification renewal = requestSubscription(TOPIC, own, TERMS);
      Verification other = requestSubscription(TOPIC, "https://other.example/new", TERMS);

      assertThat(subscriptions().due(NOW, Set.of(), Set.of("shared.example"), 10))
          .extracting(Pending::verification, Pending::renewal)
          .containsExactlyInAnyOrder(tuple(renewal, true), tuple(other, false));
      assertThat(due(NOW)).hasSize(3);
    }

    @Test
    void requests_of_a_caller_at_a_host_can_be_passed_over_that_are_not_about_active_ones() {
      feed("feed");
      String own = "https://shared.example/own";
      done(subscriptions().confirm(requestSubscription(TOPIC, own, TERMS), NOW));
      Verification renewal = requestBy("ann", own);
      requestBy("ann", "https://shared.example/ann");
      Verification other = requestBy("bob", "https://shared.example/bob");
      Verification elsewhere = requestBy("ann", "https://other.example/ann");
      Verification unlimited = requestSubscription(TOPIC, "https://shared.example/any", TERMS);

      assertThat(subscriptions().due(NOW, Set.of(), Set.of("shared.example ann"), 10))
          .extracting(Pending::verification)
          .containsExactlyInAnyOrder(renewal, other, elsewhere, unlimited);
    }

    private Verification requestBy(String caller, String callback) {
      return done(
          subscriptions()
              .request(
                  Verification.Mode.SUBSCRIBE,
                  TOPIC,
                  callback,
                  TERMS,
                  null,
                  Sponsor.stranger(caller),
                  NOW));
    }

    @Test
    void a_request_is_tried_again_when_it_was_postponed_to() {
      feed("feed");
      Verification request = requestSubscription(TOPIC, CALLBACK, TERMS);
      Instant later = after(Duration.ofMinutes(1));

      done(subscriptions().postpone(request, later));

      assertThat(due(NOW)).isEmpty();
      assertThat(subscriptions().nextDue(NOW)).contains(later);
      assertThat(subscriptions().nextDue(later)).isEmpty();
      assertThat(due(later))
          .singleElement()
          .satisfies(
              again -> {
                assertThat(again.id()).isEqualTo(request.id());
                assertThat(again.attempts()).isEqualTo(1);
              });
    }

    @Test
    void to_postpone_a_request_that_was_replaced_does_not_hold_up_the_newer_one() {
      feed("feed");
      Verification older = requestSubscription(TOPIC, CALLBACK, TERMS);
      Verification newer = requestSubscription(TOPIC, CALLBACK, OTHER_TERMS);

      done(subscriptions().postpone(older, after(Duration.ofDays(1))));

      assertThat(due(NOW)).containsExactly(newer);
    }

    @Test
    void requests_are_due_longest_due_first_and_at_most_as_many_as_asked_for() {
      feed("feed");
      Verification second = requestSubscription(TOPIC, "https://two.example/", TERMS);
      Verification first = requestSubscription(TOPIC, "https://one.example/", TERMS);
      done(subscriptions().postpone(second, after(Duration.ofSeconds(2))));
      done(subscriptions().postpone(first, after(Duration.ofSeconds(1))));

      assertThat(due(after(Duration.ofSeconds(5))))
          .extracting(Verification::id)
          .containsExactly(first.id(), second.id());
      assertThat(subscriptions().due(after(Duration.ofSeconds(5)), Set.of(), 1)).hasSize(1);
    }

    @Test
    void H5_a_request_that_is_dropped_leaves_an_existing_subscription_as_it_is() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, CALLBACK);

      done(
          subscriptions()
              .drop(
                  requestSubscription(TOPIC, CALLBACK, OTHER_TERMS),
                  SubscriptionState.UNCONFIRMED,
                  "no",
                  NOW));
      done(
          subscriptions()
              .drop(requestEnd(TOPIC, CALLBACK), SubscriptionState.UNCONFIRMED, "no", NOW));

      assertThat(subscriptions().byId(subscription.id())).contains(subscription);
      assertThat(due(NOW)).isEmpty();
      assertThat(reread(feed).followed()).isTrue();
    }

    @Test
    void a_topic_whose_only_request_is_dropped_is_let_go_of() {
      Verification request = requestSubscription(TOPIC, CALLBACK, TERMS);

      done(subscriptions().drop(request, SubscriptionState.UNCONFIRMED, "no", NOW));

      assertThat(feeds().byTopic(TOPIC).orElseThrow().followed()).isFalse();
    }

    @Test
    void a_topic_whose_only_request_is_replaced_by_its_opposite_is_let_go_of() {
      requestSubscription(TOPIC, CALLBACK, TERMS);

      requestEnd(TOPIC, CALLBACK);

      assertThat(feeds().byTopic(TOPIC).orElseThrow().followed()).isFalse();
    }
  }

  /** PuSH 0.3: the hub asks again of itself before a lease ends. */
  @Nested
  class H19_refreshing {

    private static final Duration LEASE = Duration.ofHours(16);

    private Subscription legacy(boolean old) {
      FollowedFeed feed = feed("feed");
      Terms terms = new Terms("asked", Format.ATOM, "key", "sha1", false, old, LEASE);
      Verification request =
          done(
              subscriptions()
                  .request(Verification.Mode.SUBSCRIBE, TOPIC, CALLBACK, terms, "token", NOW));
      done(subscriptions().confirm(request, NOW));
      return subscriptions().ofFeed(feed.id(), 0, 1).get(0);
    }

    @Test
    void H19_it_is_requested_as_its_subscriber_did_when_three_quarters_of_the_lease_are_over() {
      Subscription subscription = legacy(true);
      Instant time = after(Duration.ofHours(12));
      assertThat(subscriptions().nextRefresh()).contains(time);
      assertThat(done(subscriptions().refresh(time.minusMillis(1), 10))).isZero();
      assertThat(done(subscriptions().refresh(time, 10))).isEqualTo(1);

      assertThat(due(time))
          .singleElement()
          .satisfies(
              request -> {
                assertThat(request.mode()).isEqualTo(Verification.Mode.SUBSCRIBE);
                assertThat(request.terms()).isEqualTo(subscription.terms());
                assertThat(request.verifyToken()).isEqualTo("token");
                assertThat(request.callback()).isEqualTo(CALLBACK);
                done(subscriptions().confirm(request, time));
              });
      assertThat(reread(subscription).leaseEndsAt()).isEqualTo(time.plus(LEASE));
      assertThat(reread(subscription).id()).isEqualTo(subscription.id());
      assertThat(subscriptions().nextRefresh()).contains(time.plus(Duration.ofHours(12)));
    }

    @Test
    void H19_H5_one_that_is_not_confirmed_stays_as_it_is_and_is_asked_twice_more() {
      Subscription subscription = legacy(true);
      restart();
      for (int hours : new int[] {12, 14, 15}) {
        Instant time = after(Duration.ofHours(hours));
        assertThat(subscriptions().nextRefresh()).contains(time);
        assertThat(done(subscriptions().refresh(time, 10))).isEqualTo(1);
        done(subscriptions().drop(due(time).get(0), SubscriptionState.UNCONFIRMED, "no", time));
      }

      assertThat(subscriptions().nextRefresh()).isEmpty();
      assertThat(reread(subscription)).isEqualTo(subscription);
    }

    @Test
    void H19_a_request_of_the_subscribers_own_is_not_replaced() {
      legacy(true);
      Verification own = requestSubscription(TOPIC, CALLBACK, OTHER_TERMS);

      done(subscriptions().refresh(after(Duration.ofHours(12)), 10));

      assertThat(due(after(Duration.ofHours(12)))).containsExactly(own);
    }

    @Test
    void H19_others_renew_themselves() {
      legacy(false);

      assertThat(subscriptions().nextRefresh()).isEmpty();
      assertThat(done(subscriptions().refresh(after(LEASE), 10))).isZero();
    }

    private Subscription reread(Subscription subscription) {
      return subscriptions().byId(subscription.id()).orElseThrow();
    }
  }

  @Nested
  class H10_denials {

    @Test
    void H10_one_that_the_gateway_ends_is_to_be_told() {
      Subscription subscription = subscribe(feed("feed"), CALLBACK);

      assertThat(done(subscriptions().deny(subscription.id(), "enough", NOW))).isTrue();

      restart();
      assertThat(subscriptions().byId(subscription.id())).isEmpty();
      assertThat(feeds().byTopic(TOPIC).orElseThrow().followed()).isFalse();
      assertThat(due(NOW))
          .singleElement()
          .satisfies(
              denial -> {
                assertThat(denial.mode()).isEqualTo(Verification.Mode.DENIED);
                assertThat(denial.reason()).isEqualTo("enough");
                assertThat(denial.callback()).isEqualTo(CALLBACK);
                done(subscriptions().drop(denial, SubscriptionState.UNCONFIRMED, "no", NOW));
              });
      assertThat(due(after(Duration.ofDays(1)))).isEmpty();
      assertThat(done(subscriptions().deny(subscription.id(), "enough", NOW))).isFalse();
      assertThat(due(NOW)).isEmpty();
    }

    @Test
    void H10_a_newer_request_is_not_lost_for_it() {
      Subscription subscription = subscribe(feed("feed"), CALLBACK);
      Verification newer = requestSubscription(TOPIC, CALLBACK, OTHER_TERMS);

      done(subscriptions().deny(subscription.id(), "enough", NOW));

      assertThat(due(NOW)).containsExactly(newer);
      assertThat(feeds().byTopic(TOPIC).orElseThrow().followed()).isTrue();
    }

    @Test
    void H10_the_subscribers_of_a_feed_that_is_gone_are_to_be_told_so_many_at_a_time() {
      FollowedFeed feed = feed("feed");
      for (int i = 0; i < 120; i++) {
        subscribe(feed, CALLBACK + i);
      }
      done(subscriptions().register(feed.id(), CALLBACK + "cloud", TERMS, NOW));
      assertThat(store().denials().any()).isFalse();
      becomes(feed, FeedState.GONE);

      assertThat(done(store().denials().queue(70, NOW))).isEqualTo(50);
      assertThat(done(store().denials().queue(70, NOW))).isEqualTo(20);
      assertThat(done(store().denials().queue(70, NOW))).isZero();
      assertThat(due(NOW)).hasSize(70).allMatch(one -> one.mode() == Verification.Mode.DENIED);
      restart();
      due(NOW)
          .forEach(
              one -> done(subscriptions().drop(one, SubscriptionState.UNCONFIRMED, "no", NOW)));
      while (store().denials().any()) {
        done(store().denials().queue(70, NOW));
      }

      assertThat(due(NOW)).hasSize(50).extracting(Verification::callback).doesNotHaveDuplicates();
      assertThat(subscriptions().ofFeed(feed.id(), 0, 200)).hasSize(121);
    }

    @Test
    void H10_those_that_were_tried_in_vain_leave_room_and_whoever_asks_is_served_first() {
      FollowedFeed feed = feed("feed");
      subscribe(feed, CALLBACK);
      subscribe(feed, CALLBACK + 2);
      becomes(feed, FeedState.GONE);
      done(store().denials().queue(1, NOW));
      done(subscriptions().postpone(due(NOW).get(0), NOW));
      assertThat(done(store().denials().queue(1, NOW))).isEqualTo(1);

      requestEnd("https://origin.example/other", CALLBACK);

      assertThat(due(NOW))
          .extracting(Verification::mode, Verification::attempts)
          .containsExactly(
              tuple(Verification.Mode.UNSUBSCRIBE, 0),
              tuple(Verification.Mode.DENIED, 0),
              tuple(Verification.Mode.DENIED, 1));
    }

    @Test
    void H10_once_the_feed_is_back_only_whom_the_gateway_has_ended_is_told() {
      FollowedFeed feed = feed("feed");
      subscribe(feed, CALLBACK);
      Subscription ended = subscribe(feed, CALLBACK + 2);
      becomes(feed, FeedState.GONE);
      done(store().denials().queue(10, NOW));
      done(subscriptions().deny(ended.id(), "enough", NOW));

      becomes(feed, FeedState.ACTIVE);

      assertThat(store().denials().any()).isFalse();
      assertThat(due(NOW)).extracting(Verification::reason).containsExactly("enough");
    }

    @Test
    void H10_of_a_dismissed_feed_all_are_ended_and_told_so_many_at_a_time() {
      FollowedFeed feed = feed("feed");
      FollowedFeed other = feed("other");
      subscribe(other, CALLBACK);
      for (int i = 0; i < 5; i++) {
        subscribe(feed, CALLBACK + i);
      }
      done(subscriptions().register(feed.id(), CALLBACK + "cloud", TERMS, NOW));
      Verification end = requestEnd(TOPIC, CALLBACK + 4);
      Verification renewal = requestSubscription(TOPIC, CALLBACK + 3, OTHER_TERMS);
      Verification begin = requestSubscription(TOPIC, CALLBACK + "new", TERMS);

      // The two requests, then six subscriptions.
      assertThat(done(subscriptions().dismiss(feed.id(), "enough", NOW, 3))).isEqualTo(3);
      assertThat(done(subscriptions().dismiss(feed.id(), "enough", NOW, 3))).isEqualTo(3);
      assertThat(reread(feed).followed()).isTrue();
      assertThat(done(subscriptions().dismiss(feed.id(), "enough", NOW, 3))).isEqualTo(2);
      assertThat(done(subscriptions().dismiss(feed.id(), "enough", NOW, 3))).isZero();

      restart();
      assertThat(reread(feed).followed()).isFalse();
      assertThat(subscriptions().ofFeed(feed.id(), 0, 10)).isEmpty();
      assertThat(subscriptions().ofFeed(other.id(), 0, 10)).hasSize(1);
      for (Verification underWay : List.of(renewal, begin)) {
        assertThat(done(subscriptions().confirm(underWay, NOW))).isFalse();
      }
      List<Verification> left = new ArrayList<>(due(NOW));
      assertThat(left.remove(end)).as("whoever wants to leave is asked").isTrue();
      assertThat(left)
          .extracting(Verification::mode, Verification::reason)
          .containsOnly(tuple(Verification.Mode.DENIED, "enough"));
      assertThat(left)
          .extracting(Verification::callback)
          .containsExactlyInAnyOrder(
              CALLBACK + 0, CALLBACK + 1, CALLBACK + 2, CALLBACK + 3, CALLBACK + "new");
    }

    private void becomes(FollowedFeed feed, FeedState state) {
      done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).state(state).build()));
    }

    @Test
    void an_rssCloud_subscriber_has_no_way_to_be_told() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = done(subscriptions().register(feed.id(), CALLBACK, TERMS, NOW));

      assertThat(done(subscriptions().deny(subscription.id(), "enough", NOW))).isTrue();

      assertThat(due(NOW)).isEmpty();
    }
  }

  @Nested
  class L11_first_fetch {

    @Test
    void L11_a_subscription_is_not_verified_before_the_first_fetch() {
      requestSubscription(TOPIC, CALLBACK, TERMS);

      assertThat(due(after(Duration.ofDays(1)))).isEmpty();
      assertThat(subscriptions().nextDue(NOW.minusSeconds(1))).isEmpty();
    }

    @Test
    void L11_it_is_once_the_first_fetch_is_recorded() {
      Verification request = requestSubscription(TOPIC, CALLBACK, TERMS);
      FollowedFeed feed = feeds().byTopic(TOPIC).orElseThrow();

      done(feeds().record(OutcomeBuilder.of(feed, NOW).baseline().build()));

      assertThat(due(NOW)).containsExactly(request);
      assertThat(subscriptions().nextDue(NOW.minusSeconds(1))).contains(NOW);
      assertThat(subscriptions().nextDue(NOW)).isEmpty();
    }

    @Test
    void L11_or_once_it_has_failed_which_the_verifier_sees() {
      requestSubscription(TOPIC, CALLBACK, TERMS);
      FollowedFeed feed = feeds().byTopic(TOPIC).orElseThrow();

      done(feeds().record(OutcomeBuilder.of(feed, NOW).build()));

      assertThat(subscriptions().due(NOW, Set.of(), 10))
          .singleElement()
          .satisfies(
              pending -> {
                assertThat(pending.feed()).isEqualTo(reread(feed));
                assertThat(reread(feed).hasBaseline()).isFalse();
              });
    }

    @Test
    void L11_an_unsubscription_waits_for_no_fetch() {
      done(feeds().follow(TOPIC, NOW));

      Verification request = requestEnd(TOPIC, CALLBACK);

      assertThat(due(NOW)).containsExactly(request);
    }

    @Test
    void L11_a_topic_followed_again_is_fetched_before_its_next_subscription_is_verified() {
      FollowedFeed feed = feed("feed");
      done(feeds().unfollowIfUnused(feed.id(), NOW));

      Verification request = requestSubscription(TOPIC, CALLBACK, TERMS);
      assertThat(due(NOW)).isEmpty();

      done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).baseline().build()));
      assertThat(due(NOW)).containsExactly(request);
    }

    @Test
    void L11_a_registration_whose_feed_was_let_go_of_during_its_test_keeps_the_baseline() {
      FollowedFeed feed = feed("feed");
      done(feeds().unfollowIfUnused(feed.id(), NOW));
      Instant later = after(Duration.ofSeconds(3));

      done(subscriptions().register(feed.id(), CALLBACK, TERMS, later));

      // What appeared since is news to the subscriber, who is active from now on.
      assertThat(reread(feed).firstFetchAt()).isEqualTo(feed.firstFetchAt());
      assertThat(reread(feed).followed()).isTrue();
      assertThat(reread(feed).nextFetchAt()).isEqualTo(later);
    }
  }

  @Nested
  class L6_start {

    @Test
    void L6_a_subscription_starts_at_the_newest_event_of_when_it_was_confirmed() {
      FollowedFeed feed = feed("feed");
      append(feed, 1);
      Verification request = requestSubscription(TOPIC, CALLBACK, TERMS);
      long head = append(feed, 1);

      assertThat(done(subscriptions().confirm(request, NOW))).isTrue();
      append(feed, 1);

      assertThat(subscriptions().ofFeed(feed.id(), 0, 10))
          .singleElement()
          .satisfies(
              subscription -> {
                assertThat(subscription.start()).isEqualTo(head);
                assertThat(subscription.topic()).isEqualTo(TOPIC);
                assertThat(subscription.protocol()).isEqualTo(Protocol.WEBSUB);
                assertThat(subscription.callback()).isEqualTo(CALLBACK);
                assertThat(subscription.terms()).isEqualTo(TERMS);
                assertThat(subscription.leaseEndsAt()).isEqualTo(NOW.plus(LEASE));
                assertThat(subscription.errors()).isZero();
              });
    }

    @Test
    void L6_so_does_an_rsscloud_subscription() {
      FollowedFeed feed = feed("feed");
      long head = append(feed, 1);

      Subscription subscription =
          done(subscriptions().register(feed.id(), CALLBACK, OTHER_TERMS, NOW));
      append(feed, 1);

      assertThat(subscription.start()).isEqualTo(head);
      assertThat(subscription.protocol()).isEqualTo(Protocol.RSSCLOUD);
      assertThat(subscriptions().byId(subscription.id())).contains(subscription);
    }

    @Test
    void L6_the_start_does_not_follow_the_head_while_many_events_are_appended() {
      FollowedFeed feed = feed("feed");

      List<Long> starts =
          concurrently(
              100,
              i ->
                  i % 2 == 0
                      ? feeds()
                          .record(OutcomeBuilder.of(feed, NOW).event(1).build())
                          .thenApply(seqs -> seqs.get(0))
                      : subscriptions()
                          .register(feed.id(), "https://s.example/" + i, TERMS, NOW)
                          .thenApply(Subscription::start));

      List<Long> events =
          feeds().events(feed.id(), 0, Long.MAX_VALUE).stream().map(Event::seq).toList();
      for (int i = 1; i < starts.size(); i += 2) {
        assertThat(starts.get(i) == 0 || events.contains(starts.get(i))).isTrue();
      }
      assertThat(subscriptions().ofFeed(feed.id(), 0, 100))
          .isSortedAccordingTo(java.util.Comparator.comparing(Subscription::start));
    }
  }

  @Nested
  class L7_renewal {

    @Test
    void L7_a_renewal_keeps_id_and_start_and_replaces_terms_and_lease() {
      FollowedFeed feed = feed("feed");
      Subscription before = subscribe(feed, CALLBACK);
      append(feed, 1);
      Instant later = after(Duration.ofDays(1));

      Verification renewal = requestSubscription(TOPIC, CALLBACK, OTHER_TERMS);
      assertThat(subscriptions().byId(before.id())).contains(before);
      done(subscriptions().confirm(renewal, later));

      assertThat(subscriptions().ofFeed(feed.id(), 0, 10))
          .containsExactly(
              new Subscription(
                  before.id(),
                  feed.id(),
                  TOPIC,
                  Protocol.WEBSUB,
                  CALLBACK,
                  OTHER_TERMS,
                  before.start(),
                  later.plus(OTHER_TERMS.lease()),
                  0,
                  1));
    }

    @Test
    void a_subscriber_counts_as_those_for_whom_it_stands_also_after_a_renewal() {
      FollowedFeed feed = feed("feed");
      Subscription many = subscribe(feed, CALLBACK);
      Subscription none = subscribe(feed, CALLBACK + 2);
      subscribe(feed, CALLBACK + 3);
      subscribe(feed("other"), CALLBACK);
      assertThat(subscriptions().readers(feed.id())).isEqualTo(3);

      done(subscriptions().standsFor(many.id(), 40));
      done(subscriptions().standsFor(none.id(), 0));
      subscribe(feed, CALLBACK);

      assertThat(subscriptions().byId(many.id()).orElseThrow().readers()).isEqualTo(40);
      assertThat(subscriptions().readers(feed.id())).isEqualTo(41);
      done(subscriptions().end(many.id(), "gone", NOW));
      assertThat(subscriptions().readers(feed.id())).isEqualTo(1);
      assertThat(subscriptions().readers(Long.MAX_VALUE)).isZero();
    }

    @Test
    void another_gateway_is_known_among_the_subscribers_of_a_feed() {
      FollowedFeed feed = feed("feed");
      PeerGateway peer = PeerGateway.at("https://peer.example/bridge/hub").orElseThrow();
      subscribe(feed, "https://peer.example/bridge/callback");
      subscribe(feed, "https://peer.example/bridge/callback0/websub/x");
      subscribe(feed, "https://other.example/bridge/callback/websub/x");
      subscribe(feed("other"), "https://peer.example/bridge/callback/websub/x");
      assertThat(subscriptions().anyOf(peer, feed.id())).isFalse();

      Verification request =
          requestSubscription(feed.topic(), "https://peer.example/bridge/callback/websub/x", TERMS);
      assertThat(subscriptions().anyOf(peer, feed.id())).isTrue();
      done(subscriptions().confirm(request, NOW));
      assertThat(subscriptions().anyOf(peer, feed.id())).isTrue();
    }

    @Test
    void L7_so_does_one_of_rsscloud() {
      FollowedFeed feed = feed("feed");
      Subscription before = done(subscriptions().register(feed.id(), CALLBACK, TERMS, NOW));
      append(feed, 1);

      Subscription renewed = done(subscriptions().register(feed.id(), CALLBACK, OTHER_TERMS, NOW));

      assertThat(renewed.id()).isEqualTo(before.id());
      assertThat(renewed.start()).isEqualTo(before.start());
      assertThat(renewed.terms()).isEqualTo(OTHER_TERMS);
    }

    @Test
    void L7_a_renewal_keeps_the_laggard_row() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, CALLBACK);
      long head = append(feed, 1);
      Laggard behind =
          laggard(subscription, 0)
              .sending(head)
              .failed(3, after(Duration.ofMinutes(5)), "503")
              .build();
      walk(feed, behind);

      subscribe(feed, CALLBACK, OTHER_TERMS);

      assertThat(laggardOf(subscription)).isEqualTo(behind);
    }

    @Test
    void L7_of_two_requests_the_newer_wins() {
      FollowedFeed feed = feed("feed");
      Verification older = requestSubscription(TOPIC, CALLBACK, TERMS);
      Verification newer = requestSubscription(TOPIC, CALLBACK, OTHER_TERMS);
      assertThat(due(NOW)).containsExactly(newer);

      assertThat(done(subscriptions().confirm(newer, NOW))).isTrue();
      assertThat(done(subscriptions().confirm(older, NOW))).isFalse();

      assertThat(subscriptions().ofFeed(feed.id(), 0, 10))
          .singleElement()
          .extracting(Subscription::terms)
          .isEqualTo(OTHER_TERMS);
    }

    @Test
    void L7_an_older_confirmation_that_comes_first_changes_nothing() {
      FollowedFeed feed = feed("feed");
      Verification older = requestSubscription(TOPIC, CALLBACK, TERMS);
      Verification newer = requestEnd(TOPIC, CALLBACK);

      assertThat(done(subscriptions().confirm(older, NOW))).isFalse();

      assertThat(subscriptions().ofFeed(feed.id(), 0, 10)).isEmpty();
      assertThat(due(NOW)).containsExactly(newer);
    }

    @Test
    void L7_a_request_is_confirmed_once() {
      feed("feed");
      Verification request = requestSubscription(TOPIC, CALLBACK, TERMS);

      assertThat(done(subscriptions().confirm(request, NOW))).isTrue();
      assertThat(done(subscriptions().confirm(request, NOW))).isFalse();
    }

    @Test
    void L7_two_callbacks_and_two_protocols_are_different_subscriptions() {
      FollowedFeed feed = feed("feed");
      Subscription one = subscribe(feed, "https://one.example/");
      Subscription two = subscribe(feed, "https://two.example/");
      Subscription cloud =
          done(subscriptions().register(feed.id(), "https://one.example/", TERMS, NOW));

      assertThat(subscriptions().ofFeed(feed.id(), 0, 10)).containsExactly(one, two, cloud);
    }
  }

  @Nested
  class Ending {

    @Test
    void a_confirmed_unsubscription_ends_the_websub_subscription_and_lets_go_of_the_feed() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, CALLBACK);

      assertThat(done(subscriptions().confirm(requestEnd(TOPIC, CALLBACK), NOW))).isTrue();

      assertThat(subscriptions().byId(subscription.id())).isEmpty();
      assertThat(reread(feed).followed()).isFalse();
    }

    @Test
    void it_leaves_an_rsscloud_subscription_with_the_same_callback() {
      FollowedFeed feed = feed("feed");
      subscribe(feed, CALLBACK);
      Subscription cloud = done(subscriptions().register(feed.id(), CALLBACK, TERMS, NOW));

      done(subscriptions().confirm(requestEnd(TOPIC, CALLBACK), NOW));

      assertThat(subscriptions().ofFeed(feed.id(), 0, 10)).containsExactly(cloud);
      assertThat(reread(feed).followed()).isTrue();
    }

    @Test
    void a_subscription_ends_once_and_its_laggard_row_goes_with_it() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, CALLBACK);
      append(feed, 1);
      walk(feed, laggard(subscription, 0).build());

      assertThat(done(subscriptions().end(subscription.id(), "gone", NOW))).isTrue();

      assertThat(allDue()).isEmpty();
      assertThat(done(subscriptions().end(subscription.id(), "gone", NOW))).isFalse();
    }

    @Test
    void L7_who_subscribes_again_after_the_end_is_someone_new() {
      FollowedFeed feed = feed("feed");
      Subscription first = subscribe(feed, CALLBACK);
      subscribe(feed, "https://other.example/");
      done(subscriptions().end(first.id(), "gone", NOW));
      long head = append(feed, 1);

      Subscription again = subscribe(feed, CALLBACK);

      assertThat(again.id()).isGreaterThan(first.id());
      assertThat(again.start()).isEqualTo(head);
    }

    @Test
    void those_whose_lease_is_over_expire_and_no_others() {
      FollowedFeed feed = feed("feed");
      FollowedFeed lonely = feed("lonely");
      Subscription early = subscribe(feed, "https://early.example/", lease(Duration.ofMinutes(1)));
      Subscription exact =
          subscribe(lonely, "https://exact.example/", lease(Duration.ofMinutes(2)));
      Subscription late = subscribe(feed, "https://late.example/", lease(Duration.ofMinutes(3)));
      assertThat(subscriptions().nextExpiry()).contains(after(Duration.ofMinutes(1)));

      assertThat(done(subscriptions().expire(after(Duration.ofMinutes(2)), 10))).isEqualTo(2);

      assertThat(subscriptions().byId(early.id())).isEmpty();
      assertThat(subscriptions().byId(exact.id())).isEmpty();
      assertThat(subscriptions().byId(late.id())).contains(late);
      assertThat(reread(feed).followed()).isTrue();
      assertThat(reread(lonely).followed()).isFalse();
      assertThat(subscriptions().nextExpiry()).contains(after(Duration.ofMinutes(3)));
      assertThat(done(subscriptions().expire(after(Duration.ofMinutes(2)), 10))).isZero();
    }

    @Test
    void a_renewal_in_time_does_not_expire() {
      FollowedFeed feed = feed("feed");
      subscribe(feed, CALLBACK, lease(Duration.ofMinutes(1)));
      Subscription renewed = subscribe(feed, CALLBACK, lease(Duration.ofMinutes(9)));

      assertThat(done(subscriptions().expire(after(Duration.ofMinutes(5)), 10))).isZero();
      assertThat(subscriptions().byId(renewed.id())).contains(renewed);
    }

    private static Terms lease(Duration lease) {
      return new Terms(
          "http://topic.example/as-named", Format.ATOM, null, "sha256", false, false, lease);
    }
  }

  @Nested
  class Reading {

    @Test
    void subscriptions_of_a_feed_are_read_in_id_order_page_by_page() {
      FollowedFeed feed = feed("feed");
      subscribe(feed("other"), CALLBACK);
      Subscription one = subscribe(feed, "https://z.example/");
      Subscription two = subscribe(feed, "https://a.example/");
      Subscription three = subscribe(feed, "https://m.example/");

      assertThat(subscriptions().ofFeed(feed.id(), 0, 2)).containsExactly(one, two);
      assertThat(subscriptions().ofFeed(feed.id(), two.id(), 2)).containsExactly(three);
    }

    @Test
    void a_feed_knows_whether_anybody_is_sent_its_bytes() {
      FollowedFeed feed = feed("feed");
      subscribe(feed, CALLBACK);
      assertThat(subscriptions().anyRaw(feed.id())).isFalse();

      subscribe(feed, CALLBACK, terms(Format.RAW));
      assertThat(subscriptions().anyRaw(feed.id())).isTrue();

      subscribe(feed, CALLBACK, terms(Format.JSON));
      assertThat(subscriptions().anyRaw(feed.id())).isFalse();
    }
  }

  @Nested
  class Concurrency {

    private static final int MANY = 500;

    @Test
    void many_registrations_and_requests_at_once_are_all_there_afterwards() {
      FollowedFeed feed = feed("feed");

      concurrently(
          MANY,
          i ->
              subscriptions()
                  .register(feed.id(), "https://cloud.example/" + i, TERMS, NOW)
                  .thenApply(Subscription::id));
      concurrently(
          MANY,
          i ->
              subscriptions()
                  .request(
                      Verification.Mode.SUBSCRIBE,
                      TOPIC,
                      "https://hub.example/" + i,
                      TERMS,
                      null,
                      NOW));
      allThere(feed);

      restart();
      allThere(feed);
    }

    private void allThere(FollowedFeed feed) {
      assertThat(subscriptions().ofFeed(feed.id(), 0, 2 * MANY))
          .hasSize(MANY)
          .extracting(Subscription::callback)
          .doesNotHaveDuplicates();
      assertThat(subscriptions().due(NOW, Set.of(), 2 * MANY))
          .hasSize(MANY)
          .extracting(pending -> pending.verification().callback())
          .doesNotHaveDuplicates();
    }

    @Test
    void registrations_requests_and_ends_of_one_feed_may_come_in_any_order() {
      FollowedFeed feed = feed("feed");
      // Odd numbers stay, even ones end: the feed must not be let go of in between.
      subscribe(feed, CALLBACK);

      concurrently(
          MANY,
          i ->
              i % 2 == 0
                  ? subscriptions()
                      .register(feed.id(), "https://s.example/" + i, TERMS, NOW)
                      .thenCompose(begun -> subscriptions().end(begun.id(), "gone", NOW))
                  : subscriptions()
                      .request(
                          Verification.Mode.SUBSCRIBE,
                          TOPIC,
                          "https://s.example/" + i,
                          TERMS,
                          null,
                          NOW)
                      .thenCompose(request -> subscriptions().confirm(request, NOW)));

      assertThat(subscriptions().ofFeed(feed.id(), 0, MANY)).hasSize(MANY / 2 + 1);
      assertThat(reread(feed).followed()).isTrue();
      assertThat(reread(feed).hasBaseline()).isTrue();
    }

    @Test
    void one_subscriber_who_registers_many_times_at_once_is_one() {
      FollowedFeed feed = feed("feed");

      List<Long> ids =
          concurrently(
              100,
              i ->
                  subscriptions()
                      .register(feed.id(), CALLBACK, TERMS, NOW)
                      .thenApply(Subscription::id));

      assertThat(new HashSet<>(ids)).hasSize(1);
      assertThat(subscriptions().ofFeed(feed.id(), 0, 10)).hasSize(1);
    }
  }

  @Nested
  class Signals {

    @Test
    void a_request_is_told_once_it_is_there() {
      feed("feed");
      Signal<Integer> told = signal(() -> due(NOW).size());
      store().onChange(Change.VERIFICATION, told);

      requestSubscription(TOPIC, CALLBACK, TERMS);

      told.awaits(1);
    }

    @Test
    void a_request_that_was_postponed_is_told() {
      feed("feed");
      Verification request = requestSubscription(TOPIC, CALLBACK, TERMS);
      Signal<Instant> told = signal(() -> subscriptions().nextDue(NOW).orElseThrow());
      store().onChange(Change.VERIFICATION, told);

      done(subscriptions().postpone(request, after(Duration.ofMinutes(1))));

      told.awaits(after(Duration.ofMinutes(1)));
    }

    @Test
    void the_end_of_the_last_subscription_is_told_to_upstream() {
      FollowedFeed feed = feed("feed");
      Subscription subscription = subscribe(feed, CALLBACK);
      Signal<Boolean> told = signal(() -> reread(feed).followed());
      store().onChange(Change.FOLLOWING, told);

      done(subscriptions().end(subscription.id(), "gone", NOW));

      told.awaits(false);
    }
  }
}
