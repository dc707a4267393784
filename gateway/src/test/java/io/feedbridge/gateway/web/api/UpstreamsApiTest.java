package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.World;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tallies of hubs and clouds over the API. */
class UpstreamsApiTest {

  @TempDir Path data;

  @Test
  void a_hub_has_a_row_with_what_came_of_it() {
    try (World world = World.on(data)) {
      String link = "<atom:link rel=\"hub\" href=\"" + world.hub().url() + "\"/>";
      String topic = world.origin().rss("feed.xml", link, "one");
      world.subscribe(topic, "callback");
      World.until(() -> world.hub().subscribers(topic) == 1);
      World.until(
          () ->
              world
                  .gateway()
                  .get("/api/v1/upstreams")
                  .body()
                  .contains("\"endpoint\":\"" + world.hub().url() + "\""));

      world.hub().deliver(topic, "application/rss+xml", body("two"));
      world.hub().deliver(topic, "application/rss+xml", body("three"), "sha256=00");
      world.gateway().settle();

      assertThat(world.gateway().get("/api/v1/upstreams").body())
          .contains(
              "\"endpoint\":\"" + world.hub().url() + "\"",
              "\"kind\":\"websub\"",
              "\"feeds\":1",
              "\"firstByPush\":1",
              "\"firstByPoll\":0",
              "\"signatureFailures\":1",
              "\"state\":\"trusted\"");
      assertThat(world.gateway().get("/api/v1/upstreams?cursor=eA").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void a_hub_that_is_busy_is_shown_with_the_end_of_its_pause() {
    try (World world = World.on(data)) {
      world.hub().answer(503);
      String hub = "<atom:link rel=\"hub\" href=\"%s\"/>".formatted(world.hub().url());
      world.gateway().subscribe(world.origin().rss("f", hub, "one"), world.subscriber().url("s"));

      World.until(
          () ->
              world
                  .gateway()
                  .get("/api/v1/upstreams")
                  .body()
                  .matches("(?s).*\"pausedUntil\":\"20.*"));
    }
  }

  private static String body(String item) {
    return FakeOrigin.rssOf("", item);
  }
}
