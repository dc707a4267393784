package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.Figures;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.work.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of {@link Store#figures}. */
public abstract class FiguresContract extends StoreContract {

  private long append(FollowedFeed feed, Instant at) {
    return done(feeds().record(OutcomeBuilder.of(reread(feed), at).event(1).build())).get(0);
  }

  private @Nullable Instant oldestUndelivered() {
    return store().figures().oldestUndelivered();
  }

  @Test
  void nothing_is_counted_where_nothing_is() {
    assertThat(store().figures()).isEqualTo(new Figures(Map.of(), 0, 0, 0, 0, 0, 0, null));
  }

  @Test
  void feeds_subscriptions_live_followings_and_laggards_are_counted() {
    FollowedFeed feed = feed("feed");
    FollowedFeed unused = feed("unused");
    Subscription one = subscribe(feed, "https://one.example/");
    subscribe(feed, "https://two.example/");
    done(subscriptions().register(feed.id(), "https://one.example/", TERMS, NOW));
    for (UpstreamSubscription.State state : UpstreamSubscription.State.values()) {
      done(
          upstreamSubscriptions()
              .choose(
                  upstreamSubscriptions().toChoose(1).stream()
                      .findFirst()
                      .orElseGet(() -> new UpstreamSubscriptions.Choice(feed, 1, List.of())),
                  List.of(following(feed, state)),
                  List.of()));
    }
    append(feed, 1);
    walk(feed, laggard(one, 0).build());
    done(feeds().unfollowIfUnused(unused.id(), NOW));

    assertThat(store().figures())
        .isEqualTo(
            new Figures(
                Map.of(new Figures.Followed(reread(feed).state(), Figures.Way.RSSCLOUD), 1L),
                2,
                1,
                2,
                1,
                0,
                0,
                NOW));
  }

  @Test
  void bytes_of_documents_are_counted() {
    FollowedFeed feed = feedWithBytes("feed");
    done(feeds().record(OutcomeBuilder.of(feed, NOW).body("12345").build()));

    assertThat(store().figures().documentBytes()).isEqualTo(5);
  }

  @Test
  void feeds_are_counted_by_state_and_by_the_way_in_which_they_are_followed() {
    feed("polled");
    FollowedFeed broken = feed("broken");
    done(
        feeds()
            .abandon(new Position(broken.id(), 0), NOW.plusSeconds(60), "it cannot be processed"));
    done(feeds().unfollowIfUnused(feed("left").id(), NOW));

    assertThat(store().figures().feedsBy())
        .isEqualTo(
            Map.of(
                new Figures.Followed(reread(feed("polled")).state(), Figures.Way.POLL), 1L,
                new Figures.Followed(FeedState.ERROR, Figures.Way.POLL), 1L));
    assertThat(store().figures().feeds()).isEqualTo(2);
  }

  private static UpstreamSubscription following(
      FollowedFeed feed, UpstreamSubscription.State state) {
    return new UpstreamSubscription(
        0,
        feed.id(),
        UpstreamSubscription.Kind.RSSCLOUD,
        "http://cloud.example/",
        feed.topic(),
        "token " + state,
        null,
        state,
        null,
        NOW,
        0,
        null);
  }

  @Test
  void the_oldest_undelivered_event_is_that_of_a_round_that_is_due_or_under_way() {
    FollowedFeed feed = feed("feed");
    subscribe(feed, "https://one.example/");
    append(feed, after(Duration.ofSeconds(1)));
    append(feed, after(Duration.ofSeconds(2)));
    assertThat(oldestUndelivered()).isEqualTo(after(Duration.ofSeconds(1)));

    Round round = openRound(feed);
    assertThat(oldestUndelivered()).isEqualTo(after(Duration.ofSeconds(1)));

    done(rounds().close(round, List.of()));
    assertThat(oldestUndelivered()).isNull();
  }

  @Test
  void or_that_of_a_laggard_until_it_got_it() {
    FollowedFeed feed = feed("feed");
    Subscription subscription = subscribe(feed, "https://one.example/");
    long first = append(feed, after(Duration.ofSeconds(1)));
    long second = append(feed, after(Duration.ofSeconds(2)));
    Laggard behind = laggard(subscription, 0).build();
    walk(feed, behind);
    assertThat(oldestUndelivered()).isEqualTo(after(Duration.ofSeconds(1)));

    done(laggards().claim(List.of(LaggardBuilder.of(behind).inFlight(second).build())));
    assertThat(store().figures().laggards()).isEqualTo(1);
    assertThat(oldestUndelivered()).isEqualTo(after(Duration.ofSeconds(1)));

    done(laggards().settle(LaggardBuilder.of(behind).got(first).build(), NOW));
    assertThat(oldestUndelivered()).isEqualTo(after(Duration.ofSeconds(2)));

    done(laggards().settle(LaggardBuilder.of(behind).got(second).build(), NOW));
    assertThat(oldestUndelivered()).isNull();
    assertThat(store().figures().laggards()).isZero();
  }

  @Test
  void an_event_that_nobody_is_subscribed_for_is_not_undelivered() {
    FollowedFeed feed = feed("feed");
    append(feed, 1);

    assertThat(oldestUndelivered()).isNull();
  }

  @Test
  void L6_nor_is_one_that_is_older_than_everybodys_subscription() {
    FollowedFeed feed = feed("feed");
    append(feed, 1);
    subscribe(feed, "https://one.example/");

    assertThat(oldestUndelivered()).isNull();
  }
}
