package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
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

  private String bridged(String kind, String feed) {
    return world.gateway().url("/feed." + kind + "?" + Http.encode("url", feed));
  }

  @Test
  void a_list_comes_back_with_bridged_feeds_and_keeps_the_others() throws Exception {
    String one = world.origin().rss("one.xml", "", "one");
    byte[] list =
        Opml.write("x", List.of(new Outline(one, "One"), new Outline("ftp://no.example/", "No")));

    HttpResponse<String> answer =
        world.gateway().post("/api/v1/bridge?kind=rss", "text/x-opml", list);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(Opml.read(answer.body().getBytes(StandardCharsets.UTF_8)))
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("line")
        .containsExactly(
            new Outline(bridged("rss", one), "One"), new Outline("ftp://no.example/", "No"));
    World.until(() -> world.origin().requests("one.xml").size() == 1);
    assertThat(world.gateway().post("/api/v1/bridge?kind=x", "text/x-opml", list).statusCode())
        .isEqualTo(400);

    HttpResponse<String> exported = world.gateway().get("/api/v1/export?bridged=true");
    assertThat(Opml.read(exported.body().getBytes(StandardCharsets.UTF_8)))
        .extracting(Outline::url)
        .containsExactly(bridged("atom", one));
    assertThat(world.gateway().get("/api/v1/export?bridged=perhaps").statusCode()).isEqualTo(400);
  }

  @Test
  void a_list_on_the_web_is_bridged_and_nothing_of_it_followed() throws Exception {
    String feed = world.origin().rss("one.xml", "", "one");
    byte[] list = Opml.write("x", List.of(new Outline(feed, "One")));
    String at = world.origin().serve("list.opml", "text/x-opml", list);

    HttpResponse<String> answer =
        world.gateway().get("/opml?" + Http.encode("url", at) + "&kind=json");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(Opml.read(answer.body().getBytes(StandardCharsets.UTF_8)))
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("line")
        .containsExactly(new Outline(bridged("json", feed), "One"));
    assertThat(world.gateway().rows().count("feed")).isZero();
  }

  @Test
  void a_list_on_the_web_that_is_none_or_too_long_says_so() {
    String page = world.origin().serve("page", "text/html", "<p>no list");
    String gone = world.origin().fail("gone", 404);
    String large = world.origin().serve("large", "text/x-opml", "<opml>" + " ".repeat(1 << 20));
    assertThat(world.gateway().get("/opml").statusCode()).isEqualTo(400);
    assertThat(world.gateway().get("/opml?" + Http.encode("url", page)).statusCode())
        .isEqualTo(422);
    assertThat(world.gateway().get("/opml?" + Http.encode("url", gone)).body()).contains("404");
    HttpResponse<String> tooLong = world.gateway().get("/opml?" + Http.encode("url", large));
    assertThat(tooLong.statusCode()).isEqualTo(502);
    HttpResponse<String> inside = world.gateway().get("/opml?url=http://10.0.0.1/list.opml");
    assertThat(inside.statusCode()).isEqualTo(502);
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
        .contains("\"followed\":1,\"known\":1,\"duplicate\":0,\"bad\":1,\"forbidden\":0")
        .containsPattern("\"url\":\"ftp://three.example/\".*?\"line\":4");
    World.until(() -> world.origin().requests("one.xml").size() == 1);
    world.gateway().settle();
    world.gateway().store().feeds().unfollowUnused().join();
    assertThat(world.gateway().send("DELETE", "/api/v1/subscriptions/1").statusCode())
        .isEqualTo(204);
    assertThat(
            Opml.read(
                world.gateway().get("/api/v1/export").body().getBytes(StandardCharsets.UTF_8)))
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("line")
        .containsExactlyInAnyOrder(new Outline(one, "News"), new Outline(two, "News"));
  }

  @Test
  void every_line_of_a_list_has_its_result_and_its_number() throws Exception {
    String one = world.origin().rss("one.xml", "");
    String list =
        """
        <opml version="2.0"><body>
        <outline text="Folder">
        <outline text="One" xmlUrl="%s"/>
        </outline>
        <outline text="Site" htmlUrl="http://site.example/"/>
        <outline text="Again" xmlUrl="%s"/>
        <outline text="Ftp" xmlUrl="ftp://a.example/feed"/>
        <outline/>
        </body></opml>
        """
            .formatted(one, one);

    HttpResponse<String> answer = post(list.getBytes(StandardCharsets.UTF_8));

    JsonNode report = new ObjectMapper().readTree(answer.body());
    List<String> lines = new ArrayList<>();
    for (JsonNode item : report.get("items")) {
      lines.add("%d %s".formatted(item.get("line").asInt(), item.get("result").asText()));
    }
    assertThat(lines).containsExactly("3 followed", "5 bad", "6 duplicate", "7 bad", "8 bad");
    assertThat(answer.body()).contains("line 3 has the same feed", "it has no xmlUrl");
    assertThat(report.get("bad").asInt()).isEqualTo(3);
  }

  @Test
  void what_is_no_list_is_refused_and_changes_nothing() {
    HttpResponse<String> answer = post("<rss/>".getBytes(StandardCharsets.UTF_8));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("not OPML");
    assertThat(world.gateway().rows().count("feed")).isZero();
  }
}
