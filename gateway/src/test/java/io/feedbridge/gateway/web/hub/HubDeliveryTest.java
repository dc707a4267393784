package io.feedbridge.gateway.web.hub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Signed;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the hub sends and when (rules H11 to H14 and H18). */
class HubDeliveryTest {

  private static final String ATOM = "application/atom+xml; charset=utf-8";

  private World world;
  private String topic;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.on(data);
    topic = world.origin().rss("feed.xml", "", "one");
  }

  @AfterEach
  void stop() {
    world.close();
  }

  @Test
  void H11_content_goes_to_the_exact_callback_with_type_and_one_link_header() {
    world.subscribe(topic, "one?a=%7e&&b+c=");

    changed("two", "one");

    Request delivery = world.delivery("one");
    assertThat(delivery.rawQuery()).isEqualTo("a=%7e&&b+c=");
    assertThat(delivery.header("Content-Type")).hasValue(ATOM);
    assertThat(delivery.headers().all("Link"))
        .containsExactly(
            "<%s>; rel=\"hub\", <%s>; rel=\"self\"".formatted(world.gateway().url("/hub"), topic));
    assertThat(delivery.headers().contains("X-Hub-Signature")).isFalse();
  }

  @Nested
  class H12Signatures {

    @Test
    void are_sha256_unless_asked_otherwise() {
      assertMethod("sha256");
    }

    @Test
    void are_sha1_for_subscribers_of_old_that_sent_verify() {
      assertMethod("sha1", "hub.verify", "async");
    }

    @Test
    void are_sha1_for_subscribers_of_old_that_sent_a_verify_token() {
      assertMethod("sha1", "hub.verify_token", "t");
    }

    @Test
    void are_what_a_subscriber_of_old_asked_for() {
      assertMethod("sha256", "hub.verify", "async,sync", "hub.signature_method", "sha256");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sha1", "sha256", "sha384", "sha512"})
    void are_by_the_method_that_was_asked_for(String method) {
      assertMethod(method, "hub.signature_method", method);
    }

    @Test
    void an_empty_secret_is_none() {
      world.subscribe(topic, "one", "hub.secret", "");
      changed("two", "one");
      assertThat(world.delivery("one").headers().contains("X-Hub-Signature")).isFalse();
    }

    private void assertMethod(String method, String... terms) {
      String[] all = Arrays.copyOf(terms, terms.length + 2);
      all[terms.length] = "hub.secret";
      all[terms.length + 1] = "sécret";
      world.subscribe(topic, "one", all);
      changed("two", "one");
      assertThat(Signed.with(method, "sécret", world.delivery("one"))).isTrue();
    }
  }

  @Nested
  class H13Answers {

    @Test
    void a_410_ends_the_subscription() {
      world.subscribe(topic, "one");
      world.subscribe(topic, "other");
      world.subscriber().answer("one", 410);

      changed("two", "one");
      changed("three", "two", "one");

      world.deliveries("other", 2);
      world.delivery("one");
      assertThat(world.gateway().rows().count("subscription")).isEqualTo(1);
    }

    @Test
    void others_are_tried_again_and_what_was_missed_comes_as_one_document_in_order() {
      List<Integer> failures = List.of(500, 302, 307, 308, 303, 404, 304, 401);
      for (int status : failures) {
        world.subscribe(topic, "to" + status);
        world.subscriber().answer("to" + status, request -> redirect(status));
      }
      changed("two", "one");
      changed("three", "two", "one");
      changed("four", "three", "two", "one");
      failures.forEach(status -> world.subscriber().answer("to" + status, 204));

      for (int status : failures) {
        // Each retry repeats its document (rule L12); the next one has the entries missed since.
        World.until(() -> bodies("to" + status).stream().anyMatch(body -> body.contains(">four<")));
        List<String> bodies = bodies("to" + status);
        List<String> repeated = bodies.subList(0, bodies.size() - 1);
        assertThat(repeated).hasSizeGreaterThan(1).containsOnly(repeated.get(0));
        assertThat(repeated.get(0)).contains(">two</dc:identifier>");
        assertThat(bodies.get(bodies.size() - 1))
            .containsSubsequence(">three</dc:identifier>", ">four</dc:identifier>")
            .doesNotContain(">two</dc:identifier>");
      }
      assertThat(world.subscriber().received("elsewhere")).isEmpty();
      assertThat(world.subscriber().asked("elsewhere")).isEmpty();
      assertThat(world.gateway().rows().count("subscription")).isEqualTo(failures.size());
    }

    private CompletableFuture<Response> redirect(int status) {
      return CompletableFuture.completedFuture(
          Response.empty(status).withHeader("Location", world.subscriber().url("elsewhere")));
    }

    @Test
    void Retry_After_is_honoured() {
      world.subscribe(topic, "one");
      world
          .subscriber()
          .answer(
              "one",
              request ->
                  CompletableFuture.completedFuture(
                      Response.empty(503).withHeader("Retry-After", "3600")));

      changed("two", "one");
      changed("three", "two", "one");

      world.delivery("one");
      String at = world.gateway().rows().query("SELECT next_attempt_at FROM laggard").get(0);
      assertThat(Instant.ofEpochMilli(Long.parseLong(at)))
          .isBetween(Instant.now().plusSeconds(3_500), Instant.now().plusSeconds(3_601));
    }

    @Test
    void any_2xx_is_success() {
      for (int status : List.of(200, 201, 202, 204, 299)) {
        world.subscribe(topic, "to" + status);
        world.subscriber().answer("to" + status, status);
      }

      changed("two", "one");

      assertThat(world.gateway().rows().count("laggard")).isZero();
      assertThat(world.subscriber().received("to299")).hasSize(1);
    }
  }

  @Test
  void H14_a_failing_subscriber_keeps_its_subscription_and_later_events_are_tried() {
    world.subscribe(topic, "one");
    world.subscriber().answer("one", 500);
    changed("two", "one");
    world.delivery("one");
    changed("three", "two", "one");
    world.gateway().send("POST", "/api/v1/subscriptions/1/retry");
    World.until(() -> world.subscriber().received("one").size() == 2);
    World.until(() -> world.gateway().rows().count("laggard WHERE attempts = 2") == 1);

    world.subscriber().answer("one", 204);
    world.gateway().send("POST", "/api/v1/subscriptions/1/retry");

    World.until(() -> world.subscriber().received("one").size() == 4);
    assertThat(bodies("one").get(2)).contains(">two</dc:identifier>");
    assertThat(bodies("one").get(3))
        .contains(">three</dc:identifier>")
        .doesNotContain(">two</dc:identifier>");
    assertThat(world.gateway().rows().count("subscription")).isEqualTo(1);
  }

  @Test
  void H13_a_subscriber_counts_as_those_for_whom_it_says_that_it_stands() {
    world.subscribe(topic, "one");
    world.subscribe(topic, "many");
    String[] said = {"41", "41", "many", "-5", "1000000000", ""};
    world
        .subscriber()
        .answer(
            "many",
            request ->
                CompletableFuture.completedFuture(
                    Response.empty(200)
                        .withHeader(
                            "X-Hub-On-Behalf-Of",
                            said[(world.subscriber().received("many").size() - 1) % said.length])));

    for (int i = 0; i < said.length; i++) {
      changed("entry" + i);
      world.deliveries("many", i + 1);
    }

    World.until(() -> world.gateway().rows().count("subscription WHERE readers = 41") == 1);
    changed("last");
    List<Request> fetches = world.origin().requests("feed.xml");
    assertThat(fetches.get(fetches.size() - 1).header("User-Agent").orElseThrow())
        .endsWith("; 42 subscribers)");
  }

  @Nested
  class H18Content {

    @Test
    void of_a_feed_is_normalized_atom_with_the_new_entries_alone() {
      world.subscribe(topic, "one");
      changed("three", "two", "one");

      assertThat(body("one"))
          .contains(">three</dc:identifier>", ">two</dc:identifier>", "<title>Title of two</title>")
          .doesNotContain(">one</dc:identifier>")
          .contains("superfeedr.com/xmpp-pubsub-ext");
    }

    @Test
    void is_json_where_that_was_asked_for() throws IOException {
      world.subscribe(topic, "one", "format", "json");
      changed("two", "one");

      assertThat(world.delivery("one").header("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
      var items = new ObjectMapper().readTree(world.delivery("one").body()).get("items");
      assertThat(items).hasSize(1);
      assertThat(items.get(0).get("id").asText()).isEqualTo("two");
    }

    @Test
    void is_the_topics_own_bytes_where_raw_was_asked_for() {
      String type = "application/rss+xml; charset=ISO-8859-1; x=y";
      byte[] before = FakeOrigin.rssOf("<copyright>é</copyright>", "one").getBytes(UTF_8);
      byte[] after = FakeOrigin.rssOf("<copyright>é\r\n</copyright>", "one").getBytes(UTF_8);
      world.origin().serve("raw.xml", type, before);
      String raw = world.origin().url("raw.xml");
      world.subscribe(raw, "raw", "format", "raw", "hub.secret", "s");
      world.subscribe(raw, "atom");
      world.origin().serve("raw.xml", type, after);

      world.publish(raw);

      Request delivery = world.delivery("raw");
      assertThat(delivery.body()).isEqualTo(after);
      assertThat(delivery.header("Content-Type")).hasValue(type);
      assertThat(Signed.with("s", delivery)).isTrue();
      // Changed bytes without a new entry are no news to whoever gets entries.
      assertThat(world.subscriber().received("atom")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "atom", "json", "raw"})
    void of_what_is_no_feed_is_its_exact_bytes_whatever_was_asked_for(String format) {
      byte[] before = {0, 1, 2, (byte) 0xff, '<', 'x'};
      byte[] after = {0, 1, 2, (byte) 0xfe, '<', 'x', '\r', '\n'};
      String thing = world.origin().serve("thing", "application/x-thing; v=1", before);
      world.subscribe(thing, "one", "format", format);
      world.origin().serve("thing", "application/x-thing; v=1", after);

      world.publish(thing);

      assertThat(world.delivery("one").body()).isEqualTo(after);
      assertThat(world.delivery("one").header("Content-Type")).hasValue("application/x-thing; v=1");
      world.publish(thing);
      world.delivery("one");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "atom", "json", "raw"})
    void of_JSON_without_the_version_of_a_feed_is_its_exact_bytes(String format) {
      String json =
          "{\"title\": \"x\", \"home_page_url\": \"https://x.example/\", \"items\": [%s]}\n";
      String list = world.origin().serve("list.json", "application/json", json.formatted(""));
      world.subscribe(list, "list", "format", format);
      String after = json.formatted("{ \"id\" : 1 }");
      world.origin().serve("list.json", "application/json", after);

      world.publish(list);

      assertThat(new String(world.delivery("list").body(), UTF_8)).isEqualTo(after);
    }

    @Test
    void is_raw_by_default_with_that_hub_format(@TempDir Path data) {
      try (World raw =
          World.around(
              TestGateway.with(
                  data,
                  TestGateway.LOOPBACK,
                  TestGateway.LOOPBACK,
                  Duration.ofMinutes(1),
                  Format.RAW))) {
        String feed = raw.origin().rss("feed.xml", "", "one");
        raw.subscribe(feed, "none");
        raw.subscribe(feed, "atom", "format", "atom");
        raw.origin().rss("feed.xml", "", "two", "one");

        raw.publish(feed);

        assertThat(new String(raw.delivery("none").body(), UTF_8))
            .isEqualTo(FakeOrigin.rssOf("", "two", "one"));
        assertThat(raw.delivery("none").header("Content-Type")).hasValue("application/rss+xml");
        assertThat(raw.delivery("atom").header("Content-Type")).hasValue(ATOM);
      }
    }
  }

  private void changed(String... items) {
    world.origin().rss("feed.xml", "", items);
    world.publish(topic);
  }

  private String body(String path) {
    return new String(world.delivery(path).body(), UTF_8);
  }

  private List<String> bodies(String path) {
    return world.subscriber().bodies(path);
  }
}
