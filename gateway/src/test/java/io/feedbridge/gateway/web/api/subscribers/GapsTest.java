package io.feedbridge.gateway.web.api.subscribers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events that a subscription has missed for good. */
class GapsTest {

  private static final String SUBSCRIPTION = "/api/v1/subscriptions/1";

  private static JsonNode get(World world, String path) {
    try {
      return new ObjectMapper().readTree(world.gateway().get(path).body());
    } catch (IOException e) {
      throw new AssertionError(path, e);
    }
  }

  @Test
  void L13_a_jump_over_missed_events_says_how_many_and_why(@TempDir Path data) {
    try (World world = World.on(data)) {
      String topic = world.origin().rss("feed.xml", "", "one");
      world.subscribe(topic, "one");
      world.subscriber().answer("one", 503);
      world.origin().rss("feed.xml", "", "two", "one");
      world.publish(topic);
      World.until(() -> get(world, SUBSCRIPTION).at("/behind/attempts").asInt() == 1);
      assertThat(get(world, SUBSCRIPTION).get("gaps")).isEmpty();
      String missed = get(world, "/api/v1/events").at("/items/0/id").asText();

      Instant now = Instant.now();
      world.gateway().store().laggards().jump(now, Gap.Reason.TOO_FAR_BEHIND, 10, now).join();

      JsonNode gap = get(world, SUBSCRIPTION).at("/gaps/0");
      assertThat(gap.fieldNames())
          .toIterable()
          .containsExactly("after", "upTo", "events", "at", "reason");
      assertThat(gap.get("after").asText()).isEqualTo("0");
      assertThat(gap.get("upTo").asText()).isEqualTo(missed);
      assertThat(gap.get("events").asInt()).isEqualTo(1);
      assertThat(Instant.parse(gap.get("at").asText()))
          .isEqualTo(now.truncatedTo(ChronoUnit.MILLIS));
      assertThat(gap.get("reason").asText()).isEqualTo("too_far_behind");
      assertThat(get(world, "/api/v1/subscriptions").at("/items/0/gaps/0")).isEqualTo(gap);
    }
  }
}
