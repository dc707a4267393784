package io.feedbridge.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.Kind;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The path of gateways that a request to a hub or a cloud names. */
class ToldPathsTest {

  private static final String TOPIC = "https://blog.example/feed.xml";
  private static final String SELF = "https://self.example";
  private static final String ASKED = "https://asked.example";
  private static final String OTHER = "https://other.example";

  @TempDir Path data;
  private StageBench bench;
  private FollowedFeed feed;
  private UpstreamSubscription upstream;
  private ToldPaths paths;

  @BeforeEach
  void start() {
    bench = StageBench.on(data);
    feed = bench.subscribed(TOPIC, Format.ATOM);
    upstream = upstreamAt(ASKED + "/hub");
    paths = new ToldPaths(bench.store().subscriptions(), SELF);
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private UpstreamSubscription upstreamAt(String endpoint) {
    return bench.follow(feed, Kind.WEBSUB, endpoint, State.ACTIVE, 0, StageBench.START, null);
  }

  private void subscribe(String gateway) {
    bench
        .store()
        .subscriptions()
        .register(
            feed.id(),
            gateway + "/callback/token",
            StageBench.terms(TOPIC, Format.ATOM).on(GatewayPath.from(gateway, List.of())),
            StageBench.START.plus(Duration.ofMinutes(1)))
        .join();
  }

  @Test
  void names_the_gateways_that_subscribe_here() {
    subscribe(OTHER);

    GatewayPath path = paths.tell(upstream);

    assertThat(path.contains(SELF)).isTrue();
    assertThat(path.contains(OTHER)).isTrue();
  }

  @Test
  void leaves_out_the_subscription_of_the_gateway_that_is_asked() {
    subscribe(OTHER);
    subscribe(ASKED);

    assertThat(paths.tell(upstream).contains(ASKED)).isFalse();
    assertThat(paths.tell(upstream).contains(OTHER)).isTrue();
  }

  @Test
  void is_old_once_the_gateway_that_was_asked_subscribes_here() {
    paths.tell(upstream);
    assertThat(paths.areOld(upstream)).isFalse();

    subscribe(ASKED);

    assertThat(paths.areOld(upstream)).isTrue();
  }
}
