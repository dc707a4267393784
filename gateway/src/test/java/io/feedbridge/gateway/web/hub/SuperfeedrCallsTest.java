package io.feedbridge.gateway.web.hub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Signed;
import io.feedbridge.gateway.testing.StreamClient;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Superfeedr's calls, on a gateway that asks operators for a token. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuperfeedrCallsTest {

  private static final String ADMIN = "the-admin-token";
  private static final String FORM = "application/x-www-form-urlencoded";

  private final Http http = new Http();
  private final AtomicInteger names = new AtomicInteger();
  private World world;

  /** {@code login:token} of a login with all rights to the hub, and of another. */
  private String ann;

  private String bob;

  @BeforeAll
  void start(@TempDir Path data) {
    int port = FreePort.next();
    world =
        World.around(
            TestGateway.guarded(
                data,
                port,
                URI.create("http://127.0.0.1:" + port),
                Optional.of(new Secret(ADMIN))));
    ann = "ann:" + world.gateway().addToken("ann", hubRights());
    bob = "bob:" + world.gateway().addToken("bob", hubRights());
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private static Right[] hubRights() {
    return new Right[] {Right.SUBSCRIBE, Right.UNSUBSCRIBE, Right.LIST, Right.RETRIEVE};
  }

  private static String base64(String credentials) {
    return Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8));
  }

  private static String basic(String credentials) {
    return "Basic " + base64(credentials);
  }

  private HttpResponse<String> post(String who, String... form) {
    return http.post(
            world.gateway().url("/hub"),
            FORM,
            Http.encode(form).getBytes(UTF_8),
            "Authorization",
            basic(who))
        .join();
  }

  private String hub(String... query) {
    return world.gateway().url("/hub?" + Http.encode(query));
  }

  private HttpResponse<String> get(String who, String... query) {
    return http.send("GET", hub(query), "Authorization", basic(who));
  }

  private HttpResponse<String> subscribe(String who, String topic, String path, String... more) {
    List<String> form =
        new ArrayList<>(
            List.of(
                "hub.mode",
                "subscribe",
                "hub.topic",
                topic,
                "hub.callback",
                world.subscriber().url(path)));
    form.addAll(List.of(more));
    return post(who, form.toArray(String[]::new));
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (IOException e) {
      throw new AssertionError(text, e);
    }
  }

  private static JsonNode json(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return json(answer.body());
  }

  private String name() {
    return "n" + names.incrementAndGet();
  }

  /** A feed that somebody has subscribed to, with entries that came one after the other. */
  private String feed(String who, String path, String... newestLast) {
    String topic = world.origin().rss(path, "", "old");
    assertThat(subscribe(who, topic, path).statusCode()).isEqualTo(204);
    for (String entry : newestLast) {
      news(path, entry);
    }
    return topic;
  }

  private void news(String path, String entry) {
    world.publish(world.origin().rss(path, "", entry));
  }

  private static List<String> ids(JsonNode document) {
    List<String> ids = new ArrayList<>();
    document.path("items").forEach(item -> ids.add(item.path("id").asText()));
    return ids;
  }

  private List<String> owned() {
    return world
        .gateway()
        .rows()
        .query("SELECT owner, callback FROM subscription WHERE owner IS NOT NULL ORDER BY id");
  }

  private static void assertRefused(HttpResponse<String> answer, int status, String reason) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
    assertThat(answer.body()).contains(reason);
  }

  @Nested
  class Subscribing {

    @Test
    void with_credentials_is_204_and_asks_no_callback() {
      String name = name();
      String topic = world.origin().rss(name, "", "old");

      HttpResponse<String> answer = subscribe(ann, topic, name, "hub.secret", "hush");

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
      assertThat(world.subscriber().asked(name)).isEmpty();
      assertThat(owned()).contains("ann|" + world.subscriber().url(name));
      news(name, "new");
      Request delivery = world.delivery(name);
      assertThat(delivery.header("Content-Type").orElseThrow()).startsWith("application/atom+xml");
      assertThat(Signed.with("sha1", "hush", delivery)).as("H12: sha1, as they know it").isTrue();
    }

    @Test
    void credentials_may_be_in_the_query_and_the_admin_token_has_all_rights() {
      for (String who : List.of(ann, "any:" + ADMIN)) {
        String name = name();
        String topic = world.origin().rss(name, "", "old");
        HttpResponse<String> answer =
            world
                .gateway()
                .form(
                    "/hub?" + Http.encode("authorization", base64(who)),
                    "hub.mode",
                    "subscribe",
                    "hub.topic",
                    topic,
                    "hub.callback",
                    world.subscriber().url(name));

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
        assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).hasValue("*");
      }
    }

    /** Ruby's encoder breaks lines after 60 characters, and the client posts them as a field. */
    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n"})
    void credentials_may_be_a_field_of_the_form_with_line_breaks(String lineBreak) {
      String name = name();
      String topic = world.origin().rss(name, "", "old");
      String encoded =
          Base64.getMimeEncoder(20, lineBreak.getBytes(UTF_8)).encodeToString(ann.getBytes(UTF_8));
      assertThat(encoded).contains(lineBreak);

      HttpResponse<String> answer =
          world
              .gateway()
              .form(
                  "/hub/",
                  "hub.mode",
                  "subscribe",
                  "hub.topic",
                  topic,
                  "hub.callback",
                  world.subscriber().url(name),
                  "authorization",
                  encoded);

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
      assertThat(owned()).contains("ann|" + world.subscriber().url(name));
    }

    @Test
    void credentials_in_the_query_and_others_in_the_form_are_nobodys() {
      HttpResponse<String> answer =
          world
              .gateway()
              .form(
                  "/hub?" + Http.encode("authorization", base64(ann)),
                  "hub.mode",
                  "list",
                  "authorization",
                  base64(bob));

      assertThat(answer.statusCode()).isEqualTo(401);
    }

    @Test
    void without_credentials_the_callback_is_asked_as_ever() {
      String name = name();
      world.subscribe(world.origin().rss(name, "", "old"), name);

      assertThat(world.subscriber().asked(name)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"format, json", "Accept, application/json"})
    void JSON_is_asked_for_by_a_parameter_or_a_header(String how, String value) {
      String name = name();
      String topic = world.origin().rss(name, "", "old");
      if (how.equals("Accept")) {
        String form =
            Http.encode(
                "hub.mode",
                "subscribe",
                "hub.topic",
                topic,
                "hub.callback",
                world.subscriber().url(name));
        assertThat(
                http.post(
                        world.gateway().url("/hub"),
                        FORM,
                        form.getBytes(UTF_8),
                        "Authorization",
                        basic(ann),
                        "Accept",
                        value)
                    .join()
                    .statusCode())
            .isEqualTo(204);
      } else {
        assertThat(subscribe(ann, topic, name, how, value).statusCode()).isEqualTo(204);
      }
      news(name, "new");
      assertThat(ids(json(new String(world.delivery(name).body(), UTF_8)))).containsExactly("new");
    }

    @Test
    void retrieve_answers_with_the_current_document() {
      String name = name();
      String topic = world.origin().rss(name, "", "b", "a");

      HttpResponse<String> answer =
          subscribe(ann, topic, name, "retrieve", "true", "format", "json");

      assertThat(ids(json(answer))).containsExactly("b", "a");
      assertThat(json(answer).at("/status/feed").asText()).isEqualTo(topic);
      assertThat(subscribe(ann, topic, name, "retrieve", "true").body())
          .contains("<id>urn:feedbridge:id:", ">b</dc:identifier>", "<http code=\"200\">");
    }

    @Test
    void verification_is_there_for_who_asks_for_it() {
      String name = name();
      String topic = world.origin().rss(name, "", "old");

      assertThat(subscribe(ann, topic, name, "hub.verify", "async").statusCode()).isEqualTo(202);
      world.awaitSubscription(name);
      assertThat(subscribe(ann, topic, name, "hub.verify", "sync").statusCode()).isEqualTo(204);

      assertThat(world.subscriber().asked(name)).hasSize(2);
      assertThat(owned()).contains("ann|" + world.subscriber().url(name));
    }

    @Test
    void a_subscription_of_somebody_else_is_changed_only_if_its_callback_says_so() {
      String name = name();
      String topic = feed(ann, name);
      world.subscriber().onQuestion(name, question -> refuse());

      HttpResponse<String> answer = subscribe(bob, topic, name, "hub.secret", "bob's");

      assertRefused(answer, 422, "not subscribed");
      assertThat(world.subscriber().asked(name)).hasSize(1);
      assertThat(owned()).contains("ann|" + world.subscriber().url(name));
      news(name, "new");
      assertThat(world.delivery(name).header("X-Hub-Signature")).isEmpty();
    }

    private CompletableFuture<Response> refuse() {
      return CompletableFuture.completedFuture(Response.text(404, "no"));
    }

    @Test
    void a_topic_that_cannot_be_fetched_is_422_with_the_reason() {
      String name = name();
      String topic = world.origin().fail(name, 404);

      assertRefused(subscribe(ann, topic, name), 422, "the topic cannot be fetched");
      assertThat(world.subscriber().asked(name)).as("it is the caller who is told").isEmpty();
    }

    @Test
    void what_nobody_named_a_lease_for_is_renewed_by_the_hub() {
      String name = name();
      feed(ann, name);

      assertThat(
              world
                  .gateway()
                  .rows()
                  .count(
                      "subscription WHERE refresh_at < lease_ends_at AND callback = '"
                          + world.subscriber().url(name)
                          + "'"))
          .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "hub.topic is missing            | hub.topic | ''",
          "hub.callback is missing         | hub.callback | ''",
          "hub.topic must be an absolute   | hub.topic | news",
          "is no CSS selector              | hub.topic | http://a.example/#x%5B",
          "is no JSONPath                  | hub.topic | http://a.example/#$.a%5B",
          "format \"xml\" is not known     | format | xml",
          "superfeedr.digest must be true  | superfeedr.digest | maybe",
          "retrieve must be true or false  | retrieve | 1",
          "excludes only                   | hub.topic | PUBLIC/track?query=-mars",
        })
    void what_is_wrong_is_422_with_the_reason(String reason, String name, String value) {
      List<String> form =
          new ArrayList<>(
              List.of("hub.mode", "subscribe", name, value.replace("PUBLIC", publicUrl())));
      if (!name.equals("hub.topic")) {
        form.addAll(List.of("hub.topic", "http://news.example/feed"));
      }
      if (!name.equals("hub.callback")) {
        form.addAll(List.of("hub.callback", "http://reader.example/"));
      }
      int before = world.gateway().rows().count("verification");

      assertRefused(post(ann, form.toArray(String[]::new)), 422, reason);
      assertThat(world.gateway().rows().count("verification")).isEqualTo(before);
    }

    private String publicUrl() {
      return world.gateway().url("");
    }
  }

  @Nested
  class Unsubscribing {

    @Test
    void it_ends_ones_own_without_asking() {
      String name = name();
      String topic = feed(ann, name);

      HttpResponse<String> answer =
          post(
              ann,
              "hub.mode",
              "unsubscribe",
              "hub.topic",
              topic,
              "hub.callback",
              world.subscriber().url(name));

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
      assertThat(world.subscriber().asked(name)).isEmpty();
      assertThat(owned()).doesNotContain("ann|" + world.subscriber().url(name));
    }

    @Test
    void the_callback_may_be_left_out_where_there_is_just_one() {
      String name = name();
      String topic = feed(ann, name);
      subscribe(bob, topic, name + "-bob");
      subscribe(ann, topic, name + "-other");

      assertRefused(post(ann, "hub.mode", "unsubscribe", "hub.topic", topic), 422, "several");
      assertThat(post(bob, "hub.mode", "unsubscribe", "hub.topic", topic).statusCode())
          .isEqualTo(204);
      assertRefused(
          post(bob, "hub.mode", "unsubscribe", "hub.topic", topic),
          422,
          "no subscription of yours");
      assertThat(owned())
          .contains(
              "ann|" + world.subscriber().url(name),
              "ann|" + world.subscriber().url(name + "-other"));
    }

    @Test
    void what_is_somebody_elses_ends_only_if_its_callback_says_so() {
      String name = name();
      String topic = feed(ann, name);
      world
          .subscriber()
          .onQuestion(
              name, question -> CompletableFuture.completedFuture(Response.text(404, "no")));

      assertRefused(
          post(
              bob,
              "hub.mode",
              "unsubscribe",
              "hub.topic",
              topic,
              "hub.callback",
              world.subscriber().url(name)),
          422,
          "not unsubscribed");
      assertThat(owned()).contains("ann|" + world.subscriber().url(name));
    }
  }

  @Nested
  class The_null_device {

    @Test
    void it_subscribes_without_notifications_so_that_a_feed_can_be_retrieved() {
      String name = name();
      String topic = world.origin().rss(name, "", "old");
      String device = world.gateway().url("/dev/null");
      for (String who : List.of(ann, bob)) {
        HttpResponse<String> answer =
            post(who, "hub.mode", "subscribe", "hub.topic", topic, "hub.callback", device);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
      }
      double before = deliveries();
      news(name, "new");

      assertThat(ids(json(get(bob, "hub.mode", "retrieve", "hub.topic", topic, "format", "json"))))
          .containsExactly("new", "old");
      assertThat(deliveries()).isEqualTo(before);
      JsonNode list = json(get(ann, "hub.mode", "list", "search[feed.url]", topic));
      assertThat(list.at("/0/subscription/endpoint").asText()).isEqualTo(device);
      assertRefused(
          get(ann, "hub.mode", "replay", "hub.topic", topic, "hub.callback", device),
          422,
          "null device");
      assertThat(post(ann, "hub.mode", "unsubscribe", "hub.topic", topic).statusCode())
          .isEqualTo(204);
      assertThat(json(get(bob, "hub.mode", "list", "search[feed.url]", topic))).hasSize(1);
    }

    private double deliveries() {
      return world
          .gateway()
          .get("/metrics")
          .body()
          .lines()
          .filter(line -> line.startsWith("feedbridge_deliveries_total{"))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
          .sum();
    }
  }

  @Nested
  class Encodings {

    private HttpResponse<String> send(String type, String body, String... headers) {
      List<String> all = new ArrayList<>(List.of("Authorization", basic(ann)));
      all.addAll(List.of(headers));
      return http.post(
              world.gateway().url("/hub"), type, body.getBytes(UTF_8), all.toArray(String[]::new))
          .join();
    }

    private String multipart(String... namesAndValues) {
      StringBuilder body = new StringBuilder();
      for (int i = 0; i < namesAndValues.length; i += 2) {
        body.append("--xyz\r\nContent-Disposition: form-data; name=\"")
            .append(namesAndValues[i])
            .append("\"\r\n\r\n")
            .append(namesAndValues[i + 1])
            .append("\r\n");
      }
      return body.append("--xyz--\r\n").toString();
    }

    @Test
    void a_form_may_be_JSON_or_multipart() {
      String name = name();
      String topic = world.origin().rss(name, "", "old");
      String one = world.subscriber().url(name + "-ü");
      String json =
          "{\"hub.mode\":\"subscribe\",\"hub.topic\":\"%s\",\"hub.callback\":\"%s\",\"n\":[1,null,true]}";

      assertThat(
              send("application/json", json.formatted(topic, world.subscriber().url(name)))
                  .statusCode())
          .isEqualTo(204);
      assertThat(
              send(
                      "multipart/form-data; boundary=xyz",
                      multipart(
                          "hub.mode",
                          "subscribe",
                          "hub.topic",
                          topic,
                          "hub.callback",
                          one.replace("ü", "%C3%BC")))
                  .statusCode())
          .isEqualTo(204);
      assertThat(owned())
          .contains(
              "ann|" + world.subscriber().url(name),
              "ann|" + world.subscriber().url(name + "-%C3%BC"));
    }

    @Test
    void a_GET_may_be_posted_with_its_parameters_anywhere() {
      String name = name();
      String topic = feed(ann, name);
      for (String type : List.of("application/json", FORM)) {
        String body =
            type.equals(FORM)
                ? Http.encode("hub.mode", "list", "search[feed][url]", topic)
                : "{\"hub.mode\":\"list\",\"search\":{\"feed\":{\"url\":\"%s\"}}}".formatted(topic);
        HttpResponse<String> answer = send(type, body, "X-HTTP-Method-Override", "GET");
        assertThat(json(answer)).hasSize(1);
      }
      assertThat(
              json(
                  http.post(
                          hub("hub.mode", "list", "search[feed.url]", topic),
                          FORM,
                          new byte[0],
                          "Authorization",
                          basic(ann),
                          "X-HTTP-Method-Override",
                          "get")
                      .join()))
          .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        quoteCharacter = '`',
        value = {
          "application/json | ``",
          "application/json | []",
          "application/json | {\"hub.mode\":",
          "application/json | {\"hub.mode\":\"list\",\"hub.mode\":\"list\"}",
          "application/json | {\"hub.mode\":\"list\"} {}",
          "application/json | {\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}}",
          "multipart/form-data | hub.mode=list",
          "multipart/form-data; boundary=xyz | hub.mode=list",
          "multipart/form-data; boundary=xyz | --xyz",
        })
    void what_is_no_form_is_400(String type, String body) {
      HttpResponse<String> answer = send(type, body);

      assertRefused(answer, 400, "");
      assertThat(answer.body()).isNotBlank();
    }

    @Test
    void a_file_is_no_field_and_too_many_fields_are_refused() {
      assertRefused(
          send(
              "multipart/form-data; boundary=xyz",
              String.join(
                  "\r\n",
                  "--xyz",
                  "Content-Disposition: form-data; name=\"hub.mode\"; filename=\"a\"",
                  "Content-Type: text/plain",
                  "",
                  "list",
                  "--xyz--",
                  "")),
          400,
          "a file");
      String[] many = new String[2 * 1_100];
      Arrays.fill(many, "x");
      assertRefused(send("multipart/form-data; boundary=xyz", multipart(many)), 400, "too many");
      StringBuilder json = new StringBuilder("{\"hub.mode\":\"list\",\"n\":[1");
      json.append(",1".repeat(1_100)).append("]}");
      assertRefused(send("application/json", json.toString()), 400, "more than 1024");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "multipart/form-data; boundary=x", FORM})
    void a_body_of_10_MB_is_413(String type) {
      assertRefused(send(type, "a".repeat(10 << 20)), 413, "must not be longer");
    }
  }

  @Nested
  class Listing {

    private List<String> endpoints(HttpResponse<String> answer) {
      List<String> endpoints = new ArrayList<>();
      json(answer)
          .forEach(
              one -> {
                String url = one.at("/subscription/endpoint").asText();
                endpoints.add(url.substring(url.lastIndexOf('/') + 1));
              });
      return endpoints;
    }

    @Test
    void a_login_sees_its_own_and_the_operator_sees_all() {
      String name = name();
      String topic = world.origin().rss(name, "", "old");
      subscribe(ann, topic, name + "-a", "hub.secret", "hush", "format", "json");
      subscribe(bob, topic, name + "-b");
      world.subscribe(topic, name + "-c");
      String[] query = {"hub.mode", "list", "search[feed.url]", topic};

      assertThat(endpoints(get(ann, query))).containsExactly(name + "-a");
      assertThat(endpoints(get("operator:" + ADMIN, query)))
          .containsExactly(name + "-a", name + "-b", name + "-c");
      JsonNode one = json(get(ann, query)).get(0);
      assertThat(one.toString())
          .isEqualTo(
              """
              {"subscription":{"format":"json","endpoint":"%s","secret":null,\
              "feed":{"title":"News","url":"%s"}}}"""
                  .formatted(world.subscriber().url(name + "-a"), topic));
    }

    @Test
    void details_are_an_object_whose_feeds_have_their_status() {
      String name = name();
      String topic = feed(ann, name);

      JsonNode answer =
          json(get(ann, "hub.mode", "list", "detailed", "true", "search[feed.url]", topic));

      assertThat(answer.at("/subscriptions/0/subscription/feed/status/feed").asText())
          .isEqualTo(topic);
      assertThat(answer.at("/subscriptions/0/subscription/feed/status/code").asInt())
          .isEqualTo(200);
    }

    @Test
    void it_comes_in_pages_the_oldest_first() {
      String who = "pages:" + world.gateway().addToken("pages", hubRights());
      String topic = world.origin().rss("pages", "", "old");
      for (String path : List.of("p1", "p2", "p3")) {
        subscribe(who, topic, path);
      }

      assertThat(endpoints(get(who, "hub.mode", "list", "by_page", "2")))
          .containsExactly("p1", "p2");
      assertThat(endpoints(get(who, "hub.mode", "list", "by_page", "2", "page", "2")))
          .containsExactly("p3");
      assertThat(endpoints(get(who, "hub.mode", "list", "page", "7"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
      "format, json, s2",
      "format, atom, s1",
      "feed.url, TOPIC, s1 s2",
      "feed][url, TOPIC, s1 s2",
      "feed.inurl, EARCHED, s1 s2",
      "feed.inurl, elsewhere, ''",
      "feed.hostname, 127.0.0.1, s1 s2",
      "feed.hostname, 127.0.0, ''",
      "feed.bozo, 0, s1 s2",
      "feed.bozo, >0, ''",
      "feed.bozo, <=1, s1 s2",
      "feed.velocity, >=0, ''",
      "endpoint.url, CALLBACK, s1",
      "endpoint.inurl, S2, s2",
      "endpoint.hostname, 127.0.0.1, s1 s2",
      "endpoint.hostname, reader.example, ''",
    })
    void searches_choose(String term, String value, String found) {
      String who = "search:" + world.gateway().addToken("search", hubRights());
      String topic = world.origin().rss("searched", "", "old");
      subscribe(who, topic, "s1");
      subscribe(who, topic, "s2", "format", "json");
      String asked =
          value.replace("TOPIC", topic).replace("CALLBACK", world.subscriber().url("s1"));

      List<String> answer = endpoints(get(who, "hub.mode", "list", "search[" + term + "]", asked));

      assertThat(String.join(" ", answer)).isEqualTo(found);
    }

    @ParameterizedTest
    @CsvSource({
      "page, 0",
      "page, x",
      "page, 1000001",
      "page, -1",
      "by_page, 0",
      "by_page, 501",
      "by_page, 99999999999999999999",
      "detailed, yes",
      "search[format], rss",
      "search[feed.url], nothing",
      "search[feed.bozo], many",
      "search[feed.velocity], >",
      "search[colour], red",
      "search[], x",
    })
    void what_is_wrong_is_422(String name, String value) {
      assertRefused(get(ann, "hub.mode", "list", name, value), 422, "");
    }
  }

  @Nested
  class Retrieving {

    private HttpResponse<String> entries(String who, String topic, String... more) {
      List<String> query =
          new ArrayList<>(List.of("hub.mode", "retrieve", "hub.topic", topic, "format", "json"));
      query.addAll(List.of(more));
      return get(who, query.toArray(String[]::new));
    }

    @Test
    void it_is_the_status_and_the_newest_entries_and_can_be_paged_by_entries() {
      String topic = feed(ann, name(), "a", "b", "c", "d");

      JsonNode all = json(entries(ann, topic));
      assertThat(ids(all)).containsExactly("d", "c", "b", "a", "old");
      assertThat(all.at("/status/code").asInt()).isEqualTo(200);
      assertThat(ids(json(entries(ann, topic, "count", "2")))).containsExactly("d", "c");
      assertThat(ids(json(entries(ann, topic, "before", "c", "count", "2"))))
          .containsExactly("b", "a");
      assertThat(ids(json(entries(ann, topic, "after", "a")))).containsExactly("d", "c", "b");
      assertThat(ids(json(entries(ann, topic, "after", "old", "count", "2"))))
          .as("those that follow it")
          .containsExactly("b", "a");
      assertThat(ids(json(entries(ann, topic, "after", "a", "before", "d"))))
          .containsExactly("c", "b");
      assertThat(ids(json(entries(ann, topic, "after", "d")))).isEmpty();
    }

    @Test
    void the_topic_counts_where_a_callback_is_named_beside_it() {
      String name = name();
      String topic = feed(ann, name);

      HttpResponse<String> answer =
          world
              .gateway()
              .get(
                  "/hub?"
                      + Http.encode(
                          "hub.mode",
                          "retrieve",
                          "hub.topic",
                          topic,
                          "hub.callback",
                          world.subscriber().url("nothing-like-it"),
                          "count",
                          "10",
                          "authorization",
                          base64(ann)));

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/atom+xml");
    }

    @Test
    void it_is_Atom_unless_JSON_is_asked_for() {
      String topic = feed(ann, name(), "a");
      HttpResponse<String> atom = get(ann, "hub.mode", "retrieve", "hub.topic", topic);

      assertThat(atom.headers().firstValue("Content-Type").orElseThrow())
          .startsWith("application/atom+xml");
      assertThat(atom.body()).contains("<id>urn:feedbridge:id:", ">a</dc:identifier>");
      HttpResponse<String> json =
          http.send(
              "GET",
              hub("hub.mode", "retrieve", "hub.topic", topic),
              "Authorization",
              basic(ann),
              "Accept",
              "application/json");
      assertThat(ids(json(json))).containsExactly("a", "old");
    }

    @Test
    void it_has_a_tag_and_is_304_for_who_has_it() {
      String topic = feed(ann, name(), "a");
      String tag = entries(ann, topic).headers().firstValue("ETag").orElseThrow();
      String url = hub("hub.mode", "retrieve", "hub.topic", topic, "format", "json");

      HttpResponse<String> known =
          http.send("GET", url, "Authorization", basic(ann), "If-None-Match", tag);
      HttpResponse<String> other =
          http.send("GET", url, "Authorization", basic(ann), "If-None-Match", "\"other\"");

      assertThat(known.statusCode()).isEqualTo(304);
      assertThat(other.statusCode()).isEqualTo(200);
    }

    @Test
    void JSONP_calls_a_function() {
      String topic = feed(ann, name(), "a");

      HttpResponse<String> answer =
          get(ann, "hub.mode", "retrieve", "hub.topic", topic, "callback", "my_$fn1");

      assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
          .startsWith("application/javascript");
      assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
      assertThat(answer.body()).startsWith("/**/my_$fn1({").endsWith("});");
      assertRefused(
          http.send(
              "GET",
              hub("hub.mode", "retrieve", "hub.topic", topic, "callback", "f"),
              "Authorization",
              basic(ann),
              "Sec-Fetch-Site",
              "cross-site"),
          422,
          "authorization in the query");
      assertThat(
              http.send(
                      "GET",
                      hub(
                          "hub.mode",
                          "retrieve",
                          "hub.topic",
                          topic,
                          "callback",
                          "f",
                          "authorization",
                          base64(ann)),
                      "Sec-Fetch-Site",
                      "cross-site")
                  .statusCode())
          .isEqualTo(200);
    }

    @Test
    void feeds_of_one_callback_come_together_and_each_entry_names_its_source() {
      String one = name();
      String two = name();
      feed(ann, one, "1a");
      subscribe(ann, world.origin().rss(two, "", "2old"), one);
      news(two, "2a");

      JsonNode both =
          json(
              get(
                  ann,
                  "hub.mode",
                  "retrieve",
                  "hub.callback",
                  world.subscriber().url(one),
                  "count",
                  "3",
                  "format",
                  "json"));

      assertThat(ids(both)).containsExactly("2a", "2old", "1a");
      assertThat(both.at("/items/0/source/title").asText()).isEqualTo("News");
      assertThat(
              ids(
                  json(
                      get(
                          ann,
                          "hub.mode",
                          "retrieve",
                          "search[endpoint.url]",
                          world.subscriber().url(one),
                          "hub.topic",
                          world.origin().url(two),
                          "format",
                          "json"))))
          .containsExactly("2a", "2old");
    }

    @Test
    void what_is_no_feed_comes_as_its_bytes_and_cannot_run_in_the_gateways_name() {
      String name = name();
      String page = "<html><script>alert(1)</script></html>";
      String topic = world.origin().serve(name, "text/html", page);
      subscribe(ann, topic, name);

      HttpResponse<String> answer = get(ann, "hub.mode", "retrieve", "hub.topic", topic);

      assertThat(answer.body()).isEqualTo(page);
      assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
          .startsWith("sandbox;");
      assertRefused(
          get(ann, "hub.mode", "retrieve", "hub.topic", topic, "callback", "f"), 422, "not a feed");
    }

    @Test
    void who_does_not_subscribe_is_told_nothing_of_what_others_follow() {
      String topic = feed(ann, name(), "a");
      HttpResponse<String> followed = entries(bob, topic);
      HttpResponse<String> unknown = entries(bob, "http://nobody.example/");

      assertRefused(followed, 404, "no subscription of yours");
      assertThat(unknown.statusCode()).isEqualTo(followed.statusCode());
      assertThat(unknown.body()).isEqualTo(followed.body());
      assertThat(ids(json(entries("x:" + ADMIN, topic)))).contains("a");
      assertThat(entries("x:" + ADMIN, "http://nobody.example/").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({
      "count, 0",
      "count, 51",
      "count, many",
      "before, made-up",
      "after, made-up",
      "format, rss",
      "callback, alert(1)//",
      "callback, a.b",
      "callback, 1a",
      "callback, <script>",
      "wait, forever",
      "updates, perhaps",
    })
    void what_is_wrong_is_422(String name, String value) {
      String topic = feed(ann, "wrong-retrieve");
      assertRefused(get(ann, "hub.mode", "retrieve", "hub.topic", topic, name, value), 422, "");
    }

    @Test
    void a_call_that_names_no_feed_is_422() {
      assertRefused(get(ann, "hub.mode", "retrieve"), 422, "hub.topic is missing");
      assertRefused(get(ann, "hub.mode", "retrieve", "hub.topic", "x"), 422, "absolute");
    }
  }

  @Nested
  class Waiting {

    private StreamClient open(String topic, String[] headers, String... more) {
      List<String> query =
          new ArrayList<>(
              List.of(
                  "hub.mode",
                  "retrieve",
                  "hub.topic",
                  topic,
                  "wait",
                  "stream",
                  "authorization",
                  base64(ann)));
      query.addAll(List.of(more));
      return StreamClient.get(hub(query.toArray(String[]::new)), headers);
    }

    private List<String> entries(StreamClient reader) {
      return reader.lines().stream()
          .filter(line -> !line.isEmpty())
          .flatMap(line -> ids(json(line)).stream())
          .toList();
    }

    @Test
    void a_stream_is_of_lines_and_begins_behind_the_entry_that_is_named() {
      String name = name();
      String topic = feed(ann, name, "a", "b", "c");
      String other = name();
      feed(ann, other);
      try (StreamClient reader = open(topic, new String[0], "after", "a")) {
        news(other, "not this");
        news(name, "d");
        World.until(() -> entries(reader).contains("d"));

        assertThat(entries(reader)).containsExactly("c", "b", "d");
        assertThat(reader.response().headers().firstValue("Content-Type").orElseThrow())
            .startsWith("application/x-ndjson");
        assertThat(reader.response().headers().firstValue("Access-Control-Allow-Origin"))
            .hasValue("*");
      }
    }

    @Test
    void events_are_called_notification_and_one_goes_on_where_it_was() {
      String name = name();
      String topic = feed(ann, name);
      String[] accept = {"Accept", "text/event-stream"};
      String last;
      try (StreamClient reader = open(topic, accept)) {
        news(name, "a");
        World.until(() -> reader.fields("data").size() == 1);
        assertThat(reader.fields("event")).containsExactly("notification");
        last = reader.fields("id").get(0);
      }
      news(name, "b");
      String[] resumed = {"Accept", "text/event-stream", "Last-Event-ID", last};
      try (StreamClient reader = open(topic, resumed, "after", "old")) {
        World.until(() -> reader.fields("data").size() == 1);
        assertThat(ids(json(reader.fields("data").get(0)))).containsExactly("b");
      }
    }

    @Test
    void a_poll_answers_at_once_or_with_the_next_entries() {
      String name = name();
      String topic = feed(ann, name, "a", "b");
      String[] query = {
        "hub.mode", "retrieve", "hub.topic", topic, "format", "json", "wait", "poll", "after"
      };

      assertThat(ids(json(get(ann, with(query, "a"))))).containsExactly("b");
      CompletableFuture<HttpResponse<String>> after =
          CompletableFuture.supplyAsync(() -> get(ann, with(query, "b")));
      CompletableFuture<HttpResponse<String>> fromNow =
          CompletableFuture.supplyAsync(() -> get(ann, Arrays.copyOf(query, query.length - 1)));
      AtomicInteger entry = new AtomicInteger();
      World.until(
          () -> {
            news(name, "c" + entry.incrementAndGet());
            return after.isDone() && fromNow.isDone();
          });
      assertThat(ids(json(after.join()))).isNotEmpty().allMatch(id -> id.startsWith("c"));
      assertThat(ids(json(fromNow.join()))).isNotEmpty().allMatch(id -> id.startsWith("c"));
    }

    private String[] with(String[] query, String last) {
      String[] all = Arrays.copyOf(query, query.length + 1);
      all[query.length] = last;
      return all;
    }

    @ParameterizedTest
    @CsvSource({"format, atom", "callback, f", "after, made-up"})
    void a_stream_that_cannot_be_is_422(String name, String value) {
      String topic = feed(ann, "wrong-stream");
      assertRefused(
          get(ann, "hub.mode", "retrieve", "hub.topic", topic, "wait", "stream", name, value),
          422,
          "");
    }
  }

  @Nested
  class Replaying {

    @Test
    void past_notifications_are_delivered_again_signed_and_in_order() {
      String name = name();
      String topic = world.origin().rss(name, "", "old");
      subscribe(ann, topic, name, "hub.secret", "hush", "format", "json");
      for (String entry : List.of("a", "b", "c")) {
        news(name, entry);
      }
      List<Request> first = world.deliveries(name, 3);

      HttpResponse<String> answer =
          get(
              ann,
              "hub.mode",
              "replay",
              "hub.topic",
              topic,
              "hub.callback",
              world.subscriber().url(name),
              "count",
              "2",
              "async",
              "true");

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
      List<Request> all = world.deliveries(name, 5);
      for (int i : List.of(1, 2)) {
        assertThat(all.get(2 + i).body()).isEqualTo(first.get(i).body());
        assertThat(all.get(2 + i).header("Feedbridge-Event"))
            .isEqualTo(first.get(i).header("Feedbridge-Event"));
        assertThat(Signed.with("sha1", "hush", all.get(2 + i))).isTrue();
      }
      news(name, "d");
      assertThat(ids(json(new String(world.deliveries(name, 6).get(5).body(), UTF_8))))
          .containsExactly("d");
    }

    @Test
    void only_ones_own_subscription_is_replayed() {
      String name = name();
      String topic = feed(ann, name, "a");
      world.deliveries(name, 1);
      String[] query = {
        "hub.mode", "replay", "hub.topic", topic, "hub.callback", world.subscriber().url(name)
      };

      assertRefused(get(bob, query), 404, "no subscription of yours");
      assertThat(get("x:" + ADMIN, query).statusCode()).isEqualTo(204);
      world.deliveries(name, 2);
    }

    @ParameterizedTest
    @CsvSource({
      "hub.topic is missing, hub.callback, http://reader.example/",
      "hub.callback is missing, hub.topic, http://news.example/",
      "count must be, count, 51",
      "count must be, count, 0",
      "async must be, async, later"
    })
    void what_is_wrong_is_422(String reason, String name, String value) {
      assertRefused(get(ann, "hub.mode", "replay", name, value), 422, reason);
    }
  }

  @Nested
  class Each_right {

    @ParameterizedTest
    @CsvSource({
      "POST, subscribe, SUBSCRIBE",
      "POST, unsubscribe, UNSUBSCRIBE",
      "GET, list, LIST",
      "GET, retrieve, RETRIEVE",
      "GET, replay, RETRIEVE",
    })
    void each_call_needs_its_right(String method, String mode, Right right) {
      String name = name();
      String topic = feed(ann, name);
      String[] call = {
        "hub.mode", mode, "hub.topic", topic, "hub.callback", world.subscriber().url(name)
      };
      List<Right> others = new ArrayList<>(List.of(Right.values()));
      others.remove(right);
      String login = "without" + right;
      String token = login + ":" + world.gateway().addToken(login, others.toArray(Right[]::new));

      assertRefused(
          method.equals("GET") ? get(token, call) : post(token, call),
          403,
          "no right to " + right.value());
      for (String wrong :
          List.of("ann:wrong", "nobody:" + ADMIN + "x", ":", "ann", "bob:" + token)) {
        HttpResponse<String> refused = method.equals("GET") ? get(wrong, call) : post(wrong, call);
        assertRefused(refused, 401, "show a login and its token");
        assertThat(refused.headers().firstValue("WWW-Authenticate").orElseThrow())
            .startsWith("Basic ");
      }
      assertThat(owned()).contains("ann|" + world.subscriber().url(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"list", "retrieve", "replay", "authenticate", "search"})
    void reading_calls_without_credentials_are_401_whatever_they_name(String mode) {
      String topic = feed(ann, "asked-by-strangers");
      for (String named : List.of(topic, "http://nobody.example/", "no topic")) {
        HttpResponse<String> answer =
            world.gateway().get("/hub?" + Http.encode("hub.mode", mode, "hub.topic", named));
        assertRefused(answer, 401, "show a login and its token");
      }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Basic", "Basic !!!", "Bearer nothing", "Digest x=y", "Basic YW5u"})
    void credentials_that_cannot_be_read_are_401(String header) {
      assertRefused(
          http.send("GET", hub("hub.mode", "list"), "Authorization", header), 401, "show a login");
    }

    @Test
    void authenticate_says_whether_they_are_known_and_have_rights() {
      String save = "saver:" + world.gateway().addToken("saver", Right.SAVE);

      assertThat(get(ann, "hub.mode", "authenticate").statusCode()).isEqualTo(200);
      assertThat(json(get(ann, "hub.mode", "authenticate", "rights", "true")).toString())
          .isEqualTo(
              "{\"login\":\"ann\",\"rights\":[\"subscribe\",\"unsubscribe\",\"list\",\"retrieve\"]}");
      assertThat(get(save, "hub.mode", "authenticate").statusCode()).isEqualTo(200);
      assertRefused(get(save, "hub.mode", "authenticate", "rights", "true"), 403, "no right");
      assertThat(get(ann, "hub.mode", "authenticate", "rights", "list,retrieve").statusCode())
          .isEqualTo(200);
      assertRefused(get(ann, "hub.mode", "authenticate", "rights", "list,save"), 403, "save");
      assertRefused(
          get(ann, "hub.mode", "authenticate", "rights", "all"), 422, "rights must be true");
      assertRefused(get("ann:x", "hub.mode", "authenticate"), 401, "show a login");
    }

    @Test
    void a_token_that_was_taken_back_is_unknown() {
      String token = "late:" + world.gateway().addToken("late", Right.LIST);
      assertThat(get(token, "hub.mode", "list").statusCode()).isEqualTo(200);
      String id = world.gateway().rows().query("SELECT id FROM token WHERE login = 'late'").get(0);

      assertThat(
              http.send(
                      "DELETE",
                      world.gateway().url("/api/v1/tokens/" + id),
                      "Authorization",
                      "Bearer " + ADMIN)
                  .statusCode())
          .isEqualTo(204);
      assertThat(get(token, "hub.mode", "list").statusCode()).isEqualTo(401);
    }

    @Test
    void a_search_needs_the_right_to_retrieve() {
      String lister = "lister:" + world.gateway().addToken("lister", Right.LIST);
      assertRefused(get(lister, "hub.mode", "search", "query", "x"), 403, "retrieve");
    }
  }

  @Nested
  class Search_finds_entries {

    @Test
    void of_every_feed_with_their_source_the_newest_first() {
      String word = "needle" + names.incrementAndGet();
      String topic = feed(ann, "searched" + word, "first " + word, "second " + word);

      World.until(
          () ->
              json(get(bob, "hub.mode", "search", "query", word, "format", "json"))
                      .get("items")
                      .size()
                  == 2);
      JsonNode found = json(get(bob, "hub.mode", "search", "query", word, "format", "json"));
      assertThat(found.get("items").findValuesAsText("title"))
          .containsSubsequence("Title of second " + word, "Title of first " + word);
      assertThat(found.get("items").get(0).get("source").get("status").get("feed").asText())
          .isEqualTo(topic);
      HttpResponse<String> page =
          get(bob, "hub.mode", "search", "query", word, "by_page", "1", "page", "2");
      assertThat(page.body()).contains("first " + word).doesNotContain("second " + word);
      assertThat(page.headers().firstValue("Feedbridge-More")).hasValue("false");
      HttpResponse<String> posted =
          http.send(
              "POST",
              hub("hub.mode", "search", "query", word, "format", "json"),
              "Authorization",
              basic(ann));
      assertThat(json(posted).get("items")).hasSize(2);
      HttpResponse<String> api =
          http.send(
              "GET",
              world.gateway().url("/api/v1/search?" + Http.encode("q", word, "by_page", "1")),
              "Authorization",
              "Bearer " + ADMIN);
      assertThat(json(api).get("items").get(0).get("title").asText())
          .isEqualTo("Title of second " + word);
      assertThat(json(api).get("items").get(0).get("feed").get("topic").asText()).isEqualTo(topic);
      assertThat(json(api).get("more").asBoolean()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "-x", "(", "a*", "\"a", "a |", "popularity:>1"})
    void and_refuses_a_text_that_is_no_query(String query) {
      assertRefused(get(ann, "hub.mode", "search", "query", query), 422, "query");
      String url = world.gateway().url("/api/v1/search?" + Http.encode("q", query));
      assertThat(http.send("GET", url, "Authorization", "Bearer " + ADMIN).statusCode())
          .isEqualTo(query.isEmpty() ? 400 : 422);
    }

    @Test
    void and_refuses_a_query_without_bounds() {
      for (String query : List.of("x".repeat(5_000), "a ".repeat(400), "(".repeat(50) + "a")) {
        assertRefused(get(ann, "hub.mode", "search", "query", query), 422, "query");
      }
      assertRefused(get(ann, "hub.mode", "search", "query", "x", "by_page", "101"), 422, "by_page");
      assertRefused(get(ann, "hub.mode", "search", "query", "x", "page", "501"), 422, "page");
    }
  }

  @Nested
  class From_a_page_anywhere {

    @Test
    void a_call_with_authorization_in_the_query_may_be_made_and_read() {
      String call = hub("hub.mode", "list", "authorization", base64(ann));
      HttpResponse<String> preflight =
          http.send(
              "OPTIONS",
              call,
              "Origin",
              "https://a.example",
              "Access-Control-Request-Method",
              "GET");
      HttpResponse<String> answer = http.send("GET", call, "Origin", "https://a.example");
      HttpResponse<String> refused =
          http.send(
              "GET", hub("hub.mode", "list", "authorization", "x"), "Origin", "https://a.example");

      assertThat(preflight.statusCode()).isEqualTo(204);
      assertThat(preflight.headers().firstValue("Access-Control-Allow-Methods").orElseThrow())
          .contains("GET", "POST");
      assertThat(preflight.headers().firstValue("Access-Control-Allow-Headers").orElseThrow())
          .contains("X-HTTP-Method-Override");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(refused.statusCode()).isEqualTo(401);
      for (HttpResponse<String> one : List.of(preflight, answer, refused)) {
        assertThat(one.headers().firstValue("Access-Control-Allow-Origin")).hasValue("*");
      }
    }

    @Test
    void no_other_call_may() {
      String call = hub("hub.mode", "list");
      for (String method : List.of("OPTIONS", "GET")) {
        HttpResponse<String> answer =
            http.send(method, call, "Origin", "https://a.example", "Authorization", basic(ann));
        assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
      }
    }
  }

  @Nested
  class Methods {

    @Test
    void what_changes_something_is_posted() {
      HttpResponse<String> answer =
          get(ann, "hub.mode", "subscribe", "hub.topic", "http://a.example/");
      assertRefused(answer, 405, "POST");
      assertThat(answer.headers().firstValue("Allow")).hasValue("POST");
      assertRefused(get(ann), 400, "hub.mode is missing");
      assertRefused(get(ann, "hub.mode", "fly"), 400, "not known");
    }
  }
}
