package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.websub.Signature;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A feed comes in by either protocol, or by polling, and goes out by both. */
class CrossingsTest {

  private static final String SECRET = "the subscriber's own secret";

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeHub hub = new FakeHub();
  private final FakeCloud cloud = new FakeCloud();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  @TempDir Path data;
  private TestGateway gateway;

  @BeforeEach
  void start() {
    gateway =
        TestGateway.with(data, TestGateway.LOOPBACK, TestGateway.LOOPBACK, Duration.ofSeconds(1));
  }

  @AfterEach
  void stop() {
    List.<AutoCloseable>of(gateway, subscriber, cloud, hub, origin)
        .forEach(part -> assertThat(part).satisfies(AutoCloseable::close));
  }

  @Test
  void a_feed_with_only_a_cloud_reaches_websub_and_rsscloud_subscribers_within_a_second() {
    String feed = origin.rss("feed.xml", cloud.element(), "one");
    subscribeBoth(feed);
    await().until(() -> cloud.registered(feed) == 1);
    origin.rss("feed.xml", cloud.element(), "two", "one");

    long start = System.nanoTime();
    assertThat(cloud.notify(feed).statusCode()).isEqualTo(200);

    awaitBoth(feed, "two");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void a_feed_with_only_a_hub_reaches_websub_and_rsscloud_subscribers_without_a_fetch() {
    String link = "<atom:link rel=\"hub\" href=\"" + hub.url() + "\"/>";
    String feed = origin.rss("feed.xml", link, "one");
    subscribeBoth(feed);
    await().until(() -> hub.subscribers(feed) == 1);
    // Until the gateway has recorded the hub's confirmation, it polls each second.
    gateway.settle();
    int fetches = origin.requests("feed.xml").size();

    int status =
        hub.deliver(feed, "application/rss+xml", FakeOrigin.rssOf(link, "two")).statusCode();

    assertThat(status).isBetween(200, 299);
    awaitBoth(feed, "two");
    assertThat(origin.requests("feed.xml")).hasSize(fetches);
  }

  @Test
  void a_feed_that_offers_no_push_is_polled_and_reaches_both() {
    String feed = origin.rss("feed.xml", "", "one");
    subscribeBoth(feed);

    origin.rss("feed.xml", "", "two", "one");

    awaitBoth(feed, "two");
  }

  private void subscribeBoth(String feed) {
    assertThat(
            gateway
                .subscribe(feed, subscriber.url("websub?a=b"), "hub.secret", SECRET)
                .statusCode())
        .isEqualTo(202);
    assertThat(gateway.pleaseNotify(subscriber, "rsscloud", feed).body())
        .contains("success=\"true\"");
    await().until(() -> gateway.meter("feedbridge_subscriptions_websub") == 1);
  }

  private void awaitBoth(String feed, String newEntry) {
    await()
        .pollInterval(Duration.ofMillis(10))
        .until(
            () ->
                subscriber.received("websub").size() == 1
                    && subscriber.received("rsscloud").size() == 1);
    Request document = subscriber.received("websub").get(0);
    assertThat(document.rawQuery()).isEqualTo("a=b");
    assertThat(document.header("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/atom+xml"));
    assertThat(document.header("Link"))
        .hasValue("<%s>; rel=\"hub\", <%s>; rel=\"self\"".formatted(gateway.url("/hub"), feed));
    assertThat(
            Signature.verify(
                document.header("X-Hub-Signature").orElseThrow(), SECRET, document.body()))
        .isTrue();
    assertThat(new String(document.body(), StandardCharsets.UTF_8))
        .contains(">" + newEntry + "</dc:identifier>")
        .doesNotContain(">one</dc:identifier>")
        .contains("<status xmlns=\"http://superfeedr.com/xmpp-pubsub-ext\" feed=\"" + feed + "\"");
    assertThat(subscriber.bodies("rsscloud")).containsExactly(Http.encode("url", feed));
  }
}
