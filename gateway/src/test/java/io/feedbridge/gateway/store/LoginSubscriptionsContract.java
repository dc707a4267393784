package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Standing;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions.Bound;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions.Comparison;
import io.feedbridge.gateway.store.sql.subscriptions.LoginSubscriptions.Filter;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of {@link LoginSubscriptions}, and of the sponsors of {@link Subscriptions}. */
public abstract class LoginSubscriptionsContract extends StoreContract {

  private static final String CALLBACK = "https://reader.example/one";

  private Verification ask(FollowedFeed feed, String callback, Sponsor sponsor) {
    return done(
        subscriptions()
            .request(
                Verification.Mode.SUBSCRIBE, feed.topic(), callback, TERMS, null, sponsor, NOW));
  }

  private void own(FollowedFeed feed, String callback, @Nullable String login) {
    done(subscriptions().confirm(ask(feed, callback, new Sponsor(login, true)), NOW));
  }

  private List<String> callbacks(Filter filter) {
    return store().loginSubscriptions().list(filter, 10, 0).stream()
        .map(one -> one.subscription().callback())
        .toList();
  }

  @Test
  void a_login_has_those_that_it_asked_for_and_nobody_else_has_them() {
    FollowedFeed feed = feed("a");
    own(feed, CALLBACK, "ann");
    own(feed, CALLBACK + "2", "bob");
    own(feed, CALLBACK + "3", null);

    restart();

    assertThat(callbacks(Filter.of("ann"))).containsExactly(CALLBACK);
    assertThat(callbacks(Filter.of(null))).hasSize(3);
    assertThat(callbacks(Filter.of(Sponsor.OPERATOR))).isEmpty();
    assertThat(store().loginSubscriptions().list(Filter.of(null), 1, 1))
        .singleElement()
        .satisfies(one -> assertThat(one.feed().topic()).isEqualTo(feed.topic()));
  }

  @Test
  void a_renewal_without_credentials_leaves_the_owner() {
    FollowedFeed feed = feed("a");
    own(feed, CALLBACK, "ann");
    own(feed, CALLBACK, null);

    assertThat(callbacks(Filter.of("ann"))).containsExactly(CALLBACK);
  }

  @Test
  void a_login_vouches_for_its_own_and_for_new_ones_alone() {
    FollowedFeed feed = feed("a");
    own(feed, CALLBACK, "ann");
    own(feed, CALLBACK + "2", null);

    assertThat(ask(feed, CALLBACK, new Sponsor("ann", true)).vouched()).isTrue();
    assertThat(ask(feed, CALLBACK, new Sponsor("ann", false)).vouched()).isFalse();
    assertThat(ask(feed, CALLBACK, new Sponsor("bob", true)).vouched()).isFalse();
    assertThat(ask(feed, CALLBACK + "2", new Sponsor("bob", true)).vouched()).isFalse();
    assertThat(ask(feed, CALLBACK + "3", new Sponsor("bob", true)).vouched()).isTrue();
    assertThat(ask(feed, CALLBACK, new Sponsor(Sponsor.OPERATOR, true)).vouched()).isTrue();
    assertThat(ask(feed, CALLBACK, Sponsor.NOBODY).vouched()).isFalse();
  }

  @Test
  void an_end_is_vouched_for_where_there_is_one_to_be_ended() {
    FollowedFeed feed = feed("a");
    own(feed, CALLBACK, "ann");

    assertThat(end(feed, CALLBACK, "ann").vouched()).isTrue();
    assertThat(end(feed, CALLBACK, "bob").vouched()).isFalse();
    assertThat(end(feed, CALLBACK + "2", "ann").vouched()).isFalse();
    assertThat(end(feed, CALLBACK + "2", Sponsor.OPERATOR).vouched()).isTrue();
  }

  private Verification end(FollowedFeed feed, String callback, String login) {
    return done(
        subscriptions()
            .request(
                Verification.Mode.UNSUBSCRIBE,
                feed.topic(),
                callback,
                TERMS,
                null,
                new Sponsor(login, true),
                NOW));
  }

