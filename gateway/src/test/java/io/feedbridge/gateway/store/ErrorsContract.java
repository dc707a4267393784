package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Terms;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contract of passing over a document, and of what errors in a row lead to. */
public abstract class ErrorsContract extends StoreContract {

  private static final String CALLBACK = "https://cloud.example/notify";
  private static final Instant HOUR = after(Duration.ofHours(1));

  private FollowedFeed feed;
  private Subscription subscription;

  @BeforeEach
  void subscribe() {
    feed = feed("feed");
    subscription = registered();
  }

  private Subscription registered() {
    return done(subscriptions().register(feed.id(), CALLBACK, TERMS, NOW));
  }

  private int errors() {
    return subscriptions().byId(subscription.id()).orElseThrow().errors();
  }

  /** Misses the feed's next event. */
  private Laggard behind() {
    long from = reread(feed).head();
    append(feed, 1);
    Laggard laggard = laggard(subscription, from).build();
    walk(feed, laggard);
    return laggard;
  }

  private void passOver(Laggard laggard, Instant endAt) {
    long end = laggards().documentEnd(feed.id(), laggard.cursor());
    done(
        laggards()
            .passOver(LaggardBuilder.of(laggard).got(end).build(), subscription, 3, endAt, NOW));
  }

  @Nested
  class Passing_over {

    @Test
    void it_is_one_error_and_the_cursor_moves_on() {
      passOver(behind(), HOUR);

      assertThat(errors()).isEqualTo(1);
      assertThat(allDue()).isEmpty();
      append(feed, 1);
      openRound(feed);
      assertThat(recipients(feed.id(), 0, 10)).hasSize(1);
    }

    @Test
    void an_error_of_a_subscription_as_it_was_before_its_renewal_is_none() {
      Laggard laggard = behind();
      long end = laggards().documentEnd(feed.id(), laggard.cursor());
      done(subscriptions().register(feed.id(), CALLBACK, TERMS, HOUR));

      done(
          laggards()
              .passOver(LaggardBuilder.of(laggard).got(end).build(), subscription, 3, HOUR, NOW));

      assertThat(errors()).isZero();
      assertThat(allDue()).isEmpty();
    }

    @Test
    void what_came_meanwhile_is_due_at_once() {
      Laggard laggard = behind();
      long first = reread(feed).head();
      append(feed, 1);
      walk(feed);

      done(
          laggards()
              .passOver(LaggardBuilder.of(laggard).got(first).build(), subscription, 3, HOUR, NOW));

      assertThat(laggardsDue(NOW)).extracting(Laggard::cursor).containsExactly(first);
    }

    @Test
    void L7_of_an_ended_subscription_it_changes_nothing() {
      Laggard laggard = behind();
      done(subscriptions().end(subscription.id(), "gone", NOW));

      passOver(laggard, HOUR);

      assertThat(store().figures().laggards()).isZero();
      assertThat(registered().errors()).isZero();
    }

    @Test
    void an_outcome_after_a_jump_is_no_error() {
      FollowedFeed other = feed;
      Laggard laggard = behind();
      long first = reread(other).head();
      append(other, 1);
      done(laggards().jump(HOUR, Gap.Reason.TOO_FAR_BEHIND, 1, NOW));

      done(
          laggards()
              .passOver(LaggardBuilder.of(laggard).got(first).build(), subscription, 3, HOUR, NOW));

      assertThat(errors()).isZero();
    }
  }

  @Nested
  class Three_in_a_row {

    @Test
    void end_it_at_the_given_time_and_not_before() {
      passOver(behind(), HOUR);
      passOver(behind(), HOUR);
      assertThat(done(subscriptions().endFailed(HOUR, 10))).isEmpty();
      passOver(behind(), HOUR);

      assertThat(done(subscriptions().endFailed(HOUR.minusMillis(1), 10))).isEmpty();
      restart();
      assertThat(done(subscriptions().endFailed(HOUR, 10))).containsExactly(subscription.id());

      assertThat(subscriptions().byId(subscription.id())).isEmpty();
      assertThat(reread(feed).followed()).isFalse();
      assertThat(store().figures().laggards()).isZero();
    }

    @Test
    void a_fourth_does_not_put_it_off() {
      for (int i = 0; i < 3; i++) {
        passOver(behind(), HOUR);
      }
      passOver(behind(), HOUR.plus(Duration.ofHours(1)));

      assertThat(done(subscriptions().endFailed(HOUR, 10))).hasSize(1);
    }

