package io.feedbridge.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StreamClient;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.normalizer.Hints;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Collectors;
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

/** Bridged feeds, as readers see them that know nothing of Feedbridge. */
class BridgedFeedHandlerTest {

  private static Feed parsed(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    try {
      return new FeedParser()
          .parse(
              answer.body().getBytes(StandardCharsets.UTF_8),
              answer.headers().firstValue("Content-Type").orElseThrow(),
              answer.uri());
    } catch (FeedParseException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private static HttpResponse<String> get(String url, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient()
        .sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
        .join();
  }

  private static String query(String feed) {
    return "?" + Http.encode("url", feed);
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class One_gateway {
    private World world;

    @BeforeAll
    void start(@TempDir Path data) {
      world = World.around(TestGateway.bridging(data, BridgePolicy.OPEN));
    }

    @AfterAll
    void stop() {
      world.close();
    }

    private String bridged(String path, String feed) {
      return world.gateway().url(path + query(feed));
    }

    private HttpResponse<String> inBrowser(String url) {
      return get(url, "Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
    }

    @Test
    void a_browser_gets_a_page_that_leads_to_the_feed_and_runs_nothing_of_it() {
      String feed = world.origin().rss("mean.xml", "", "<script>alert(1)</script>");
      String url = bridged("/feed.atom", feed);

      HttpResponse<String> page = inBrowser(url);

      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
      assertThat(page.headers().allValues("Vary")).contains("Accept");
      assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
          .startsWith("default-src 'self'");
      assertThat(page.body())
          .contains("Title of", url.replace("&", "&amp;"))
          .doesNotContain("<script>alert");
      assertThat(parsed(get(url)).entries()).hasSize(1);
      assertThat(parsed(get(url, "Accept", "text/html, application/rss+xml")).entries())
          .as("a reader that takes feeds gets the feed")
          .hasSize(1);
    }

    @Test
    void an_entry_whose_id_moved_with_its_site_stands_once() {
      String item =
          "<item><guid>%s://n.example/1</guid><title>A</title>"
              + "<pubDate>Tue, 03 Jun 2003 09:39:21 GMT</pubDate></item>";
      String before = "<rss version='2.0'><channel><title>N</title>" + item + "</channel></rss>";
      String feed =
          world.origin().serve("moves.xml", "application/rss+xml", before.formatted("http"));
      assertThat(parsed(get(bridged("/feed.rss", feed))).entries()).hasSize(1);

      world.origin().serve("moves.xml", "application/rss+xml", before.formatted("https"));
      world.publish(feed);

      assertThat(parsed(get(bridged("/feed.atom", feed))).entries())
          .extracting(io.feedbridge.normalizer.Entry::id)
          .containsExactly("https://n.example/1");
    }

    @Test
    void a_person_is_told_that_a_feed_is_gone() {
      String feed = world.origin().fail("gone.xml", 410);
      HttpResponse<String> page = inBrowser(bridged("/feed.rss", feed));
      assertThat(page.statusCode()).isEqualTo(get(bridged("/feed.rss", feed)).statusCode());
      assertThat(page.statusCode()).isGreaterThanOrEqualTo(400);
      assertThat(page.body()).contains("No feed here", "role=\"alert\"", "gone");
    }

    @Test
    void a_reader_of_clouds_follows_by_a_bridged_RSS_feed_what_offers_only_a_hub() {
      String hub = "<atom:link rel=\"hub\" href=\"" + world.hub().url() + "\"/>";
      String feed = world.origin().rss("hub-only.xml", hub, "one");
      String url = bridged("/feed.rss", feed);

      Hints.Cloud cloud = parsed(get(url)).hints().clouds().get(0);
      String answer =
          new Http()
              .form(
                  "http://%s:%d%s".formatted(cloud.domain(), cloud.port(), cloud.path()),
                  "notifyProcedure",
                  cloud.registerProcedure(),
                  "port",
                  Integer.toString(world.subscriber().port()),
                  "path",
                  "/reader-of-clouds",
                  "domain",
                  "127.0.0.1",
                  "protocol",
                  cloud.protocol(),
                  "url1",
                  url)
              .body();
      assertThat(answer).contains("success=\"true\"");
      World.until(() -> world.hub().subscribers(feed) == 1);
      world.hub().deliver(feed, "application/rss+xml", FakeOrigin.rssOf(hub, "two", "one"));

      World.until(() -> !world.subscriber().received("reader-of-clouds").isEmpty());
      assertThat(world.subscriber().bodies("reader-of-clouds"))
          .containsExactly(Http.encode("url", url));
      World.until(() -> parsed(get(url)).entries().get(0).id().equals("two"));
    }

    @Test
    void a_reader_of_hubs_follows_by_a_bridged_Atom_feed_what_offers_only_a_cloud() {
      String feed = world.origin().rss("cloud-only.xml", world.cloud().element(), "one");
      HttpResponse<String> found = get(bridged("/feed.atom", feed));

      List<String> links = found.headers().allValues("Link");
      assertThat(links).hasSize(2);
      Hints hints = parsed(found).hints();
      String hub = hints.hubs().get(0);
      String self = String.valueOf(hints.self());
      assertThat(links)
          .containsExactly(
              "<%s>; rel=\"hub\"".formatted(hub), "<%s>; rel=\"self\"".formatted(self));
      int status =
          new Http()
              .form(
                  hub,
                  "hub.mode",
                  "subscribe",
                  "hub.topic",
                  self,
                  "hub.callback",
                  world.subscriber().url("reader-of-hubs"))
              .statusCode();
      assertThat(status).isEqualTo(202);
      world.awaitSubscription("reader-of-hubs");
      World.until(() -> world.cloud().registered(feed) == 1);
      world.origin().rss("cloud-only.xml", world.cloud().element(), "two", "one");
      assertThat(world.cloud().notify(feed).statusCode()).isEqualTo(200);

      Request delivery = world.delivery("reader-of-hubs");
      assertThat(delivery.header("Link").orElseThrow()).contains("<" + self + ">; rel=\"self\"");
      assertThat(new String(delivery.body(), StandardCharsets.UTF_8)).contains("Title of two");
      Request asked = world.subscriber().asked("reader-of-hubs").get(0);
      assertThat(asked.query().get("hub.topic")).containsExactly(self);
    }

    @ParameterizedTest
    @CsvSource({
      "/feed.atom, application/atom+xml; charset=utf-8",
      "/feed.rss, application/rss+xml; charset=utf-8",
      "/feed.json, application/feed+json; charset=utf-8"
    })
    void each_format_has_the_feeds_own_fields_and_the_gateways_offer(String path, String type) {
      String feed = world.origin().rss("formats.xml", "", "b", "a");
      String url = bridged(path, feed);

      HttpResponse<String> answer = get(url);

      assertThat(answer.headers().firstValue("Content-Type")).contains(type);
      Feed bridged = parsed(answer);
      assertThat(bridged.title()).isEqualTo("News");
      assertThat(bridged.entries())
          .extracting(entry -> String.valueOf(entry.title()))
          .containsExactly("Title of b", "Title of a");
      assertThat(bridged.hints().hubs()).contains(world.gateway().url("/hub"));
      if (!path.equals("/feed.json")) {
        assertThat(bridged.hints().self()).isEqualTo(url);
        assertThat(bridged.hints().sourceCloud()).isEqualTo(world.gateway().url("/pleaseNotify"));
      }
    }

    @ParameterizedTest
    @CsvSource({
      "/feed.atom, '', application/atom+xml",
      "/feed.rss, '', application/rss+xml",
      "/feed.json, '', application/feed+json",
      "/feed.rss, json, application/json"
    })
    void what_is_pushed_is_of_the_type_of_the_bridged_feed(
        String path, String format, String type) {
      String name = "pushed-" + path.substring(1) + format;
      String feed = world.origin().rss(name, "", "one");
      world.subscribe(bridged(path, feed), name, "format", format);
      world.origin().rss(name, "", "two", "one");
      world.publish(feed);

      Request delivery = world.delivery(name);
      assertThat(delivery.header("Content-Type").orElseThrow()).startsWith(type);
      assertThat(new String(delivery.body(), StandardCharsets.UTF_8))
          .contains("Title of two")
          .doesNotContain("Title of one");
    }

    @Test
    void it_has_as_many_entries_as_the_feed_itself() {
      String[] items = IntStream.range(0, 70).mapToObj(i -> "item" + i).toArray(String[]::new);
      String feed = world.origin().rss("long.xml", "", items);

      assertThat(parsed(get(bridged("/feed.rss", feed))).entries())
          .extracting(entry -> entry.id())
          .containsExactly(items);
    }

    @Test
    void a_feed_whose_bytes_no_reader_wanted_so_far_is_fetched_for_its_first_one() {
      String[] items = IntStream.range(0, 70).mapToObj(i -> "item" + i).toArray(String[]::new);
      String feed = world.origin().rss("unread.xml", "", items);
      world.subscribe(feed, "unread");
      String[] newer = IntStream.range(-1, 69).mapToObj(i -> "item" + i).toArray(String[]::new);
      world.origin().rss("unread.xml", "", newer);
      world.publish(feed);
      world.delivery("unread");
      int before = world.origin().requests("unread.xml").size();

      assertThat(parsed(get(bridged("/feed.rss", feed))).entries())
          .extracting(entry -> entry.id())
          .containsExactly(newer);
      assertThat(world.origin().requests("unread.xml")).hasSize(before + 1);
      get(bridged("/feed.atom", feed));
      assertThat(world.origin().requests("unread.xml")).hasSize(before + 1);
    }

    @Test
    void of_a_feed_whose_document_is_too_long_to_be_read_again_it_has_the_newest_50_entries() {
      String text = "x".repeat((5 << 20) / 75);
      String items =
          IntStream.range(0, 75)
              .mapToObj(i -> "<item><guid>item%d</guid><title>%s</title></item>".formatted(i, text))
              .collect(Collectors.joining());
      String feed = world.origin().rss("very-long.xml", items);

      assertThat(parsed(get(bridged("/feed.rss", feed))).entries())
          .extracting(entry -> entry.id())
          .hasSize(Newest.KEPT)
          .startsWith("item0")
          .endsWith("item49");
    }

    @Test
    void it_has_at_least_20_entries_once_so_many_are_known() {
      String[] items = IntStream.range(0, 30).mapToObj(i -> "item" + i).toArray(String[]::new);
      String feed = world.origin().rss("shrunk.xml", "", items);
      get(bridged("/feed.rss", feed));
      world.origin().rss("shrunk.xml", "", "newest");
      world.publish(feed);

      World.until(
          () -> parsed(get(bridged("/feed.rss", feed))).entries().get(0).id().equals("newest"));
      assertThat(parsed(get(bridged("/feed.rss", feed))).entries()).hasSize(20);
    }

    @Test
    void a_reader_that_has_it_gets_304_until_there_is_news() {
      String feed = world.origin().rss("validators.xml", "", "one");
      String url = bridged("/feed.atom", feed);
      HttpResponse<String> first = get(url);
      String tag = first.headers().firstValue("ETag").orElseThrow();
      String date = first.headers().firstValue("Last-Modified").orElseThrow();

      HttpResponse<String> again = get(url, "If-None-Match", tag);
      assertThat(again.statusCode()).isEqualTo(304);
      assertThat(again.headers().allValues("Link")).hasSize(2);
      assertThat(get(url, "If-Modified-Since", date).statusCode()).isEqualTo(304);
      // Fetched, with nothing new.
      world.publish(feed);
      assertThat(get(url, "If-None-Match", tag).statusCode()).isEqualTo(304);

      world.origin().rss("validators.xml", "", "two", "one");
      world.publish(feed);
      World.until(() -> get(url, "If-None-Match", tag).statusCode() == 200);
    }

    private String atom(String title, String elements) {
      return world
          .origin()
          .serve(
              "dated.xml",
              "application/atom+xml",
              "<feed xmlns='http://www.w3.org/2005/Atom'><id>urn:f</id><title>%s</title>%s</feed>"
                  .formatted(title, elements));
    }

    private static String entry(int number) {
      return "<entry><id>urn:%d</id><title>t</title><updated>2026-04-01T10:00:00Z</updated></entry>"
          .formatted(number);
    }

    private static String dated(HttpResponse<String> answer) {
      assertThat(answer.statusCode()).isEqualTo(200);
      return answer.headers().firstValue("Last-Modified").orElseThrow();
    }

    @Test
    void a_reader_with_a_date_alone_gets_each_change_also_one_that_removes_the_newest_entry() {
      String feed = atom("One", entry(1));
      String url = bridged("/feed.atom", feed);
      String first = dated(get(url));
      atom("Two", entry(2) + entry(1));
      String second = changed(feed, url, "Two", first);
      atom(
          "Two",
          entry(1)
              + "<at:deleted-entry xmlns:at='http://purl.org/atompub/tombstones/1.0' ref='urn:2'"
              + " when='2026-04-01T12:00:00Z'/>");
      world.publish(feed);
      World.until(() -> !get(url).body().contains("urn:2"));
      HttpResponse<String> removed = get(url, "If-Modified-Since", second);
      assertThat(removed.statusCode()).isEqualTo(200);
      atom("Three", entry(1));
      changed(feed, url, "Three", dated(removed));

      World.until(() -> get(url, "If-Modified-Since", dated(get(url))).statusCode() == 304);
    }

    private String changed(String feed, String url, String text, String before) {
      world.publish(feed);
      World.until(() -> get(url).body().contains(text));
      HttpResponse<String> answer = get(url, "If-Modified-Since", before);
      assertThat(answer.statusCode()).as(text).isEqualTo(200);
      assertThat(date(dated(answer))).isAfterOrEqualTo(date(before));
      return dated(answer);
    }

    private static Instant date(String text) {
      return DateTimeFormatter.RFC_1123_DATE_TIME.parse(text, Instant::from);
    }

    @Test
    void a_feed_that_cannot_be_read_is_told_with_the_reason() {
      String feed = world.origin().fail("broken.xml", 500);
      HttpResponse<String> answer = get(bridged("/feed.rss", feed));
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(answer.body()).contains("500");
      int fetches = world.origin().requests("broken.xml").size();

      assertThat(get(bridged("/feed.atom", feed)).statusCode()).isEqualTo(503);

      assertThat(world.origin().requests("broken.xml")).hasSize(fetches);
      assertThat(world.gateway().store().feeds().byTopic(feed).orElseThrow().followed()).isFalse();
    }

    @Test
    void what_is_no_feed_has_no_bridged_one() {
      String page = world.origin().serve("page.txt", "text/plain", "just a text");
      assertThat(get(bridged("/feed.rss", page)).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "?url=",
          "?url=a&url=b",
          "?url=ftp://a.example/feed",
          "?url=http://user:secret@a.example/feed"
        })
    void a_url_that_names_no_feed_is_refused(String query) {
      HttpResponse<String> answer = world.gateway().get("/feed.rss" + query);
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
          .startsWith("text/plain");
      assertThat(answer.body()).doesNotContain("secret");
    }

    @Test
    void L17_a_bridged_feed_of_a_bridged_feed_is_refused() {
      String nested = bridged("/feed.rss", bridged("/feed.atom", "http://a.example/feed"));
      assertThat(get(nested).statusCode()).isEqualTo(400);
      HttpResponse<String> hub = world.gateway().subscribe(nested, world.subscriber().url("no"));
      assertThat(hub.statusCode()).isEqualTo(400);
      assertThat(hub.body()).contains("name the feed");
      assertThat(world.gateway().pleaseNotify(world.subscriber(), "no", nested).body())
          .contains("success=\"false\"", "name the feed");
      assertThat(world.gateway().store().feeds().byTopic(nested)).isEmpty();
    }

    @Test
    void L17_a_subscription_to_a_bridged_URL_is_one_to_the_feed_and_ends_by_it() {
      String feed = world.origin().rss("ended.xml", "", "one");
      String url = bridged("/feed.atom", feed);
      world.subscribe(url, "ended");
      assertThat(world.gateway().store().feeds().byTopic(url)).isEmpty();
      String row = "subscription WHERE callback = '" + world.subscriber().url("ended") + "'";

      world
          .gateway()
          .form(
              "/hub",
              "hub.mode",
              "unsubscribe",
              "hub.topic",
              url,
              "hub.callback",
              world.subscriber().url("ended"));

      World.until(() -> world.gateway().rows().count(row) == 0);
    }

    @Test
    void L17_wherever_the_API_takes_a_topic_a_bridged_URL_stands_for_the_feed() throws Exception {
      String feed = world.origin().rss("meant.xml", "", "one");
      String bridged = bridged("/feed.json", feed);
      byte[] list = Opml.write("x", List.of(new Outline(bridged, "Bridged")));

      HttpResponse<String> report = world.gateway().post("/api/v1/import", "text/x-opml", list);

      assertThat(new ObjectMapper().readTree(report.body()).at("/items/0/topic").asText())
          .isEqualTo(feed);
      assertThat(world.gateway().store().feeds().byTopic(bridged)).isEmpty();
      world.subscribe(feed, "meant");
      String encoded = Http.encode("topic", bridged);
      try (StreamClient reader = StreamClient.get(world.gateway().url("/stream?" + encoded))) {
        world.origin().rss("meant.xml", "", "two", "one");
        world.publish(feed);
        World.until(() -> !reader.fields("data").isEmpty());
      }
      assertThat(world.gateway().get("/api/v1/events?" + encoded).body()).contains("\"two\"");
      assertThat(world.gateway().get("/api/v1/subscriptions?" + encoded).body())
          .contains(world.subscriber().url("meant"));
      assertThat(world.gateway().get("/api/v1/explain?" + Http.encode("url", bridged)).body())
          .startsWith("{\"url\":\"" + feed + "\"");
    }
  }

  @Test
  void only_what_is_followed_is_bridged_where_the_operator_says_so(@TempDir Path data) {
    try (World world = World.around(TestGateway.bridging(data, BridgePolicy.FOLLOWED))) {
      String feed = world.origin().rss("feed.xml", "", "one");
      String url = world.gateway().url("/feed.rss" + query(feed));
      HttpResponse<String> before = get(url);
      assertThat(before.statusCode()).isEqualTo(404);
      assertThat(before.body()).contains("--bridge");
      assertThat(world.origin().requests()).isZero();

      world.subscribe(feed, "one");

      assertThat(parsed(get(url)).entries()).hasSize(1);
    }
  }

  @Test
  void nothing_is_bridged_where_the_operator_says_so(@TempDir Path data) {
    try (World world = World.around(TestGateway.bridging(data, BridgePolicy.OFF))) {
      String feed = world.origin().rss("feed.xml", "", "one");
      world.subscribe(feed, "one");
      assertThat(get(world.gateway().url("/feed.rss" + query(feed))).statusCode()).isEqualTo(404);
    }
  }
}
