package io.feedbridge.gateway.lists;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FakeEndpoint;
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

/** Lists as subscribers see them: who follows a list follows the feeds that stand in it now. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListsTest {

  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private static JsonNode json(byte[] body) {
    try {
      return new ObjectMapper().readTree(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> titles(List<Request> requests) {
    List<String> titles = new ArrayList<>();
    for (Request request : requests) {
      json(request.body()).get("items").forEach(item -> titles.add(item.path("title").asText()));
    }
    return titles;
  }

  /** The titles of the entries that a path was sent, in order. */
  private List<String> titles(String path) {
    return titles(world.subscriber().received(path));
  }

  /** Serves a list of feeds; a name that ends with ".opml" is an included list. */
  private String list(String name, String... feeds) {
    StringBuilder opml =
        new StringBuilder("<opml version='2.0'><head><title>L</title></head><body>");
    for (String feed : feeds) {
      String url = world.origin().url(feed);
      opml.append(
          feed.endsWith(".opml")
              ? "<outline type='include' text='%s' url='%s'/>".formatted(feed, url)
              : "<outline text='%s' type='rss' xmlUrl='%s'/>".formatted(feed, url));
    }
    byte[] bytes = opml.append("</body></opml>").toString().getBytes(UTF_8);
    return world.origin().serve(name, "text/x-opml", bytes);
  }

  private void publish(String feed, String... entries) {
    world.publish(world.origin().rss(feed, "", entries));
  }

  /** Waits until a feed is followed and read. */
  private void awaitFollowed(String feed) {
    String row =
        "feed WHERE followed = 1 AND first_fetch_at IS NOT NULL AND topic = '%s'"
            .formatted(world.origin().url(feed));
    World.until(() -> world.gateway().rows().count(row) == 1);
  }

  private void awaitLeft(String feed) {
    String row = "feed WHERE followed = 0 AND topic = '%s'".formatted(world.origin().url(feed));
    World.until(() -> world.gateway().rows().count(row) == 1);
  }

  private void awaitTitle(String path, String title) {
    World.until(() -> titles(path).contains(title));
  }

  @Test
  void a_subscriber_of_a_list_gets_the_entries_of_its_feeds_and_is_told_who_joins_and_leaves() {
    world.origin().rss("one", "", "old");
    world.origin().rss("two", "", "old");
    world.origin().rss("three", "", "old");
    String list = list("friends.opml", "one", "two");
    world.subscribe(list, "friends", "format", "json");
    awaitFollowed("one");
    awaitFollowed("two");

    publish("one", "first", "old");
    awaitTitle("friends", "Title of first");
    JsonNode document = json(world.subscriber().received("friends").get(0).body());
    assertThat(document.at("/status/feed").asText()).isEqualTo(list);
    assertThat(document.at("/items/0/source/status/feed").asText())
        .isEqualTo(world.origin().url("one"));

    world.publish(list("friends.opml", "two", "three"));
    awaitTitle("friends", "three");
    awaitFollowed("three");
    awaitLeft("one");
    JsonNode change = json(world.subscriber().received("friends").get(1).body());
    assertThat(change.at("/items/0/id").asText()).isEqualTo(world.origin().url("three"));
    JsonNode left = change.at("/items/1");
    assertThat(left.at("/id").asText()).as(left.toString()).isEqualTo(world.origin().url("one"));

    publish("one", "second", "first", "old");
    publish("three", "third", "old");
    awaitTitle("friends", "Title of third");
    assertThat(titles("friends")).containsExactly("Title of first", "three", "", "Title of third");
  }

  @Test
  void a_feed_that_stays_loses_and_doubles_nothing_while_others_come_and_go() {
    world.origin().rss("stays", "", "old");
    world.origin().rss("comes", "", "old");
    world.subscribe(list("stays.opml", "stays"), "stays", "format", "json");
    awaitFollowed("stays");
    List<String> entries = new ArrayList<>(List.of("old"));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      String title = "e" + i;
      entries.add(0, title);
      expected.add("Title of " + title);
      world.publish(
          i % 2 == 0 ? list("stays.opml", "stays", "comes") : list("stays.opml", "stays"));
      publish("stays", entries.toArray(String[]::new));
    }

    awaitTitle("stays", "Title of e5");

    assertThat(titles("stays").stream().filter(title -> title.startsWith("Title of e")).toList())
        .containsExactlyElementsOf(expected);
  }

  @Test
  void an_included_list_counts_and_a_ring_of_lists_ends() {
    world.origin().rss("outer", "", "old");
    world.origin().rss("inner", "", "old");
    list("inner.opml", "inner", "outer.opml");
    world.subscribe(list("outer.opml", "outer", "inner.opml"), "outer", "format", "json");
    awaitFollowed("outer");
    awaitFollowed("inner");

    publish("inner", "deep", "old");
    awaitTitle("outer", "Title of deep");
    publish("outer", "flat", "old");
    awaitTitle("outer", "Title of flat");

    assertThat(titles("outer")).containsExactly("Title of deep", "Title of flat");
  }

  @Test
  void an_aggregator_of_a_list_is_told_of_changes_of_the_list_alone() {
    world.origin().rss("quiet", "", "old");
    String list = list("cloud.opml", "quiet");
    world.register(list, "cloud");
    awaitFollowed("quiet");
    int before = world.subscriber().received("cloud").size();

    publish("quiet", "new", "old");
    world.subscribe(list, "beside", "format", "json");
    publish("quiet", "newer", "new", "old");
    awaitTitle("beside", "Title of newer");
    assertThat(world.subscriber().received("cloud")).hasSize(before);

    world.origin().rss("other", "", "old");
    world.publish(list("cloud.opml", "quiet", "other"));
    World.until(() -> world.subscriber().received("cloud").size() == before + 1);
  }

  @Test
  void a_webhook_of_a_list_gets_the_entries_of_its_feeds() {
    world.origin().rss("hooked", "", "old");
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "hook");
    String list = list("hook.opml", "hooked");
    assertThat(
            world
                .gateway()
                .json(
                    "POST",
                    "/api/v1/webhooks",
                    "{\"url\":\"%s\",\"list\":\"%s\"}".formatted(endpoint.url(), list))
                .statusCode())
        .isEqualTo(201);
    awaitFollowed("hooked");

    publish("hooked", "new", "old");

    World.until(() -> titles(endpoint.messages()).contains("Title of new"));
  }

  @Test
  void the_feeds_of_a_list_end_with_its_last_subscriber() {
    world.origin().rss("ending", "", "old");
    String list = list("ending.opml", "ending");
    world.subscribe(list, "ending", "format", "json");
    awaitFollowed("ending");

    world
        .gateway()
        .form(
            "/hub",
            "hub.mode",
            "unsubscribe",
            "hub.topic",
            list,
            "hub.callback",
            world.subscriber().url("ending"));

    awaitLeft("ending");
  }

  @Test
  void a_list_that_is_damaged_ends_none_of_its_feeds() {
    world.origin().rss("safe", "", "old");
    String list = list("safe.opml", "safe");
    world.subscribe(list, "safe", "format", "json");
    awaitFollowed("safe");

    world.origin().serve("safe.opml", "text/x-opml", "<opml><body><outline ".getBytes(UTF_8));
    world.publish(list);
    publish("safe", "new", "old");

    awaitTitle("safe", "Title of new");
    assertThat(titles("safe")).containsExactly("Title of new");
  }

  @Test
  void a_feed_that_a_list_has_is_not_unfollowed_by_itself() {
    world.origin().rss("held", "", "old");
    world.subscribe(list("held.opml", "held"), "held", "format", "json");
    awaitFollowed("held");
    JsonNode feed =
        json(world
                .gateway()
                .get("/api/v1/feeds?" + Http.encode("url", world.origin().url("held")))
                .body()
                .getBytes(UTF_8))
            .at("/items/0");
    assertThat(feed.at("/lists").asInt()).isEqualTo(1);

    HttpResponse<String> answer =
        world.gateway().send("DELETE", "/api/v1/feeds/" + feed.at("/id").asText() + "?force=true");

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).contains("1 lists have this feed");
  }
}
