package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Gateways that follow feeds through each other's hubs. */
class GatewayToGatewayTest {

  @TempDir Path folder;
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private final int[] ports = {FreePort.next(), FreePort.next()};
  private TestGateway one;
  private TestGateway other;

  @BeforeEach
  void start() {
    one = gateway(0);
    other = gateway(1);
  }

  @AfterEach
  void stop() {
    one.close();
    other.close();
    subscriber.close();
    origin.close();
  }

  private TestGateway gateway(int number) {
    return TestGateway.guarded(
        folder.resolve("data" + number),
        ports[number],
        URI.create("http://127.0.0.1:" + ports[number]),
        Optional.empty());
  }

  private static String hub(TestGateway gateway) {
    return "<atom:link rel=\"hub\" href=\"%s\"/>".formatted(gateway.url("/hub"));
  }

  private static int subscribers(TestGateway hub, TestGateway of) {
    return hub.rows().count("subscription WHERE callback LIKE '" + of.url("/callback/%") + "'");
  }

  private static int live(TestGateway gateway) {
    return gateway.rows().count("following WHERE state = 'ACTIVE'");
  }

  private void publish(TestGateway at, String topic) {
    assertThat(at.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode())
        .isEqualTo(204);
  }

  private void awaitEntry(String path, String entry) {
    World.until(() -> entries(path).contains(entry));
  }

  private List<String> entries(String path) {
    return subscriber.bodies(path).stream()
        .flatMap(
            body -> Stream.of("two", "three", "four").filter(id -> body.contains(">" + id + "<")))
        .toList();
  }

  private long fetchesBy(TestGateway gateway) {
    return origin.requests("feed.xml").stream()
        .filter(
            request ->
                request
                    .header("User-Agent")
                    .filter(agent -> agent.contains(gateway.url("")))
                    .isPresent())
        .count();
  }

  @Test
  void what_one_publishes_another_delivers_without_a_fetch_and_a_restart_of_either_loses_nothing() {
    String topic = origin.rss("feed.xml", hub(other), "one");
    one.subscribe(topic, subscriber.url("reader"));
    World.until(() -> live(one) == 1 && subscribers(other, one) == 1);
    assertThat(one.rows().count("subscription")).isEqualTo(1);

    origin.rss("feed.xml", hub(other), "two", "one");
    publish(other, topic);
    awaitEntry("reader", "two");
    assertThat(fetchesBy(one)).isEqualTo(1);

    one.close();
    origin.rss("feed.xml", hub(other), "three", "two", "one");
    publish(other, topic);
    World.until(() -> other.rows().count("laggard WHERE attempts > 0") == 1);
    one = gateway(0);
    other.send("POST", "/api/v1/subscriptions/1/retry");
    awaitEntry("reader", "three");

    other.close();
    other = gateway(1);
    origin.rss("feed.xml", hub(other), "four", "three", "two", "one");
    publish(other, topic);
    awaitEntry("reader", "four");

    assertThat(entries("reader")).containsExactly("two", "three", "four");
    assertThat(fetchesBy(one)).isEqualTo(1);
  }

  @Test
  void two_that_are_each_others_hub_follow_one_way_and_what_is_published_goes_round_once() {
    String topic = origin.rss("feed.xml", hub(one) + hub(other), "one");
    one.subscribe(topic, subscriber.url("a"));
    World.until(() -> live(one) == 1 && other.rows().settled());
    other.subscribe(topic, subscriber.url("b"));
    World.until(() -> other.rows().count("subscription") == 2);

    assertFollowedOneWay();
    goesRoundOnce(topic);
    bothLetGoOf(topic);
  }

  @Test
  void so_do_two_that_ask_each_other_at_the_same_time() {
    String topic = origin.rss("feed.xml", hub(one) + hub(other), "one");
    one.subscribe(topic, subscriber.url("a"));
    other.subscribe(topic, subscriber.url("b"));
    World.until(() -> live(one) + live(other) == 1 && asksNobody(one) && asksNobody(other));

    assertFollowedOneWay();
    goesRoundOnce(topic);
    bothLetGoOf(topic);
  }

  private static boolean asksNobody(TestGateway gateway) {
    return gateway.rows().settled()
        && gateway.rows().count("following WHERE state IN ('REQUESTING', 'REQUESTED')") == 0;
  }

  private void assertFollowedOneWay() {
    assertThat(live(one) + live(other)).isEqualTo(1);
    assertThat(subscribers(one, other) + subscribers(other, one)).isEqualTo(1);
  }

  private void goesRoundOnce(String topic) {
    origin.rss("feed.xml", hub(one) + hub(other), "two", "one");
    publish(one, topic);
    publish(other, topic);
    awaitEntry("a", "two");
    awaitEntry("b", "two");
    one.settle();
    other.settle();
    one.settle();

    assertThat(entries("a")).containsExactly("two");
    assertThat(entries("b")).containsExactly("two");
    for (TestGateway each : List.of(one, other)) {
      assertThat(each.rows().count("event")).isEqualTo(1);
    }
  }

  /** Neither is kept by the other once nobody else wants the feed. */
  private void bothLetGoOf(String topic) {
    unsubscribe(one, topic, "a");
    unsubscribe(other, topic, "b");

    World.until(
        () ->
            one.rows().count("feed WHERE followed = 1") == 0
                && other.rows().count("feed WHERE followed = 1") == 0);
    World.until(() -> one.rows().count("subscription") + other.rows().count("subscription") == 0);
  }

  private void unsubscribe(TestGateway gateway, String topic, String path) {
    assertThat(
            gateway
                .form(
                    "/hub",
                    "hub.mode",
                    "unsubscribe",
                    "hub.topic",
                    topic,
                    "hub.callback",
                    subscriber.url(path))
                .statusCode())
        .isEqualTo(202);
  }
}
