package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Standing;
import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.Kind;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.work.Via;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link Upstreams}, and of what the recording of entries does to upstream
 * subscriptions.
 */
public abstract class UpstreamsContract extends StoreContract {

  private static final String HUB = "https://hub.example/";
  private static final Instant LATER = NOW.plus(Duration.ofHours(1));

  /** A feed that was fetched since it is followed at the hub. */
  private FollowedFeed pushed(String name) {
    FollowedFeed feed = feed(name);
    UpstreamSubscription following =
        new UpstreamSubscription(
            0,
            feed.id(),
            Kind.WEBSUB,
            HUB,
            feed.topic(),
            "token-" + name,
            null,
            State.ACTIVE,
            after(Duration.ofDays(10)),
            after(Duration.ofDays(9)),
            0,
            null,
            Trust.NEW.live(NOW.minusSeconds(1)));
    UpstreamSubscriptions.Choice choice =
        upstreamSubscriptions().toChoose(100).stream()
            .filter(one -> one.feed().id() == feed.id())
            .findFirst()
            .orElseThrow();
    done(upstreamSubscriptions().choose(choice, List.of(following), List.of()));
    found(feed, 0, Via.POLL, NOW);
    return reread(feed);
  }

  private void found(FollowedFeed feed, int entries, Via via, Instant at) {
    OutcomeBuilder outcome = fetched(feed, via, at);
    done(feeds().record((entries > 0 ? outcome.event(entries) : outcome).build()));
  }

  private void foundAsPublished(FollowedFeed feed, int entries, Instant at) {
    done(feeds().record(fetched(feed, Via.POLL, at).published(entries, at).build()));
  }

  private OutcomeBuilder fetched(FollowedFeed feed, Via via, Instant at) {
    FollowedFeed now = reread(feed);
    FollowedFeed.Fetched before = now.fetched();
    return OutcomeBuilder.of(now, at)
        .via(via)
        .fetched(
            new FollowedFeed.Fetched(
                null,
                200,
                null,
                before.period(),
                0,
                false,
                at,
                at,
                before.maintenance(),
                Standing.UNKNOWN));
  }

  private UpstreamSubscription following(FollowedFeed feed) {
    return upstreamSubscriptions().ofFeed(feed.id()).get(0);
  }

  private Upstreams.Tally tally() {
    return store().upstreams().list(0, 10).get(0);
  }

  @Nested
  class Tallies {

    @Test
    void entries_are_counted_by_whom_they_came_first() {
      FollowedFeed feed = pushed("feed");
      found(feed, 3, Via.WEBSUB, LATER);
      found(feed, 1, Via.POLL, LATER.plusSeconds(1));
      found(feed, 5, Via.PING, LATER.plusSeconds(2));

      assertThat(tally().url()).isEqualTo(HUB);
      assertThat(tally().kind()).isEqualTo(Kind.WEBSUB);
      assertThat(tally().feeds()).isEqualTo(1);
      assertThat(tally().firstByPush()).isEqualTo(3);
      assertThat(tally().firstByPoll()).isEqualTo(1);
      assertThat(tally().lastDeliveryAt()).isEqualTo(LATER);
      assertThat(tally().demotedUntil()).isNull();
    }

    @Test
    void outcomes_of_several_feeds_that_share_a_commit_count_once_each() {
      FollowedFeed newest = pushed("newest");
      FollowedFeed two = pushed("two");
      FollowedFeed none = pushed("none");
      FollowedFeed polled = pushed("polled");
      OutcomeBuilder late = fetched(newest, Via.WEBSUB, LATER.plusSeconds(9));

      inOneCommit(
          () ->
              List.of(
                  feeds().record(late.event(1).build()),
                  feeds().record(fetched(two, Via.WEBSUB, LATER).event(1).event(1).build()),
                  feeds().record(fetched(none, Via.WEBSUB, LATER).build()),
                  feeds().record(fetched(polled, Via.POLL, LATER).event(4).build())));

      assertThat(tally().feeds()).isEqualTo(4);
      assertThat(tally().firstByPush()).isEqualTo(3);
      assertThat(tally().firstByPoll()).isEqualTo(4);
      assertThat(tally().lastDeliveryAt()).isEqualTo(LATER.plusSeconds(9));
      assertThat(List.of(newest, two, none))
          .extracting(feed -> following(feed).trust().arrivals())
          .containsExactly("p", "pp", "");
    }

