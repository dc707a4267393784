package io.feedbridge.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.NamedHub;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.Kind;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.websub.IntentRequest;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By which of its ways a feed is followed (rules S4, S9, S10). */
class TransportSelectorTest {

  /** A port that is never called, so that it refuses at once. */
  private static final String UNREACHABLE = "https://127.0.0.1:1/";

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeHub hub = new FakeHub();
  private final FakeHub otherHub = new FakeHub();
  private final FakeCloud cloud = new FakeCloud();
  @TempDir Path data;
  private StageBench bench;

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest();
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

  private List<State> states(String topic) {
    return bench.upstreamSubscriptions(topic).stream().map(UpstreamSubscription::state).toList();
  }

  @Test
  void S4_https_hubs_come_before_hubs_before_clouds_before_polling_and_a_refusal_leads_on() {
    hub.answer(400);
    String topic =
        origin.rss("feed.xml", cloud.element() + link(hub.url()) + link(UNREACHABLE), "one");
    bench.followed(topic);

    bench.startUpstream();
    bench.until(() -> states(topic).equals(List.of(State.REFUSED, State.REFUSED, State.ACTIVE)));

    assertThat(bench.upstreamSubscriptions(topic))
        .extracting(UpstreamSubscription::endpoint)
        .startsWith(UNREACHABLE, hub.url());
    assertThat(bench.upstreamSubscriptions(topic))
        .extracting(UpstreamSubscription::kind)
        .containsExactly(Kind.WEBSUB, Kind.WEBSUB, Kind.RSSCLOUD);
    assertThat(hub.requests()).hasSize(1);
  }

  @Test
  void a_hub_that_the_operator_names_comes_first_and_is_asked_for_the_topic_that_is_named() {
    String topic = origin.rss("feed.xml", link(otherHub.url()), "one");
    bench.followed(topic);
    bench.startUpstream();
    bench.until(() -> states(topic).equals(List.of(State.ACTIVE)));
    UpstreamSubscriptions upstreams = bench.store().upstreamSubscriptions();

    upstreams.nameHub(bench.feed(topic).id(), none -> new NamedHub(hub.url(), "urn:feed:1")).join();
    bench.until(() -> hub.subscribers("urn:feed:1") == 1 && otherHub.subscribers(topic) == 0);
    poll(topic);

    assertThat(bench.feed(topic).named()).as("a fetch leaves the name").isNotNull();
    upstreams.nameHub(bench.feed(topic).id(), named -> null).join();
    bench.until(() -> hub.subscribers("urn:feed:1") == 0 && otherHub.subscribers(topic) == 1);
  }

  private void poll(String topic) {
    bench.light(bench.feed(topic), Via.POLL);
    bench.untilIdle();
  }

  @Test
  void a_feed_all_of_whose_ways_refuse_is_polled_at_its_own_pace() {
    String topic = origin.rss("feed.xml", link(UNREACHABLE), "one");
    bench.followed(topic);

    bench.startUpstream();
    bench.until(() -> states(topic).equals(List.of(State.REFUSED)));

    assertThat(bench.nextFetch(topic)).isEqualTo(bench.timer().now().plus(Duration.ofMinutes(15)));
  }

  @Test
  void the_first_poll_of_a_feed_spares_the_hours_and_days_that_it_names() {
    ZonedDateTime now = bench.timer().now().atZone(ZoneOffset.UTC);
    String hours =
        IntStream.range(0, 3)
            .mapToObj(i -> "<hour>" + now.plusHours(i).getHour() + "</hour>")
            .collect(Collectors.joining("", "<skipHours>", "</skipHours>"));
    String topic = origin.rss("feed.xml", hours + link(UNREACHABLE), "one");
    bench.followed(topic);

    bench.startUpstream();
    bench.until(() -> states(topic).equals(List.of(State.REFUSED)));

    assertThat(bench.nextFetch(topic))
        .isEqualTo(now.truncatedTo(ChronoUnit.HOURS).plusHours(3).toInstant());
  }

  @Test
  void a_feed_that_loses_its_push_does_not_wait_for_the_backup_poll() {
    losesItsPush(() -> {});
  }

  @Test
  void L16_a_process_that_ends_before_a_choice_is_written_leaves_no_feed_to_its_backup_poll() {
    bench.close();
    AtomicBoolean ended = new AtomicBoolean();
    bench =
        new StageBench(
                data,
                new ManualTimer(StageBench.START),
                StageBench.faultyPart(
                    UpstreamSubscriptions.class,
                    (method, arguments, rest) ->
                        method.equals("choose") && ended.get()
                            ? StageBench.diskFull()
                            : rest.call()),
                work -> work)
            .startIngest();

    losesItsPush(() -> ended.set(true));
  }

  private void losesItsPush(Runnable before) {
    String topic = origin.rss("feed.xml", link(hub.url()), "one");
    FollowedFeed feed = bench.followed(topic);
    bench.startUpstream();
    bench.until(() -> states(topic).equals(List.of(State.ACTIVE)));
    bench.light(feed, Via.POLL);
    bench.untilIdle();
    assertThat(bench.nextFetch(topic)).isEqualTo(bench.timer().now().plus(Duration.ofHours(24)));

    before.run();
    bench
        .callbacks()
        .denied(
            bench.upstreamSubscriptions(topic).get(0).token(), new IntentRequest.Denied(topic, ""))
        .join();

    Duration period = bench.feed(topic).fetched().period();
    bench.until(() -> bench.nextFetch(topic).equals(bench.timer().now().plus(period)));
  }

