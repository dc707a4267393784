package io.feedbridge.gateway.subscribers;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.Kind;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request that would close a ring of gateways is denied, and never by both ends. */
class GatewayRingsTest {

  private static final String TOPIC = "https://blog.example/feed.xml";
  private static final String LESSER = "https://a.example";
  private static final String GREATER = "https://b.example";
  private static final String THIRD = "https://c.example";

  @TempDir Path data;
  private StageBench bench;
  private FollowedFeed feed;

  @BeforeEach
  void start() {
    bench = StageBench.on(data);
    feed = bench.subscribed(TOPIC, Format.ATOM);
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private void followThrough(String gateway, State state) {
    bench.follow(feed, Kind.WEBSUB, gateway + "/hub", state, 0, StageBench.START, null);
  }

  private void hasSubscribed(String gateway) {
    bench
        .store()
        .subscriptions()
        .register(
            feed.id(),
            callback(gateway),
            StageBench.terms(TOPIC, Format.ATOM).on(GatewayPath.from(gateway, List.of())),
            StageBench.START)
        .join();
  }

  private static String callback(String gateway) {
    return gateway + "/callback/token";
  }

  private boolean denies(String self, String subscriber, GatewayPath... behind) {
    return new GatewayRings(bench.store(), self)
        .closes(feed, callback(subscriber), GatewayPath.from(subscriber, List.of(behind)));
  }

  @Test
  void a_gateway_that_this_one_gets_the_feed_from_is_denied() {
    followThrough(GREATER, State.ACTIVE);

    assertThat(denies(LESSER, GREATER)).isTrue();
    assertThat(denies(LESSER, THIRD)).isFalse();
  }

  @Test
  void a_gateway_behind_which_this_one_stands_is_denied() {
    assertThat(denies(LESSER, GREATER, GatewayPath.from(LESSER, List.of()))).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"REQUESTING", "REQUESTED"})
  void of_two_that_ask_each_other_the_greater_url_denies(State asked) {
    followThrough(GREATER, asked);
    assertThat(denies(LESSER, GREATER)).isFalse();

    followThrough(LESSER, asked);
    assertThat(denies(GREATER, LESSER)).isTrue();
  }

  @Test
  void of_two_that_renew_at_each_other_the_greater_url_denies() {
    followThrough(GREATER, State.ACTIVE);
    hasSubscribed(GREATER);
    assertThat(denies(LESSER, GREATER)).isFalse();

    followThrough(LESSER, State.ACTIVE);
    hasSubscribed(LESSER);
    assertThat(denies(GREATER, LESSER)).isTrue();
  }

  @Test
  void a_gateway_that_denied_this_one_is_not_denied_in_turn() {
    followThrough(GREATER, State.REFUSED);

    assertThat(denies(LESSER, GREATER)).isFalse();
  }
}