    @Test
    void what_may_have_appeared_before_pushes_were_to_be_expected_is_no_miss() {
      FollowedFeed feed = feed("feed");
      pushed("other");
      found(feed, 1, Via.POLL, LATER);

      assertThat(store().upstreams().list(0, 10)).isEmpty();
    }

    @Test
    void failures_are_counted_too() {
      FollowedFeed feed = pushed("feed");
      done(store().upstreams().signatureFailed(Kind.WEBSUB, HUB, LATER));
      UpstreamSubscription live = following(feed);
      UpstreamSubscription refused =
          live.trusted(live.trust().demoted(true)).with(State.REFUSED, LATER, 0, "no");
      assertThat(done(upstreamSubscriptions().refuse(State.ACTIVE, refused, LATER))).isTrue();
      assertThat(done(upstreamSubscriptions().refuse(State.ACTIVE, refused, LATER))).isFalse();

      assertThat(tally().signatureFailures()).isEqualTo(1);
      assertThat(tally().verificationFailures()).isEqualTo(1);
    }
  }

  @Nested
  class Clouds {

    private static final String CLOUD = "http://cloud.example/pleaseNotify";

    @Test
    void how_a_cloud_took_a_registration_is_kept_with_the_cloud() {
      Upstreams.Accepted how =
          new Upstreams.Accepted("http-post", "https://cloud.example/pleaseNotify");
      assertThat(store().upstreams().accepted(CLOUD)).isEqualTo(Upstreams.Accepted.NOTHING);

      done(store().upstreams().accepted(CLOUD, how, LATER));

      assertThat(store().upstreams().accepted(CLOUD)).isEqualTo(how);
      assertThat(store().upstreams().accepted(CLOUD + "/other"))
          .isEqualTo(Upstreams.Accepted.NOTHING);
    }

    @Test
    void a_place_that_failed_is_forgotten_and_the_counts_of_the_cloud_stay() {
      done(store().upstreams().signatureFailed(Kind.RSSCLOUD, CLOUD, LATER));
      done(store().upstreams().accepted(CLOUD, new Upstreams.Accepted("http-post", HUB), LATER));
      Upstreams.Accepted without = new Upstreams.Accepted("http-post", null);

      done(store().upstreams().accepted(CLOUD, without, LATER.plusSeconds(1)));

      assertThat(store().upstreams().accepted(CLOUD)).isEqualTo(without);
      assertThat(tally().signatureFailures()).isEqualTo(1);
    }
  }

  @Nested
  class Pauses {

    private Upstreams.Pause pause(String hub, Duration length) {
      return new Upstreams.Pause(hub, LATER.plus(length), length);
    }

    @Test
    void a_pause_of_a_hub_is_kept_and_replaced_and_its_counts_stay() {
      done(store().upstreams().signatureFailed(Kind.WEBSUB, HUB, LATER));
      done(store().upstreams().paused(pause(HUB, Duration.ofMinutes(2)), LATER));
      done(store().upstreams().paused(pause(HUB, Duration.ofMinutes(4)), LATER));

      assertThat(store().upstreams().pauses(10)).containsExactly(pause(HUB, Duration.ofMinutes(4)));
      assertThat(tally().signatureFailures()).isEqualTo(1);
    }

