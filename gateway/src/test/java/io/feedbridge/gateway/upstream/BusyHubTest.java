package io.feedbridge.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.Kind;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A hub that is busy or fails is left alone as a whole, and refuses nothing by it. */
class BusyHubTest {

  /** {@code -Dfeedbridge.topics=1000} for the number that a large gateway has. */
  private static final int TOPICS = Integer.getInteger("feedbridge.topics", 200);

  /** How long the hub is busy; a day takes minutes. */
  private static final Duration BUSY =
      Duration.ofHours(Integer.getInteger("feedbridge.busy.hours", 4));

  private static final Duration ASKED = Duration.ofMinutes(2);

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeHub hub = new FakeHub();
  @TempDir Path data;
  private StageBench bench;
  private final List<String> topics = new ArrayList<>();

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest();
  }

  @AfterEach
  void stop() {
    bench.close();
    hub.close();
    origin.close();
  }

  private FollowedFeed followed(String name) {
    String topic = origin.rss(name, "<atom:link rel=\"hub\" href=\"" + hub.url() + "\"/>", "one");
    topics.add(topic);
    return bench.followed(topic);
  }

  /** A feed whose renewal is due now. */
  private void renewed(String name, Duration lease) {
    FollowedFeed feed = followed(name);
    Instant now = bench.timer().now();
    bench.follow(feed, Kind.WEBSUB, hub.url(), State.ACTIVE, 0, now, now.plus(lease));
  }

  private UpstreamSubscription only(String topic) {
    List<UpstreamSubscription> all = bench.upstreamSubscriptions(topic);
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  private boolean isSettled() {
    return ((ThreadPoolExecutor) bench.threads()).getActiveCount() == 0
        && bench.client().inFlight() == 0
        && bench.timer().nextAt().filter(at -> !at.isAfter(bench.timer().now())).isEmpty()
        && (bench.store().upstreams().pauses(1).isEmpty() || isNextLookPlanned());
  }

  /** While a hub pauses there is always a next look. */
  private boolean isNextLookPlanned() {
    Instant latest = bench.timer().now().plus(UpstreamSubscriber.LAPSE_LOOK);
    return bench.timer().nextAt().filter(at -> !at.isAfter(latest)).isPresent();
  }

  /** Waits until nothing is to be done before the clock is turned. */
  private void settle() {
    for (int i = 0; i < 3; i++) {
      bench.until(this::isSettled);
      bench.client().heardOut().join();
      // Changes are written in turn: those before it are written, and what follows them has begun.
      bench.store().upstreams().resumed("no hub").join();
    }
  }

  /** Turns the clock from the end of a pause to that of the next one: each has one request. */
  private void advanceByPauses(Instant end) {
    Instant next = pauseAfter(bench.timer().now());
    while (next.isBefore(end)) {
      int before = hub.requests().size();
      bench.timer().advanceTo(next);
      next = pauseAfter(next);
      assertThat(hub.requests()).hasSize(before + 1);
    }
    bench.timer().advanceTo(end);
  }

  private Instant pauseAfter(Instant now) {
    bench.until(() -> pauseEnd().filter(until -> until.isAfter(now)).isPresent());
    return pauseEnd().orElseThrow();
  }

  private Optional<Instant> pauseEnd() {
    return bench.store().upstreams().pauses(1).stream().map(Upstreams.Pause::until).findFirst();
  }

  private void advanceTo(Instant end) {
    settle();
    while (bench.timer().now().isBefore(end)) {
      Instant next = bench.timer().nextAt().filter(at -> at.isBefore(end)).orElse(end);
      bench.timer().advanceTo(next);
      settle();
    }
  }

  private void assertThatNothingIsDemoted() {
    assertThat(bench.store().upstreams().list(0, 10))
        .allSatisfy(
            tally -> {
              assertThat(tally.verificationFailures()).isZero();
              assertThat(tally.demotedUntil()).isNull();
            });
    for (String topic : topics) {
      assertThat(only(topic).trust().demotions()).isZero();
      assertThat(only(topic).state()).isNotEqualTo(State.REFUSED);
    }
  }

  @Test
  void a_hub_that_is_busy_for_hours_is_asked_seldom_and_push_resumes_within_a_minute() {
    for (int i = 0; i < TOPICS; i++) {
      renewed("feed" + i, i % 2 == 0 ? BUSY.multipliedBy(2) : BUSY.dividedBy(3));
    }
    hub.beBusy(Long.toString(ASKED.toSeconds()));
    bench.startUpstream();
    settle();
    int first = hub.requests().size();
    assertThat(first).isBetween(1, HubPauses.MAX_PER_SECOND);

    advanceByPauses(bench.timer().now().plus(BUSY));

    long pauses = BUSY.dividedBy(ASKED);
    assertThat((long) hub.requests().size() - first).isBetween(pauses / 2, pauses);
    assertThatNothingIsDemoted();
    for (int i = 0; i < TOPICS; i++) {
      String topic = topics.get(i);
      boolean relied = i % 2 == 0;
      bench.until(() -> only(topic).isReliedOn() == relied);
    }

    hub.beWell();
    Instant well = bench.timer().now();
    int before = hub.requests().size();
    bench.timer().advanceTo(pauseEnd().orElseThrow());
    assertThat(bench.timer().now()).isBeforeOrEqualTo(well.plus(ASKED));
    bench.until(() -> bench.store().upstreams().pauses(1).isEmpty());
    settle();
    Instant end = bench.timer().now().plus(Duration.ofMinutes(1));
    while (bench.timer().now().isBefore(end)) {
      int sent = hub.requests().size();
      advanceTo(bench.timer().now().plusSeconds(1));
      assertThat(hub.requests().size() - sent).isLessThanOrEqualTo(HubPauses.MAX_PER_SECOND);
    }
    assertThat(hub.requests()).hasSize(before + TOPICS);
    for (String topic : topics) {
      bench.until(() -> only(topic).state() == State.ACTIVE);
      assertThat(only(topic).isReliedOn()).isTrue();
      assertThat(only(topic).leaseEndsAt()).isAfter(end.plus(Duration.ofDays(9)));
    }
    assertThatNothingIsDemoted();
  }

  @ParameterizedTest
  @CsvSource({"'', 24, 20, 36", "1, 2, 30, 66", "3600, 24, 20, 25"})
  void pauses_grow_to_an_hour_or_to_two_minutes_where_the_hub_names_shorter_ones(
      String retryAfter, int hours, int least, int most) {
    renewed("feed", Duration.ofDays(9));
    if (retryAfter.isEmpty()) {
      hub.answer(503);
    } else {
      hub.beBusy(retryAfter);
    }
    bench.startUpstream();

    advanceByPauses(bench.timer().now().plus(Duration.ofHours(hours)));

    assertThat(hub.requests().size()).isBetween(least, most);
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 500, 502, 503, 504})
  void a_new_subscription_waits_for_a_hub_that_is_busy_or_fails(int status) {
    followed("feed");
    hub.answer(status);
    bench.startUpstream();
    bench.until(() -> hub.requests().size() == 1);
    settle();
    assertThat(only(topics.get(0)).state()).isEqualTo(State.REQUESTING);
    assertThat(only(topics.get(0)).reason()).contains(Integer.toString(status));
    followed("other");
    settle();
    assertThat(hub.requests()).hasSize(1);
    assertThatNothingIsDemoted();

    hub.answer(202);
    bench.timer().advance(HubPauses.SHORTEST);

    for (String topic : topics) {
      bench.until(() -> only(topic).state() == State.ACTIVE);
    }
  }

  @Test
  void a_restart_leaves_the_hub_alone_until_its_pause_ends_and_then_asks_once() {
    renewed("feed", Duration.ofDays(2));
    hub.beBusy("120");
    bench.startUpstream();
    bench.until(() -> hub.requests().size() == 1);
    settle();
    renewed("other", Duration.ofDays(2));
    Instant end = bench.timer().now().plus(ASKED);

    bench.close();
    bench =
        new StageBench(data, bench.timer(), store -> store, work -> work)
            .startIngest()
            .startUpstream();
    settle();
    advanceTo(end.minusSeconds(1));
    assertThat(hub.requests()).hasSize(1);

    advanceTo(end);
    assertThat(hub.requests()).hasSize(2);
    advanceTo(end.plus(ASKED).minusSeconds(1));
    assertThat(hub.requests()).hasSize(2);
    hub.beWell();
    advanceTo(end.plus(ASKED));
    bench.until(() -> hub.subscribers(topics.get(0)) + hub.subscribers(topics.get(1)) == 2);
    bench.until(() -> bench.store().upstreams().pauses(10).isEmpty());
  }

  @Test
  void an_unsubscription_waits_for_the_hub_too() {
    FollowedFeed feed = followed("feed");
    Instant now = bench.timer().now();
    bench.follow(feed, Kind.WEBSUB, hub.url(), State.ENDING, 0, now, now.plus(Duration.ofDays(2)));
    bench.unsubscribe(topics.get(0));
    hub.beBusy("120");
    bench.startUpstream();
    bench.until(() -> hub.requests().size() == 1);
    advanceTo(now.plus(ASKED).minusSeconds(1));
    assertThat(only(topics.get(0)).state()).isEqualTo(State.ENDING);
    hub.beWell();

    advanceTo(now.plus(ASKED));
    assertThat(hub.requests()).hasSize(2);
    advanceTo(bench.timer().now().plus(UpstreamSubscriber.ENDING_WAIT));
    bench.until(() -> bench.upstreamSubscriptions(topics.get(0)).isEmpty());
  }

  @Test
  void a_hub_that_is_busy_keeps_no_other_hub_waiting() {
    renewed("feed", Duration.ofDays(2));
    hub.beBusy("120");
    bench.startUpstream();
    bench.until(() -> hub.requests().size() == 1);
    settle();
    try (FakeHub other = new FakeHub()) {
      String topic =
          origin.rss("o.xml", "<atom:link rel=\"hub\" href=\"" + other.url() + "\"/>", "one");
      bench.followed(topic);

      bench.until(() -> other.subscribers(topic) == 1);
    }
    assertThat(bench.store().upstreams().pauses(10))
        .extracting(Upstreams.Pause::length)
        .containsExactly(ASKED);
  }
}