    @Test
    void a_delivery_that_succeeds_in_between_clears_them() {
      passOver(behind(), HOUR);
      passOver(behind(), HOUR);
      Laggard laggard = behind();
      done(laggards().settle(LaggardBuilder.of(laggard).got(reread(feed).head()).build(), NOW));
      assertThat(errors()).isZero();

      passOver(behind(), HOUR);

      assertThat(done(subscriptions().endFailed(HOUR, 10))).isEmpty();
    }

    @Test
    void one_that_fails_and_is_to_be_repeated_clears_nothing() {
      passOver(behind(), HOUR);
      Laggard laggard = behind();

      done(
          laggards()
              .settle(
                  LaggardBuilder.of(laggard)
                      .sending(reread(feed).head())
                      .failed(1, HOUR, "500")
                      .build(),
                  NOW));

      assertThat(errors()).isEqualTo(1);
    }

    @Test
    void success_or_renewal_before_the_time_keeps_it() {
      for (int i = 0; i < 3; i++) {
        passOver(behind(), HOUR);
      }
      done(subscriptions().clearErrors(subscription.id()));
      assertThat(errors()).isZero();
      assertThat(done(subscriptions().endFailed(HOUR, 10))).isEmpty();

      for (int i = 0; i < 3; i++) {
        passOver(behind(), HOUR);
      }
      assertThat(registered().errors()).isZero();
      assertThat(done(subscriptions().endFailed(HOUR, 10))).isEmpty();
    }

    @Test
    void at_most_as_many_end_as_asked_for() {
      for (int i = 0; i < 3; i++) {
        passOver(behind(), HOUR);
      }
      subscription =
          done(subscriptions().register(feed.id(), "https://other.example/", TERMS, NOW));
      for (int i = 0; i < 3; i++) {
        passOver(behind(), HOUR);
      }

      assertThat(done(subscriptions().endFailed(HOUR, 1))).hasSize(1);
      assertThat(done(subscriptions().endFailed(HOUR, 1))).hasSize(1);
      assertThat(done(subscriptions().endFailed(HOUR, 1))).isEmpty();
    }
  }

  @Nested
  class Reading_many {

    @Test
    void those_that_are_active_are_found() {
      Subscription other =
          done(subscriptions().register(feed.id(), "https://other.example/", TERMS, NOW));
      done(subscriptions().end(other.id(), "gone", NOW));

      assertThat(subscriptions().byIds(List.of(subscription.id(), other.id())))
          .containsExactly(subscription);
      assertThat(subscriptions().byIds(List.of())).isEmpty();
    }
  }

  @Nested
  class Signals {

    @Test
    void a_renewal_and_an_end_are_told() {
      Signal<List<Subscription>> told = signal(() -> subscriptions().ofFeed(feed.id(), 0, 10));
      store().onSubscriptionsChanged(changed -> told.run());

      Terms other = terms(Format.JSON);
      Subscription renewed = done(subscriptions().register(feed.id(), CALLBACK, other, NOW));
      told.awaits(List.of(renewed));
      done(subscriptions().end(subscription.id(), "gone", NOW));
      told.awaits(List.of());
    }

    @Test
    void each_change_is_told_by_its_id_before_whoever_made_it_knows() {
      Subscription other =
          done(subscriptions().register(feed.id(), "https://other.example/", TERMS, NOW));
      Set<Long> told = ConcurrentHashMap.newKeySet();
      store().onSubscriptionsChanged(changed -> told.addAll(changed.ids()));

      assertThat(toldBy(() -> registered(), told)).containsExactly(subscription.id());
      Laggard behind = behind();
      assertThat(toldBy(() -> passOver(behind, HOUR), told)).containsExactly(subscription.id());
      assertThat(toldBy(() -> done(subscriptions().clearErrors(subscription.id())), told))
          .containsExactly(subscription.id());
      assertThat(toldBy(() -> done(subscriptions().standsFor(other.id(), 7)), told))
          .containsExactly(other.id());
      assertThat(toldBy(() -> append(feed, 1), told)).isEmpty();
      assertThat(toldBy(() -> done(subscriptions().end(other.id(), "gone", NOW)), told))
          .containsExactly(other.id());
    }

    private static Set<Long> toldBy(Runnable write, Set<Long> told) {
      told.clear();
      write.run();
      return Set.copyOf(told);
    }
  }
}
