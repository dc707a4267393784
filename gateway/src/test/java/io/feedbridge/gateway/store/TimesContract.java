package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.StoredTimes;
import io.feedbridge.gateway.store.sql.StoredTimes.Moved;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.websub.DocumentWishes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of {@link StoredTimes}. */
public abstract class TimesContract extends StoreContract {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration LONGEST_FETCH = Duration.ofDays(1);

  private FollowedFeed feed;
  private Subscription subscription;
  private LogConsumer consumer;

  @BeforeEach
  final void aWaitOfEachKindEndsInAMinute() {
    Instant soon = after(MINUTE);
    feed = feed("a");
    subscription = subscribe(feed, "https://reader.example/one");
    requestSubscription(feed.topic(), "https://reader.example/two", TERMS);
    Verification asked = subscriptions().due(NOW, Set.of(), 10).get(0).verification();
    done(subscriptions().postpone(asked, soon));
    append(feed, 1);
    walk(feed, laggard(subscription, 0).failed(1, soon, "HTTP 503").build());
    done(
        upstreamSubscriptions()
            .choose(
                upstreamSubscriptions().toChoose(100).get(0), List.of(following(soon)), List.of()));
    done(
        feeds()
            .record(
                OutcomeBuilder.of(reread(feed), NOW)
                    .nextFetchAt(soon)
                    .pace(PollPace.UNKNOWN.planned(soon, null))
                    .build()));
    consumer = done(consumers().create("a consumer", NOW));
    moved(consumer.failed(1, soon, "HTTP 503"));
  }

  private UpstreamSubscription following(Instant dueAt) {
    return new UpstreamSubscription(
        0,
        feed.id(),
        UpstreamSubscription.Kind.WEBSUB,
        "https://hub.example/",
        feed.topic(),
        "token",
        "a secret",
        UpstreamSubscription.State.REQUESTING,
        null,
        dueAt,
        0,
        null);
  }

  private List<Instant> waits() {
    return List.of(
        feeds().nextDue().orElseThrow(),
        subscriptions().nextDue(Instant.EPOCH).orElseThrow(),
        nextDue().orElseThrow(),
        upstreamSubscriptions().nextDue(Instant.EPOCH).orElseThrow(),
        consumers().byName("a consumer").orElseThrow().nextAttemptAt());
  }

  private Moved startedAt(Instant now) {
    restart();
    return done(store().times().bound(now, LONGEST_FETCH));
  }

  @Test
  void waits_move_with_a_clock_that_was_set_back_while_no_gateway_ran() {
    done(store().times().mark(NOW));
    Instant leaseEnds = leaseEnds();

    Moved moved = startedAt(NOW.minus(HOUR));

    assertThat(moved.back()).isEqualTo(HOUR);
    assertThat(moved.moved()).isGreaterThanOrEqualTo(5);
    assertThat(moved.shortened()).isZero();
    assertThat(waits()).containsOnly(after(MINUTE).minus(HOUR));
    assertThat(reread(feed).pace().pollAt()).isEqualTo(after(MINUTE).minus(HOUR));
    assertThat(leaseEnds()).isEqualTo(leaseEnds);
  }

  @Test
  void rests_and_digests_are_waits() {
    Webhook webhook =
        done(store()
                .webhooks()
                .create(
                    new Webhook.Terms("https://app.example/", List.of(), null, null),
                    "tag",
                    "whsec_",
                    true,
                    NOW))
            .orElseThrow();
    done(store().webhooks().rests(webhook.id(), after(MINUTE)));
    subscribe(
        feed,
        "https://reader.example/digests",
        terms(Format.JSON).wishing(DocumentWishes.NONE.withDigest(true)));
    done(laggards().beginDigests(NOW, Duration.ofDays(1), 10));
    Instant digest = laggards().nextDigest().orElseThrow();
    done(store().times().mark(NOW));

    startedAt(NOW.minus(HOUR));

    assertThat(store().webhooks().byId(webhook.id()).orElseThrow().restsUntil())
        .isEqualTo(after(MINUTE).minus(HOUR));
    assertThat(laggards().nextDigest()).contains(digest.minus(HOUR));
  }

  private Instant leaseEnds() {
    return subscriptions().byIds(List.of(subscription.id())).get(0).leaseEndsAt();
  }

  @Test
  void waits_move_once_for_one_step_of_the_clock() {
    done(store().times().mark(NOW));
    startedAt(NOW.minus(HOUR));

    Moved moved = startedAt(NOW.minus(HOUR).plusSeconds(5));

    assertThat(moved).isEqualTo(new Moved(Duration.ZERO, 0, 0));
    assertThat(waits()).containsOnly(after(MINUTE).minus(HOUR));
  }

  @Test
  void waits_stay_where_the_clock_went_on() {
    done(store().times().mark(NOW));

    Moved moved = startedAt(after(Duration.ofSeconds(30)));

    assertThat(moved).isEqualTo(new Moved(Duration.ZERO, 0, 0));
    assertThat(waits()).containsOnly(after(MINUTE));
  }

  @Test
  void a_wait_that_has_ended_is_due_whatever_the_clock_was() {
    done(store().times().mark(after(HOUR)));

    startedAt(after(MINUTE.multipliedBy(2)));

    assertThat(waits()).containsOnly(after(MINUTE));
  }

  @Test
  void no_wait_is_longer_than_the_longest_of_its_kind_where_no_clock_was_recorded() {
    Instant now = NOW.minus(Duration.ofDays(400));

    Moved moved = startedAt(now);

    assertThat(moved.back()).isZero();
    assertThat(moved.shortened()).isEqualTo(5);
    assertThat(waits())
        .containsExactly(
            now.plus(LONGEST_FETCH).plus(StoredTimes.MOST_SPARED),
            now.plus(StoredTimes.LONGEST_VERIFICATION),
            now.plus(StoredTimes.LONGEST_RETRY),
            now.plus(StoredTimes.LONGEST_RENEWAL),
            now.plus(StoredTimes.LONGEST_RETRY));
  }
}
