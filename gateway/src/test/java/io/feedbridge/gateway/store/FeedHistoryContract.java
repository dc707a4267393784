package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FeedStep;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.sql.feeds.FeedHistory;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of {@link FeedHistory}. */
public abstract class FeedHistoryContract extends StoreContract {

  private static final String CALLER = "192.0.2.7";
  private static final String HUB = "https://hub.example/";

  private FollowedFeed feed;

  @BeforeEach
  final void follow() {
    feed = feed("feed");
    done(history().trim(after(Duration.ofDays(1)), 10));
  }

  private FeedHistory history() {
    return store().feedHistory();
  }

  private List<FeedStep> steps() {
    return history().of(feed.id(), Long.MAX_VALUE, 2_000);
  }

  private void ping(@Nullable String caller, Instant at) {
    done(work().add(new WorkItem.Light(feed.id(), Via.PING, at, caller)));
  }

  private OutcomeBuilder outcome(Instant at) {
    return OutcomeBuilder.of(reread(feed), at);
  }

  private Assignment taken() {
    Assignment taken = work().take(1).get(0);
    work().giveBack(taken);
    return taken;
  }

  @Test
  void a_step_has_its_events_and_the_arrivals_of_its_pings() {
    ping(CALLER, NOW);
    done(work().add(new WorkItem.Light(feed.id(), Via.WEBSUB, NOW.plusSeconds(1), HUB)));
    ping(null, NOW.plusSeconds(2));
    ping("192.0.2.8", NOW.plusSeconds(3));
    Instant end = NOW.plusSeconds(9);
    List<Long> events = done(feeds().record(outcome(end).doing(taken()).event(2).event(1).build()));

    restart();

    FeedStep step = steps().get(0);
    assertThat(step.outcome()).isEqualTo(FeedStep.Result.NEWS);
    assertThat(step.via()).isEqualTo(Via.PING);
    assertThat(step.at()).isEqualTo(end);
    assertThat(step.fresh()).isEqualTo(3);
    assertThat(step.firstSeq()).isEqualTo(events.get(0));
    assertThat(step.lastSeq()).isEqualTo(events.get(1));
    assertThat(step.reports()).isEqualTo(4);
    assertThat(step.arrivals())
        .containsExactly(
            new FeedStep.Arrival(Via.PING, NOW, CALLER),
            new FeedStep.Arrival(Via.WEBSUB, NOW.plusSeconds(1), HUB),
            new FeedStep.Arrival(Via.PING, NOW.plusSeconds(2), null));
    assertThat(history().ofEvent(feed.id(), events.get(0))).contains(step);
    assertThat(history().ofEvent(feed.id(), events.get(1))).contains(step);
    assertThat(history().ofEvent(feed.id(), events.get(1) + 1)).isEmpty();
    assertThat(history().ofEvent(feed.id(), events.get(0) - 1)).isEmpty();
    assertThat(history().ofEvent(feed("other").id(), events.get(0))).isEmpty();
  }

  @Test
  void polls_without_news_are_one_step_for_a_day() {
    Instant hourLater = after(Duration.ofHours(1));
    Instant twoDaysLater = after(Duration.ofDays(2));
    done(feeds().record(outcome(NOW).build()));
    done(feeds().record(outcome(hourLater).build()));
    done(feeds().record(outcome(twoDaysLater).build()));

    assertThat(steps()).extracting(FeedStep::times).containsExactly(1L, 2L);
    assertThat(steps().get(1).at()).isEqualTo(NOW);
    assertThat(steps().get(1).lastAt()).isEqualTo(hourLater);
  }

  @Test
  void pings_without_news_are_steps_of_their_own() {
    for (int i = 0; i < 2; i++) {
      ping(CALLER, NOW);
      done(feeds().record(outcome(NOW).doing(taken()).build()));
    }

    assertThat(steps())
        .extracting(FeedStep::outcome)
        .containsExactly(FeedStep.Result.UNCHANGED, FeedStep.Result.UNCHANGED);
  }

