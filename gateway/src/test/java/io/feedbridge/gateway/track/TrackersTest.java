package io.feedbridge.gateway.track;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trackers as subscribers see them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TrackersTest {

  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private String tracker(String query) {
    return world.gateway().url("/track?" + Http.encode("query", query));
  }

  private static JsonNode json(byte[] body) {
    try {
      return new ObjectMapper().readTree(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The titles that a path was sent, in order. */
  private List<String> titles(String path) {
    List<String> titles = new ArrayList<>();
    for (Request request : world.subscriber().received(path)) {
      json(request.body()).get("items").forEach(item -> titles.add(item.path("title").asText()));
    }
    return titles;
  }

  private void publish(String feed, String entry) {
    world.publish(world.origin().rss(feed, "", entry));
  }

  private String follow(String feed) {
    String topic = world.origin().rss(feed, "", "old");
    world.subscribe(topic, "of-" + feed);
    return topic;
  }

  @Test
  void a_tracker_sends_the_entries_that_match_of_every_feed_in_order_with_their_source() {
    String one = follow("one");
    follow("two");
    world.subscribe(tracker("mars"), "track-mars", "format", "json");

    publish("one", "mars 1");
    publish("two", "venus 1");
    publish("two", "mars 2");
    publish("one", "mars 3");

    World.until(() -> titles("track-mars").size() == 3);
    assertThat(titles("track-mars"))
        .containsExactly("Title of mars 1", "Title of mars 2", "Title of mars 3");
    JsonNode first = json(world.subscriber().received("track-mars").get(0).body());
    assertThat(first.get("items").get(0).get("source").get("status").get("feed").asText())
        .isEqualTo(one);
    assertThat(first.get("status").get("feed").asText()).isEqualTo(tracker("mars"));
  }

  @Test
  void entries_of_two_feeds_with_one_id_are_both_sent_and_each_once() {
    follow("copied");
    follow("copy");
    world.subscribe(tracker("pluto"), "track-pluto", "format", "json");

    publish("copied", "pluto 1");
    publish("copy", "pluto 1");
    publish("copy", "pluto 2");

    World.until(() -> titles("track-pluto").contains("Title of pluto 2"));
    assertThat(titles("track-pluto"))
        .containsExactly("Title of pluto 1", "Title of pluto 1", "Title of pluto 2");
  }

  @Test
  void a_reader_of_the_whole_log_is_sent_no_entry_twice() {
    follow("three");
    world.subscribe(tracker("saturn"), "track-saturn", "format", "json");
    publish("three", "saturn 1");
    World.until(() -> titles("track-saturn").size() == 1);

    assertThat(world.gateway().rows().query("SELECT via FROM event ORDER BY seq DESC LIMIT 1"))
        .containsExactly("TRACK");
    // The events that trackers made are neither matched nor searched themselves.
    assertThat(
            world
                .gateway()
                .rows()
                .query(
                    "SELECT COUNT(*) FROM event WHERE via = 'TRACK' AND CAST(payload AS TEXT) LIKE '%track?query=saturn%'"))
        .containsExactly("1");
  }

  @Test
  void a_tracker_is_retrieved_like_any_feed() {
    follow("four");
    world.subscribe(tracker("neptune -moon"), "track-neptune", "format", "json");
    publish("four", "neptune 1");
    publish("four", "neptune moon");
    publish("four", "neptune 2");
    World.until(() -> titles("track-neptune").size() == 2);

    HttpResponse<String> answer =
        world
            .gateway()
            .get(
                "/hub?"
                    + Http.encode(
                        "hub.mode",
                        "retrieve",
                        "hub.topic",
                        tracker("neptune -moon"),
                        "format",
                        "json"));
    assertThat(json(answer.body().getBytes(UTF_8)).get("items").findValuesAsText("id"))
        .contains("neptune 1", "neptune 2")
        .doesNotContain("neptune moon");
  }

  @Test
  void an_entry_with_an_id_of_4_kb_reaches_a_tracker_and_is_a_place_in_a_retrieve() {
    String topic = follow("six");
    world.subscribe(tracker("ceres"), "track-ceres", "format", "json");
    String id = "ceres " + "x".repeat(4_096);
    publish("six", id);
    publish("six", "ceres 2");
    World.until(() -> titles("track-ceres").size() == 2);

    for (String of : List.of(topic, tracker("ceres"))) {
      HttpResponse<String> answer =
          world
              .gateway()
              .get(
                  "/hub?"
                      + Http.encode(
                          "hub.mode", "retrieve", "hub.topic", of, "after", id, "format", "json"));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      JsonNode items = json(answer.body().getBytes(UTF_8)).get("items");
      assertThat(items).extracting(item -> item.get("id").asText()).containsExactly("ceres 2");
    }
  }

  private void serveAtom(String feed, String... elements) {
    world.origin().serve(feed, "application/atom+xml", atom(elements));
  }

  private static String atom(String... elements) {
    return "<feed xmlns='http://www.w3.org/2005/Atom'><id>urn:f</id><title>A feed</title>"
        + String.join("", elements)
        + "</feed>";
  }

  private static String atomEntry(String id, int hour) {
    return "<entry><id>%s</id><title>%s</title><updated>2026-04-01T%d:00:00Z</updated></entry>"
        .formatted(id, "eris " + hour, hour);
  }

  private static String gone(String id) {
    return "<at:deleted-entry xmlns:at='http://purl.org/atompub/tombstones/1.0' ref='%s'"
            .formatted(id)
        + " when='2026-04-01T12:00:00Z'/>";
  }

  private List<JsonNode> items(String path) {
    List<JsonNode> items = new ArrayList<>();
    for (Request request : world.subscriber().received(path)) {
      json(request.body()).get("items").forEach(items::add);
    }
    return items;
  }

  private String retrieved(String topic) {
    return world
        .gateway()
        .get("/hub?" + Http.encode("hub.mode", "retrieve", "hub.topic", topic, "format", "json"))
        .body();
  }

  @Test
  void an_entry_that_its_feed_removed_is_removed_from_the_trackers_that_have_it_and_may_return() {
    serveAtom("seven", atomEntry("urn:0", 10));
    String topic = world.origin().url("seven");
    world.subscribe(topic, "of-seven");
    String eris = tracker("eris");
    world.subscribe(eris, "track-eris", "format", "json");
    world.subscribe(tracker("makemake"), "track-makemake", "format", "json");
    serveAtom("seven", atomEntry("urn:1", 11), atomEntry("urn:2", 11));
    world.publish(topic);
    World.until(() -> items("track-eris").size() == 2);

    serveAtom("seven", atomEntry("urn:2", 11), gone("urn:1"));
    world.publish(topic);

    World.until(() -> items("track-eris").size() == 3);
    JsonNode removed = items("track-eris").get(2);
    assertThat(removed.get("id").asText()).isEqualTo("urn:1");
    assertThat(removed.get("removed").asBoolean()).isTrue();
    assertThat(removed.get("source").get("status").get("feed").asText()).isEqualTo(topic);
    assertThat(retrieved(eris)).contains("urn:2").doesNotContain("urn:1");
    assertThat(world.gateway().get("/feed.json?" + Http.encode("url", eris)).body())
        .contains("urn:2")
        .doesNotContain("urn:1");

    serveAtom("seven", atomEntry("urn:1", 13), atomEntry("urn:2", 11));
    world.publish(topic);

    World.until(() -> items("track-eris").size() == 4);
    assertThat(titles("track-eris")).endsWith("eris 13");
    assertThat(world.subscriber().received("track-makemake")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-", "-mars", "mars*", "(mars", "popularity:>1"})
  void a_tracker_of_a_text_that_is_no_query_is_refused_with_the_reason(String query) {
    HttpResponse<String> answer =
        world.gateway().subscribe(tracker(query), world.subscriber().url("refused"));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("query");
  }

  @Test
  void R3_a_tracker_collects_nothing_of_a_feed_whose_url_has_a_secret() {
    String secret = world.origin().rss("letters", "", "old") + "?token=of-ann";
    world.subscribe(secret, "of-letters");
    String open = follow("open-letters");
    world.subscribe(tracker("jupiter"), "track-jupiter", "format", "json");

    world.origin().rss("letters", "", "jupiter secret");
    world.publish(secret);
    World.until(() -> world.subscriber().received("of-letters").size() == 1);
    publish("open-letters", "jupiter open");

    World.until(() -> titles("track-jupiter").contains("Title of jupiter open"));
    assertThat(titles("track-jupiter")).containsExactly("Title of jupiter open");
    String answer =
        world
            .gateway()
            .get("/hub?" + Http.encode("hub.mode", "retrieve", "hub.topic", tracker("jupiter")))
            .body();
    assertThat(answer).contains(open).doesNotContain("of-ann", "jupiter secret");
  }

  @Test
  void a_tracker_that_nobody_subscribes_to_any_more_gets_no_entries() {
    follow("five");
    world.subscribe(tracker("uranus"), "track-uranus", "format", "json");
    publish("five", "uranus 1");
    World.until(() -> titles("track-uranus").size() == 1);
    String feed =
        world
            .gateway()
            .rows()
            .query("SELECT feed_id FROM tracker WHERE topic LIKE '%uranus%' AND start IS NOT NULL")
            .get(0);
    assertThat(
            new Http()
                .send("DELETE", world.gateway().url("/api/v1/feeds/" + feed + "?force=true"))
                .statusCode())
        .isEqualTo(204);

    publish("five", "uranus 2");
    world.subscribe(tracker("uranus"), "track-uranus-again", "format", "json");
    publish("five", "uranus 3");

    World.until(() -> titles("track-uranus-again").size() == 1);
    assertThat(titles("track-uranus-again")).containsExactly("Title of uranus 3");
  }
}
