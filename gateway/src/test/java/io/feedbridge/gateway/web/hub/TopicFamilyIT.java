package io.feedbridge.gateway.web.hub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.web.hub.TopicFamilyTest.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What subscribers get that name no format, with the jar and its defaults. */
class TopicFamilyIT {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String BRIDGED = "-bridged";
  private static final String ELSEWHERE = "http://elsewhere.example/feed";

  @TempDir Path data;

  @Test
  void it_is_the_topics_own_family_and_that_of_a_bridged_feed_names_the_gateway_alone()
      throws Exception {
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber();
        GatewayProcess gateway =
            GatewayProcess.start(
                data, FreePort.next(), "--poll-min=12h", "--poll-max=24h", "--host-pause=0")) {
      for (Topic topic : Topic.values()) {
        String url = origin.serve(topic.path(), topic.mediaType(), topic.with("old"));
        subscribe(gateway, url, subscriber.url(topic.path()));
        subscribe(gateway, bridged(gateway, topic, url), subscriber.url(topic.path() + BRIDGED));
      }
      int subscriptions = 2 * Topic.values().length;
      await()
          .atMost(LONG)
          .until(() -> gateway.meter("feedbridge_subscriptions_websub") == subscriptions);

      for (Topic topic : Topic.values()) {
        String url = origin.serve(topic.path(), topic.mediaType(), topic.with("new", "old"));
        gateway.form("/hub", "hub.mode", "publish", "hub.url", url);
      }

      for (Topic topic : Topic.values()) {
        Request push = delivery(subscriber, topic.path());
        assertThat(push.header("Content-Type")).hasValue(topic.mediaType());
        TopicFamilyTest.assertReadOnce(topic, push);
        String url = origin.url(topic.path());
        assertThat(new String(delivery(subscriber, topic.path() + BRIDGED).body(), UTF_8))
            .contains(bridged(gateway, topic, url), gateway.url("/hub"));
      }
    }
  }

  @Test
  void a_push_of_a_bridged_topic_has_nothing_of_the_origins_offer_and_a_plain_one_its_hubs() {
    try (FakeOrigin origin = new FakeOrigin();
        FakeHub hub = new FakeHub();
        FakeSubscriber subscriber = new FakeSubscriber();
        GatewayProcess gateway =
            GatewayProcess.start(
                data, FreePort.next(), "--poll-min=12h", "--poll-max=24h", "--host-pause=0")) {
      String offer =
          "<atom:link rel=\"self\" href=\"%s\"/><atom:link rel=\"hub\" href=\"%s\"/>"
              .formatted(ELSEWHERE, hub.url());
      String topic = origin.rss("feed.xml", offer, "old");
      String bridged = gateway.url("/feed.atom?" + Http.encode("url", topic));
      subscribe(gateway, topic, subscriber.url("plain"));
      subscribe(gateway, bridged, subscriber.url("bridged"));
      await().atMost(LONG).until(() -> gateway.meter("feedbridge_subscriptions_websub") == 2);

      origin.rss("feed.xml", offer, "new", "old");
      gateway.form("/hub", "hub.mode", "publish", "hub.url", topic);

      assertThat(new String(delivery(subscriber, "plain").body(), UTF_8))
          .contains("href=\"" + topic + "\" rel=\"self\"", hub.url())
          .doesNotContain(ELSEWHERE + "\" rel=");
      assertThat(new String(delivery(subscriber, "bridged").body(), UTF_8))
          .contains("href=\"" + bridged + "\" rel=\"self\"", gateway.url("/hub"))
          .doesNotContain(ELSEWHERE + "\" rel=", hub.url());
    }
  }

  private static void subscribe(GatewayProcess gateway, String topic, String callback) {
    assertThat(
            gateway
                .form("/hub", "hub.mode", "subscribe", "hub.topic", topic, "hub.callback", callback)
                .statusCode())
        .isEqualTo(202);
  }

  private static String bridged(GatewayProcess gateway, Topic topic, String url) {
    String path = topic.isJson() ? "/feed.json?" : "/feed.atom?";
    return gateway.url(path + Http.encode("url", url));
  }

  private static Request delivery(FakeSubscriber subscriber, String path) {
    await().atMost(LONG).until(() -> !subscriber.received(path).isEmpty());
    List<Request> received = subscriber.received(path);
    assertThat(received).hasSize(1);
    return received.get(0);
  }
}