  @Test
  void a_change_of_the_state_is_in_the_step_that_made_it() {
    done(feeds().record(outcome(NOW).state(FeedState.ERROR).build()));
    ping(CALLER, NOW);
    done(feeds().record(outcome(NOW).doing(taken()).state(FeedState.ERROR).build()));

    assertThat(steps()).extracting(FeedStep::state).containsOnly(FeedState.ERROR);
    assertThat(steps()).extracting(FeedStep::stateBefore).containsExactly(null, FeedState.ACTIVE);
  }

  @Test
  void work_that_is_held_back_or_given_up_is_a_step_with_the_reason() {
    ping(CALLER, NOW);
    HeldBack held = new HeldBack("the budget of pings is spent", after(Duration.ofHours(1)));
    done(feeds().holdBack(taken().position(), held, Via.PING));
    ping(CALLER, NOW.plusSeconds(1));
    done(feeds().abandon(taken().position(), NOW, "it cannot be processed"));

    FeedStep givenUp = steps().get(0);
    assertThat(givenUp.outcome()).isEqualTo(FeedStep.Result.GIVEN_UP);
    assertThat(givenUp.state()).isEqualTo(FeedState.ERROR);
    assertThat(givenUp.stateBefore()).isEqualTo(FeedState.ACTIVE);
    FeedStep putOff = steps().get(1);
    assertThat(putOff.outcome()).isEqualTo(FeedStep.Result.PUT_OFF);
    assertThat(putOff.at()).isEqualTo(NOW);
    assertThat(putOff.message()).isEqualTo(held.reason());
    assertThat(putOff.arrivals()).containsExactly(new FeedStep.Arrival(Via.PING, NOW, CALLER));
  }

  @Test
  void the_texts_of_a_step_are_cut() {
    String longText = "\u20ac".repeat(1_000);
    for (int i = 0; i < FeedHistory.MAX_ARRIVALS; i++) {
      ping(longText, NOW);
    }
    done(feeds().abandon(taken().position(), NOW, longText));

    FeedStep step = steps().get(0);
    assertThat(step.message()).hasSize(FeedHistory.MAX_MESSAGE);
    assertThat(step.arrivals().get(0).sender()).hasSize(FeedHistory.MAX_SENDER);
    assertThat(Json.bytes(step).length).isLessThanOrEqualTo(FeedHistory.MAX_STEP_BYTES);
  }

  @Test
  void the_texts_of_a_step_have_no_control_characters() {
    ping("a\nb", NOW);
    done(feeds().abandon(taken().position(), NOW, "c\u0001d"));

    assertThat(steps().get(0).arrivals().get(0).sender()).isEqualTo("a b");
    assertThat(steps().get(0).message()).isEqualTo("c d");
  }

  @Test
  void a_feed_keeps_a_number_of_its_newest_steps() {
    int many = FeedHistory.MAX_OF_FEED + 200;
    FollowedFeed now = reread(feed);
    done(
        CompletableFuture.allOf(
            IntStream.range(0, many)
                .mapToObj(i -> feeds().record(OutcomeBuilder.of(now, NOW).via(Via.PING).build()))
                .toArray(CompletableFuture[]::new)));

    assertThat(steps().size()).isBetween(FeedHistory.MAX_OF_FEED, FeedHistory.MAX_OF_FEED + 64);
  }

  @Test
  void steps_are_read_in_parts_and_forgotten_by_their_age() {
    for (int day = 0; day < 3; day++) {
      done(feeds().record(outcome(after(Duration.ofDays(day))).via(Via.PING).build()));
    }
    List<FeedStep> newestFirst = steps();

    assertThat(newestFirst).hasSize(3);
    assertThat(history().of(feed.id(), newestFirst.get(0).id(), 1))
        .containsExactly(newestFirst.get(1));
    assertThat(done(history().trim(after(Duration.ofDays(2)), 1))).isEqualTo(1);
    assertThat(done(history().trim(after(Duration.ofDays(2)), 10))).isEqualTo(1);
    assertThat(done(history().trim(after(Duration.ofDays(2)), 10))).isZero();
    assertThat(steps()).containsExactly(newestFirst.get(0));
  }
}
