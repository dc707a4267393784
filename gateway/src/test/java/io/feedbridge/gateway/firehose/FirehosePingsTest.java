package io.feedbridge.gateway.firehose;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --firehose}: messages of another server's socket are pings of feeds that are followed. */
class FirehosePingsTest {

  private static final String URL = "https://feed.example/rss.xml";

  @Test
  void a_message_names_its_feed_in_the_forms_of_both_servers() {
    assertThat(Firehose.feed("newItem\r{\"item\":{\"feedUrl\":\"" + URL + "\"}}")).contains(URL);
    assertThat(
            Firehose.feed("updatedItem\r{\"item\":{},\"theFeed\":{\"feedUrl\":\"" + URL + "\"}}"))
        .contains(URL);
    assertThat(Firehose.feed("updatedFeed\r{\"feedUrl\":\"" + URL + "\"}")).contains(URL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "newItem",
        "newItem\r",
        "newItem\rno json",
        "newItem\r[]",
        "newItem\r{\"item\":3}",
        "newItem\r{\"item\":{\"feedUrl\":7}}",
        "hello\r{\"item\":{\"feedUrl\":\"https://feed.example/rss.xml\"}}",
      })
  void a_message_that_names_no_feed_is_no_ping(String message) {
    assertThat(Firehose.feed(message)).isEmpty();
  }

  @Test
  void one_gateway_is_the_firehose_of_another_and_the_end_of_a_connection_is_told(
      @TempDir Path first, @TempDir Path second) {
    try (World world = World.on(first)) {
      String feed = world.origin().rss("shared", "", "old");
      String other = world.origin().rss("other", "", "old");
      world.subscribe(feed, "at-first");
      world.subscribe(other, "other-at-first");
      URI socket = URI.create(world.gateway().url("/firehose").replaceFirst("^http", "ws"));
      try (TestGateway listener = TestGateway.listening(second, socket)) {
        listener.subscribe(feed, world.subscriber().url("at-second"));
        World.until(() -> listener.rows().count("subscription") == 1);
        World.until(() -> listener.get("/metrics").body().contains("feedbridge_firehose_up 1"));
        int fetches = world.origin().requests("shared").size();

        world.publish(world.origin().rss("other", "", "unheard", "old"));
        world.publish(world.origin().rss("shared", "", "new", "old"));

        World.until(() -> !world.subscriber().received("at-second").isEmpty());
        assertThat(new String(world.subscriber().received("at-second").get(0).body(), UTF_8))
            .contains("Title of new");
        assertThat(world.origin().requests("shared")).hasSize(fetches + 2);
        assertThat(listener.get("/metrics").body()).contains("feedbridge_firehose_pings_total 1");

        world.gateway().close();
        World.until(() -> listener.get("/metrics").body().contains("feedbridge_firehose_up 0"));
      }
    }
  }

  @Test
  void a_server_that_is_not_there_yet_is_tried_again(@TempDir Path first, @TempDir Path second) {
    int port = FreePort.next();
    URI socket = URI.create("ws://127.0.0.1:" + port + "/firehose");
    try (TestGateway listener = TestGateway.listening(second, socket)) {
      assertThat(listener.get("/metrics").body()).contains("feedbridge_firehose_up 0");

      try (TestGateway late = TestGateway.timedBy(Clock.systemUTC(), first, port)) {
        World.until(() -> listener.get("/metrics").body().contains("feedbridge_firehose_up 1"));
        assertThat(late.get("/health").statusCode()).isEqualTo(200);
      }
    }
  }
}
