package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.RingOrigin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Gateways of the jar that follow a feed through each other in a ring, all from the same moment.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RingIT {

  private static final int GATEWAYS = 5;
  private static final Duration LEASE = Duration.ofSeconds(20);
  private static final Duration LONG = Duration.ofSeconds(60);

  private static final Set<String> LIVE = Set.of("active", "renewing");

  private final List<GatewayProcess> gateways = new ArrayList<>();

  @BeforeAll
  void start(@TempDir Path folder) {
    for (int i = 0; i < GATEWAYS; i++) {
      String lease = LEASE.toSeconds() + "s";
      gateways.add(
          GatewayProcess.launch(
              folder.resolve("data" + i),
              FreePort.next(),
              "--lease-min=1s",
              "--lease-default=" + lease,
              "--lease-max=" + lease,
              "--host-pause=0"));
    }
    gateways.forEach(GatewayProcess::awaitReady);
  }

  @AfterAll
  void stop() {
    gateways.forEach(GatewayProcess::close);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, GATEWAYS})
  void it_opens_serves_its_readers_and_ends_within_two_leases_after_they_left(int size) {
    List<GatewayProcess> ring = gateways.subList(0, size);
    List<String> urls = ring.stream().map(gateway -> gateway.url("")).toList();
    try (RingOrigin origin = new RingOrigin(urls, RingOrigin.Through.HUBS);
        FakeSubscriber subscriber = new FakeSubscriber()) {
      serve(ring, origin, subscriber);

      request("unsubscribe", ring, origin, subscriber);
      await()
          .atMost(LEASE.multipliedBy(2))
          .until(
              () ->
                  ring.stream().allMatch(one -> one.meter("feedbridge_subscriptions_websub") == 0));
    }
  }

  /**
   * rssCloud has no request to unsubscribe: the registrations of a ring's gateways end with their
   * lifetime of 25 hours, which {@code CloudRingTest} turns a clock for.
   */
  @ParameterizedTest
  @EnumSource(names = {"CLOUDS", "BOTH"})
  void through_clouds_it_serves_its_readers_too_and_its_last_gateway_lets_go_after_they_left(
      RingOrigin.Through through) {
    List<GatewayProcess> ring = gateways.subList(0, 3);
    List<String> urls = ring.stream().map(gateway -> gateway.url("")).toList();
    try (RingOrigin origin = new RingOrigin(urls, through);
        FakeSubscriber subscriber = new FakeSubscriber()) {
      serve(ring, origin, subscriber);

      request("unsubscribe", ring, origin, subscriber);
      await()
          .atMost(LONG)
          .until(() -> ring.stream().anyMatch(one -> feed(one, origin.topic()).isMissingNode()));
    }
  }

  /** Each gateway has a reader, the ring opens, and each reader gets what is published, once. */
  private static void serve(
      List<GatewayProcess> ring, RingOrigin origin, FakeSubscriber subscriber) {
    request("subscribe", ring, origin, subscriber);
    await().atMost(LONG).until(() -> isOpen(ring, origin.topic()));

    // Readers renew what they have.
    request("subscribe", ring, origin, subscriber);
    await()
        .atMost(LONG)
        .until(() -> ring.stream().allMatch(one -> subscriber.asked(name(one)).size() > 1));
    origin.publish("two", "one");
    await()
        .atMost(LONG)
        .until(
            () -> {
              // An open ring opens at a second place if a renewal comes too late to tell of the
              // first.
              pingDenied(ring, origin);
              return ring.stream().noneMatch(one -> subscriber.received(name(one)).isEmpty());
            });
    for (GatewayProcess gateway : ring) {
      assertThat(subscriber.bodies(name(gateway)))
          .singleElement()
          .asString()
          .contains("Title of two");
    }
    assertThat(isOpen(ring, origin.topic())).as("the ring stays open").isTrue();
  }

  private static void pingDenied(List<GatewayProcess> ring, RingOrigin origin) {
    ring.stream()
        .filter(one -> isDenied(feed(one, origin.topic())))
        .forEach(one -> one.form("/ping", "url", origin.topic()));
  }

  private static void request(
      String mode, List<GatewayProcess> ring, RingOrigin origin, FakeSubscriber subscriber) {
    for (GatewayProcess gateway : ring) {
      String answer =
          gateway
              .form(
                  "/hub",
                  "hub.mode",
                  mode,
                  "hub.topic",
                  origin.topic(),
                  "hub.callback",
                  subscriber.url(name(gateway)))
              .body();
      assertThat(answer).startsWith("accepted");
    }
  }

  private static String name(GatewayProcess gateway) {
    return "reader" + gateway.pid();
  }

  /** Whether a gateway polls the feed, since it was denied, and each other one is subscribed. */
  private static boolean isOpen(List<GatewayProcess> ring, String topic) {
    List<JsonNode> feeds = ring.stream().map(gateway -> feed(gateway, topic)).toList();
    return feeds.stream().anyMatch(RingIT::isDenied)
        && feeds.stream()
            .allMatch(feed -> isDenied(feed) || LIVE.contains(feed.at("/upstream/state").asText()));
  }

  private static boolean isDenied(JsonNode feed) {
    return feed.at("/refusals/0/reason").asText().contains(GatewayPath.RING);
  }

  private static JsonNode feed(GatewayProcess gateway, String topic) {
    try {
      for (JsonNode feed :
          new ObjectMapper().readTree(gateway.get("/api/v1/feeds").body()).path("items")) {
        if (feed.path("url").asText().equals(topic)) {
          return feed;
        }
      }
      return MissingNode.getInstance();
    } catch (JsonProcessingException e) {
      throw new AssertionError("the list of feeds is no JSON", e);
    }
  }
}