    @Test
    void a_host_that_answers_ends_the_pauses_of_all_its_hubs_and_of_no_other() {
      Upstreams.Pause other = pause("https://hub.example.org/", Duration.ofMinutes(1));
      done(store().upstreams().paused(pause(HUB, Duration.ofMinutes(2)), LATER));
      done(store().upstreams().paused(pause(HUB + "b", Duration.ofMinutes(3)), LATER));
      done(store().upstreams().paused(other, LATER));
      assertThat(store().upstreams().pauses(2))
          .extracting(Upstreams.Pause::hub)
          .containsExactly(HUB + "b", HUB);

      done(store().upstreams().resumed("hub.example"));

      assertThat(store().upstreams().pauses(10)).containsExactly(other);
    }
  }

  @Nested
  class Demotion {

    @Test
    void a_following_that_misses_two_entries_in_a_row_is_refused_for_a_while() {
      FollowedFeed feed = pushed("feed");
      found(feed, 1, Via.POLL, LATER);
      assertThat(following(feed).state()).isEqualTo(State.ACTIVE);

      found(feed, 1, Via.POLL, LATER.plusSeconds(1));

      assertThat(following(feed).state()).isEqualTo(State.REFUSED);
      assertThat(following(feed).nextActionAt())
          .isEqualTo(LATER.plusSeconds(1).plus(Trust.pause(1)));
      assertThat(following(feed).trust().demotions()).isEqualTo(1);
      assertThat(upstreamSubscriptions().toChoose(10))
          .extracting(c -> c.feed().id())
          .contains(feed.id());
    }

    @Test
    void two_entries_that_a_poll_finds_moments_before_they_are_pushed_demote_nobody() {
      FollowedFeed feed = pushed("feed");
      foundAsPublished(feed, 2, LATER);
      found(feed, 0, Via.WEBSUB, LATER.plusSeconds(2));
      found(feed, 1, Via.POLL, LATER.plus(Trust.PUSH_TIME));

      assertThat(following(feed).state()).isEqualTo(State.ACTIVE);
      assertThat(tally().firstByPoll()).as("as it was").isEqualTo(3);
    }

    @Test
    void without_that_push_they_count_when_a_poll_finds_the_next_one() {
      FollowedFeed feed = pushed("feed");
      foundAsPublished(feed, 1, LATER);
      found(feed, 1, Via.POLL, LATER.plus(Trust.PUSH_TIME));

      assertThat(following(feed).state()).isEqualTo(State.REFUSED);
    }

    @Test
    void an_endpoint_that_fails_for_a_fifth_of_at_least_five_feeds_is_demoted_for_all() {
      List<FollowedFeed> feeds = new ArrayList<>();
      for (int i = 0; i < Upstreams.JUDGED_FROM; i++) {
        feeds.add(pushed("feed" + i));
      }

      found(feeds.get(0), 2, Via.POLL, LATER);

      assertThat(tally().demotedUntil()).isEqualTo(LATER.plus(Trust.pause(1)));
      assertThat(store().upstreams().demotedUntil(Kind.WEBSUB, HUB, LATER)).isPresent();
      assertThat(store().upstreams().demotedUntil(Kind.RSSCLOUD, HUB, LATER)).isEmpty();
      for (FollowedFeed feed : feeds) {
        assertThat(following(feed).state()).isEqualTo(State.REFUSED);
      }
      assertThat(upstreamSubscriptions().toChoose(100)).hasSize(feeds.size());
      assertThat(store().upstreams().demotedUntil(Kind.WEBSUB, HUB, after(Duration.ofDays(8))))
          .isEmpty();
    }

    @Test
    void one_that_fails_for_fewer_is_trusted_by_the_others() {
      List<FollowedFeed> feeds = new ArrayList<>();
      for (int i = 0; i < Upstreams.JUDGED_FROM + 1; i++) {
        feeds.add(pushed("feed" + i));
      }

      found(feeds.get(0), 2, Via.POLL, LATER);

      assertThat(tally().demotedUntil()).isNull();
      assertThat(following(feeds.get(1)).state()).isEqualTo(State.ACTIVE);
    }

    @Test
    void one_of_few_feeds_says_nothing_of_the_endpoint() {
      FollowedFeed only = pushed("only");

      found(only, 2, Via.POLL, LATER);

      assertThat(tally().demotedUntil()).isNull();
    }
  }
}
