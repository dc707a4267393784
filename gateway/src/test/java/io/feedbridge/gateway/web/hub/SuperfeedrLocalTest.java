package io.feedbridge.gateway.web.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Superfeedr's calls without credentials, on a gateway without an admin token. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuperfeedrLocalTest {

  private final Http http = new Http();
  private World world;
  private String call;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
    String topic = world.origin().rss("feed.xml", "", "one");
    world.subscribe(topic, "one");
    call =
        world
            .gateway()
            .url(
                "/hub?" + Http.encode("hub.mode", "retrieve", "hub.topic", topic, "callback", "f"));
  }

  @AfterAll
  void stop() {
    world.close();
  }

  @Test
  void this_machine_reads_as_the_operator() {
    assertThat(http.get(call).statusCode()).isEqualTo(200);
    assertThat(http.send("GET", call, "Sec-Fetch-Site", "none").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "X-Forwarded-For, 127.0.0.1",
    "Forwarded, for=127.0.0.1",
    "X-Forwarded-Proto, https",
    "Origin, https://a.example",
    "Sec-Fetch-Site, cross-site",
    "Sec-Fetch-Site, same-site",
    "Authorization, Basic YTpi",
  })
  void what_came_through_a_proxy_or_from_a_page_is_not_of_this_machine(String name, String value) {
    assertThat(http.send("GET", call, name, value).statusCode()).isEqualTo(401);
  }

  @Test
  void who_follows_a_link_to_an_operators_page_gets_there() {
    String log = world.gateway().url("/live");
    assertThat(
            http.send(
                    "GET",
                    log,
                    "Sec-Fetch-Site",
                    "cross-site",
                    "Sec-Fetch-Mode",
                    "navigate",
                    "Sec-Fetch-Dest",
                    "document")
                .statusCode())
        .isEqualTo(200);
    assertThat(http.send("GET", log, "Sec-Fetch-Site", "cross-site").statusCode()).isEqualTo(403);
  }
}