  @Test
  void S10_a_new_hub_is_live_before_the_old_one_is_told() {
    String topic = origin.rss("feed.xml", link(hub.url()), "one");
    FollowedFeed feed = bench.followed(topic);
    bench.startUpstream();
    bench.until(() -> hub.subscribers(topic) == 1 && states(topic).equals(List.of(State.ACTIVE)));
    otherHub.neverVerify();
    origin.rss("feed.xml", link(otherHub.url()), "one");

    bench.light(feed, Via.POLL);
    bench.until(() -> states(topic).equals(List.of(State.ACTIVE, State.REQUESTED)));
    assertThat(hub.requests()).hasSize(1);
    UpstreamSubscription second = bench.upstreamSubscriptions(topic).get(1);
    new Http()
        .get(
            bench.urls().callback(second)
                + "?"
                + Http.encode("hub.mode", "subscribe", "hub.topic", topic, "hub.challenge", "c"));

    bench.until(() -> states(topic).equals(List.of(State.ENDING, State.ACTIVE)));
    bench.until(() -> hub.subscribers(topic) == 0);
    assertThat(Http.first(hub.requests().get(1), "hub.mode")).isEqualTo("unsubscribe");
  }

  @Test
  void S10_a_new_self_is_subscribed_to_and_the_old_one_unsubscribed_from() {
    String topic = origin.rss("feed.xml", link(hub.url()), "one");
    FollowedFeed feed = bench.followed(topic);
    bench.startUpstream();
    bench.until(() -> hub.subscribers(topic) == 1 && states(topic).equals(List.of(State.ACTIVE)));
    String self = "http://news.example/canonical";
    origin.rss(
        "feed.xml", link(hub.url()) + "<atom:link rel=\"self\" href=\"" + self + "\"/>", "one");

    bench.light(feed, Via.POLL);

    bench.until(() -> hub.subscribers(self) == 1 && hub.subscribers(topic) == 0);
  }

  @Test
  void S9_an_unfollowed_feed_is_unsubscribed_from_and_the_verification_is_answered() {
    String topic = origin.rss("feed.xml", link(hub.url()), "one");
    bench.followed(topic);
    bench.startUpstream();
    bench.until(() -> hub.subscribers(topic) == 1 && states(topic).equals(List.of(State.ACTIVE)));

    bench.unsubscribe(topic);

    bench.until(() -> hub.subscribers(topic) == 0);
    bench.timer().advance(UpstreamSubscriber.ENDING_WAIT);
    bench.until(() -> bench.upstreamSubscriptions(topic).isEmpty());
  }

  @Test
  void a_feed_followed_again_while_it_is_ended_is_subscribed_to_under_a_new_callback() {
    String topic = origin.rss("feed.xml", link(hub.url()), "one");
    bench.followed(topic);
    bench.startUpstream();
    bench.until(() -> hub.subscribers(topic) == 1 && states(topic).equals(List.of(State.ACTIVE)));
    String old = bench.upstreamSubscriptions(topic).get(0).token();
    bench.unsubscribe(topic);
    bench.until(() -> states(topic).equals(List.of(State.ENDING)));

    bench.followed(topic);

    bench.until(() -> states(topic).equals(List.of(State.ENDING, State.ACTIVE)));
    bench.timer().advance(UpstreamSubscriber.ENDING_WAIT);
    bench.until(() -> states(topic).equals(List.of(State.ACTIVE)));
    assertThat(bench.upstreamSubscriptions(topic).get(0).token()).isNotEqualTo(old);
    bench.until(() -> hub.subscribers(topic) == 1);
  }

  @Test
  void a_refusal_is_remembered_as_long_as_its_endpoint_is_advertised() {
    String topic = origin.rss("feed.xml", link(hub.url()), "one");
    FollowedFeed feed = bench.followed(topic);
    Instant later = bench.timer().now().plus(Duration.ofHours(6));
    bench.follow(feed, Kind.WEBSUB, hub.url(), State.REFUSED, 1, later, null);
    bench.store().upstreamSubscriptions().chooseAgain(feed.id()).join();

    bench.startUpstream();
    bench.until(() -> bench.store().upstreamSubscriptions().toChoose(1).isEmpty());
    assertThat(states(topic)).containsExactly(State.REFUSED);
    assertThat(hub.requests()).isEmpty();
    origin.rss("feed.xml", "", "one");
    bench.light(feed, Via.POLL);

    bench.until(() -> !states(topic).contains(State.REFUSED));
  }

  @Test
  void more_feeds_than_fit_one_step_are_all_chosen_for() {
    bench.startUpstream();
    int many = TransportSelector.BATCH + 5;
    for (int i = 0; i < many; i++) {
      bench.store().feeds().follow("http://gone.example/" + i, bench.timer().now()).join();
    }

    bench.store().feeds().unfollowUnused().join();

    bench.until(() -> bench.store().upstreamSubscriptions().toChoose(1).isEmpty());
  }

  @Test
  void the_path_of_a_callback_has_that_of_the_public_url_before_it() {
    FollowedFeed feed = bench.subscribed("http://news.example/", Format.ATOM);
    Instant now = bench.timer().now();
    UpstreamSubscription following =
        bench.follow(feed, Kind.RSSCLOUD, "http://c.example/", State.ACTIVE, 0, now, now);
    UpstreamUrls urls =
        new UpstreamUrls(
            URI.create("https://example.org/feeds"), "key".getBytes(StandardCharsets.UTF_8));

    assertThat(urls.callbackPath(following)).startsWith("/feeds/callback/rsscloud/");
    assertThat(urls.callback(following))
        .isEqualTo("https://example.org" + urls.callbackPath(following));
  }
}
