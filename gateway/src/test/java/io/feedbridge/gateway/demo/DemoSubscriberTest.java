package io.feedbridge.gateway.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The demo's WebSub subscriber against a hub that is not the demo's. */
class DemoSubscriberTest {

  private static final String TOPIC = "http://news.example/feed";
  private static final String RSS = "application/rss+xml";
  private static final Crossing CROSSING = new Crossing(Source.WEBSUB, Protocol.WEBSUB);

  private final FakeHub hub = new FakeHub();
  private final Clock clock = Clock.systemUTC();
  private final LoopbackNet net = new LoopbackNet(clock);
  private final Journal journal =
      new Journal(new Screen(new PrintWriter(new StringWriter()), true, false), clock);
  private final Arrivals arrivals = new Arrivals();
  private final DemoSubscriber subscriber;

  DemoSubscriberTest() throws IOException {
    subscriber = new DemoSubscriber(net, journal, arrivals);
  }

  @BeforeEach
  void subscribe() {
    assertThat(subscriber.subscribe(hub.url(), Source.WEBSUB, TOPIC))
        .succeedsWithin(Duration.ofSeconds(10));
    await().until(() -> hub.subscribers(TOPIC) == 1);
  }

  @AfterEach
  void close() {
    subscriber.close();
    journal.close();
    net.close();
    hub.close();
  }

  @Test
  void what_is_signed_with_its_secret_is_received() {
    CompletableFuture<Instant> arrival = arrivals.expect(CROSSING, "Title of one");

    hub.deliver(TOPIC, RSS, FakeOrigin.rssOf("", "one"));

    assertThat(arrival).succeedsWithin(Duration.ofSeconds(10));
  }

  @Test
  void what_is_not_is_acknowledged_and_not_believed() {
    CompletableFuture<Instant> arrival = arrivals.expect(CROSSING, "Title of one");

    int unsigned = hub.deliver(TOPIC, RSS, FakeOrigin.rssOf("", "one"), null).statusCode();
    int wrong = hub.deliver(TOPIC, RSS, FakeOrigin.rssOf("", "one"), "sha1=00").statusCode();

    assertThat(unsigned).isEqualTo(204);
    assertThat(wrong).isEqualTo(204);
    assertThat(arrival).isNotDone();
  }

  @Test
  void a_question_about_another_topic_is_answered_404() {
    String query =
        Http.encode("hub.mode", "subscribe", "hub.topic", TOPIC + "2", "hub.challenge", "c");

    assertThat(new Http().get(hub.callback(TOPIC) + "?" + query).statusCode()).isEqualTo(404);
  }
}
