package io.feedbridge.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Results;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topics that cannot be had, are no feed, or stop being one. */
class UnreadableTopicsTest {

  private static final String HTML =
      "<!DOCTYPE html><html><head><title>Sorry</title></head><body><p>Down &nbsp; for a while<br>"
          + "</body></html>";

  /** Cut off within the id of its only entry: no entry has a whole id or link. */
  private static final String BROKEN =
      "<rss version=\"2.0\"><channel><title>t</title><item><title>x";

  private World world;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  @Nested
  class ToWebSubSubscribers {

    @Test
    void H10_the_callback_is_told_that_it_is_denied_and_why() {
      String topic = world.origin().fail("feed.xml", 410);

      assertThat(world.gateway().subscribe(topic, world.subscriber().url("one?a=b")).statusCode())
          .isEqualTo(202);

      Request denial = asked("one").get(0);
      assertThat(denial.rawQuery()).startsWith("a=b&hub.mode=denied&");
      assertThat(denial.query().get("hub.topic")).containsExactly(topic);
      assertThat(Http.first(denial.query(), "hub.reason")).contains("cannot be fetched", "gone");
      assertThat(denial.query()).doesNotContainKey("hub.challenge");
      assertNothingStays();
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404, 408, 425, 429, 500, 503})
    void a_topic_that_cannot_be_fetched_yet_is_waited_for_and_delivered_when_it_comes(int status) {
      String topic = world.origin().fail("feed.xml", status);

      world.subscribe(topic, "one");
      assertThat(world.gateway().get("/api/v1/subscriptions?state=waiting").body())
          .contains(topic, "\"state\":\"waiting\"");
      assertThat(world.gateway().get("/api/v1/subscriptions?state=active").body())
          .doesNotContain(topic);
      assertThat(world.gateway().get("/api/v1/feeds").body()).contains("status " + status);

      world.origin().rss("feed.xml", "", "one");
      world.publish(topic);
      // After a 429 the site has a pace.
      World.until(
          () -> world.gateway().get("/api/v1/subscriptions?state=active").body().contains(topic));
      assertThat(world.subscriber().received("one")).as("a baseline").isEmpty();
      world.origin().rss("feed.xml", "", "two", "one");
      world.publish(topic);
      assertThat(body(world.delivery("one"))).contains(">two</dc:identifier>");
      assertThat(world.gateway().get("/api/v1/subscriptions?state=active").body()).contains(topic);
    }

    @Test
    void a_topic_that_nobody_serves_is_waited_for() {
      world.subscribe("http://127.0.0.1:" + FreePort.next() + "/feed.xml", "one");

      assertThat(world.gateway().get("/api/v1/subscriptions").body())
          .contains("\"state\":\"waiting\"");
    }

    @Test
    void H7_a_caller_that_waits_for_the_answer_is_told_at_once() {
      String topic = world.origin().fail("feed.xml", 404);

      HttpResponse<String> answer =
          world.gateway().subscribe(topic, world.subscriber().url("one"), "hub.verify", "sync");

      assertThat(answer.statusCode()).isGreaterThanOrEqualTo(400);
      assertThat(answer.body()).contains("404");
    }

