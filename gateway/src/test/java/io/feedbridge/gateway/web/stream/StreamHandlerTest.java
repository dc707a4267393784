package io.feedbridge.gateway.web.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StreamClient;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The live stream, over the real server. */
class StreamHandlerTest {

  private static final String EVENTS = "text/event-stream";
  private static final String LINES = "application/x-ndjson";

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }

  private static List<String> titles(Stream<String> documents) {
    return documents
        .flatMap(document -> json(document).path("items").findValuesAsText("title").stream())
        .map(title -> title.replace("Title of ", ""))
        .toList();
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class One_gateway {
    private World world;

    @BeforeAll
    void start(@TempDir Path data) {
      world = World.on(data);
    }

    @AfterAll
    void stop() {
      world.close();
    }

    private String followed(String name) {
      String feed = world.origin().rss(name, "", "old");
      world.subscribe(feed, name);
      return feed;
    }

    private void news(String name, String... titles) {
      String feed = world.origin().rss(name, "", titles);
      world.publish(feed);
    }

    private StreamClient open(String query, String... headers) {
      return StreamClient.get(world.gateway().url("/stream" + query), headers);
    }

    @Test
    void each_event_is_one_SSE_event_with_an_id_and_the_document() {
      String feed = followed("sse.xml");
      try (StreamClient reader = open("", "Accept", EVENTS)) {
        assertThat(reader.response().headers().firstValue("Content-Type").orElseThrow())
            .isEqualTo("text/event-stream; charset=utf-8");
        assertThat(reader.response().headers().firstValue("Cache-Control")).contains("no-store");
        news("sse.xml", "brand new", "old");
        World.until(() -> reader.fields("data").size() == 1);

        JsonNode document = json(reader.fields("data").get(0));
        assertThat(document.at("/items/0/title").asText()).isEqualTo("Title of brand new");
        assertThat(document.at("/status/feed").asText()).isEqualTo(feed);
        assertThat(reader.fields("id")).containsExactly(document.get("eventId").asText());
        assertThat(reader.fields("event")).isEmpty();
        assertThat(reader.lines().get(0)).as("something comes at once").isEqualTo(":");
      }
    }

    @ParameterizedTest
    @CsvSource({"'', " + LINES, "?format=ndjson, */*"})
    void lines_of_JSON_are_sent_to_who_asks_for_them(String query, String accept) {
      String name = "lines" + query.length() + ".xml";
      followed(name);
      try (StreamClient reader = open(query, "Accept", accept)) {
        assertThat(reader.response().headers().firstValue("Content-Type").orElseThrow())
            .startsWith(LINES);
        news(name, "brand new", "old");
        World.until(() -> reader.lines().stream().anyMatch(line -> !line.isEmpty()));
        String line = reader.lines().stream().filter(l -> !l.isEmpty()).findFirst().orElseThrow();
        assertThat(titles(Stream.of(line))).containsExactly("brand new");
        assertThat(json(line).get("eventId").asText()).matches("\\d+");
      }
    }

    @Test
    void a_reader_of_some_feeds_gets_nothing_of_others() {
      String one = followed("one.xml");
      String two = followed("two.xml");
      followed("three.xml");
      String query = "?topic=" + Http.encode("u", one).substring(2);
      query += "&topic=" + Http.encode("u", two).substring(2);
      try (StreamClient reader = open(query)) {
        news("three.xml", "not this", "old");
        news("one.xml", "this", "old");
        news("two.xml", "and this", "old");
        World.until(() -> reader.fields("data").size() == 2);
        assertThat(titles(reader.fields("data").stream())).containsExactly("this", "and this");
      }
    }

    @Test
    void a_reader_goes_on_behind_the_last_event_that_it_names() {
      followed("resumed.xml");
      String first;
      try (StreamClient reader = open("")) {
        news("resumed.xml", "a", "old");
        World.until(() -> reader.fields("id").size() == 1);
        first = reader.fields("id").get(0);
      }
      news("resumed.xml", "b", "a", "old");
      try (StreamClient byHeader = open("", "Last-Event-ID", first);
          StreamClient byQuery = open("?after=" + first)) {
        news("resumed.xml", "c", "b", "a", "old");
        for (StreamClient reader : List.of(byHeader, byQuery)) {
          World.until(() -> reader.fields("data").size() == 2);
          assertThat(titles(reader.fields("data").stream())).containsExactly("b", "c");
        }
      }
    }

    @Test
    void the_response_says_behind_which_event_it_begins() {
      followed("begin.xml");
      String begin;
      try (StreamClient reader = open("")) {
        begin = reader.response().headers().firstValue("Last-Event-ID").orElseThrow();
      }
      news("begin.xml", "while nobody read", "old");
      try (StreamClient reader = open("?after=" + begin)) {
        World.until(() -> reader.fields("data").size() == 1);
        assertThat(titles(reader.fields("data").stream())).containsExactly("while nobody read");
        assertThat(reader.response().headers().firstValue("Last-Event-ID")).contains(begin);
      }
    }

    @Test
    void an_id_that_the_log_has_not_reached_stands_for_its_end() {
      followed("future.xml");
      try (StreamClient reader = open("?after=999999999999")) {
        news("future.xml", "a", "old");
        World.until(() -> reader.fields("data").size() == 1);
      }
    }

    @Test
    void changed_entries_are_sent_to_who_asks_for_updates() {
      String feed = followed("changed.xml");
      try (StreamClient all = open("?updates=true");
          StreamClient news = open("")) {
        String changed =
            FakeOrigin.rssOf("", "old")
                .replace("</item>", "<description>in other words</description></item>");
        world.origin().serve("changed.xml", "application/rss+xml", changed);
        world.publish(feed);
        world
            .origin()
            .serve(
                "changed.xml",
                "application/rss+xml",
                changed.replaceFirst("<item>", "<item><title>Title of new</title></item><item>"));
        world.publish(feed);
        World.until(() -> titles(all.fields("data").stream()).contains("new"));
        World.until(() -> titles(news.fields("data").stream()).contains("new"));
        assertThat(titles(all.fields("data").stream())).startsWith("old");
        assertThat(titles(news.fields("data").stream())).containsExactly("new");
      }
    }

    @ParameterizedTest
    @CsvSource({
      "after=abc, after",
      "after=-1, after",
      "after=1&after=2, after",
      "after=9999999999999999999, after",
      "topic=nonsense, topic",
      "topic=http://nobody.follows/this, topic",
      "format=xml, format",
      "updates=perhaps, updates"
    })
    void a_parameter_that_is_wrong_is_named(String query, String field) {
      HttpResponse<String> answer = world.gateway().get("/stream?" + query);
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
      assertThat(json(answer.body()).at("/errors/0/field").asText()).isEqualTo(field);
    }

    @Test
    void too_many_topics_are_refused() {
      String query = "?topic=http://a.example/".repeat(StreamHandler.MAX_TOPICS + 1).substring(1);
      HttpResponse<String> answer =
          world.gateway().get("/stream?" + query.replace("?topic", "&topic"));
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("at most " + StreamHandler.MAX_TOPICS);
    }

    @Test
    void a_reader_that_goes_away_is_forgotten() {
      try (StreamClient reader = open("")) {
        World.until(() -> world.gateway().meter("feedbridge_stream_readers") >= 1);
        assertThat(reader.ended()).isFalse();
      }
      World.until(() -> world.gateway().meter("feedbridge_stream_readers") == 0);
    }

    @Test
    void the_log_can_be_watched_as_it_happens() {
      String url = world.gateway().url("/log?kind=ping");
      try (StreamClient onlooker = StreamClient.get(url, "Accept", EVENTS)) {
        followed("watched.xml");
        news("watched.xml", "new", "old");
        World.until(() -> onlooker.fields("data").size() >= 1);
        JsonNode ping = json(onlooker.fields("data").get(0));
        assertThat(ping.get("kind").asText()).isEqualTo("ping");
        assertThat(ping.get("feed").asText()).endsWith("watched.xml");
        assertThat(onlooker.fields("id").get(0)).isEqualTo(ping.get("id").asText());
        try (StreamClient later = StreamClient.get(url, "Accept", EVENTS, "Last-Event-ID", "0")) {
          World.until(() -> later.fields("id").containsAll(onlooker.fields("id")));
        }
      }
    }
  }

  @Test
  void a_reader_that_resumes_after_a_restart_has_every_event_once(@TempDir Path data) {
    try (FakeOrigin origin = new FakeOrigin()) {
      String feed = origin.rss("feed.xml", "", "old");
      String last;
      List<String> before;
      try (TestGateway gateway = TestGateway.on(data)) {
        StreamClient reader = StreamClient.get(gateway.url("/stream"));
        gateway.json("POST", "/api/v1/feeds", "{\"url\":\"" + feed + "\"}");
        World.until(() -> gateway.rows().count("feed WHERE first_fetch_at IS NOT NULL") == 1);
        origin.rss("feed.xml", "", "a", "old");
        gateway.form("/ping", "url", feed);
        World.until(() -> reader.fields("id").size() == 1);
        last = reader.fields("id").get(0);
        before = titles(reader.fields("data").stream());
        reader.close();
        origin.rss("feed.xml", "", "b", "a", "old");
        gateway.form("/ping", "url", feed);
        gateway.settle();
      }
      try (TestGateway gateway = TestGateway.on(data);
          StreamClient reader = StreamClient.get(gateway.url("/stream"), "Last-Event-ID", last)) {
        origin.rss("feed.xml", "", "c", "b", "a", "old");
        gateway.form("/ping", "url", feed);
        World.until(() -> reader.fields("id").size() == 2);
        assertThat(before).containsExactly("a");
        assertThat(titles(reader.fields("data").stream())).containsExactly("b", "c");
      }
    }
  }

  @Test
  void a_stop_of_the_gateway_ends_the_response_well(@TempDir Path data) {
    StreamClient reader;
    try (TestGateway gateway = TestGateway.on(data)) {
      reader = StreamClient.get(gateway.url("/stream"));
    }
    World.until(reader::ended);
    assertThat(reader.lines()).containsExactly(":", "");
    reader.close();
  }

  @Test
  void it_is_for_operators(@TempDir Path data) {
    int port = FreePort.next();
    URI url = URI.create("http://127.0.0.1:" + port);
    try (TestGateway gateway =
        TestGateway.guarded(data, port, url, Optional.of(new Secret("the token")))) {
      for (String path : List.of("/stream", "/stream?topic=http://nobody.follows/this", "/log")) {
        HttpResponse<String> refused = gateway.get(path);
        assertThat(refused.statusCode()).as(path).isEqualTo(401);
        assertThat(refused.body()).doesNotContain("nobody");
      }
      try (StreamClient reader =
          StreamClient.get(gateway.url("/stream"), "Authorization", "Bearer the token")) {
        assertThat(reader.response().statusCode()).isEqualTo(200);
      }
    }
  }
}
