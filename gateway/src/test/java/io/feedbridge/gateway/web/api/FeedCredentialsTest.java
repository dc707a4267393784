package io.feedbridge.gateway.web.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.SetClock;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.gateway.web.api.fields.CredentialFields;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Feeds that their origins give to callers with credentials alone, over sockets. */
class FeedCredentialsTest {

  private static final String FEEDS = "/api/v1/feeds";
  private static final String PASSWORD = "xyzzy-password";
  private static final String TOKEN = "xyzzy-token";
  private static final String KEY = "xyzzy-key";
  private static final String AGENT = "xyzzy-agent/1";
  private static final String BASIC =
      "\"auth\":{\"type\":\"basic\",\"username\":\"ann\",\"password\":\"" + PASSWORD + "\"}";
  private static final String BEARER = "\"auth\":{\"type\":\"bearer\",\"token\":\"" + TOKEN + "\"}";
  private static final String BASIC_VALUE =
      "Basic " + Base64.getEncoder().encodeToString(("ann:" + PASSWORD).getBytes(UTF_8));

  @TempDir private Path data;
  private final SetClock clock = new SetClock();
  private World world;

  @BeforeEach
  void start() {
    world = World.around(TestGateway.timedBy(clock, data, Duration.ofHours(1)));
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private static JsonNode json(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    try {
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private HttpResponse<String> post(String url, String fields) {
    return world.gateway().json("POST", FEEDS, "{\"url\":\"%s\",%s}".formatted(url, fields));
  }

  private JsonNode follow(String url, String fields) {
    JsonNode feed = json(post(url, fields), 201);
    world.gateway().settle();
    return feed;
  }

  private JsonNode patch(JsonNode feed, String fields) {
    return json(
        world.gateway().json("PATCH", FEEDS + "/" + feed.get("id").asText(), "{" + fields + "}"),
        200);
  }

  private JsonNode shown(JsonNode feed) {
    return json(world.gateway().get(FEEDS + "/" + feed.get("id").asText()), 200);
  }

  private void refresh(JsonNode feed) {
    String id = feed.get("id").asText();
    int before = fetches(feed);
    json(world.gateway().send("POST", FEEDS + "/" + id + "/refresh"), 202);
    World.until(() -> fetches(feed) > before);
    world.gateway().settle();
  }

  private int fetches(JsonNode feed) {
    String url = feed.get("url").asText();
    return world.origin().requests(url.substring(world.origin().url("").length())).size();
  }

  private static List<String> sent(List<Request> requests, String header) {
    return requests.stream().flatMap(one -> one.headers().all(header).stream()).toList();
  }

  @Test
  void basic_credentials_are_sent_and_shown_without_the_password() {
    world.origin().demand("feed", "Authorization", BASIC_VALUE);
    JsonNode feed = follow(world.origin().rss("feed", "", "one"), BASIC);

    JsonNode shown = shown(feed);
    assertThat(shown.get("kind").asText()).isEqualTo("feed");
    assertThat(shown.get("visibility").asText()).isEqualTo("private");
    assertThat(shown.get("credentials").toString())
        .isEqualTo(
            "{\"auth\":{\"type\":\"basic\",\"username\":\"ann\"},\"headers\":[],"
                + "\"userAgent\":false,\"proxy\":false}");
  }

  @Test
  void token_header_and_user_agent_are_sent() {
    world.origin().demand("feed", "Authorization", "Bearer " + TOKEN);
    world.origin().demand("feed", "X-Key", KEY);
    world.origin().demand("feed", "User-Agent", AGENT);
    JsonNode feed =
        follow(
            world.origin().rss("feed", "", "one"),
            BEARER + ",\"headers\":{\"X-Key\":\"%s\"},\"userAgent\":\"%s\"".formatted(KEY, AGENT));

    JsonNode shown = shown(feed);
    assertThat(shown.get("kind").asText()).isEqualTo("feed");
    assertThat(shown.get("credentials").toString())
        .contains("\"type\":\"bearer\"", "[\"X-Key\"]", "\"userAgent\":true");
  }

  @Test
  void a_refusal_names_the_option() {
    String url = world.origin().rss("feed", "", "one");
    world.origin().demand("feed", "Authorization", BASIC_VALUE);
    JsonNode feed = json(world.gateway().json("POST", FEEDS, "{\"url\":\"" + url + "\"}"), 201);
    world.gateway().settle();

    assertThat(shown(feed).get("problem").asText()).contains("401", "auth of POST /feeds");

    patch(feed, BASIC);
    World.until(() -> shown(feed).get("kind").asText().equals("feed"));
    assertThat(shown(feed).get("problem").isNull()).isTrue();
  }

  @Test
  void what_is_null_is_taken_away_and_what_is_absent_stays() {
    JsonNode feed =
        follow(world.origin().rss("feed", "", "one"), BASIC + ",\"userAgent\":\"" + AGENT + "\"");

    assertThat(patch(feed, "\"auth\":null").get("credentials").toString())
        .contains("\"userAgent\":true")
        .doesNotContain("ann");
    refresh(feed);
    List<Request> requests = world.origin().requests("feed");
    Request last = requests.get(requests.size() - 1);
    assertThat(last.headers().all("Authorization")).isEmpty();
    assertThat(last.headers().all("User-Agent")).containsExactly(AGENT);
    JsonNode open = patch(feed, "\"userAgent\":null");

    assertThat(open.get("visibility").asText()).isEqualTo("public");
    assertThat(open.get("credentials").isNull()).isTrue();
  }

  @Test
  void of_two_changes_at_once_none_is_lost() {
    JsonNode feed = follow(world.origin().rss("feed", "", "one"), BASIC);
    for (int i = 0; i < 20; i++) {
      String agent = "\"userAgent\":" + (i % 2 == 0 ? "\"" + AGENT + "\"" : "null");
      String header = "\"headers\":{\"X-Key-%d\":\"%s\"}".formatted(i, KEY);
      CompletableFuture<JsonNode> one = CompletableFuture.supplyAsync(() -> patch(feed, agent));
      CompletableFuture<JsonNode> other = CompletableFuture.supplyAsync(() -> patch(feed, header));
      one.join();
      other.join();

      assertThat(shown(feed).get("credentials").toString())
          .contains("ann", "[\"X-Key-%d\"]".formatted(i), "\"userAgent\":" + (i % 2 == 0));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 307, 308})
  void another_origin_gets_nothing_by_a_redirect(int status) {
    try (FakeOrigin other = new FakeOrigin()) {
      String there = other.rss("feed", "", "one");
      String url = world.origin().redirect("feed", status, there);
      JsonNode feed =
          follow(
              url,
              BASIC + ",\"headers\":{\"X-Key\":\"%s\"},\"userAgent\":\"%s\"".formatted(KEY, AGENT));
      refresh(feed);

      assertThat(other.requests("feed")).isNotEmpty().allSatisfy(FeedCredentialsTest::hasNothing);
      assertThat(sent(world.origin().requests("feed"), "Authorization"))
          .isNotEmpty()
          .containsOnly(BASIC_VALUE);
    }
  }

  private static void hasNothing(Request request) {
    assertThat(request.headers().asMap().toString())
        .doesNotContainIgnoringCase("authorization")
        .doesNotContainIgnoringCase("x-key")
        .doesNotContain("xyzzy")
        .containsIgnoringCase("Feedbridge/");
  }

  @Test
  void another_origin_gets_nothing_by_a_document_that_redirects_or_a_page() {
    try (FakeOrigin other = new FakeOrigin()) {
      String there = other.rss("feed", "", "one");
      JsonNode moved =
          follow(
              world
                  .origin()
                  .serve(
                      "moved",
                      "application/xml",
                      "<redirect><newLocation>" + there + "</newLocation></redirect>"),
              BASIC);
      follow(
          world
              .origin()
              .serve(
                  "page",
                  "text/html",
                  "<html><head><link rel=alternate type='application/rss+xml' href='"
                      + there
                      + "'></head></html>"),
          BASIC);

      assertThat(other.requests("feed"))
          .hasSizeGreaterThan(1)
          .allSatisfy(FeedCredentialsTest::hasNothing);
      clock.set(Duration.ofHours(2));
      refresh(moved);

      assertThat(shown(moved).get("problem").asText()).contains("moved to another origin");
      assertThat(other.requests("feed")).allSatisfy(FeedCredentialsTest::hasNothing);
    }
  }

  @Test
  void the_problem_tells_that_another_origin_got_no_credentials() {
    try (FakeOrigin other = new FakeOrigin()) {
      JsonNode feed = follow(world.origin().redirect("feed", 302, other.fail("feed", 403)), BASIC);

      assertThat(shown(feed).get("problem").asText()).contains("403", "were not sent there");
    }
  }

  @Test
  void the_origin_gets_them_behind_a_redirect_of_its_own() {
    world.origin().demand("new", "Authorization", BASIC_VALUE);
    JsonNode feed =
        follow(world.origin().redirect("feed", 302, world.origin().rss("new", "", "one")), BASIC);

    assertThat(shown(feed).get("kind").asText()).isEqualTo("feed");
  }

  @Test
  void hubs_and_clouds_get_nothing_and_push_goes_on() {
    String hub = world.hub().url();
    JsonNode feed =
        follow(
            world.origin().rss("feed", "<atom:link rel=\"hub\" href=\"" + hub + "\"/>", "one"),
            BASIC);
    World.until(() -> !world.hub().requests().isEmpty());

    assertThat(world.hub().requests())
        .allSatisfy(
            request ->
                assertThat(request.toString())
                    .contains(feed.get("url").asText())
                    .doesNotContain("xyzzy"));
    assertThat(shown(feed).get("visibility").asText()).isEqualTo("private");
  }

  @Test
  void strangers_are_refused_as_if_there_were_no_credentials() {
    String url = world.origin().rss("feed", "", "one");
    follow(url, BASIC);
    String refusal = "status 401";

    HttpResponse<String> hub = world.gateway().subscribe(url, world.subscriber().url("hub"));
    assertThat(hub.statusCode()).isEqualTo(403);
    assertThat(hub.body()).contains(refusal);
    assertThat(world.gateway().pleaseNotify(world.subscriber(), "cloud", url).body())
        .contains("success=\"false\"", refusal);
    HttpResponse<String> bridged = world.gateway().get("/feed.atom?" + Http.encode("url", url));
    assertThat(bridged.statusCode()).isEqualTo(503);
    assertThat(bridged.body()).contains(refusal).doesNotContain("Title of");
    assertThat(world.subscriber().received("hub")).isEmpty();
  }

  @Test
  void subscriptions_end_when_the_feed_becomes_private() {
    String url = world.origin().rss("feed", "", "one");
    world.subscribe(url, "hub");
    world.register(url, "cloud");
    assertThat(world.gateway().get("/feed.atom?" + Http.encode("url", url)).statusCode())
        .isEqualTo(200);

    json(post(url, BASIC), 200);
    world.origin().rss("feed", "", "two", "one");
    world.publish(url);

    World.until(
        () ->
            world.subscriber().asked("hub").stream()
                .anyMatch(
                    one -> one.query().getOrDefault("hub.mode", List.of()).contains("denied")));
    assertThat(world.subscriber().received("hub")).isEmpty();
    assertThat(world.subscriber().received("cloud")).isEmpty();
    assertThat(world.gateway().rows().count("subscription")).isZero();
    assertThat(world.gateway().get("/feed.atom?" + Http.encode("url", url)).statusCode())
        .isEqualTo(503);
  }

  @Test
  void no_secret_is_in_file_answer_or_metric() throws IOException {
    String url = world.origin().rss("feed", "", "one");
    JsonNode feed =
        follow(
            url,
            BASIC + ",\"headers\":{\"X-Key\":\"%s\"},\"userAgent\":\"%s\"".formatted(KEY, AGENT));
    patch(feed, BEARER);
    world.origin().fail("feed", 401);
    refresh(feed);
    String id = feed.get("id").asText();

    for (String path :
        List.of(
            FEEDS,
            FEEDS + "/" + id,
            FEEDS + "/" + id + "/history",
            "/api/v1/events",
            "/api/v1/export",
            "/api/v1/explain?" + Http.encode("url", url),
            "/metrics",
            "/health",
            "/log?format=json",
            "/feeds/" + id,
            "/attention")) {
      assertThat(world.gateway().get(path).body()).as(path).doesNotContain("xyzzy", BASIC_VALUE);
    }
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(new String(Files.readAllBytes(file), ISO_8859_1))
            .as(file.toString())
            .doesNotContain("xyzzy", BASIC_VALUE.substring("Basic ".length()));
      }
    }
  }

  @Test
  void a_feed_that_is_followed_no_more_stays_private_until_its_credentials_are_taken_away() {
    String url = world.origin().rss("feed", "", "one");
    JsonNode feed = follow(url, BASIC);
    assertThat(world.gateway().send("DELETE", FEEDS + "/" + feed.get("id").asText()).statusCode())
        .isEqualTo(204);
    int before = fetches(feed);

    assertThat(world.gateway().subscribe(url, world.subscriber().url("hub")).statusCode())
        .isEqualTo(403);
    json(post(url, "\"auth\":null"), 201);
    world.gateway().settle();
    assertThat(
            sent(world.origin().requests("feed").subList(before, fetches(feed)), "Authorization"))
        .isEmpty();
    world.subscribe(url, "hub");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"auth\":{\"type\":\"digest\"}|auth.type",
        "\"auth\":{\"type\":\"basic\",\"username\":\"xyzzy:\",\"password\":\"p\"}|auth.username",
        "\"auth\":{\"type\":\"basic\",\"username\":\"ann\"}|auth.password",
        "\"auth\":{\"type\":\"bearer\",\"token\":\"xyzzy with space\"}|auth.token",
        "\"auth\":{\"type\":\"bearer\",\"token\":\"t\",\"password\":\"xyzzy\"}|auth",
        "\"auth\":\"xyzzy\"|auth",
        "\"headers\":{\"Host\":\"xyzzy\"}|headers",
        "\"headers\":{\"Connection\":\"xyzzy\"}|headers",
        "\"headers\":{\"If-None-Match\":\"xyzzy\"}|headers",
        "\"headers\":{\"Accept\":\"xyzzy\"}|headers",
        "\"headers\":{\"Authorization\":\"xyzzy\"}|headers",
        "\"headers\":{\"X Key\":\"xyzzy\"}|headers",
        "\"headers\":{\"X-Key\":\"xyzzy\\n\"}|headers.X-Key",
        "\"headers\":{\"X-Key\":1}|headers.X-Key",
        "\"headers\":{\"X-Key\":\"a\",\"x-key\":\"xyzzy\"}|headers",
        "\"headers\":[\"xyzzy\"]|headers",
        "\"userAgent\":\"\"|userAgent",
        "\"proxy\":\"http://xyzzy.example/\"|proxy"
      })
  void a_wrong_field_is_named_without_its_value(String fields, String field) {
    HttpResponse<String> answer = post(world.origin().url("feed"), fields);

    assertThat(json(answer, 400).toString()).contains("\"" + field + "\"").doesNotContain("xyzzy");
    assertThat(world.gateway().rows().count("feed")).isZero();
  }

  @Test
  void headers_are_bounded_in_number_and_length() {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i <= CredentialFields.MAX_HEADERS; i++) {
      many.append(i == 0 ? "" : ",").append("\"X-").append(i).append("\":\"v\"");
    }
    String longValue = "v".repeat(CredentialFields.MAX_BYTES);

    json(post(world.origin().url("feed"), "\"headers\":{" + many + "}"), 400);
    json(post(world.origin().url("feed"), "\"headers\":{\"X\":\"" + longValue + "\"}"), 400);
  }
}
