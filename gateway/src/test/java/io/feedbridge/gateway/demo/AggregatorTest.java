package io.feedbridge.gateway.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The demo's rssCloud aggregator against a cloud and an origin that are not the demo's. */
class AggregatorTest {

  private static final Duration LONG = Duration.ofSeconds(10);
  private static final Crossing CROSSING = new Crossing(Source.RSSCLOUD, Protocol.RSSCLOUD);

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeCloud cloud = new FakeCloud();
  private final Clock clock = Clock.systemUTC();
  private final LoopbackNet net = new LoopbackNet(clock);
  private final Journal journal =
      new Journal(new Screen(new PrintWriter(new StringWriter()), true, false), clock);
  private final Arrivals arrivals = new Arrivals();
  private final Aggregator aggregator;

  AggregatorTest() throws IOException {
    aggregator = new Aggregator(net, journal, arrivals);
  }

  private void register(String feed) {
    String url = "http://127.0.0.1:" + cloud.port() + "/pleaseNotify";
    assertThat(aggregator.register(url, Source.RSSCLOUD, feed)).succeedsWithin(LONG);
  }

  @AfterEach
  void close() {
    aggregator.close();
    journal.close();
    net.close();
    cloud.close();
    origin.close();
  }

  @Test
  void told_of_a_change_it_fetches_the_feed_and_finds_what_is_new() {
    String feed = origin.rss("feed.xml", "", "one");
    register(feed);
    CompletableFuture<Instant> old = arrivals.expect(CROSSING, "Title of one");
    CompletableFuture<Instant> fresh = arrivals.expect(CROSSING, "Title of two");
    origin.rss("feed.xml", "", "two", "one");

    assertThat(cloud.notify(feed).statusCode()).isEqualTo(204);

    assertThat(fresh).succeedsWithin(LONG);
    assertThat(old).isNotDone();
  }

  @Test
  void a_test_that_it_did_not_ask_for_is_answered_404() {
    register(origin.rss("feed.xml", "", "one"));
    String url = aggregator.url() + "/guessed?" + Http.encode("url", "x", "challenge", "c");

    assertThat(new Http().get(URI.create(url).toString()).statusCode()).isEqualTo(404);
  }
}
