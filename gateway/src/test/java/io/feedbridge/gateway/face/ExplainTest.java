package io.feedbridge.gateway.face;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a feed would be followed, over the API. */
class ExplainTest {

  @TempDir Path data;
  private World world;

  @BeforeEach
  void start() {
    world = World.on(data);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private HttpResponse<String> explain(String url) {
    return world.gateway().get("/api/v1/explain?" + Http.encode("url", url));
  }

  @Test
  void every_redirect_hub_cloud_hint_and_validator_is_told_with_the_choice() {
    String hub = "<atom:link rel=\"hub\" href=\"http://hub.example/\"/>";
    String secure = "<atom:link rel=\"hub\" href=\"https://hub.example/\"/>";
    String feed =
        world
            .origin()
            .rss(
                "feed.xml", "<ttl>60</ttl>" + world.cloud().element() + hub + secure, "one", "two");
    String old = world.origin().redirect("old.xml", 301, feed);

    HttpResponse<String> answer = explain(old);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains(
            "\"redirects\":[{\"status\":301,\"from\":\"" + old + "\",\"to\":\"" + feed + "\"",
            "\"kind\":\"feed\"",
            "\"title\":\"News\"",
            "\"entries\":2",
            "\"etag\":\"",
            "\"ttlSeconds\":3600",
            "\"choice\":{\"kind\":\"websub\",\"endpoint\":\"https://hub.example/\"");
    assertThat(answer.body())
        .containsSubsequence(
            "\"ways\":", "https://hub.example/", "http://hub.example/", "rsscloud", "poll");
    assertThat(world.gateway().rows().count("feed")).as("it is not followed").isZero();
  }

  @Test
  void what_cannot_be_followed_says_why() {
    assertThat(explain(world.origin().url("none.xml")).body())
        .contains("\"code\":404", "status 404", "\"choice\":null");
    assertThat(explain("ftp://files.example/").statusCode()).isEqualTo(400);
    assertThat(world.gateway().get("/api/v1/explain").statusCode()).isEqualTo(400);
  }

  @Test
  void a_feed_that_offers_nothing_is_polled() {
    assertThat(explain(world.origin().rss("feed.xml", "", "one")).body())
        .contains("\"choice\":{\"kind\":\"poll\"", "names no hub and no cloud");
  }
}
