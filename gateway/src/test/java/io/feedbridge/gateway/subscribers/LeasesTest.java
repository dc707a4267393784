package io.feedbridge.gateway.subscribers;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.HubRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Leases are finite and enforced (rule H7). */
class LeasesTest {

  private static final String TOPIC = "http://news.example/feed";

  @TempDir Path data;
  private StageBench bench;

  @BeforeEach
  void start() {
    bench = StageBench.on(data);
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private void register(FollowedFeed feed, String callback, Duration lease) {
    Terms terms = new Terms(TOPIC, Format.LIGHT, null, "", true, false, lease);
    bench.store().subscriptions().register(feed.id(), callback, terms, bench.timer().now()).join();
  }

  private int subscriptions() {
    return bench.store().subscriptions().ofFeed(bench.feed(TOPIC).id(), 0, 10).size();
  }

  @Test
  void H7_the_end_of_the_last_lease_ends_the_subscription_and_unfollows_the_feed() {
    FollowedFeed feed = bench.store().feeds().follow(TOPIC, bench.timer().now()).join();
    register(feed, "http://a.example/", Duration.ofHours(25));
    register(feed, "http://b.example/", Duration.ofHours(26));
    bench.startLeases();

    bench.timer().advance(Duration.ofHours(25).minusMillis(1));
    bench.timer().runDue();
    assertThat(subscriptions()).isEqualTo(2);
    bench.timer().advance(Duration.ofMillis(1));
    bench.until(() -> subscriptions() == 1);
    assertThat(bench.feed(TOPIC).followed()).isTrue();
    bench.timer().advance(Duration.ofHours(1));
    bench.until(() -> subscriptions() == 0);

    assertThat(bench.feed(TOPIC).followed()).isFalse();
    assertThat(bench.feed(TOPIC).nextFetchAt()).isNull();
  }

  @Test
  void a_registration_that_ran_out_while_the_gateway_was_stopped_ends_at_the_start(
      @TempDir Path stopped) {
    ManualTimer timer = new ManualTimer(bench.timer().now());
    try (StageBench before = new StageBench(stopped, timer, s -> s, w -> w)) {
      FollowedFeed feed = before.store().feeds().follow(TOPIC, timer.now()).join();
      for (Duration lease : List.of(Duration.ofHours(25), Duration.ofHours(50))) {
        Terms terms = new Terms(TOPIC, Format.LIGHT, null, "", true, false, lease);
        before
            .store()
            .subscriptions()
            .register(feed.id(), "http://a.example/" + lease, terms, timer.now())
            .join();
      }
    }
    timer.advance(Duration.ofHours(26));
    try (StageBench after = new StageBench(stopped, timer, s -> s, w -> w)) {
      long feed = after.feed(TOPIC).id();
      assertThat(after.store().subscriptions().ofFeed(feed, 0, 10)).hasSize(2);

      after.startLeases();

      after.until(() -> after.store().subscriptions().ofFeed(feed, 0, 10).size() == 1);
      assertThat(after.store().subscriptions().ofFeed(feed, 0, 10).get(0).callback())
          .endsWith("PT50H");
    }
  }

  @Test
  void a_lease_granted_later_that_ends_sooner_is_noticed() {
    FollowedFeed feed = bench.store().feeds().follow(TOPIC, bench.timer().now()).join();
    register(feed, "http://a.example/", Duration.ofHours(25));
    bench.startLeases();
    bench.until(() -> bench.timer().waiting() > 0);
    register(feed, "http://b.example/", Duration.ofMinutes(1));

    bench.timer().advance(Duration.ofMinutes(2));

    bench.until(() -> subscriptions() == 1);
  }

  @Test
  void a_lease_of_seconds_ends_to_the_second_where_such_leases_are_granted() {
    FollowedFeed feed = bench.store().feeds().follow(TOPIC, bench.timer().now()).join();
    register(feed, "http://a.example/", Duration.ofHours(25));
    bench.startLeases(Duration.ofSeconds(5));
    bench.until(() -> bench.timer().waiting() > 0);
    bench.timer().advance(Duration.ofSeconds(1));
    register(feed, "http://b.example/", Duration.ofSeconds(5));

    bench.timer().advance(Duration.ofSeconds(4));
    assertThat(subscriptions()).isEqualTo(2);
    bench.until(() -> bench.timer().waiting() > 0);
    bench.timer().advance(Duration.ofSeconds(1));

    bench.until(() -> subscriptions() == 1);
  }

  @Test
  void a_feed_that_a_stop_left_without_a_subscriber_is_let_go_of_at_the_start() {
    bench.store().feeds().follow(TOPIC, bench.timer().now()).join();

    bench.startLeases();

    assertThat(bench.feed(TOPIC).followed()).isFalse();
  }

  @Test
  void H19_a_subscriber_of_PuSH_0_3_is_asked_again_before_its_lease_ends_over_a_restart_too() {
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber()) {
      String topic = origin.rss("feed.xml", "", "one");
      bench.startIngest().startPolls().startVerifier();
      Terms terms = new Terms(topic, Format.ATOM, "key", "sha1", false, true, Duration.ofHours(4));
      bench
          .store()
          .subscriptions()
          .request(
              Verification.Mode.SUBSCRIBE,
              topic,
              subscriber.url("old"),
              terms,
              "token",
              bench.timer().now())
          .join();
      bench.until(
          () ->
              subscriber.asked("old").size() == 1
                  && bench.store().subscriptions().nextExpiry().isPresent());
      Instant ends = bench.store().subscriptions().nextExpiry().orElseThrow();
      ManualTimer timer = new ManualTimer(bench.timer().now().plus(Duration.ofHours(3)));
      bench.close();

      bench = new StageBench(data, timer, store -> store, work -> work);
      bench.startIngest().startVerifier().startLeases();

      bench.until(
          () ->
              bench
                  .store()
                  .subscriptions()
                  .nextExpiry()
                  .equals(Optional.of(ends.plus(Duration.ofHours(3)))));
      assertThat(subscriber.asked("old")).hasSize(2);
      assertThat(subscriber.asked("old").get(1).query().get("hub.verify_token"))
          .containsExactly("token");
    }
  }

  @ParameterizedTest
  @CsvSource({"'',864000", "1,60", "3600,3600", "99999999999,2592000"})
  void H7_the_granted_lease_is_within_bounds_and_goes_into_the_verification(
      String asked, long granted) throws BadHubRequestException {
    Map<String, List<String>> form = new HashMap<>();
    form.put("hub.mode", List.of("subscribe"));
    form.put("hub.topic", List.of(TOPIC));
    form.put("hub.callback", List.of("http://a.example/"));
    if (!asked.isEmpty()) {
      form.put("hub.lease_seconds", List.of(asked));
    }

    Terms terms =
        bench.requests().subscribe((HubRequest.Subscribe) HubRequest.parse(form)).join().terms();

    assertThat(terms.lease()).isEqualTo(Duration.ofSeconds(granted));
    assertThat(terms.format()).isEqualTo(Format.ATOM);
    assertThat(terms.secret()).isNull();
  }
}
