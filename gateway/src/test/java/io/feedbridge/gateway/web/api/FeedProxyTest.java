package io.feedbridge.gateway.web.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeProxy;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.NamedHosts;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Feeds that are fetched by a proxy, over sockets. */
class FeedProxyTest {

  private static final String FEEDS = "/api/v1/feeds";
  private static final String HOST = "feeds.example";
  private static final String PASSWORD = "xyzzy-password";
  private static final String BASIC =
      "Basic " + Base64.getEncoder().encodeToString(("ann:" + PASSWORD).getBytes(UTF_8));

  @TempDir private static Path folder;
  private static NamedHosts hosts;

  @TempDir private Path data;
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeProxy proxy = new FakeProxy();
  private RawHost secure;
  private World world;

  @BeforeAll
  static void makeCertificate() {
    hosts = new NamedHosts(folder, "gateway.example", HOST);
  }

  @AfterAll
  static void closeHosts() {
    hosts.close();
  }

  @BeforeEach
  void start() {
    secure = hosts.before(origin);
    for (String scheme : List.of("http", "https")) {
      URI url = URI.create(url(scheme));
      proxy.open(url.getAuthority(), url.getPort());
    }
    proxy.demand(BASIC);
    origin.rss("feed", "", "one");
    world = World.around(TestGateway.named(data, URI.create("https://gateway.example/"), hosts));
  }

  @AfterEach
  void stop() {
    world.close();
    secure.close();
    origin.close();
    proxy.close();
  }

  private String url(String scheme) {
    return scheme.equals("https")
        ? secure.at(HOST, "/feed")
        : origin.url("feed").replace("127.0.0.1", HOST);
  }

  private String byProxy(String password) {
    return "\"proxy\":\"http://ann:%s@127.0.0.1:%d\"".formatted(password, proxy.port());
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
    World.until(() -> !shown(feed).get("status").path("lastFetch").isNull());
    world.gateway().settle();
    return shown(feed);
  }

  private JsonNode shown(JsonNode feed) {
    return json(world.gateway().get(FEEDS + "/" + feed.get("id").asText()), 200);
  }

  private JsonNode patch(JsonNode feed, String fields) {
    return json(
        world.gateway().json("PATCH", FEEDS + "/" + feed.get("id").asText(), "{" + fields + "}"),
        200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "https"})
  void the_feed_is_fetched_by_its_proxy_and_private(String scheme) {
    String url = url(scheme);
    JsonNode feed = follow(url, byProxy(PASSWORD));

    assertThat(feed.get("kind").asText()).as(feed.toString()).isEqualTo("feed");
    assertThat(feed.get("visibility").asText()).isEqualTo("private");
    assertThat(feed.get("credentials").toString())
        .isEqualTo("{\"auth\":null,\"headers\":[],\"userAgent\":false,\"proxy\":true}");
    assertThat(proxy.heads()).isNotEmpty();
    int secured = secure.accepted();
    assertThat(scheme.equals("https") ? secured : secured + origin.requests())
        .as("nothing passes by the proxy")
        .isEqualTo(proxy.heads().size());
    assertThat(origin.requests("feed"))
        .isNotEmpty()
        .allSatisfy(
            request ->
                assertThat(request.headers().asMap().toString())
                    .doesNotContainIgnoringCase("proxy"));
    assertThat(world.gateway().subscribe(url, world.subscriber().url("hub")).statusCode())
        .isEqualTo(403);
  }

  @Test
  void a_wrong_password_is_the_problem_of_the_feed_until_it_is_mended() {
    JsonNode feed = follow(url("https"), byProxy("xyzzy-wrong"));

    assertThat(feed.get("problem").asText())
        .isEqualTo(
            "the proxy of feeds.example answered with status 407: it does not accept the user and"
                + " password");
    assertThat(origin.requests("feed")).isEmpty();

    patch(feed, byProxy(PASSWORD));
    World.until(() -> shown(feed).get("kind").asText().equals("feed"));
    assertThat(shown(feed).get("problem").isNull()).isTrue();
  }

  @Test
  void null_takes_the_proxy_away() {
    JsonNode feed = follow(url("https"), byProxy(PASSWORD));
    int before = proxy.heads().size();
    int fetches = origin.requests("feed").size();

    JsonNode open = patch(feed, "\"proxy\":null");

    assertThat(open.get("visibility").asText()).isEqualTo("public");
    assertThat(open.get("credentials").isNull()).isTrue();
    world.gateway().send("POST", FEEDS + "/" + feed.get("id").asText() + "/refresh");
    World.until(() -> origin.requests("feed").size() > fetches);
    assertThat(proxy.heads()).hasSize(before);
  }

  @Test
  void an_answer_by_http_may_be_the_proxys() {
    origin.fail("feed", 502);

    assertThat(follow(url("http"), byProxy(PASSWORD)).get("problem").asText())
        .isEqualTo("the origin answered with status 502, or the proxy did in its place");
  }

  @Test
  void a_login_may_not_set_a_proxy() {
    String token = world.gateway().addToken("bob", Right.SUBSCRIBE, Right.RETRIEVE);
    String basic = Base64.getEncoder().encodeToString(("bob:" + token).getBytes(UTF_8));
    HttpResponse<String> answer =
        world
            .gateway()
            .post(
                FEEDS,
                "application/json",
                "{\"url\":\"https://%s/feed\",%s}"
                    .formatted(HOST, byProxy(PASSWORD))
                    .getBytes(UTF_8),
                "Authorization",
                "Basic " + basic);

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("show the admin token");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"https://xyzzy.example:3128\"",
        "\"http://xyzzy.example\"",
        "\"http://10.99.99.99:3128\"",
        "\"http://xyzzy.example:25\"",
        "\"xyzzy\"",
        "7",
        "{\"host\":\"xyzzy\"}"
      })
  void a_wrong_or_refused_proxy_is_named_without_its_value(String value) {
    HttpResponse<String> answer = post(url("https"), "\"proxy\":" + value);

    assertThat(json(answer, 400).toString())
        .contains("\"proxy\"")
        .doesNotContain("xyzzy")
        .doesNotContain("10.99");
  }

  @Test
  void the_proxy_is_in_no_file_answer_or_metric() throws IOException {
    String url = url("https");
    JsonNode feed = follow(url, byProxy("xyzzy-wrong"));
    patch(feed, byProxy(PASSWORD));
    World.until(() -> shown(feed).get("kind").asText().equals("feed"));
    String id = feed.get("id").asText();
    String port = ":" + proxy.port();

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
      assertThat(world.gateway().getAsOperator(path).body())
          .as(path)
          .doesNotContain("xyzzy", BASIC.substring("Basic ".length()), port);
    }
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(new String(Files.readAllBytes(file), ISO_8859_1))
            .as(file.toString())
            .doesNotContain("xyzzy", BASIC.substring("Basic ".length()), "127.0.0.1" + port);
      }
    }
  }
}
