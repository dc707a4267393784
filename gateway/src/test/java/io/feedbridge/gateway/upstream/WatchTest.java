package io.feedbridge.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.Kind;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.work.Via;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Push is watched over: hubs and clouds that fail are demoted, and tried again (DESIGN §5). */
class WatchTest {

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeHub hub = new FakeHub();
  private final FakeHub otherHub = new FakeHub();
  private final FakeCloud cloud = new FakeCloud();
  @TempDir Path data;
  private StageBench bench;
  private String topic = "";

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest().startUpstream();
    topic = origin.rss("feed.xml", cloud.element() + link(hub.url()), "one");
  }

  @AfterEach
  void stop() {
    bench.close();
    cloud.close();
    otherHub.close();
    hub.close();
    origin.close();
  }

  private static String link(String hub) {
    return "<atom:link rel=\"hub\" href=\"" + hub + "\"/>";
  }

  private State state(Kind kind) {
    return bench.upstreamSubscriptions(topic).stream()
        .filter(following -> following.kind() == kind)
        .map(UpstreamSubscription::state)
        .reduce((one, other) -> other)
        .orElse(State.ENDING);
  }

  /** The steps of the feed's subscriptions in the log of activity. */
  private List<String> notes() {
    return bench
        .activity()
        .newest(note -> note.kind() == Activity.Kind.UPSTREAM && note.feed().equals(topic), 100)
        .stream()
        .map(Activity::outcome)
        .toList();
  }

  private void poll() {
    bench.light(bench.feed(topic), Via.POLL);
    bench.untilIdle();
  }

  /** The hub is subscribed to, and the feed was fetched since. */
  private void followedByPush() {
    bench.followed(topic);
    bench.until(() -> state(Kind.WEBSUB) == State.ACTIVE);
    bench.timer().advance(Duration.ofMinutes(1));
    poll();
    bench.timer().advance(Duration.ofMinutes(1));
  }

  private void pollFinds(String... items) {
    origin.rss("feed.xml", cloud.element() + link(hub.url()), items);
    poll();
  }

  @Test
  void a_hub_that_misses_two_entries_in_a_row_gives_way_to_the_next_best_and_is_tried_again() {
    List<Notice> told = new CopyOnWriteArrayList<>();
    bench.activity().onNotice(told::add);
    followedByPush();

    pollFinds("two", "one");
    assertThat(state(Kind.WEBSUB)).isEqualTo(State.ACTIVE);
    pollFinds("three", "two", "one");

    assertThat(bench.news(topic)).containsExactly("two", "three");
    bench.until(() -> state(Kind.RSSCLOUD) == State.ACTIVE);
    assertThat(state(Kind.WEBSUB)).isEqualTo(State.REFUSED);
    Instant until = bench.timer().now().plus(Trust.pause(1));
    String demoted = "hub: demoted until %s: %s".formatted(until, Upstreams.MISSED);
    bench.until(() -> notes().contains(demoted));
    assertThat(told).extracting(Notice::type).containsExactly(Notice.Type.UPSTREAM_DEMOTED);

    bench.timer().advance(Trust.pause(1));
    bench.until(() -> state(Kind.WEBSUB) == State.ACTIVE);
    bench.until(
        () ->
            bench.upstreamSubscriptions(topic).stream().noneMatch(f -> f.kind() == Kind.RSSCLOUD));
    assertThat(notes()).containsOnlyOnce(demoted);
  }

  @Test
  void the_pauses_grow_until_it_proves_itself() {
    followedByPush();
    pollFinds("3", "2", "one");
    bench.until(() -> state(Kind.WEBSUB) == State.REFUSED);
    bench.timer().advance(Trust.pause(1));
    bench.until(() -> state(Kind.WEBSUB) == State.ACTIVE);
    bench.timer().advance(Duration.ofMinutes(1));
    poll();
    bench.timer().advance(Duration.ofMinutes(1));

    pollFinds("5", "4", "3", "2", "one");

    bench.until(() -> state(Kind.WEBSUB) == State.REFUSED);
    UpstreamSubscription refused =
        bench.upstreamSubscriptions(topic).stream()
            .filter(following -> following.kind() == Kind.WEBSUB)
            .findFirst()
            .orElseThrow();
    assertThat(Duration.between(bench.timer().now(), refused.nextActionAt()))
        .isEqualTo(Trust.pause(2));
  }

  @Test
  void until_it_proves_itself_again_the_feed_is_polled_as_if_it_were_not_pushed() {
    followedByPush();
    pollFinds("3", "2", "one");
    bench.until(() -> state(Kind.WEBSUB) == State.REFUSED);
    bench.timer().advance(Trust.pause(1));
    bench.until(() -> state(Kind.WEBSUB) == State.ACTIVE);
    bench.until(() -> bench.upstreamSubscriptions(topic).size() == 1);
    poll();
    assertThat(untilNext()).isEqualTo(bench.feed(topic).pace().period());

    String[] ten = IntStream.range(10, 20).mapToObj(Integer::toString).toArray(String[]::new);
    bench.fat(bench.feed(topic), "application/rss+xml", FakeOrigin.rssOf("", ten));
    bench.untilIdle();
    poll();

    assertThat(untilNext())
        .as("the backup poll, of a feed with this rhythm")
        .isGreaterThan(Duration.ofMinutes(20));
  }

  @Test
  void after_a_miss_it_is_polled_as_if_it_were_not_pushed_until_something_is_pushed() {
    followedByPush();
    pollFinds("two", "one");
    assertThat(state(Kind.WEBSUB)).isEqualTo(State.ACTIVE);
    assertThat(untilNext()).isEqualTo(bench.feed(topic).pace().period());

    bench.timer().advance(untilNext());
    poll();
    assertThat(untilNext())
        .as("a poll that finds nothing clears nobody")
        .isEqualTo(bench.feed(topic).pace().period());

    bench.timer().advance(Duration.ofHours(6));
    String[] ten = IntStream.range(10, 20).mapToObj(Integer::toString).toArray(String[]::new);
    bench.fat(bench.feed(topic), "application/rss+xml", FakeOrigin.rssOf("", ten));
    bench.untilIdle();
    poll();
    assertThat(untilNext())
        .as("the backup poll, of a feed with this rhythm")
        .isGreaterThan(bench.feed(topic).pace().period());
  }

  private Duration untilNext() {
    return Duration.between(bench.timer().now(), bench.nextFetch(topic));
  }

  @Test
  void what_a_hub_pushes_first_counts_for_it() {
    followedByPush();
    String document = FakeOrigin.rssOf("", "two", "one");

    hub.deliver(topic, "application/rss+xml", document);
    bench.untilIdle();
    pollFinds("two", "one");

    Upstreams.Tally tally = bench.store().upstreams().list(0, 10).get(0);
    assertThat(tally.url()).isEqualTo(hub.url());
    assertThat(tally.firstByPush()).isEqualTo(1);
    assertThat(tally.firstByPoll()).isZero();
    assertThat(tally.lastDeliveryAt()).isEqualTo(bench.timer().now());
  }

  @Test
  void a_wrong_signature_is_counted() {
    followedByPush();

    hub.deliver(topic, "application/rss+xml", FakeOrigin.rssOf("", "x"), "sha256=00");
    bench.untilIdle();

    assertThat(bench.store().upstreams().list(0, 10))
        .filteredOn(tally -> tally.url().equals(hub.url()))
        .extracting(Upstreams.Tally::signatureFailures)
        .containsExactly(1L);
  }

  @Test
  void the_next_hub_is_asked_when_one_refuses() {
    hub.answer(400);
    topic = origin.rss("two-hubs.xml", link(hub.url()) + link(otherHub.url()), "one");
    bench.followed(topic);

    bench.until(() -> otherHub.subscribers(topic) == 1);

    assertThat(bench.upstreamSubscriptions(topic))
        .extracting(UpstreamSubscription::endpoint)
        .containsExactly(hub.url(), otherHub.url());
  }

  @Test
  void at_an_endpoint_that_is_demoted_nobody_is_subscribed_until_that_is_over() {
    hub.neverVerify();
    for (int i = 0; i < Upstreams.JUDGED_FROM; i++) {
      bench.followed(origin.rss(i + ".xml", link(hub.url()), "one"));
    }
    bench.until(() -> hub.requests().size() == Upstreams.JUDGED_FROM);
    bench.timer().advance(UpstreamSubscriber.CONFIRMATION_WAIT);
    bench.until(() -> hub.requests().size() == 2 * Upstreams.JUDGED_FROM);
    bench.timer().advance(UpstreamSubscriber.CONFIRMATION_WAIT);
    bench.until(
        () ->
            bench
                .store()
                .upstreams()
                .demotedUntil(Kind.WEBSUB, hub.url(), bench.timer().now())
                .isPresent());
    int before = hub.requests().size();

    bench.followed(topic);
    bench.until(() -> state(Kind.RSSCLOUD) == State.ACTIVE);
    assertThat(hub.requests()).hasSize(before);
    assertThat(state(Kind.WEBSUB)).isEqualTo(State.REFUSED);
    bench.timer().advance(Trust.pause(1));

    bench.until(
        () ->
            hub.requests().stream().anyMatch(form -> Http.first(form, "hub.topic").equals(topic)));
  }

  @Test
  void the_backup_poll_runs_at_its_own_pace_whatever_pushes_arrive() {
    followedByPush();
    Instant planned = bench.nextFetch(topic);
    for (int i = 0; i < 20; i++) {
      bench.timer().advance(Duration.ofHours(1));
      bench.light(bench.feed(topic), Via.PING);
      bench.untilIdle();
      bench.light(bench.feed(topic), Via.WEBSUB);
      bench.untilIdle();
    }

    assertThat(bench.nextFetch(topic)).isEqualTo(planned);
    assertThat(List.of(planned)).allMatch(time -> time.isAfter(bench.timer().now()));
  }
}
