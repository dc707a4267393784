package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators see of the gateway's own subscriptions at hubs and clouds. */
class UpstreamStepsTest {

  private World world;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private String get(String path) {
    return world.gateway().get(path).body();
  }

  private JsonNode json(String path) {
    try {
      return new ObjectMapper().readTree(get(path));
    } catch (IOException e) {
      throw new AssertionError("no JSON at " + path, e);
    }
  }

  /** The outcomes of a kind for a feed, the oldest first. */
  private List<String> log(String kind, String feed) {
    Deque<String> outcomes = new ArrayDeque<>();
    String path = "/log?format=json&kind=" + kind + "&" + Http.encode("feed", feed);
    for (JsonNode item : json(path).get("items")) {
      assertThat(item.get("peer").asText()).startsWith("127.0.0.1:");
      outcomes.addFirst(item.get("outcome").asText());
    }
    return List.copyOf(outcomes);
  }

  private String hub() {
    return "<atom:link rel=\"hub\" href=\"" + world.hub().url() + "\"/>";
  }

  @Test
  void the_steps_and_pushes_of_a_hub_are_in_the_log() {
    String feed = world.origin().rss("feed.xml", hub(), "one");
    world.subscribe(feed, "reader");
    World.until(() -> log("upstream", feed).size() == 2);

    world.hub().deliver(feed, "application/rss+xml", FakeOrigin.rssOf("", "two"));
    world.hub().deliver(feed, "application/rss+xml", FakeOrigin.rssOf("", "two"), "sha256=00");

    assertThat(log("upstream", feed))
        .satisfiesExactly(
            step -> assertThat(step).isEqualTo("hub: subscription requested for " + feed),
            step -> assertThat(step).startsWith("hub: verified until "));
    assertThat(log("push", feed))
        .satisfiesExactly(
            push -> assertThat(push).matches("hub: delivered \\d+ bytes"),
            push -> assertThat(push).startsWith("hub: the signature is wrong"));
  }

  @Test
  void a_step_does_not_tell_the_query_of_a_topic() {
    String feed = world.origin().rss("feed.xml", hub(), "one") + "?key=s3cret";
    world.subscribe(feed, "reader");
    World.until(() -> log("upstream", feed).size() == 2);

    assertThat(log("upstream", feed))
        .contains("hub: subscription requested for " + feed.replace("key=s3cret", "…"));
  }

  @Test
  void the_steps_and_notifications_of_a_cloud_are_in_the_log_and_it_is_listed_at_once() {
    String feed = world.origin().rss("feed.xml", world.cloud().element(), "one");
    world.subscribe(feed, "reader");
    World.until(() -> log("upstream", feed).size() == 2);

    assertThat(get("/api/v1/upstreams"))
        .contains("/pleaseNotify\"", "\"kind\":\"rsscloud\"", "\"lastDeliveryAt\":null");
    world.cloud().notify(feed);

    assertThat(log("upstream", feed))
        .satisfiesExactly(
            step -> assertThat(step).isEqualTo("cloud: subscription requested for " + feed),
            step -> assertThat(step).startsWith("cloud: registered until "));
    assertThat(log("push", feed)).containsExactly("cloud: notified, the feed will be fetched");
  }

  @Test
  void the_reason_of_a_refusal_stays_visible_after_another_way_took_over() {
    world.hub().answer(403);
    String feed = world.origin().rss("feed.xml", hub() + world.cloud().element(), "one");
    world.subscribe(feed, "reader");
    World.until(
        () ->
            world.gateway().rows().count("following WHERE kind = 'RSSCLOUD' AND state = 'ACTIVE'")
                == 1);

    JsonNode shown = json("/api/v1/feeds").get("items").get(0);
    assertThat(shown.at("/upstream/kind").asText()).isEqualTo("rsscloud");
    assertThat(shown.at("/refusals/0/endpoint").asText()).isEqualTo(world.hub().url());
    assertThat(shown.at("/refusals/0/reason").asText()).contains("status 403");
    assertThat(shown.at("/refusals/0/until").asText()).isNotEmpty();
    assertThat(get("/api/v1/upstreams"))
        .contains("\"lastRefusal\":\"the hub answered with status 403");

    JsonNode explained = json("/api/v1/explain?" + Http.encode("url", feed));
    assertThat(explained.at("/choice/kind").asText()).isEqualTo("rsscloud");
    assertThat(explained.at("/choice/reason").asText()).contains("after a refusal");
    assertThat(explained.at("/ways/0/reason").asText()).contains("status 403");
    assertThat(explained.at("/ways/0/demotedUntil").asText()).isNotEmpty();
    assertThat(log("upstream", feed))
        .anySatisfy(step -> assertThat(step).startsWith("hub: refused: the hub answered with"));
  }

  @Test
  void a_feed_whose_only_hub_has_refused_is_said_to_be_polled() {
    world.hub().answer(403);
    String feed = world.origin().rss("feed.xml", hub(), "one");

    world.subscribe(feed, "reader");

    World.until(
        () ->
            log("upstream", feed).stream()
                .anyMatch(step -> step.startsWith("hub: the feed is polled instead until ")));
    assertThat(json("/api/v1/explain?" + Http.encode("url", feed)).at("/choice/kind").asText())
        .isEqualTo("poll");
  }
}
