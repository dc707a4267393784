package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.RingOrigin;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Gateways that follow feeds through each other's hubs. */
class GatewayToGatewayTest {

  /** Longer than a renewal waits that tells a new path, and shorter than any other waits. */
  private static final Duration SOON = Duration.ofMinutes(1);

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
    return gateway.rows().count("following WHERE state IN ('ACTIVE', 'RENEWING')");
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
  void three_that_follow_a_feed_through_each_other_let_go_of_it_when_no_other_wants_it() {
    int port = FreePort.next();
    TestGateway third =
        TestGateway.guarded(
            folder.resolve("data2"),
            port,
            URI.create("http://127.0.0.1:" + port),
            Optional.empty());
    try (third) {
      // Each takes the first hub that is neither its own nor that of its subscriber.
      String topic = origin.rss("feed.xml", hub(one) + hub(other) + hub(third), "one");
      one.subscribe(topic, subscriber.url("reader"));
      World.until(() -> live(one) == 1 && live(other) == 1);
      World.until(() -> refusals(third).size() == 1);
      World.until(() -> Stream.of(one, other, third).allMatch(GatewayToGatewayTest::isAtRest));

      assertThat(subscribers(one, third)).isZero();
      assertThat(
              one.form(
                      "/hub",
                      "hub.mode",
                      "unsubscribe",
                      "hub.topic",
                      topic,
                      "hub.callback",
                      subscriber.url("reader"))
                  .statusCode())
          .isEqualTo(202);
      for (TestGateway gateway : List.of(one, other, third)) {
        World.until(
            () ->
                gateway.rows().count("subscription") == 0
                    && gateway.rows().count("feed WHERE followed = 1") == 0);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_ring_that_three_made_in_the_same_moment_opens_and_serves_all_its_readers(
      RingOrigin.Through through) {
    int port = FreePort.next();
    TestGateway third =
        TestGateway.guarded(
            folder.resolve("data2"),
            port,
            URI.create("http://127.0.0.1:" + port),
            Optional.empty());
    List<TestGateway> all = List.of(one, other, third);
    List<String> urls = all.stream().map(gateway -> gateway.url("")).toList();
    try (third;
        RingOrigin ring = new RingOrigin(urls, through)) {
      for (int i = 0; i < all.size(); i++) {
        all.get(i).subscribe(ring.topic(), subscriber.url("reader" + i));
      }
      // Twice: a gateway that was looked at already may have been told something by a later one.
      World.until(
          () ->
              Stream.of(all, all).allMatch(GatewayToGatewayTest::isOpen)
                  && all.stream().allMatch(gateway -> readers(gateway) == 1));
      List<List<String>> opened = upstreamSubscriptions(all);

      ring.publish("two", "one");
      all.stream()
          .filter(gateway -> live(gateway) == 0)
          .forEach(gateway -> publish(gateway, ring.topic()));
      for (int i = 0; i < all.size(); i++) {
        awaitEntry("reader" + i, "two");
      }
      all.forEach(TestGateway::settle);
      for (int i = 0; i < all.size(); i++) {
        assertThat(entries("reader" + i)).containsExactly("two");
      }
      World.until(() -> isOpen(all));
      assertThat(upstreamSubscriptions(all)).as("the ring stays as it opened").isEqualTo(opened);
      assertThat(all.stream().flatMap(gateway -> refusals(gateway).stream()))
          .isNotEmpty()
          .allSatisfy(reason -> assertThat(reason).contains(GatewayPath.RING));
    }
  }

  private int readers(TestGateway gateway) {
    return gateway
        .rows()
        .count("subscription WHERE callback LIKE '" + subscriber.url("reader") + "%'");
  }

  private static List<String> refusals(TestGateway gateway) {
    return gateway.rows().query("SELECT reason FROM following WHERE state = 'REFUSED'");
  }

  /** A ring that closes once more has another subscription than before, with a token of its own. */
  private static List<List<String>> upstreamSubscriptions(List<TestGateway> ring) {
    return ring.stream()
        .map(gateway -> gateway.rows().query("SELECT token, state FROM following ORDER BY id"))
        .toList();
  }

  /** Whether a gateway of the ring gets the feed from the origin alone, and all is at rest. */
  private static boolean isOpen(List<TestGateway> ring) {
    int links = ring.stream().mapToInt(GatewayToGatewayTest::live).sum();
    int subscriptions =
        ring.stream()
            .mapToInt(
                gateway -> gateway.rows().count("subscription WHERE callback LIKE '%/callback/%'"))
            .sum();
    return links < ring.size()
        && links == subscriptions
        && ring.stream().allMatch(GatewayToGatewayTest::isAtRest)
        && ring.stream().allMatch(gateway -> live(gateway) == 1 || refusals(gateway).size() == 1);
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
    World.until(() -> live(one) + live(other) == 1 && isAtRest(one) && isAtRest(other));

    assertFollowedOneWay();
    goesRoundOnce(topic);
    bothLetGoOf(topic);
  }

  /**
   * Whether the gateway asks no other and is not about to: a gateway that has got other subscribers
   * than its hub was told of renews its subscription within seconds, which may open the ring at
   * another place.
   */
  private static boolean isAtRest(TestGateway gateway) {
    return gateway.rows().settled()
        && gateway
                .rows()
                .count(
                    "following WHERE state IN ('REQUESTING', 'REQUESTED', 'RENEWING')"
                        + " OR (state = 'ACTIVE' AND next_action_at < "
                        + Instant.now().plus(SOON).toEpochMilli()
                        + ")")
            == 0;
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
