package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists of feeds in and out. */
class OpmlApiTest {

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

  private HttpResponse<String> post(byte[] list) {
    return world.gateway().post("/api/v1/import", "text/x-opml", list);
  }

  @Test
  void every_feed_of_a_list_is_followed_and_stays_so_without_a_subscriber() throws Exception {
    String one = world.origin().rss("one.xml", "", "one");
    String two = world.origin().rss("two.xml", "", "two");
    world.subscribe(two, "callback");

    HttpResponse<String> answer =
        post(
            Opml.write(
                "x",
                List.of(
                    new Outline(one, "One"),
                    new Outline(two, "Two"),
                    new Outline("ftp://three.example/", "Three"))));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains("\"followed\":1,\"known\":1,\"refused\":1", "\"result\":\"refused\"");
    World.until(() -> world.origin().requests("one.xml").size() == 1);
    world.gateway().settle();
    world.gateway().store().feeds().unfollowUnused().join();
    assertThat(world.gateway().send("DELETE", "/api/v1/subscriptions/1").statusCode())
        .isEqualTo(204);
    assertThat(
            Opml.read(
                world.gateway().get("/api/v1/export").body().getBytes(StandardCharsets.UTF_8)))
        .containsExactlyInAnyOrder(new Outline(one, "News"), new Outline(two, "News"));
  }

  @Test
  void what_is_no_list_is_refused_and_changes_nothing() {
    HttpResponse<String> answer = post("<rss/>".getBytes(StandardCharsets.UTF_8));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("not OPML");
    assertThat(world.gateway().rows().count("feed")).isZero();
  }
}
