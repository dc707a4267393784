package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.NamedHub;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions.Choice;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contract of {@link UpstreamSubscriptions}. */
public abstract class UpstreamSubscriptionsContract extends StoreContract {

  private static UpstreamSubscription websub(FollowedFeed feed, String token, Instant dueAt) {
    return new UpstreamSubscription(
        0,
        feed.id(),
        UpstreamSubscription.Kind.WEBSUB,
        "https://hub.example/",
        feed.topic(),
        token,
        "a secret",
        UpstreamSubscription.State.REQUESTING,
        null,
        dueAt,
        0,
        null);
  }

  private Choice choice(FollowedFeed feed) {
    return upstreamSubscriptions().toChoose(100).stream()
        .filter(choice -> choice.feed().id() == feed.id())
        .findFirst()
        .orElseThrow();
  }

  private UpstreamSubscription begin(FollowedFeed feed, String token, Instant dueAt) {
    done(
        upstreamSubscriptions()
            .choose(choice(feed), List.of(websub(feed, token, dueAt)), List.of()));
    return upstreamSubscriptions().byToken(token).orElseThrow();
  }

  @Nested
  class Spreading {

    private static final Duration TICK = Duration.ofMillis(250);
    private static final Duration MARGIN = Duration.ofMinutes(15);

