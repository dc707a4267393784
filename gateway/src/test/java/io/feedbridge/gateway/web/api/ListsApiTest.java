package io.feedbridge.gateway.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists that the gateway publishes, and the members of lists that it follows. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListsApiTest {

  private static final String LISTS = "/api/v1/lists";

  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private static JsonNode json(HttpResponse<String> answer) {
    return json(answer.body().getBytes(UTF_8));
  }

  private static JsonNode json(byte[] body) {
    try {
      return new ObjectMapper().readTree(body);
    } catch (IOException e) {
      throw new AssertionError("it is JSON", e);
    }
  }

  private JsonNode put(String name, String body) {
    HttpResponse<String> answer = world.gateway().json("PUT", LISTS + "/" + name, body);
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
    return json(answer);
  }

  private static String feeds(String... urls) {
    return "[{\"url\":\"" + String.join("\"},{\"url\":\"", urls) + "\"}]";
  }

  @Test
  void a_list_is_published_with_hub_and_cloud() {
    JsonNode list =
        put(
            "friends",
            """
            {"title": "Friends & others", "feeds": [
              {"url": "http://a.example/feed", "title": "A"}, {"url": "http://b.example/feed"},
              {"url": "http://a.example/feed"}]}
            """);

    assertThat(list.at("/count").asInt()).isEqualTo(2);
    String url = list.at("/url").asText();
    assertThat(url).isEqualTo(world.gateway().url("/lists/friends.opml"));
    HttpResponse<String> served = world.gateway().get("/lists/friends.opml");
    assertThat(served.headers().firstValue("Content-Type").orElseThrow()).contains("text/x-opml");
    assertThat(served.headers().firstValue("ETag")).isPresent();
    assertThat(served.headers().allValues("Link"))
        .containsExactly(
            "<" + world.gateway().url("/hub") + ">; rel=\"hub\"", "<" + url + ">; rel=\"self\"");
    assertThat(served.body())
        .contains("<title>Friends &amp; others</title>", "xmlUrl=\"http://a.example/feed\"")
        .contains(">" + world.gateway().url("/pleaseNotify") + "</source:cloud>");
    assertThat(json(world.gateway().get(LISTS + "/friends"))).isEqualTo(list);
  }

  @Test
  void a_change_of_a_published_list_is_sent_to_its_subscribers_with_the_entries_of_its_feeds() {
    String one = world.origin().rss("one", "", "old");
    String two = world.origin().rss("two", "", "old");
    String list = put("own", "{\"feeds\":" + feeds(one) + "}").at("/url").asText();
    world.subscribe(list, "own", "format", "json");
    World.until(
        () ->
            json(world.gateway().get("/api/v1/feeds?" + Http.encode("url", list)))
                    .at("/items/0/list/followed")
                    .asInt()
                == 1);

    HttpResponse<String> changed =
        world
            .gateway()
            .json(
                "PATCH",
                LISTS + "/own",
                "{\"title\":\"Mine\",\"add\":%s,\"remove\":[\"%s\"]}".formatted(feeds(two), one));
    assertThat(json(changed).at("/feeds/0/url").asText()).isEqualTo(two);
    assertThat(json(changed).at("/title").asText()).isEqualTo("Mine");

    JsonNode told = json(world.delivery("own").body());
    assertThat(told.at("/items/0/id").asText()).isEqualTo(two);
    assertThat(told.at("/items/1/id").asText()).isEqualTo(one);
    String id =
        json(world.gateway().get("/api/v1/feeds?" + Http.encode("url", list)))
            .at("/items/0/id")
            .asText();
    World.until(
        () ->
            !json(world.gateway().get("/api/v1/feeds/" + id + "/members"))
                .at("/items/0/feed")
                .isNull());
    JsonNode member = json(world.gateway().get("/api/v1/feeds/" + id + "/members")).at("/items/0");
    assertThat(member.at("/url").asText()).isEqualTo(two);
    assertThat(member.at("/kind").asText()).isEqualTo("feed");
  }

  @Test
  void opml_is_taken_too_and_lists_are_listed_in_the_order_of_their_names_and_removed()
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(world.gateway().url(LISTS + "/from-opml")))
            .header("Content-Type", "text/x-opml")
            .PUT(
                HttpRequest.BodyPublishers.ofString(
                    "<opml version='2.0'><body>"
                        + "<outline text='X' xmlUrl='http://x.example/f'/></body></opml>"))
            .build();
    HttpResponse<String> made =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(made.statusCode()).isEqualTo(201);
    put("zebra", "{\"feeds\":[]}");

    JsonNode first = json(world.gateway().get(LISTS + "?limit=1"));
    assertThat(first.at("/nextCursor").isNull()).isFalse();
    JsonNode all = json(world.gateway().get(LISTS));
    assertThat(all.at("/items").findValuesAsText("name")).contains("from-opml", "zebra").isSorted();

    assertThat(world.gateway().send("DELETE", LISTS + "/zebra").statusCode()).isEqualTo(204);
    assertThat(world.gateway().get("/lists/zebra.opml").statusCode()).isEqualTo(404);
    assertThat(world.gateway().send("DELETE", LISTS + "/zebra").statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PUT|bad.name|{\"feeds\":[]}|400|name",
        "PUT|x|{}|400|feeds",
        "PUT|x|{\"feeds\":[{}]}|400|feeds",
        "PUT|x|{\"feeds\":[{\"url\":\"ftp://x.example/\"}]}|400|feeds",
        "PUT|x|{\"title\":\" \",\"feeds\":[]}|400|title",
        "PATCH|none|{\"add\":[]}|404|no such list",
      })
  void a_wrong_request_is_refused_with_its_field_and_changes_nothing(
      String method, String name, String body, int status, String told) {
    HttpResponse<String> answer = world.gateway().json(method, LISTS + "/" + name, body);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body()).contains(told);
    assertThat(world.gateway().get(LISTS + "/x").statusCode()).isEqualTo(404);
  }

  @Test
  void a_list_has_5000_feeds_at_most() {
    StringBuilder feeds = new StringBuilder();
    for (int i = 0; i < 5_001; i++) {
      feeds
          .append(i == 0 ? "" : ",")
          .append("{\"url\":\"http://f.example/")
          .append(i)
          .append("\"}");
    }

    HttpResponse<String> answer =
        world.gateway().json("PUT", LISTS + "/long", "{\"feeds\":[" + feeds + "]}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("5,000");

    put("full", "{\"feeds\":[" + feeds.substring(0, feeds.lastIndexOf(",")) + "]}");
    HttpResponse<String> more =
        world
            .gateway()
            .json("PATCH", LISTS + "/full", "{\"add\":" + feeds("http://more.example/") + "}");
    assertThat(more.statusCode()).isEqualTo(400);
    assertThat(more.body()).contains("5,000", "add");
    assertThat(json(world.gateway().get(LISTS + "/full")).at("/count").asInt()).isEqualTo(5_000);
  }
}
