package io.feedbridge.gateway.check;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.rsscloud.CloudProtocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** "Is my feed connected?", through the paths that publishers use. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckTest {

  private World world;
  private final Http http = new Http();

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(answer.body(), e);
    }
  }

  private JsonNode begin(String url) {
    HttpResponse<String> answer = world.gateway().form("/check", "url", url);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    return json(answer);
  }

  private JsonNode look(JsonNode check) {
    return json(world.gateway().get("/check/" + check.path("id").asText()));
  }

  private JsonNode await(JsonNode check, String state) {
    World.until(() -> List.of(state, "done").contains(look(check).path("state").asText()));
    JsonNode found = look(check);
    assertThat(found.path("state").asText()).as(found.toString()).isEqualTo(state);
    return found;
  }

  private static List<String> results(JsonNode check) {
    return check.path("findings").findValuesAsText("result");
  }

  private static String link(String rel, String url) {
    return "<atom:link rel=\"%s\" href=\"%s\"/>".formatted(rel, url);
  }

  @Test
  void a_program_that_is_recognised_is_named_with_its_ways() {
    String feed =
        world
            .origin()
            .rss("wp.xml", "<generator>https://wordpress.org/?v=6.4.2</generator>", "one");

    assertThat(await(begin(feed), "done").toString())
        .contains("The feed is written by WordPress.", "by https at port 443 alone");
  }

  @Test
  void a_feed_whose_hub_verifies_takes_pings_and_delivers_is_connected() {
    String feed =
        world
            .origin()
            .rss(
                "good.xml",
                link("hub", world.hub().url()) + link("self", world.origin().url("good.xml")),
                "one");
    JsonNode check = await(begin(feed), "listening");
    assertThat(world.hub().requests())
        .filteredOn(form -> form.getOrDefault("hub.mode", List.of()).contains("publish"))
        .extracting(form -> form.get("hub.url"))
        .contains(List.of(feed));

    assertThat(world.hub().deliver(feed, "application/rss+xml", "<rss/>").statusCode())
        .isEqualTo(204);

    JsonNode done = await(check, "done");
    assertThat(done.path("verdict").asText()).isEqualTo("connected");
    assertThat(results(done)).containsOnly("ok");
    assertThat(done.toString())
        .contains("The feed can be read: 1 entry", "A delivery arrived", world.hub().url());
    assertThat(done.path("page").asText())
        .isEqualTo(world.gateway().url("/check/" + done.path("id").asText()));
    World.until(
        () ->
            world.hub().requests().stream()
                .anyMatch(form -> "unsubscribe".equals(Http.first(form, "hub.mode"))));
    assertThat(world.gateway().rows().count("feed WHERE topic LIKE '%good.xml'"))
        .as("a check follows nothing")
        .isZero();
  }

  @Test
  void a_feed_that_names_neither_hub_nor_cloud_is_told_what_to_put_in() {
    JsonNode done = await(begin(world.origin().rss("bare.xml", "", "one")), "done");
    assertThat(done.path("verdict").asText()).isEqualTo("unconnected");
    assertThat(done.path("summary").asText()).contains("not connected");
    assertThat(done.path("findings").findValuesAsText("advice").toString())
        .contains("<atom:link rel=\"hub\" href=\"" + world.gateway().url("/hub"), "xmlns:atom");
  }

  @Test
  void the_advice_is_in_the_format_of_the_feed() {
    String hub = world.gateway().url("/hub");
    String atom =
        world
            .origin()
            .serve(
                "bare.atom",
                "application/atom+xml",
                "<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title></feed>");
    String json =
        world
            .origin()
            .serve(
                "bare.json",
                "application/feed+json",
                "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"t\",\"items\":[]}");

    assertThat(await(begin(atom), "done").path("findings").findValuesAsText("advice").toString())
        .contains("<link rel=\"hub\" href=\"" + hub + "\"/> into feed");
    assertThat(await(begin(json), "done").path("findings").findValuesAsText("advice").toString())
        .contains("\"hubs\": [{\"type\": \"WebSub\", \"url\": \"" + hub + "\"}]");
  }

  @Test
  void a_check_at_a_host_that_asked_for_a_pause_tells_of_the_pause_and_fetches_nothing() {
    try (FakeOrigin busy = new FakeOrigin()) {
      String paused =
          busy.answer("busy.xml", aResponse().withStatus(503).withHeader("Retry-After", "900"));
      String other = busy.rss("other.xml", "", "one");

      assertThat(await(begin(paused), "done").toString())
          .contains("status 503", "Check again after the pause");
      assertThat(await(begin(other), "done").toString())
          .contains("its host requested a pause", "Check again after the pause");
      assertThat(busy.requests("other.xml")).isEmpty();
    }
  }

  @Test
  void a_document_that_cannot_be_read_or_is_no_feed_says_so() {
    JsonNode gone = await(begin(world.origin().fail("gone.xml", 404)), "done");
    assertThat(gone.toString()).contains("cannot be read", "404");
    JsonNode page = await(begin(world.origin().serve("page", "text/html", "<p>Hello")), "done");
    assertThat(page.toString()).contains("no feed");
    assertThat(world.gateway().form("/check", "url", "ftp://a.example/").statusCode())
        .isEqualTo(400);
  }

  @Test
  void a_cloud_that_refuses_the_feed_is_a_problem_with_its_reason() {
    String feed =
        world.origin().rss("cloud.xml", world.cloud().element(CloudProtocol.XML_RPC), "one");
    world.cloud().refuse("we do not know this feed");
    JsonNode done = await(begin(feed), "done");
    assertThat(done.path("verdict").asText()).isEqualTo("unconnected");
    assertThat(done.toString()).contains("refuses a subscription", "we do not know this feed");
  }

  @Test
  void a_gateways_own_hub_is_pinged_and_says_whether_the_feed_has_a_subscriber() {
    String hub = world.gateway().url("/hub");
    String feed = world.origin().rss("own.xml", link("hub", hub), "one");
    JsonNode done = await(begin(feed), "done");
    assertThat(done.path("verdict").asText()).isEqualTo("connected");
    assertThat(done.toString())
        .contains("The ping arrived", "has no subscriber here yet", "does not name its own");

    String followed = world.origin().rss("followed.xml", link("hub", hub), "one");
    world.subscribe(followed, "one");
    world.gateway().settle();
    world.origin().rss("followed.xml", link("hub", hub), "one", "two");
    assertThat(await(begin(followed), "done").toString()).contains("fetches the feed for its");
    assertThat(new String(world.delivery("one").body(), StandardCharsets.UTF_8)).contains("two");
  }

  @Test
  void the_test_feed_is_connected_without_a_note() {
    JsonNode done = await(begin(world.gateway().url("/test/feed.xml")), "done");
    assertThat(done.path("verdict").asText()).isEqualTo("connected");
    assertThat(results(done)).as(done.toString()).containsOnly("ok");
  }

  @Test
  void a_check_within_a_minute_is_the_same_and_is_found_by_the_feed() {
    String feed = world.origin().rss("again.xml", "", "one");
    JsonNode first = begin(feed);
    assertThat(begin(feed).path("id")).isEqualTo(first.path("id"));
    assertThat(json(world.gateway().get("/check?" + Http.encode("url", feed))).path("id"))
        .isEqualTo(first.path("id"));
    assertThat(world.gateway().get("/check?url=http://other.example/").statusCode()).isEqualTo(404);
    assertThat(world.gateway().get("/check/unknown").statusCode()).isEqualTo(404);
  }

  @Test
  void a_browser_sees_pages_that_run_nothing_and_escape_what_strangers_wrote() {
    HttpResponse<String> form = http.get(world.gateway().url("/publish"), "Accept", "text/html");
    assertThat(form.statusCode()).isEqualTo(200);
    assertThat(form.body()).contains("/hub", "&lt;cloud domain=", "name=\"url\"");
    assertThat(form.headers().firstValue("Content-Security-Policy").orElse(""))
        .startsWith("default-src 'self'");

    world.cloud().refuse("<script>alert(1)</script>");
    String feed =
        world.origin().rss("mean.xml", world.cloud().element(CloudProtocol.XML_RPC), "one");
    JsonNode check = await(begin(feed), "done");
    HttpResponse<String> page =
        http.get(world.gateway().url("/check/" + check.path("id").asText()), "Accept", "text/html");
    assertThat(page.body()).contains("&lt;script&gt;").doesNotContain("<script>alert");

    HttpResponse<String> wrong =
        world
            .gateway()
            .post(
                "/check",
                "application/x-www-form-urlencoded",
                "url=nonsense".getBytes(StandardCharsets.UTF_8),
                "Accept",
                "text/html");
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.body()).contains("role=\"alert\"", "value=\"nonsense\"");
  }

  @Test
  void one_caller_has_four_checks_under_way_at_most() {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    List<JsonNode> begun = new ArrayList<>();
    for (int i = 0; i < Checks.MAX_OF_ONE; i++) {
      String path = "slow-" + i + ".xml";
      String feed = world.origin().rss(path, "", "one");
      world.origin().holdBack(path, gate);
      begun.add(begin(feed));
    }
    HttpResponse<String> more =
        world.gateway().form("/check", "url", world.origin().rss("more.xml", "", "one"));
    assertThat(more.statusCode()).isEqualTo(503);
    assertThat(more.headers().firstValue("Retry-After")).isPresent();

    gate.complete(null);
    begun.forEach(check -> await(check, "done"));
  }

  @Test
  void a_form_of_another_site_begins_no_check() {
    HttpResponse<String> answer =
        world
            .gateway()
            .post(
                "/check",
                "application/x-www-form-urlencoded",
                "url=http://a.example/".getBytes(StandardCharsets.UTF_8),
                "Origin",
                "https://elsewhere.example");
    assertThat(answer.statusCode()).isEqualTo(403);
  }

  @Test
  void private_addresses_are_checked_for_nobody(@TempDir Path other) {
    try (TestGateway strict = TestGateway.with(other, List.of(), List.of(), Duration.ofHours(1))) {
      JsonNode check = json(strict.form("/check", "url", world.origin().url("good.xml")));
      World.until(
          () ->
              json(strict.get("/check/" + check.path("id").asText()))
                  .path("state")
                  .asText()
                  .equals("done"));
      assertThat(json(strict.get("/check/" + check.path("id").asText())).toString())
          .contains("cannot be read");
    }
  }
}
