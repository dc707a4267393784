package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FeedCredentials.Auth;
import io.feedbridge.gateway.store.feeds.FeedCredentials.Scheme;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The contract of {@link PrivateFeeds}. */
public abstract class PrivateFeedsContract extends StoreContract {

  private static final String TOPIC = "https://one.example/feed";
  private static final FeedCredentials ALL =
      new FeedCredentials(
          new Auth(Scheme.BASIC, "ann", "geheim"),
          Map.of("X-Key", "klandestin"),
          "Reader/1",
          "http://ann:geheim@proxy.example:3128");

  private PrivateFeeds privates() {
    return store().privateFeeds();
  }

  private FollowedFeed set(FeedCredentials credentials) {
    return done(privates().set(TOPIC, credentials, NOW));
  }

  @Test
  void credentials_are_there_after_a_restart() {
    FollowedFeed feed = set(ALL);

    restart();

    assertThat(privates().of(feed.id())).contains(ALL);
    assertThat(privates().contains(TOPIC)).isTrue();
    assertThat(privates().contains(feed.id())).isTrue();
    assertThat(privates().contains("https://two.example/")).isFalse();
    assertThat(privates().count()).isEqualTo(1);
  }

  @Test
  void the_feed_is_followed_for_good_and_due_at_once() {
    FollowedFeed feed = set(ALL);

    done(store().feeds().unfollowIfUnused(feed.id(), NOW));

    assertThat(store().feeds().due(NOW, 10)).extracting(FollowedFeed::topic).containsExactly(TOPIC);
  }

  @Test
  void later_credentials_take_the_place_of_earlier_ones() {
    set(ALL);
    FeedCredentials later =
        new FeedCredentials(new Auth(Scheme.BEARER, null, "t"), Map.of(), null, null);

    assertThat(privates().of(set(later).id())).contains(later);
  }

  @Test
  void a_feed_without_credentials_is_public_again() {
    FollowedFeed feed = set(ALL);

    done(privates().clear(TOPIC));

    assertThat(privates().contains(TOPIC)).isFalse();
    restart();
    assertThat(privates().contains(TOPIC)).isFalse();
    assertThat(privates().of(feed.id())).isEmpty();
  }

  @Test
  void a_released_feed_has_no_credentials_and_stays_private() {
    FollowedFeed feed = set(ALL);

    done(store().feedQueries().release(feed.id(), NOW));

    assertThat(privates().of(feed.id())).isEmpty();
    restart();
    assertThat(privates().of(feed.id())).isEmpty();
    assertThat(privates().contains(TOPIC)).isTrue();
  }

  @Test
  void a_subscription_without_the_operators_credentials_does_not_begin() {
    FollowedFeed feed = set(ALL);

    assertThat(done(request(Sponsor.NOBODY))).isFalse();
    assertThat(done(request(new Sponsor("ann", true)))).isFalse();
    assertThat(store().subscriptions().ofFeed(feed.id(), 0, 10)).isEmpty();

    done(request(new Sponsor(Sponsor.OPERATOR, true)));

    assertThat(store().subscriptions().ofFeed(feed.id(), 0, 10)).hasSize(1);
  }

  @Test
  void a_request_that_comes_too_late_is_denied_at_its_callback() {
    set(ALL);

    done(request(Sponsor.NOBODY));

    assertThat(store().subscriptions().due(NOW, Set.of(), Set.of(), 10))
        .singleElement()
        .satisfies(
            due -> {
              assertThat(due.verification().mode()).isEqualTo(Verification.Mode.DENIED);
              assertThat(due.verification().callback()).isEqualTo("https://subscriber.example/");
              assertThat(due.verification().reason()).isEqualTo(PrivateFeeds.REFUSED);
            });
  }

  @Test
  void what_strangers_have_left_ends_with_the_commit_of_the_credentials() {
    done(store().feeds().follow(TOPIC, NOW));
    done(request(Sponsor.NOBODY));
    done(ask(Sponsor.NOBODY, "https://other.example/"));

    FollowedFeed feed = set(ALL);

    assertThat(store().subscriptions().ofFeed(feed.id(), 0, 10)).isEmpty();
    assertThat(store().subscriptions().due(NOW, Set.of(), Set.of(), 10))
        .extracting(due -> due.verification().mode())
        .containsExactly(Verification.Mode.DENIED, Verification.Mode.DENIED);
  }

  @Test
  void the_operators_subscriptions_and_requests_stay() {
    done(store().feeds().follow(TOPIC, NOW));
    Sponsor operator = new Sponsor(Sponsor.OPERATOR, true);
    done(request(operator));
    Verification waiting = done(ask(operator, "https://other.example/"));

    FollowedFeed feed = set(ALL);

    assertThat(done(store().subscriptions().confirm(waiting, NOW))).isTrue();
    assertThat(store().subscriptions().ofFeed(feed.id(), 0, 10)).hasSize(2);
  }

  @Test
  void a_hidden_feed_is_private_until_it_is_shown() {
    FollowedFeed feed = done(store().feeds().follow(TOPIC, NOW));

    assertThat(done(privates().hide(TOPIC))).contains(feed.id());
    assertThat(privates().contains(TOPIC)).isTrue();
    privates().show(TOPIC);
    assertThat(privates().contains(TOPIC)).isFalse();
    assertThat(done(privates().hide("https://two.example/"))).isEmpty();
  }

  private CompletableFuture<Boolean> request(Sponsor sponsor) {
    return ask(sponsor, "https://subscriber.example/")
        .thenCompose(verification -> store().subscriptions().confirm(verification, NOW));
  }

  private CompletableFuture<Verification> ask(Sponsor sponsor, String callback) {
    Terms terms =
        new Terms(TOPIC, Format.ATOM, null, "sha256", false, false, Duration.ofDays(1), null);
    return store()
        .subscriptions()
        .request(Verification.Mode.SUBSCRIBE, TOPIC, callback, terms, null, sponsor, NOW);
  }

  @Test
  void no_text_has_a_secret() {
    for (String text : List.of(ALL.toString(), String.valueOf(ALL.auth()))) {
      assertThat(text).doesNotContain("geheim", "klandestin", "Reader");
    }
  }
}