    private List<Request> asked(String path) {
      World.until(() -> !world.subscriber().asked(path).isEmpty());
      return world.subscriber().asked(path);
    }
  }

  @Nested
  class ToAggregators {

    @ParameterizedTest
    @ValueSource(ints = {404, 410, 500, 503, 403})
    void the_registration_fails_and_names_the_feed_and_the_reason(int status) {
      String feed = world.origin().fail("feed.xml", status);

      assertRefused(feed, status == 410 ? "gone" : Integer.toString(status));
    }

    @Test
    void a_page_is_no_feed() {
      assertRefused(
          world.origin().serve("feed.xml", "text/html", HTML),
          "is neither a feed nor an OPML list");
    }

    @Test
    void a_page_that_calls_itself_a_feed_is_none_either() {
      assertRefused(
          world.origin().serve("feed.xml", "application/rss+xml", HTML),
          "is neither a feed nor an OPML list");
    }

    @Test
    void what_cannot_be_parsed_is_no_feed() {
      assertRefused(
          world.origin().serve("feed.xml", "application/rss+xml", "<rss><chann"),
          "is neither a feed nor an OPML list");
    }

    @Test
    void of_several_feeds_each_stands_for_itself_and_the_bad_one_is_named() {
      String good = world.origin().rss("good.xml", "", "one");
      String other = world.origin().rss("other.xml", "", "one");
      String gone = world.origin().fail("gone.xml", 404);
      String page = world.origin().serve("page.html", "text/html", HTML);

      Results.Result result =
          Results.xml(
              world
                  .gateway()
                  .form(
                      "/pleaseNotify",
                      "notifyProcedure",
                      "",
                      "domain",
                      "127.0.0.1",
                      "port",
                      Integer.toString(world.subscriber().port()),
                      "path",
                      "/one",
                      "protocol",
                      "http-post",
                      "url1",
                      good,
                      "url2",
                      gone,
                      "url4",
                      page,
                      "url7",
                      other),
              "notifyResult");

      assertThat(result.success()).isFalse();
      assertThat(result.msg())
          .contains(gone + ": cannot be read", "404", page + ": is neither a feed nor an OPML list")
          .doesNotContain(good, other);
      assertThat(
              world
                  .gateway()
                  .rows()
                  .query(
                      "SELECT topic FROM subscription s JOIN feed f ON f.id = feed_id ORDER BY 1"))
          .containsExactly(good, other);
      assertThat(world.gateway().rows().count("feed WHERE followed = 1")).isEqualTo(2);
      world.origin().rss("good.xml", "", "two", "one");
      world.publish(good);
      assertThat(body(world.delivery("one"))).isEqualTo(Http.encode("url", good));
    }

    @Test
    void a_feed_that_was_refused_can_be_registered_once_it_is_there() {
      String feed = world.origin().fail("feed.xml", 404);
      assertRefused(feed, "404");
      world.origin().rss("feed.xml", "", "one");

      world.register(feed, "one");
    }

    private void assertRefused(String feed, String reason) {
      Results.Result result =
          Results.xml(
              world.gateway().pleaseNotify(world.subscriber(), "one", feed), "notifyResult");

      assertThat(result.success()).isFalse();
      assertThat(result.msg()).contains(feed, reason);
      assertThat(world.subscriber().asked("one")).isEmpty();
      assertNothingStays();
    }
  }

  @Nested
  class AFollowedFeed {

    private String feed;

    @BeforeEach
    void follow() {
      feed = world.origin().rss("feed.xml", "", "one");
      world.subscribe(feed, "atom");
      world.subscribe(feed, "json", "format", "json");
      world.register(feed, "cloud");
    }

    @Test
    void that_turns_into_a_page_is_delivered_to_nobody_says_so_and_recovers() {
      world.origin().serve("feed.xml", "text/html", HTML);
      world.publish(feed);
      assertHeldBack("200");

      recovers();
    }

    @Test
    void that_turns_into_broken_xml_is_delivered_to_nobody_says_so_and_recovers() {
      world.origin().serve("feed.xml", "application/rss+xml", BROKEN);
      world.publish(feed);
      assertHeldBack("200");

      recovers();
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 410, 500})
    void that_fails_is_delivered_to_nobody_says_so_and_recovers(int status) {
      world.origin().fail("feed.xml", status);
      world.publish(feed);
      assertHeldBack(Integer.toString(status));

      recovers();
    }

    @Test
    void that_comes_back_unchanged_is_no_news() {
      world.origin().serve("feed.xml", "text/html", HTML);
      world.publish(feed);
      world.origin().rss("feed.xml", "", "one");

      world.publish(feed);

      assertNobodyGotAnything();
      assertThat(world.gateway().rows().query("SELECT state FROM feed")).containsExactly("ACTIVE");
    }

    @Test
    void that_fails_three_times_is_in_error_until_it_is_back() {
      world.origin().serve("feed.xml", "text/html", HTML);
      for (int i = 0; i < 3; i++) {
        world.publish(feed);
      }
      assertThat(world.gateway().rows().query("SELECT state FROM feed")).containsExactly("ERROR");

      recovers();
      assertThat(world.gateway().rows().query("SELECT state FROM feed")).containsExactly("ACTIVE");
    }

    @Test
    void that_is_gone_is_refused_to_another_aggregator_until_it_is_back() {
      world.origin().fail("feed.xml", 410);
      world.publish(feed);
      World.until(() -> world.gateway().rows().query("SELECT state FROM feed").contains("GONE"));

      String refusal = world.gateway().pleaseNotify(world.subscriber(), "late", feed).body();
      assertThat(refusal).contains("success=\"false\"", "cannot be read");
      assertThat(world.subscriber().asked("late")).isEmpty();

      world.origin().rss("feed.xml", "", "one");
      world.register(feed, "late");
    }

    private void assertHeldBack(String code) {
      assertNobodyGotNews();
      assertThat(world.gateway().rows().query("SELECT json_extract(fetched, '$.code') FROM feed"))
          .containsExactly(code);
      assertThat(
              world.gateway().rows().query("SELECT json_extract(fetched, '$.message') FROM feed"))
          .allSatisfy(message -> assertThat(message).isNotBlank().doesNotContain("new entries"));
      assertThat(world.gateway().rows().count("subscription")).isEqualTo(3);
    }

    private void assertNobodyGotAnything() {
      for (String path : List.of("atom", "json", "cloud")) {
        assertThat(world.subscriber().received(path)).isEmpty();
      }
    }

    /** That a feed is gone, say, is told by a document with the status alone. */
    private void assertNobodyGotNews() {
      assertThat(world.subscriber().bodies("atom")).noneMatch(body -> body.contains("<entry"));
      assertThat(world.subscriber().bodies("json")).allMatch(body -> body.contains("\"items\":[]"));
      assertThat(world.subscriber().received("cloud")).isEmpty();
    }

    private Request last(String path) {
      List<Request> all = world.subscriber().received(path);
      return all.get(all.size() - 1);
    }

    private void recovers() {
      world.origin().rss("feed.xml", "", "two", "one");
      world.publish(feed);
      assertThat(body(last("atom")))
          .contains("<id>urn:feedbridge:id:", ">two</dc:identifier>", "<http code=\"200\">")
          .doesNotContain(">one<");
      assertThat(body(last("json"))).contains("\"id\":\"two\"", "\"code\":200");
      assertThat(body(world.delivery("cloud"))).isEqualTo(Http.encode("url", feed));
    }
  }

  @Test
  void a_feed_that_fails_after_a_ping_is_fetched_again_without_another() {
    String feed = world.origin().rss("feed.xml", "", "one");
    world.subscribe(feed, "one");
    world.origin().fail("feed.xml", 500);
    world.publish(feed);
    world.origin().serve("feed.xml", "application/rss+xml", FakeOrigin.rssOf("", "two", "one"));

    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !world.subscriber().received("one").isEmpty());
    assertThat(body(world.delivery("one")))
        .contains("<id>urn:feedbridge:id:", ">two</dc:identifier>");
  }

  private void assertNothingStays() {
    world.gateway().settle();
    assertThat(world.gateway().rows().count("subscription")).isZero();
    assertThat(world.gateway().rows().count("verification")).isZero();
    assertThat(world.gateway().rows().count("feed WHERE followed = 1")).isZero();
  }

  private static String body(Request request) {
    return new String(request.body(), StandardCharsets.UTF_8);
  }
}
