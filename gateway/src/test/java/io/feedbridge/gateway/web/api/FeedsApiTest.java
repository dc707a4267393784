package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Feeds and events as operators follow, see and drop them. */
class FeedsApiTest {

  private static final String FEEDS = "/api/v1/feeds";

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

    private JsonNode json(HttpResponse<String> answer, int status) {
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
      assertThat(answer.headers().firstValue("Content-Type"))
          .hasValue(status < 400 ? "application/json" : "application/problem+json");
      try {
        return new ObjectMapper().readTree(answer.body());
      } catch (IOException e) {
        throw new AssertionError(answer.body(), e);
      }
    }

    private HttpResponse<String> post(String body) {
      return world.gateway().post(FEEDS, "application/json", body.getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode follow(String feed, int status) {
      return json(post("{\"url\":\"" + feed + "\"}"), status);
    }

    private JsonNode get(String pathAndQuery) {
      return json(world.gateway().get(pathAndQuery), 200);
    }

    @Test
    void a_hub_that_is_named_for_a_feed_is_asked_by_the_topic_that_is_named() {
      String feed = world.origin().rss("hubless.xml", "", "one");
      String names = ",\"hub\":\"%s\",\"topic\":\"https://example.org/known\"}";
      JsonNode made =
          json(post("{\"url\":\"" + feed + "\"" + names.formatted(world.hub().url())), 201);
      assertThat(made.path("hub").asText()).isEqualTo(world.hub().url());
      World.until(() -> world.hub().subscribers("https://example.org/known") == 1);

      JsonNode changed = patch(made, "{\"topic\":null}");
      assertThat(changed.path("topic").isNull()).isTrue();
      World.until(() -> world.hub().subscribers(feed) == 1);

      HttpResponse<String> refused =
          world
              .gateway()
              .json(
                  "PATCH",
                  FEEDS + "/" + made.path("id").asText(),
                  "{\"hub\":null,\"auth\":{\"type\":\"x\"}}");
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(get(FEEDS + "/" + made.path("id").asText()).path("hub").asText())
          .as("a wrong field changes nothing")
          .isEqualTo(world.hub().url());
      assertThat(patch(made, "{\"hub\":null}").path("hub").isNull()).isTrue();
      World.until(() -> world.hub().subscribers(feed) == 0);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "\"hub\":\"ftp://hub.example/\"",
          "\"hub\":7",
          "\"topic\":\"https://example.org/\"",
          "\"hub\":\"https://hub.example/\",\"topic\":\"\""
        })
    void a_hub_that_cannot_be_asked_is_refused_and_nothing_is_followed(String fields) {
      String feed = world.origin().url("unnamed.xml");

      json(post("{\"url\":\"" + feed + "\"," + fields + "}"), 400);

      assertThat(world.gateway().get(FEEDS + "?" + param("url", feed)).body())
          .contains("\"items\":[]");
    }

    private JsonNode patch(JsonNode feed, String body) {
      return json(world.gateway().json("PATCH", FEEDS + "/" + feed.path("id").asText(), body), 200);
    }

    private JsonNode fetched(String id) {
      World.until(() -> !get(FEEDS + "/" + id).get("state").asText().equals("new"));
      return get(FEEDS + "/" + id);
    }

    private String param(String name, String value) {
      return Http.encode(name, value);
    }

    @Test
    void one_is_followed_even_with_no_subscriber_and_again_is_no_other() {
      String feed = world.origin().rss("followed.xml", "", "one");
      HttpResponse<String> answer = post("{\"url\":\"" + feed + "\"}");
      JsonNode made = json(answer, 201);

      String id = made.get("id").asText();
      assertThat(answer.headers().firstValue("Location")).hasValue(FEEDS + "/" + id);
      JsonNode shown = fetched(id);
      assertThat(shown.get("url").asText()).isEqualTo(feed);
      assertThat(shown.get("title").asText()).isEqualTo("News");
      assertThat(shown.get("state").asText()).isEqualTo("active");
      assertThat(shown.get("subscribers").asLong()).isZero();
      assertThat(shown.at("/upstream/kind").asText()).isEqualTo("poll");
      assertThat(shown.at("/status/feed").asText()).isEqualTo(feed);
      assertThat(shown.at("/status/lastFetch").isIntegralNumber()).isTrue();
      assertThat(shown.get("lastEventAt").isNull()).isTrue();
      assertThat(follow(feed, 200).get("id").asText()).isEqualTo(id);
    }

    @Test
    void a_page_shows_that_it_is_one_and_a_feed_that_nothing_is_wrong() {
      String page = world.origin().serve("page", "text/html", "<html>Hello</html>");
      JsonNode made = follow(page, 201);
      assertThat(made.get("kind").isNull() || made.get("kind").asText().equals("page")).isTrue();
      JsonNode shown = fetched(made.get("id").asText());
      assertThat(shown.get("kind").asText()).isEqualTo("page");
      assertThat(shown.get("problem").asText()).contains("a web page");
      assertThat(follow(page, 200).get("problem")).isEqualTo(shown.get("problem"));
      String feed = world.origin().rss("sound.xml", "", "one");
      JsonNode sound = fetched(follow(feed, 201).get("id").asText());
      assertThat(sound.get("kind").asText()).isEqualTo("feed");
      assertThat(sound.get("problem").isNull()).isTrue();
    }

    @Test
    void L17_the_URL_of_a_bridged_feed_stands_for_the_feed() {
      String feed = world.origin().rss("bridged.xml", "", "one");
      String bridged = world.gateway().url("/feed.rss?" + param("url", feed));

      assertThat(follow(bridged, 201).get("url").asText()).isEqualTo(feed);

      assertThat(get(FEEDS + "?" + param("url", bridged)).at("/items/0/url").asText())
          .isEqualTo(feed);
      String nested = world.gateway().url("/feed.rss?" + param("url", bridged));
      assertThat(follow(nested, 400).at("/errors/0/field").asText()).isEqualTo("url");
    }

    @Test
    void the_upstream_is_the_live_one() {
      String hub = "<atom:link rel=\"hub\" href=\"" + world.hub().url() + "\"/>";
      String feed = world.origin().rss("pushed.xml", hub, "one");
      String id = follow(feed, 201).get("id").asText();
      World.until(() -> get(FEEDS + "/" + id).at("/upstream/state").asText().equals("active"));
      JsonNode upstream = get(FEEDS + "/" + id).get("upstream");
      assertThat(upstream.get("kind").asText()).isEqualTo("websub");
      assertThat(upstream.get("endpoint").asText()).isEqualTo(world.hub().url());
      assertThat(upstream.get("leaseEndsAt").asText()).contains("T");
      assertThat(get(FEEDS + "?upstream=websub&" + param("url", feed)).get("items")).hasSize(1);
      assertThat(get(FEEDS + "?upstream=poll&" + param("url", feed)).get("items")).isEmpty();
    }

    @Test
    void the_list_can_be_searched_and_comes_in_parts() {
      List<String> ids = new ArrayList<>();
      for (String name : List.of("a_b%25.xml", "a_c.xml", "axd.xml")) {
        String feed = world.origin().rss("list/" + name, "", "one");
        ids.add(follow(feed, 201).get("id").asText());
      }
      String query = FEEDS + "?" + param("q", "LIST/a_");
      assertThat(get(query).get("items").findValuesAsText("id"))
          .as("an underscore is no wildcard")
          .isEqualTo(ids.subList(0, 2));
      JsonNode first = get(FEEDS + "?limit=2&q=list/");
      assertThat(first.get("items").findValuesAsText("id")).isEqualTo(ids.subList(0, 2));
      JsonNode rest =
          get(FEEDS + "?limit=2&q=list/&" + param("cursor", first.get("nextCursor").asText()));
      assertThat(rest.get("items").findValuesAsText("id")).isEqualTo(ids.subList(2, 3));
      assertThat(rest.get("nextCursor").isNull()).isTrue();
      assertThat(get(FEEDS + "?" + param("q", "100%")).get("items")).isEmpty();
    }

    @Test
    void the_list_is_sorted_counted_and_entered_at_a_page() {
      for (String name : List.of("c", "a", "b")) {
        follow(world.origin().rss("sorted/" + name + ".xml", "", "one"), 201);
      }
      String byUrl = FEEDS + "?q=sorted/&sort=url&limit=2&total=true";
      JsonNode first = get(byUrl);
      assertThat(first.get("items").findValuesAsText("url"))
          .satisfiesExactly(
              url -> assertThat(url).endsWith("/a.xml"), url -> assertThat(url).endsWith("/b.xml"));
      assertThat(first.get("total").asInt()).isEqualTo(3);
      assertThat(get(FEEDS + "?q=sorted/").has("total")).isFalse();

      JsonNode second = get(byUrl + "&page=2");
      assertThat(second.get("items")).hasSize(1);
      assertThat(second.get("nextCursor").isNull()).isTrue();
      assertThat(get(byUrl + "&" + param("cursor", first.get("nextCursor").asText())))
          .isEqualTo(second);
      assertThat(get(FEEDS + "?q=sorted/&limit=1&page=2").get("items").findValuesAsText("url"))
          .as("as they were added")
          .satisfiesExactly(url -> assertThat(url).endsWith("/a.xml"));
      assertThat(get(byUrl + "&page=9").get("items")).isEmpty();
    }

    @Test
    void one_that_has_subscribers_is_dropped_only_by_force_and_they_are_told() {
      String feed = world.origin().rss("dropped.xml", "", "one");
      world.subscribe(feed, "dropped");
      String id = get(FEEDS + "?" + param("url", feed)).at("/items/0/id").asText();
      follow(feed, 200);

      JsonNode refusal = json(world.gateway().send("DELETE", FEEDS + "/" + id), 409);
      assertThat(refusal.get("detail").asText()).contains("1 subscribers", "force=true");

      assertThat(world.gateway().send("DELETE", FEEDS + "/" + id + "?force=true").statusCode())
          .isEqualTo(204);
      World.until(
          () ->
              world.subscriber().asked("dropped").stream()
                  .anyMatch(asked -> asked.query().containsValue(List.of("denied"))));
      assertThat(json(world.gateway().get(FEEDS + "/" + id), 404).get("detail").asText())
          .contains("no such feed");
      assertThat(json(world.gateway().send("DELETE", FEEDS + "/" + id), 404)).isNotEmpty();
    }

    @Test
    void very_many_are_told_by_one_call() {
      String feed = world.origin().rss("crowded.xml", "", "one");
      String id = follow(feed, 201).get("id").asText();
      fetched(id);
      Terms terms = new Terms(feed, Format.LIGHT, null, "", true, false, Duration.ofHours(1));
      Subscriptions subscriptions = world.gateway().store().subscriptions();
      IntStream.rangeClosed(0, 1_000)
          .mapToObj(
              i ->
                  subscriptions.register(
                      Long.parseLong(id), "http://127.0.0.1:9/" + i, terms, Instant.now()))
          .toList()
          .forEach(CompletableFuture::join);
      world.gateway().subscribe(feed, world.subscriber().url("crowded"));
      world.awaitSubscription("crowded");

      assertThat(world.gateway().send("DELETE", FEEDS + "/" + id + "?force=true").statusCode())
          .isEqualTo(204);

      assertThat(get("/api/v1/subscriptions?" + param("topic", feed)).get("items")).isEmpty();
      assertThat(json(world.gateway().get(FEEDS + "/" + id), 404)).isNotEmpty();
      World.until(
          () ->
              world.subscriber().asked("crowded").stream()
                  .anyMatch(asked -> asked.query().containsValue(List.of("denied"))));
    }

    @Test
    void one_can_be_fetched_now() {
      String feed = world.origin().rss("refreshed.xml", "", "one");
      String id = follow(feed, 201).get("id").asText();
      fetched(id);
      int fetches = world.origin().requests("refreshed.xml").size();

      json(world.gateway().send("POST", FEEDS + "/" + id + "/refresh"), 202);

      World.until(() -> world.origin().requests("refreshed.xml").size() == fetches + 1);
      json(world.gateway().send("POST", FEEDS + "/987654321/refresh"), 404);
    }

    @Test
    void the_events_are_listed_in_order_and_in_parts() {
      String feed = world.origin().rss("events.xml", "", "one");
      String other = world.origin().rss("other-events.xml", "", "one");
      world.subscribe(feed, "events");
      world.subscribe(other, "other-events");
      for (int i = 0; i < 3; i++) {
        world.origin().rss("events.xml", "", "new" + i, "one");
        world.publish(feed);
        world.origin().rss("other-events.xml", "", "other" + i, "one");
        world.publish(other);
      }
      String query = "/api/v1/events?limit=2&" + param("topic", feed);
      JsonNode first = get(query);
      JsonNode event = first.at("/items/0");
      assertThat(event.get("topic").asText()).isEqualTo(feed);
      assertThat(event.get("via").asText()).isEqualTo("publish");
      assertThat(event.get("at").asText()).contains("T");
      assertThat(event.at("/entries/0/id").asText()).isEqualTo("new0");
      assertThat(event.at("/entries/0/change").asText()).isEqualTo("new");
      JsonNode rest = get(query + "&" + param("cursor", first.get("nextCursor").asText()));
      assertThat(first.get("items")).hasSize(2);
      assertThat(rest.get("items")).hasSize(1);
      assertThat(rest.at("/items/0/entries/0/id").asText()).isEqualTo("new2");
      String last = rest.at("/items/0/id").asText();
      assertThat(get("/api/v1/events?after=" + last).get("items").findValuesAsText("topic"))
          .contains(other)
          .doesNotContain(feed);
      assertThat(get("/api/v1/events?topic=http://nobody.example/").get("items")).isEmpty();

      JsonNode newest = get(query + "&order=newest");
      assertThat(newest.at("/items/0/id").asText()).isEqualTo(last);
      assertThat(newest.get("items")).hasSize(2);
      JsonNode oldest =
          get(query + "&order=newest&" + param("cursor", newest.get("nextCursor").asText()));
      assertThat(oldest.get("items")).hasSize(1);
      assertThat(oldest.at("/items/0/id").asText()).isEqualTo(event.get("id").asText());
      assertThat(oldest.get("nextCursor").isNull()).isTrue();
    }

    @Test
    void the_document_of_an_event_is_as_a_subscriber_gets_it() {
      String feed = world.origin().rss("document.xml", "", "one");
      world.subscribe(feed, "document");
      world.origin().rss("document.xml", "", "two", "one");
      world.publish(feed);
      World.until(() -> !get("/api/v1/events?" + param("topic", feed)).get("items").isEmpty());
      String event = get("/api/v1/events?" + param("topic", feed)).at("/items/0/id").asText();
      String path = "/api/v1/events/" + event + "/document";

      HttpResponse<String> atom = world.gateway().get(path);
      assertThat(atom.headers().firstValue("Content-Type").orElseThrow())
          .startsWith("application/atom+xml");
      assertThat(atom.headers().firstValue("Content-Security-Policy").orElseThrow())
          .contains("sandbox");
      World.until(() -> !world.subscriber().received("document").isEmpty());
      assertThat(atom.body()).isEqualTo(world.subscriber().bodies("document").get(0));
      assertThat(world.gateway().get(path + "?format=json").body()).contains("\"id\":\"two\"");
      json(world.gateway().get(path + "?format=raw"), 404);
      json(world.gateway().get("/api/v1/events/987654321/document"), 404);
    }

    @Test
    void the_history_of_a_feed_and_its_event_tell_how_an_entry_arrived() {
      String feed = world.origin().rss("history.xml", "", "one");
      world.subscribe(feed, "history");
      world.origin().rss("history.xml", "", "two", "one");
      world.publish(feed);
      World.until(() -> !get("/api/v1/events?" + param("topic", feed)).get("items").isEmpty());
      String id = get(FEEDS + "?" + param("url", feed)).at("/items/0/id").asText();
      String event = get("/api/v1/events?" + param("topic", feed)).at("/items/0/id").asText();

      JsonNode first = get(FEEDS + "/" + id + "/history?limit=1");
      JsonNode step = first.at("/items/0");
      assertThat(step.get("kind").asText()).isEqualTo("fetch");
      assertThat(step.get("outcome").asText()).isEqualTo("news");
      assertThat(step.get("via").asText()).isEqualTo("publish");
      assertThat(step.get("status").asInt()).isEqualTo(200);
      assertThat(step.get("newEntries").asInt()).isEqualTo(1);
      assertThat(step.get("firstEventId").asText()).isEqualTo(event);
      assertThat(step.at("/arrivals/0/via").asText()).isEqualTo("publish");
      assertThat(step.at("/arrivals/0/sender").asText()).isEqualTo("127.0.0.1");
      assertThat(Instant.parse(step.at("/arrivals/0/at").asText()))
          .isBeforeOrEqualTo(Instant.parse(step.get("at").asText()));
      assertThat(get("/api/v1/events/" + event).get("step")).isEqualTo(step);
      String cursor = param("cursor", first.get("nextCursor").asText());
      JsonNode baseline = get(FEEDS + "/" + id + "/history?" + cursor).at("/items/0");
      assertThat(baseline.get("stateBefore").asText()).isEqualTo("new");
      assertThat(baseline.get("state").asText()).isEqualTo("active");
      assertThat(baseline.get("firstEventId").isNull()).isTrue();
      json(world.gateway().get(FEEDS + "/987654321/history"), 404);
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "{} | url",
          "{\"url\":\"nonsense\"} | url",
          "{\"url\":7} | url",
          "{\"url\":\"ftp://a.example/\"} | url",
          "{\"url\":\"http://a.example/\",\"uri\":\"x\"} | uri"
        })
    void a_field_that_is_wrong_is_named(String body, String field) {
      long before = world.gateway().rows().count("feed");
      JsonNode problem = json(post(body), 400);
      assertThat(problem.at("/errors/0/field").asText()).isEqualTo(field);
      assertThat(world.gateway().rows().count("feed")).isEqualTo((int) before);
    }