  @Test
  void H19_a_refresh_is_vouched_for_while_the_login_may_subscribe() {
    FollowedFeed feed = feed("a");
    Terms legacy = new Terms("http://t.example/", Format.ATOM, null, "sha1", false, true, LEASE);
    done(store().tokens().add("ann", new byte[] {1}, Set.of(Right.SUBSCRIBE), NOW));
    done(store().tokens().add("bob", new byte[] {2}, Set.of(Right.LIST), NOW));
    for (String login : List.of("ann", "bob", Sponsor.OPERATOR)) {
      done(
          subscriptions()
              .confirm(
                  done(
                      subscriptions()
                          .request(
                              Verification.Mode.SUBSCRIBE,
                              feed.topic(),
                              CALLBACK + login,
                              legacy,
                              null,
                              new Sponsor(login, true),
                              NOW)),
                  NOW));
    }

    done(subscriptions().refresh(after(LEASE.minus(Duration.ofDays(1))), 10));

    assertThat(subscriptions().due(after(LEASE), Set.of(), 10))
        .extracting(pending -> pending.verification().callback(), p -> p.verification().vouched())
        .containsExactlyInAnyOrder(
            tuple(CALLBACK + "ann", true), tuple(CALLBACK + "bob", false), tuple(CALLBACK, true));
  }

  @Test
  void feeds_are_those_of_the_subscriptions_without_repetition() {
    FollowedFeed one = feed("one");
    FollowedFeed two = feed("two");
    own(one, CALLBACK, "ann");
    own(one, CALLBACK + "2", "ann");
    own(two, CALLBACK, "ann");
    feed("three");

    assertThat(store().loginSubscriptions().feeds(Filter.of("ann"), 10))
        .extracting(FollowedFeed::id)
        .containsExactly(one.id(), two.id());
    assertThat(store().loginSubscriptions().feeds(Filter.of("ann").at(CALLBACK + "2"), 10))
        .extracting(FollowedFeed::id)
        .containsExactly(one.id());
    assertThat(store().loginSubscriptions().feeds(Filter.of("bob").to(one.topic()), 10)).isEmpty();
  }

  @Test
  void the_bozo_rank_is_that_of_the_status() {
    FollowedFeed feed = feed("a");
    FollowedFeed.Fetched was = feed.fetched();
    Standing standing = Standing.UNKNOWN.after(3, 1, true);
    FollowedFeed.Fetched fetched =
        new FollowedFeed.Fetched(
            was.title(),
            was.code(),
            was.message(),
            was.period(),
            was.failures(),
            was.generatedIds(),
            was.lastFetch(),
            was.lastParse(),
            new FollowedFeed.Maintenance(NOW, 3, 12L),
            standing);
    done(feeds().record(OutcomeBuilder.of(feed, NOW).fetched(fetched).build()));
    own(feed, CALLBACK, "ann");
    double rank = Objects.requireNonNull(reread(feed).status().bozoRank());

    for (Comparison comparison : Comparison.values()) {
      boolean or = comparison != Comparison.LESS && comparison != Comparison.MORE;
      assertThat(callbacks(bozo(comparison, rank))).as(comparison.name()).hasSize(or ? 1 : 0);
    }
    assertThat(rank).isEqualTo(0.4);
    assertThat(callbacks(velocity(Comparison.MORE, 10))).hasSize(1);
    assertThat(callbacks(velocity(Comparison.LESS, 12))).isEmpty();
  }

  private static Filter bozo(Comparison comparison, double rank) {
    return new Filter(
        "ann", null, null, null, null, null, new Bound(comparison, rank), null, null, null);
  }

  private static Filter velocity(Comparison comparison, double value) {
    return new Filter(
        "ann", null, null, null, null, new Bound(comparison, value), null, null, null, null);
  }
}
