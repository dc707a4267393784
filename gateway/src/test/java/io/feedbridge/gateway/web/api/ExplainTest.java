package io.feedbridge.gateway.web.api;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.gateway.work.Position;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a feed would be followed, over the API. */
class ExplainTest {

  @TempDir Path data;
  private World world;

  @BeforeEach
  void start() {
    world = World.on(data);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private HttpResponse<String> explain(String url) {
    return world.gateway().get("/api/v1/explain?" + Http.encode("url", url));
  }

  @Test
  void every_redirect_hub_cloud_hint_and_validator_is_told_with_the_choice() {
    String hub = "<atom:link rel=\"hub\" href=\"http://hub.example/\"/>";
    String secure = "<atom:link rel=\"hub\" href=\"https://hub.example/\"/>";
    String feed =
        world
            .origin()
            .rss(
                "feed.xml", "<ttl>60</ttl>" + world.cloud().element() + hub + secure, "one", "two");
    String old = world.origin().redirect("old.xml", 301, feed);

    HttpResponse<String> answer = explain(old);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains(
            "\"redirects\":[{\"status\":301,\"from\":\"" + old + "\",\"to\":\"" + feed + "\"",
            "\"kind\":\"feed\"",
            "\"title\":\"News\"",
            "\"entries\":2",
            "\"etag\":\"",
            "\"ttlSeconds\":3600",
            "\"choice\":{\"kind\":\"websub\",\"endpoint\":\"https://hub.example/\"");
    assertThat(answer.body())
        .containsSubsequence(
            "\"ways\":", "https://hub.example/", "http://hub.example/", "rsscloud", "poll");
    assertThat(world.gateway().rows().count("feed")).as("it is not followed").isZero();
  }

  @Test
  void what_cannot_be_followed_says_why() {
    assertThat(explain(world.origin().url("none.xml")).body())
        .contains("\"code\":404", "status 404", "\"choice\":null");
    assertThat(explain("ftp://files.example/").statusCode()).isEqualTo(400);
    assertThat(world.gateway().get("/api/v1/explain").statusCode()).isEqualTo(400);
  }

  @Test
  void the_redirects_on_the_way_to_what_cannot_be_followed_are_told_too() {
    FakeOrigin origin = world.origin();
    String gone = origin.fail("gone.xml", 410);
    String second = origin.redirect("second.xml", 302, gone);
    String first = origin.redirect("first.xml", 301, second);
    assertThat(explain(first).body())
        .contains("\"code\":410", "it is gone")
        .containsSubsequence(
            "{\"status\":301,\"from\":\"" + first + "\",\"to\":\"" + second + "\"",
            "{\"status\":302,\"from\":\"" + second + "\",\"to\":\"" + gone + "\"");

    String loop = origin.redirect("loop.xml", 302, origin.url("loop.xml"));
    assertThat(explain(loop).body().split("\"status\":302", -1)).hasSize(1 + Call.MAX_REDIRECTS);

    String inside = origin.redirect("inside.xml", 302, "http://10.0.0.1/feed.xml");
    assertThat(explain(inside).body())
        .contains("\"to\":\"http://10.0.0.1/feed.xml\"", "\"code\":null", "\"choice\":null");

    String moved = origin.serve("moved.xml", "text/xml", xmlRedirect(""));
    String again = origin.serve("again.xml", "text/xml", xmlRedirect(moved));
    assertThat(explain(again).body())
        .contains("\"to\":\"" + moved + "\"", "its document says that it is gone");
  }

  private static String xmlRedirect(String to) {
    return "<redirect><newLocation>" + to + "</newLocation></redirect>";
  }

  @Test
  void the_redirects_to_a_page_that_leads_to_the_feed_are_told_too() {
    String feed = world.origin().rss("feed.xml", "", "one");
    String link = "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"" + feed + "\">";
    String page = world.origin().serve("page", "text/html", "<html><head>" + link);
    String old = world.origin().redirect("old", 301, page);

    assertThat(explain(old).body())
        .contains("\"from\":\"" + old + "\"", "\"followedAt\":\"" + feed + "\"");
  }

  @Test
  void topics_of_the_gateways_own_are_read_in_the_process() {
    try (TestGateway strict =
        TestGateway.with(
            data.resolve("strict"), List.of(), TestGateway.LOOPBACK, Duration.ofMinutes(1))) {
      String answer =
          strict.get("/api/v1/explain?" + Http.encode("url", strict.url("/test/feed.xml"))).body();

      assertThat(answer).contains("\"code\":200", "\"kind\":\"feed\"", "\"problem\":null");
    }
  }

  @Test
  void a_feed_that_is_held_back_says_why_here_and_among_the_feeds() {
    String topic = world.origin().rss("feed.xml", "", "one");
    world.subscribe(topic, "one");
    FollowedFeed feed = world.gateway().store().feeds().byTopic(topic).orElseThrow();
    assertThat(explain(topic).body()).contains("\"heldBack\":null");

    Instant until = Instant.parse("2999-01-01T00:00:00Z");
    HeldBack held = new HeldBack("a budget is spent", until);
    world.gateway().store().feeds().holdBack(new Position(feed.id(), 0), held, null).join();

    String expected = "\"heldBack\":{\"reason\":\"a budget is spent\",\"until\":\"" + until;
    assertThat(explain(topic).body()).contains(expected);
    assertThat(world.gateway().get("/api/v1/feeds/" + feed.id()).body()).contains(expected);
  }

  @Test
  void a_feed_that_fails_says_why_it_is_not_fetched_before_some_time() {
    String topic = world.origin().rss("feed.xml", "", "one");
    world.subscribe(topic, "one");
    world.origin().fail("feed.xml", 500);
    world.gateway().form("/hub", "hub.mode", "publish", "hub.url", topic);
    World.until(
        () ->
            world.gateway().store().feeds().byTopic(topic).orElseThrow().fetched().failures() > 0);

    assertThat(explain(topic).body())
        .contains("\"heldBack\":{\"reason\":\"its last fetch failed: ");
  }

  @Test
  void a_look_fetches_nothing_from_a_host_that_told_the_gateway_to_wait() {
    String topic = world.origin().rss("feed.xml", "", "one");
    String other = world.origin().rss("other.xml", "", "one");
    world.subscribe(topic, "one");
    world.origin().answer("feed.xml", aResponse().withStatus(503).withHeader("Retry-After", "900"));
    world.gateway().form("/hub", "hub.mode", "publish", "hub.url", topic);
    World.until(
        () ->
            world.gateway().store().feeds().byTopic(topic).orElseThrow().fetched().failures() > 0);

    String answer = explain(other).body();

    assertThat(answer)
        .contains("\"problem\":\"its host requested a pause (Retry-After) until ")
        .containsPattern("\"retryAfterSeconds\":[1-9]");
    assertThat(world.origin().requests("other.xml")).isEmpty();
  }

  @Test
  void a_look_that_is_told_to_wait_makes_the_next_look_wait() {
    String busy =
        world
            .origin()
            .answer("busy.xml", aResponse().withStatus(429).withHeader("Retry-After", "900"));

    assertThat(explain(busy).body()).contains("\"code\":429", "\"retryAfterSeconds\":900");
    assertThat(explain(busy).body()).contains("\"code\":null", "its site requested a pause");
    assertThat(world.origin().requests("busy.xml")).hasSize(1);
  }

  @Test
  void a_feed_that_offers_nothing_is_polled() {
    assertThat(explain(world.origin().rss("feed.xml", "", "one")).body())
        .contains("\"choice\":{\"kind\":\"poll\"", "names no hub and no cloud");
  }
}
