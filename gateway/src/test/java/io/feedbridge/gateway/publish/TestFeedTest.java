package io.feedbridge.gateway.publish;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestFeedTest {

  private static final Duration PERIOD = Duration.ofMinutes(15);

  private final ManualTimer timer = new ManualTimer(StageBench.START);
  @TempDir Path data;
  private StageBench bench;
  private TestFeed feed;

  @BeforeEach
  void start() {
    bench = new StageBench(data, timer, store -> store, work -> work);
    feed =
        new TestFeed(
            URI.create("http://me.example:5337"),
            PERIOD,
            bench.store(),
            bench.intake(),
            Runnable::run,
            timer);
  }

  @AfterEach
  void stop() {
    feed.close();
    bench.close();
  }

  private String text() {
    return new String(feed.now().rss(), UTF_8);
  }

  @Test
  void it_has_a_new_item_every_period_and_is_the_same_in_between() {
    String first = text();
    assertThat(first.split("<item>", -1)).hasSize(21);

    timer.advanceTo(feed.now().at().plus(PERIOD).minusMillis(1));
    assertThat(text()).isEqualTo(first);
    timer.advance(Duration.ofMillis(1));

    assertThat(text()).isNotEqualTo(first);
    assertThat(feed.now().at()).isEqualTo(timer.clock().instant());
  }

  @Test
  void it_offers_a_cloud_and_a_hub() {
    assertThat(text())
        .contains("http://me.example:5337/hub")
        .contains("domain=\"me.example\" port=\"5337\" path=\"/pleaseNotify\"")
        .contains("http://me.example:5337/pleaseNotify</source:cloud>");
  }

  @Test
  void who_follows_it_is_told_of_each_new_item() {
    bench.subscribed(feed.url(), Format.ATOM);
    feed.start();
    assertThat(bench.work().waiting()).isZero();

    timer.advanceTo(feed.now().at().plus(PERIOD));

    World.until(() -> bench.work().waiting() == 1);
  }

  @Test
  void while_nobody_follows_it_nothing_is_done() {
    feed.start();

    timer.advanceTo(feed.now().at().plus(PERIOD));

    assertThat(bench.work().waiting()).isZero();
  }
}