    @ParameterizedTest
    @CsvSource({
      "/api/v1/feeds?state=fine, state",
      "/api/v1/feeds?upstream=smoke, upstream",
      "/api/v1/feeds?url=nonsense, url",
      "/api/v1/feeds?cursor=made-up!, cursor",
      "/api/v1/feeds?cursor=YWJj, cursor",
      "/api/v1/feeds?limit=0, limit",
      "/api/v1/feeds?page=0, page",
      "/api/v1/feeds?page=100001, page",
      "/api/v1/feeds?page=2&cursor=MQ, page",
      "/api/v1/feeds?sort=size, sort",
      "/api/v1/feeds?sort=url&cursor=MQ, cursor",
      "/api/v1/feeds?total=yes, total",
      "/api/v1/events?after=abc, after",
      "/api/v1/events?after=1&cursor=MQ, after",
      "/api/v1/events?cursor=YWJj, cursor",
      "/api/v1/events?order=random, order",
      "/api/v1/events?order=newest&after=1, after",
      "/api/v1/events?order=newest&cursor=YWJj, cursor",
      "/api/v1/events/1/document?format=light, format",
      "/api/v1/events?topic=nonsense, topic"
    })
    void a_parameter_that_is_wrong_is_named(String path, String field) {
      JsonNode problem = json(world.gateway().get(path), 400);
      assertThat(problem.at("/errors/0/field").asText()).isEqualTo(field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/0", "/-1", "/abc", "/p1", "/987654321", "/99999999999999999999"})
    void ids_of_other_kinds_are_of_no_feed(String id) {
      json(world.gateway().get(FEEDS + id), 404);
      json(world.gateway().send("DELETE", FEEDS + id), 404);
    }

    @Test
    void a_body_of_10_MB_is_refused() {
      byte[] long10 = new byte[10 << 20];
      assertThat(world.gateway().post(FEEDS, "application/json", long10).statusCode())
          .isEqualTo(413);
    }
  }
}
