package io.feedbridge.gateway.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A well-behaved feed and its subscriber: how long it takes from ping to delivery, while something
 * else happens or not. Each ping must be accepted, and the gateway must be healthy.
 */
final class Bystander implements AutoCloseable {

  /** Deliveries that are measured; the slowest counts. */
  private static final int DELIVERIES = 12;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final GatewayProcess gateway;
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private String topic;
  private int items = 1;

  Bystander(GatewayProcess gateway) {
    this.gateway = gateway;
    topic = origin.rss("bystander.xml", "", "item-1");
    subscribe(gateway, topic, subscriber.url("bystander"));
    // The first deliveries after a start are slow.
    IntStream.range(0, 5).forEach(i -> deliver());
  }

  /** Subscribes, and waits until the subscription is active: the feed was read by then. */
  static void subscribe(GatewayProcess gateway, String topic, String callback) {
    HttpResponse<String> answer =
        gateway.form("/hub", "hub.mode", "subscribe", "hub.topic", topic, "hub.callback", callback);
    assertThat(answer.statusCode()).isBetween(200, 299);
    await().atMost(PATIENCE).until(() -> isActive(gateway, callback));
  }

  static boolean isActive(GatewayProcess gateway, String callback) throws JsonProcessingException {
    JsonNode items =
        new ObjectMapper().readTree(gateway.get("/api/v1/subscriptions").body()).get("items");
    for (JsonNode item : items) {
      if (item.path("callback").asText().equals(callback)) {
        return item.path("state").asText().equals("active");
      }
    }
    return false;
  }

  String topic() {
    return topic;
  }

  /** The slowest of some deliveries. */
  Duration slowest() {
    return IntStream.range(0, DELIVERIES)
        .mapToObj(i -> deliver())
        .max(Duration::compareTo)
        .orElseThrow();
  }

  private Duration deliver() {
    items++;
    String newest = "item-" + items;
    topic = origin.rss("bystander.xml", "", newest, "item-" + (items - 1));
    long begin = System.nanoTime();
    assertThat(gateway.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode())
        .as("a publish of the bystander")
        .isEqualTo(204);
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> subscriber.bodies("bystander").stream().anyMatch(b -> b.contains(newest)));
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    assertThat(gateway.healthy()).isTrue();
    return took;
  }

  /** Items with long texts, to be put into a channel. */
  static String longItems(String name, int items, int bytes) {
    String text = "–" + "x".repeat(bytes);
    return IntStream.range(0, items)
        .mapToObj(
            i ->
                "<item><guid>%s-%d</guid><description>%s</description></item>"
                    .formatted(name, i, text))
        .collect(Collectors.joining());
  }

  /** The bound on what an attack may add to a delay. */
  static void assertHardlySlower(Duration during, Duration before) {
    assertThat(during)
        .as("delay during the attack, beside %s without", before)
        .isLessThanOrEqualTo(before.multipliedBy(2).plusMillis(500));
  }

  /** Memory of a process that is in RAM, in MiB. */
  static long residentMebi(GatewayProcess gateway) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(gateway.pid()), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) >> 10)
        .findFirst()
        .orElseThrow();
  }

  static void assertNoMemoryRanOut(GatewayProcess gateway) {
    assertThat(gateway.errors()).doesNotContain("OutOfMemory", "OutOfDirectMemory");
  }

  @Override
  public void close() {
    origin.close();
    subscriber.close();
  }
}