    private UpstreamSubscription active(String name, Duration lease) {
      UpstreamSubscription begun = begin(feed(name), name, NOW);
      UpstreamSubscription active =
          begun
              .withLease(after(lease))
              .with(UpstreamSubscription.State.ACTIVE, after(Duration.ofSeconds(-1)), 0, null);
      done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, active));
      return active;
    }

    private Instant nextAction(UpstreamSubscription following) {
      return upstreamSubscriptions().byToken(following.token()).orElseThrow().nextActionAt();
    }

    @Test
    void renewals_that_are_due_are_spread_the_shortest_lease_first() {
      UpstreamSubscription last = active("last", Duration.ofHours(9));
      UpstreamSubscription first = active("first", Duration.ofHours(1));
      UpstreamSubscription second = active("second", Duration.ofHours(5));

      assertThat(done(upstreamSubscriptions().spreadRenewals(NOW, 1, TICK, MARGIN))).isEqualTo(2);

      assertThat(nextAction(first)).isEqualTo(first.nextActionAt());
      assertThat(nextAction(second)).isEqualTo(after(TICK));
      assertThat(nextAction(last)).isEqualTo(after(TICK.multipliedBy(2)));
    }

    @Test
    void one_whose_lease_is_about_to_end_is_not_put_off() {
      active("first", Duration.ofMinutes(1));
      UpstreamSubscription soon = active("soon", MARGIN);

      assertThat(done(upstreamSubscriptions().spreadRenewals(NOW, 1, TICK, MARGIN))).isZero();

      assertThat(nextAction(soon)).isEqualTo(soon.nextActionAt());
    }

    @Test
    void what_is_no_renewal_keeps_its_time() {
      active("first", Duration.ofHours(1));
      UpstreamSubscription asked = begin(feed("asked"), "asked", NOW);

      assertThat(done(upstreamSubscriptions().spreadRenewals(NOW, 1, TICK, MARGIN))).isZero();

      assertThat(nextAction(asked)).isEqualTo(NOW);
    }
  }

  @Nested
  class Lapsing {

    private static final String HOST = "hub.example";

    private UpstreamSubscription live(String name, Duration lease) {
      UpstreamSubscription begun = begin(feed(name), name, NOW);
      UpstreamSubscription active =
          begun
              .trusted(begun.trust().live(NOW))
              .withLease(after(lease))
              .with(UpstreamSubscription.State.ACTIVE, after(lease), 3, null);
      done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, active));
      return active;
    }

    private UpstreamSubscription now(UpstreamSubscription following) {
      return upstreamSubscriptions().byToken(following.token()).orElseThrow();
    }

    @Test
    void a_lease_that_ended_at_these_hosts_is_requested_anew_and_nothing_is_refused() {
      UpstreamSubscription over = live("over", Duration.ofHours(1));
      UpstreamSubscription lasting = live("lasting", Duration.ofHours(2));
      assertThat(over.host()).isEqualTo(HOST);

      assertThat(done(upstreamSubscriptions().lapse(Set.of(HOST), after(Duration.ofHours(1)))))
          .isEqualTo(1);

      UpstreamSubscription lapsed = now(over);
      assertThat(lapsed.state()).isEqualTo(UpstreamSubscription.State.REQUESTING);
      assertThat(lapsed.nextActionAt()).isEqualTo(after(Duration.ofHours(1)));
      assertThat(lapsed.attempts()).isZero();
      assertThat(lapsed.leaseEndsAt()).isNull();
      assertThat(lapsed.trust()).isEqualTo(Trust.NEW);
      assertThat(now(lasting)).isEqualTo(lasting);
      assertThat(upstreamSubscriptions().toChoose(10))
          .extracting(choice -> choice.feed().id())
          .containsExactly(over.feedId());
    }

    @Test
    void other_hosts_keep_what_they_have() {
      UpstreamSubscription over = live("over", Duration.ofHours(1));

      assertThat(
              done(
                  upstreamSubscriptions()
                      .lapse(Set.of("other.example"), after(Duration.ofHours(1)))))
          .isZero();

      assertThat(now(over)).isEqualTo(over);
    }
  }

  @Nested
  class S7_a_hub_without_signatures {

    private UpstreamSubscription live() {
      UpstreamSubscription begun = begin(feed("live"), "live", NOW);
      UpstreamSubscription active =
          begun
              .withLease(after(Duration.ofHours(25)))
              .with(UpstreamSubscription.State.ACTIVE, after(Duration.ofHours(23)), 0, null);
      done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, active));
      return active;
    }

    private UpstreamSubscription now(UpstreamSubscription following) {
      return upstreamSubscriptions().byToken(following.token()).orElseThrow();
    }

    private boolean delivered(UpstreamSubscription following, boolean signed) {
      return done(upstreamSubscriptions().delivered(following.id(), signed, NOW));
    }

    @Test
    void S7_that_never_signed_is_asked_again_without_a_secret_under_the_same_callback() {
      UpstreamSubscription live = live();
      for (int i = 1; i < Trust.UNSIGNED; i++) {
        assertThat(delivered(live, false)).isFalse();
        restart();
      }
      assertThat(now(live).secret()).isNotNull();

      assertThat(delivered(live, false)).isTrue();

      assertThat(now(live).secret()).isNull();
      assertThat(now(live).state()).isEqualTo(UpstreamSubscription.State.ACTIVE);
      assertThat(now(live).nextActionAt()).isEqualTo(NOW);
      assertThat(now(live).leaseEndsAt()).isEqualTo(live.leaseEndsAt());
      assertThat(delivered(live, false)).isFalse();
    }

    @Test
    void S7_that_has_signed_once_is_held_to_it() {
      UpstreamSubscription live = live();
      delivered(live, false);
      delivered(live, true);

      for (int i = 0; i <= Trust.UNSIGNED; i++) {
        assertThat(delivered(live, false)).isFalse();
      }

      assertThat(now(live).secret()).isEqualTo(live.secret());
    }

    @Test
    void one_that_is_not_live_changes_nothing() {
      UpstreamSubscription begun = begin(feed("begun"), "begun", NOW);

      for (int i = 0; i <= Trust.UNSIGNED; i++) {
        assertThat(delivered(begun, false)).isFalse();
      }

      assertThat(now(begun).trust()).isEqualTo(Trust.NEW);
    }
  }

  @Nested
  class TheAddress {

    private UpstreamSubscription live(String name) {
      UpstreamSubscription begun = begin(feed(name), name, NOW);
      UpstreamSubscription active =
          begun
              .withLease(after(Duration.ofHours(25)))
              .with(UpstreamSubscription.State.ACTIVE, after(Duration.ofHours(23)), 0, null);
      done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, active));
      return active;
    }

    private Instant nextAction(UpstreamSubscription following) {
      return upstreamSubscriptions().byToken(following.token()).orElseThrow().nextActionAt();
    }

    @Test
    void at_first_is_only_written_down() {
      UpstreamSubscription live = live("live");

      assertThat(done(upstreamSubscriptions().reachedAt("http://me.example", NOW))).isZero();

      assertThat(nextAction(live)).isEqualTo(live.nextActionAt());
    }

    @Test
    void that_is_the_same_after_a_restart_changes_nothing() {
      UpstreamSubscription live = live("live");
      done(upstreamSubscriptions().reachedAt("http://me.example", NOW));
      restart();

      assertThat(done(upstreamSubscriptions().reachedAt("http://me.example", NOW))).isZero();

      assertThat(nextAction(live)).isEqualTo(live.nextActionAt());
    }

    @Test
    void that_has_changed_makes_what_is_live_due_once() {
      UpstreamSubscription live = live("live");
      UpstreamSubscription asked = begin(feed("asked"), "asked", after(Duration.ofMinutes(5)));
      done(upstreamSubscriptions().reachedAt("http://me.example", NOW));
      restart();

      assertThat(done(upstreamSubscriptions().reachedAt("http://moved.example", NOW))).isEqualTo(1);

      assertThat(nextAction(live)).isEqualTo(NOW);
      assertThat(nextAction(asked)).isEqualTo(asked.nextActionAt());
      assertThat(done(upstreamSubscriptions().reachedAt("http://moved.example", NOW))).isZero();
    }
  }

  @Nested
  class A_feed_that_moves {

    private UpstreamSubscription live(UpstreamSubscription.Kind kind) {
      FollowedFeed feed = feed(kind.name());
      UpstreamSubscription begun =
          new UpstreamSubscription(
              0,
              feed.id(),
              kind,
              "https://blog.example/hub",
              feed.topic(),
              kind.name(),
              null,
              UpstreamSubscription.State.REQUESTING,
              null,
              NOW,
              0,
              null);
      done(upstreamSubscriptions().choose(choice(feed), List.of(begun), List.of()));
      UpstreamSubscription active =
          now(begun)
              .withLease(after(Duration.ofHours(25)))
              .with(UpstreamSubscription.State.ACTIVE, after(Duration.ofHours(23)), 0, null);
      done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, active));
      done(
          feeds()
              .record(
                  OutcomeBuilder.of(reread(feed), NOW)
                      .url("https://moved.example/" + kind)
                      .build()));
      return now(active);
    }

    private UpstreamSubscription now(UpstreamSubscription following) {
      return upstreamSubscriptions().byToken(following.token()).orElseThrow();
    }

    @Test
    void has_its_registration_at_a_cloud_renewed_at_once() {
      assertThat(live(UpstreamSubscription.Kind.RSSCLOUD).nextActionAt()).isEqualTo(NOW);
    }

    @Test
    void keeps_its_subscription_at_a_hub_which_names_the_topic() {
      assertThat(live(UpstreamSubscription.Kind.WEBSUB).nextActionAt())
          .isEqualTo(after(Duration.ofHours(23)));
    }
  }

  @Nested
  class Choosing {

    @Test
    void a_feed_wants_choosing_after_its_first_fetch_and_not_before() {
      FollowedFeed feed = done(feeds().follow("https://origin.example/feed", NOW));
      assertThat(upstreamSubscriptions().toChoose(10)).isEmpty();

      done(feeds().record(OutcomeBuilder.of(feed, NOW).baseline().build()));

      assertThat(upstreamSubscriptions().toChoose(10))
          .singleElement()
          .satisfies(
              choice -> {
                assertThat(choice.feed()).isEqualTo(reread(feed));
                assertThat(choice.upstreamSubscriptions()).isEmpty();
              });
    }

    @Test
    void a_choice_begins_followings_and_changes_others_and_is_then_made() {
      FollowedFeed feed = feed("feed");
      UpstreamSubscription old = begin(feed, "old", NOW);
      done(upstreamSubscriptions().chooseAgain(feed.id()));
      Choice choice = choice(feed);
      assertThat(choice.upstreamSubscriptions()).containsExactly(old);

      UpstreamSubscription ending = old.with(UpstreamSubscription.State.ENDING, NOW, 0, "moved");
      done(
          upstreamSubscriptions()
              .choose(choice, List.of(websub(feed, "new", NOW)), List.of(ending)));

      assertThat(upstreamSubscriptions().toChoose(10)).isEmpty();
      assertThat(upstreamSubscriptions().ofFeed(feed.id()))
          .hasSize(2)
          .contains(ending)
          .filteredOn(following -> following.token().equals("new"))
          .singleElement()
          .satisfies(
              begun ->
                  assertThat(begun)
                      .usingRecursiveComparison()
                      .ignoringFields("id")
                      .isEqualTo(websub(feed, "new", NOW)));
    }

    @Test
    void a_feed_that_changed_since_the_choice_was_read_wants_choosing_again() {
      FollowedFeed feed = feed("feed");
      Choice read = choice(feed);
      Advertised advertised = new Advertised(List.of("https://hub.example/"), null, List.of());
      done(feeds().record(OutcomeBuilder.of(feed, NOW).advertised(advertised).build()));

      done(upstreamSubscriptions().choose(read, List.of(), List.of()));

      assertThat(choice(feed).feed().advertised()).isEqualTo(advertised);
    }

    @Test
    void a_fetch_that_advertises_the_same_asks_for_no_choice() {
      FollowedFeed feed = feed("feed");
      Advertised advertised =
          new Advertised(
              List.of("https://hub.example/"),
              feed.topic(),
              List.of(new Advertised.Cloud("http://cloud.example/", "http-post")));
      done(feeds().record(OutcomeBuilder.of(feed, NOW).advertised(advertised).build()));
      done(upstreamSubscriptions().choose(choice(feed), List.of(), List.of()));

      done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).event(1).build()));

      assertThat(upstreamSubscriptions().toChoose(10)).isEmpty();
    }

    @Test
    void a_feed_let_go_of_wants_choosing_so_that_its_followings_are_ended() {
      FollowedFeed feed = feed("feed");
      UpstreamSubscription following = begin(feed, "token", NOW);

      done(feeds().unfollowIfUnused(feed.id(), NOW));

      assertThat(choice(feed).feed().followed()).isFalse();
      assertThat(choice(feed).upstreamSubscriptions()).containsExactly(following);
    }

    @Test
    void what_wants_choosing_is_found_after_a_restart() {
      FollowedFeed feed = feed("feed");

      restart();

      assertThat(choice(feed).feed()).isEqualTo(feed);
    }

    @Test
    void at_most_as_many_as_asked_for_are_read() {
      feed("one");
      feed("two");
      feed("three");

      assertThat(upstreamSubscriptions().toChoose(2)).hasSize(2);
    }
  }

  @Nested
  class Moving {

    @Test
    void a_step_that_bears_on_the_choice_wants_it_made_anew_with_it() {
      FollowedFeed feed = feed("feed");
      UpstreamSubscription begun = begin(feed, "token", NOW);
      UpstreamSubscription refused = begun.with(UpstreamSubscription.State.REFUSED, NOW, 1, "no");

      assertThat(
              done(
                  upstreamSubscriptions()
                      .moveAndChoose(UpstreamSubscription.State.REQUESTING, refused)))
          .isTrue();

      assertThat(choice(feed).upstreamSubscriptions()).containsExactly(refused);
    }

    @Test
    void a_step_that_is_not_made_wants_nothing() {
      FollowedFeed feed = feed("feed");
      UpstreamSubscription begun = begin(feed, "token", NOW);
      UpstreamSubscription refused = begun.with(UpstreamSubscription.State.REFUSED, NOW, 1, "no");

      assertThat(
              done(
                  upstreamSubscriptions()
                      .moveAndChoose(UpstreamSubscription.State.ACTIVE, refused)))
          .isFalse();

      assertThat(upstreamSubscriptions().toChoose(10)).isEmpty();
      assertThat(upstreamSubscriptions().byToken("token")).contains(begun);
    }

    @Test
    void one_that_was_refused_gives_its_place_to_another_once() {
      FollowedFeed feed = feed("feed");
      UpstreamSubscription begun = begin(feed, "token", NOW);
      UpstreamSubscription refused = begun.with(UpstreamSubscription.State.REFUSED, NOW, 0, "no");
      done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, refused));

      done(upstreamSubscriptions().beginAnew(refused, websub(feed, "fresh", NOW)));
      done(upstreamSubscriptions().beginAnew(refused, websub(feed, "another", NOW)));

      assertThat(choice(feed).upstreamSubscriptions())
          .extracting(UpstreamSubscription::token)
          .containsExactly("fresh");
    }

    @Test
    void a_following_moves_from_the_state_its_caller_saw() {
      UpstreamSubscription following = begin(feed("feed"), "token", NOW);
      UpstreamSubscription active =
          following
              .with(UpstreamSubscription.State.ACTIVE, after(Duration.ofDays(5)), 2, "confirmed")
              .withLease(after(Duration.ofDays(10)));

      assertThat(done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, active)))
          .isTrue();

      assertThat(upstreamSubscriptions().byToken("token")).contains(active);
    }

    @Test
    void a_following_that_moved_on_is_left_alone() {
      UpstreamSubscription following = begin(feed("feed"), "token", NOW);
      UpstreamSubscription requested =
          following.with(UpstreamSubscription.State.REQUESTED, NOW, 1, null);
      done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, requested));

      UpstreamSubscription refused =
          following.with(UpstreamSubscription.State.REFUSED, NOW, 0, "late news");

      assertThat(done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, refused)))
          .isFalse();
      assertThat(upstreamSubscriptions().byToken("token")).contains(requested);
    }

    @Test
    void of_many_who_move_it_at_once_one_does() {
      UpstreamSubscription following = begin(feed("feed"), "token", NOW);

      List<Boolean> moved =
          concurrently(
              50,
              i ->
                  upstreamSubscriptions()
                      .move(
                          UpstreamSubscription.State.REQUESTING,
                          following.with(
                              UpstreamSubscription.State.REQUESTED, NOW, i, "mover " + i)));

      assertThat(moved).filteredOn(won -> won).hasSize(1);
      assertThat(upstreamSubscriptions().byToken("token").orElseThrow().attempts())
          .isEqualTo(moved.indexOf(true));
    }

    @Test
    void one_that_was_removed_moves_no_more() {
      UpstreamSubscription following = begin(feed("feed"), "token", NOW);
      done(upstreamSubscriptions().remove(following.id()));

      assertThat(upstreamSubscriptions().byToken("token")).isEmpty();
      assertThat(upstreamSubscriptions().ofFeed(following.feedId())).isEmpty();
      assertThat(
              done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, following)))
          .isFalse();
    }
  }

  @Nested
  class Due {

    @Test
    void followings_are_due_longest_due_first_and_at_most_as_many_as_asked_for() {
      UpstreamSubscription second = begin(feed("two"), "two", after(Duration.ofSeconds(2)));
      UpstreamSubscription first = begin(feed("one"), "one", after(Duration.ofSeconds(1)));
      begin(feed("three"), "three", after(Duration.ofSeconds(3)));

      assertThat(upstreamSubscriptions().nextDue(NOW)).contains(after(Duration.ofSeconds(1)));
      assertThat(upstreamSubscriptions().due(NOW, Set.of(), 10)).isEmpty();
      assertThat(upstreamSubscriptions().due(after(Duration.ofSeconds(2)), Set.of(), 10))
          .containsExactly(first, second);
      assertThat(upstreamSubscriptions().due(after(Duration.ofSeconds(3)), Set.of(), 1))
          .containsExactly(first);
    }

    private UpstreamSubscription at(String endpoint, Instant dueAt) {
      FollowedFeed feed = feed(endpoint);
      UpstreamSubscription hub = websub(feed, endpoint, dueAt);
      UpstreamSubscription moved =
          new UpstreamSubscription(
              0,
              feed.id(),
              hub.kind(),
              endpoint,
              hub.topic(),
              hub.token(),
              hub.secret(),
              hub.state(),
              null,
              dueAt,
              0,
              null);
      done(upstreamSubscriptions().choose(choice(feed), List.of(moved), List.of()));
      return upstreamSubscriptions().byToken(endpoint).orElseThrow();
    }

    @Test
    void followings_at_a_host_are_passed_over_or_read_alone() {
      UpstreamSubscription one = at("https://user@Hub.example:8080/a?b", NOW);
      UpstreamSubscription two = at("http://hub.example:8080#c", after(Duration.ofSeconds(1)));
      UpstreamSubscription three = at("http://other.example/", after(Duration.ofSeconds(2)));
      Instant later = after(Duration.ofSeconds(3));
      Set<String> host = Set.of("hub.example:8080");

      assertThat(List.of(one.host(), two.host())).containsOnly("hub.example:8080");
      assertThat(upstreamSubscriptions().due(later, host, 1)).containsExactly(three);
      assertThat(upstreamSubscriptions().dueAt(later, host, 3)).containsExactly(one, two);
      assertThat(upstreamSubscriptions().dueAt(later, Set.of(), 3)).isEmpty();
      assertThat(upstreamSubscriptions().nextDue(NOW)).contains(after(Duration.ofSeconds(1)));
      assertThat(upstreamSubscriptions().nextDue(later)).isEmpty();
    }

    @Test
    void nothing_is_due_where_nothing_is_followed() {
      assertThat(upstreamSubscriptions().nextDue(NOW)).isEmpty();
      assertThat(upstreamSubscriptions().due(NOW, Set.of(), 10)).isEmpty();
      assertThat(upstreamSubscriptions().byToken("token")).isEmpty();
    }
  }

  @Nested
  class Signals {

    @Test
    void a_move_is_told_once_it_is_there() {
      UpstreamSubscription following = begin(feed("feed"), "token", NOW);
      Signal<UpstreamSubscription> told =
          signal(() -> upstreamSubscriptions().byToken("token").orElseThrow());
      UpstreamSubscription requested =
          following.with(UpstreamSubscription.State.REQUESTED, NOW, 1, null);
      store().onChange(Change.FOLLOWING, told);

      done(upstreamSubscriptions().move(UpstreamSubscription.State.REQUESTING, requested));

      told.awaits(requested);
    }

    @Test
    void a_hub_that_is_named_for_a_feed_makes_it_choose_again_until_the_name_is_taken_back() {
      FollowedFeed feed = feed("feed");
      NamedHub named = new NamedHub("https://hub.example.org/", "https://example.org/feed");
      Signal<Integer> told = signal(() -> upstreamSubscriptions().toChoose(10).size());
      store().onChange(Change.FOLLOWING, told);

      done(upstreamSubscriptions().nameHub(feed.id(), none -> named));

      told.awaits(1);
      assertThat(reread(feed).named()).isEqualTo(named);
      done(upstreamSubscriptions().nameHub(feed.id(), before -> new NamedHub(before.hub(), null)));
      assertThat(reread(feed).named()).isEqualTo(new NamedHub(named.hub(), null));
      done(upstreamSubscriptions().nameHub(feed.id(), before -> null));
      assertThat(reread(feed).named()).isNull();
    }

    @Test
    void of_two_changes_of_a_named_hub_at_once_none_is_lost() {
      FollowedFeed feed = feed("feed");
      done(upstreamSubscriptions().nameHub(feed.id(), none -> new NamedHub("https://a/", null)));

      CompletableFuture<Void> hub =
          upstreamSubscriptions()
              .nameHub(feed.id(), before -> new NamedHub("https://b/", before.topic()));
      CompletableFuture<Void> topic =
          upstreamSubscriptions()
              .nameHub(feed.id(), before -> new NamedHub(before.hub(), "https://feed/"));

      done(hub);
      done(topic);
      assertThat(reread(feed).named()).isEqualTo(new NamedHub("https://b/", "https://feed/"));
    }

    @Test
    void a_wish_to_choose_again_is_told_once_it_is_there() {
      FollowedFeed feed = feed("feed");
      begin(feed, "token", NOW);
      Signal<Integer> told = signal(() -> upstreamSubscriptions().toChoose(10).size());
      store().onChange(Change.FOLLOWING, told);

      done(upstreamSubscriptions().chooseAgain(feed.id()));

      told.awaits(1);
    }

    @Test
    void a_feed_let_go_of_is_told_once_it_is_there() {
      FollowedFeed feed = feed("feed");
      Signal<Boolean> told = signal(() -> reread(feed).followed());
      store().onChange(Change.FOLLOWING, told);

      done(feeds().unfollowIfUnused(feed.id(), NOW));

      told.awaits(false);
    }
  }
}
