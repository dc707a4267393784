package io.feedbridge.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.Limits;
import io.feedbridge.gateway.guard.Rate;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.InetAddress;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A page of another site, in a browser beside a gateway that has no admin token. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OtherSiteTest {

  private static final String[] WINDOW = {
    "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"
  };

  private static final Rate TWO = Rate.parse("2/h").orElseThrow();

  @TempDir static Path data;
  private final Http http = new Http();
  private World world;

  @BeforeAll
  void start() {
    world =
        World.around(
            TestGateway.guarding(
                data,
                new Settings.Guarding(
                    UrlPatterns.ALL,
                    UrlPatterns.ALL,
                    new Limits(TWO, TWO, TWO, TWO, TWO, TWO, TWO, List.of()),
                    TrackerPolicy.OPEN),
                Duration.ZERO,
                (loop, transport) ->
                    host ->
                        CompletableFuture.completedFuture(
                            List.of(InetAddress.getLoopbackAddress()))));
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private HttpResponse<String> get(String path, String url, String... headers) {
    String full = world.gateway().url(path + "?" + Http.encode("url", url));
    return headers.length == 0 ? http.get(full) : http.send("GET", full, headers);
  }

  @Test
  void a_window_that_another_site_opens_makes_the_gateway_explain_nothing() {
    String feed = world.origin().rss("window.xml", "", "one");

    HttpResponse<String> answer = get("/api/v1/explain", feed, WINDOW);

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).contains("another site");
    assertThat(world.origin().requests("window.xml")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "Sec-Fetch-Site, same-site",
    "Sec-Fetch-Site, cross-site",
    "Origin, https://a.example",
    "Origin, null",
    "Referer, https://a.example/page?x=1",
    "Referer, https://a.example",
  })
  void each_sign_of_another_site_makes_the_gateway_explain_nothing(String name, String value) {
    String feed = world.origin().rss("signs.xml", "", "one");
    assertThat(get("/api/v1/explain", feed, name, value).statusCode()).isEqualTo(403);
    assertThat(world.origin().requests("signs.xml")).isEmpty();
  }

  @Test
  void a_client_that_is_no_browser_and_a_typed_address_are_explained_to() {
    String feed = world.origin().rss("own.xml", "", "one");
    String own = world.gateway().url("/log");
    assertThat(get("/api/v1/explain", feed).statusCode()).isEqualTo(200);
    assertThat(get("/api/v1/explain", feed, "Sec-Fetch-Site", "none").statusCode()).isEqualTo(200);
    assertThat(get("/api/v1/explain", feed, "Referer", own).statusCode()).isEqualTo(200);
  }

  @Test
  void bridged_feeds_that_another_site_opens_cost_the_budget_of_a_stranger() {
    for (int i = 0; i < 2; i++) {
      String feed = world.origin().rss("bridged%d.xml".formatted(i), "", "one");
      assertThat(get("/feed.atom", feed, WINDOW).statusCode()).isEqualTo(200);
    }
    String beyond = world.origin().rss("beyond.xml", "", "one");

    assertThat(get("/feed.atom", beyond, WINDOW).statusCode()).isEqualTo(429);
    assertThat(world.origin().requests("beyond.xml")).isEmpty();
    assertThat(get("/opml", world.origin().url("list.opml"), WINDOW).statusCode()).isEqualTo(429);
    assertThat(get("/feed.atom", beyond).statusCode()).as("the operator").isEqualTo(200);
  }

  @Test
  void a_window_that_another_site_opens_makes_superfeedrs_calls_as_a_stranger() {
    String call =
        world.gateway().url("/hub?" + Http.encode("hub.mode", "replay", "hub.topic", "x"));
    assertThat(http.send("GET", call, WINDOW).statusCode()).isEqualTo(401);
    assertThat(http.get(call).statusCode()).isNotEqualTo(401);
  }
}
