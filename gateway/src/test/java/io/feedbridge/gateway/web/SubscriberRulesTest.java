package io.feedbridge.gateway.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway as a subscriber of other hubs and clouds (rules S1 to S10). */
class SubscriberRulesTest {

  private static final String RSS = "application/rss+xml";

  private World world;

  /** A second hub. */
  private FakeHub other;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.on(data);
    other = new FakeHub();
  }

  @AfterEach
  void stop() {
    world.close();
    other.close();
  }

  @Nested
  class S1Discovery {

    @Test
    void takes_link_headers_before_the_links_of_the_feed() {
      String self = world.origin().url("self.xml");
      String feed =
          world
              .origin()
              .serve(
                  "feed.xml",
                  RSS,
                  FakeOrigin.rssOf(hubLink(other), "one"),
                  "<%s>; rel=\"hub\"".formatted(world.hub().url()),
                  "<" + self + ">; title=\"a, b; c\"; rel=self");
      world.subscribe(feed, "one");

      World.until(() -> world.hub().subscribers(self) == 1);
      assertThat(other.requests()).isEmpty();
    }

    @Test
    void resolves_relative_references_and_reads_several_rels_in_one_header() {
      String feed =
          world
              .origin()
              .serve(
                  "folder/feed.xml",
                  RSS,
                  FakeOrigin.rssOf("", "one"),
                  "</x>; rel=next, <self.xml>; rel=\"x self\", <%s>; rel='hub'"
                      .formatted(world.hub().url())
                      .replace('\'', '"'));
      world.subscribe(feed, "one");

      World.until(() -> world.hub().subscribers(world.origin().url("folder/self.xml")) == 1);
    }

    @Test
    void S1_a_header_of_8_KB_with_unbalanced_quotes_spoils_nothing() {
      String junk = "<http://x.example/>; title=\"" + "a\\\"<,;".repeat(1_300);
      String feed =
          world
              .origin()
              .serve(
                  "feed.xml",
                  RSS,
                  FakeOrigin.rssOf(hubLink(world.hub()), "one"),
                  junk,
                  "<" + world.origin().url("self.xml") + ">; rel=self");
      world.subscribe(feed, "one");

      World.until(() -> world.hub().subscribers(world.origin().url("self.xml")) == 1);
    }

    @Test
    void reads_the_head_of_a_page() {
      String page =
          world
              .origin()
              .serve(
                  "page.html",
                  "text/html",
                  "<!DOCTYPE html><html><head><link rel=hub href=%s><title>t</title></head></html>"
                      .formatted(world.hub().url()));
      world.subscribe(page, "one");

      World.until(() -> world.hub().subscribers(page) == 1);
    }

    @Test
    void without_self_takes_the_url() {
      String feed = hubFeed("feed.xml");

      World.until(() -> world.hub().subscribers(feed) == 1);
    }

    @Test
    void takes_the_self_that_the_feed_names() {
      String self = world.origin().url("self.xml");
      world.subscribe(
          world
              .origin()
              .rss(
                  "feed.xml",
                  hubLink(world.hub()) + "<atom:link rel=\"self\" href=\"" + self + "\"/>",
                  "one"),
          "one");

      World.until(() -> world.hub().subscribers(self) == 1);
    }
  }

  @Test
  void S3_the_request_has_all_that_hubs_of_every_age_require() {
    hubFeed("feed.xml");
    World.until(() -> !world.hub().requests().isEmpty());

    Map<String, List<String>> form = world.hub().requests().get(0);
    assertThat(form.get("hub.mode")).containsExactly("subscribe");
    assertThat(form.get("hub.verify")).containsExactly("async", "sync");
    assertThat(form.get("hub.lease_seconds")).containsExactly("1209600");
    assertThat(Http.first(form, "hub.secret")).hasSizeBetween(20, 199);
    assertThat(Http.first(form, "hub.verify_token")).hasSizeGreaterThan(20);
    assertThat(Http.first(form, "hub.callback"))
        .startsWith(world.gateway().url("/callback/websub/"));
  }

  @Test
  void S8_callbacks_and_secrets_are_unguessable_and_of_one_subscription_only() {
    hubFeed("a.xml");
    hubFeed("b.xml");
    World.until(() -> world.hub().requests().size() == 2);

    for (String name : List.of("hub.callback", "hub.secret", "hub.verify_token")) {
      List<String> values =
          world.hub().requests().stream().map(form -> Http.first(form, name)).toList();
      assertThat(values).doesNotHaveDuplicates();
      // 128 bits in any common alphabet.
      assertThat(values)
          .allSatisfy(
              value ->
                  assertThat(value.substring(value.lastIndexOf('/') + 1))
                      .hasSizeGreaterThanOrEqualTo(22));
    }
  }

  @Nested
  class S4Answers {

    @Test
    void a_204_is_as_good_as_a_202() {
      world.hub().answer(204);
      String feed = hubFeed("feed.xml");

      World.until(() -> world.hub().subscribers(feed) == 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {307, 308})
    void a_307_or_308_means_to_repeat_the_request_there(int status) {
      world.hub().moveTo(status, other.url());
      String feed = hubFeed("feed.xml");

      World.until(() -> other.subscribers(feed) == 1);
      assertThat(other.requests()).isEqualTo(world.hub().requests());
    }

    @Test
    void any_other_means_to_try_the_next_hub() {
      List<Integer> answers = List.of(400, 403, 404, 422, 302, 500);
      for (int status : answers) {
        world.hub().answer(status);
        String hubs = hubLink(world.hub()) + hubLink(other);
        String feed = world.origin().rss(status + ".xml", hubs, "one");
        world.subscribe(feed, "to" + status);

        World.until(() -> other.subscribers(feed) == 1);
      }
      // A hub that fails is asked again after its pause.
      assertThat(world.hub().requests()).hasSizeGreaterThanOrEqualTo(answers.size());
    }

    @Test
    void then_the_cloud() {
      world.hub().answer(400);
      other.answer(500);
      String feed =
          world
              .origin()
              .rss(
                  "feed.xml",
                  world.cloud().element() + hubLink(world.hub()) + hubLink(other),
                  "one");
      world.subscribe(feed, "one");

      World.until(() -> world.cloud().registered(feed) == 1);
      assertThat(world.hub().requests()).hasSize(1);
      assertThat(other.requests()).hasSize(1);
    }

    @Test
    void then_polling() {
      world.hub().answer(400);
      String feed = hubFeed("feed.xml");
      World.until(() -> world.gateway().rows().count("following WHERE state = 'REFUSED'") == 1);

      world.gateway().settle();

      assertThat(
              world
                  .gateway()
                  .rows()
                  .query("SELECT (next_fetch_at / 1000 - unixepoch()) < 125 FROM feed"))
          .containsExactly("1");
      world.origin().rss("feed.xml", hubLink(world.hub()), "two", "one");
      world.publish(feed);
      world.delivery("feed.xml");
    }
  }

  @Nested
  class S8Renewal {

    @Test
    void comes_before_the_lease_ends() {
      world.hub().lease(2);
      String feed = hubFeed("feed.xml");
      World.until(() -> world.hub().subscribers(feed) == 1);

      World.until(() -> world.hub().requests().size() >= 2);

      assertThat(world.hub().requests().get(1)).isEqualTo(world.hub().requests().get(0));
    }

    @Test
    void of_a_lease_longer_than_14_days_comes_as_if_it_were_14_days() {
      world.hub().lease(90 * 86_400);
      String feed = hubFeed("feed.xml");
      World.until(() -> world.hub().subscribers(feed) == 1);
      World.until(() -> world.gateway().rows().count("following WHERE state = 'ACTIVE'") == 1);

      String days =
          world
              .gateway()
              .rows()
              .query("SELECT (next_action_at / 1000 - unixepoch()) / 86400.0 FROM following")
              .get(0);
      assertThat(Double.parseDouble(days)).isBetween(7.0, 12.7);
    }
  }

  @Nested
  class S9Unfollowing {

    @Test
    void is_said_to_the_hub_and_confirmed_and_then_nothing_is_wanted() {
      String feed = hubFeed("feed.xml");
      World.until(() -> world.hub().subscribers(feed) == 1);
      String callback = world.hub().callback(feed);

      unsubscribe(feed);

      World.until(() -> world.hub().requests().size() == 2);
      Map<String, List<String>> form = world.hub().requests().get(1);
      assertThat(form.get("hub.mode")).containsExactly("unsubscribe");
      assertThat(form.get("hub.callback")).containsExactly(callback);
      assertThat(form.get("hub.topic")).containsExactly(feed);
      World.until(() -> world.hub().subscribers(feed) == 0);
      byte[] content = FakeOrigin.rssOf("", "two").getBytes(UTF_8);
      assertThat(new Http().post(callback, RSS, content).join().statusCode()).isIn(404, 410);
    }

    @Test
    void a_clouds_callback_is_not_found_any_more() {
      FakeCloud cloud = world.cloud();
      String feed = world.origin().rss("feed.xml", cloud.element(), "one");
      world.subscribe(feed, "feed.xml");
      World.until(() -> cloud.registered(feed) == 1);
      World.until(() -> world.gateway().rows().count("following WHERE state = 'ACTIVE'") == 1);
      assertThat(cloud.notify(feed).statusCode()).isEqualTo(200);

      unsubscribe(feed);

      World.until(() -> world.gateway().rows().count("following") == 0);
      assertThat(cloud.notify(feed).statusCode()).isIn(404, 410);
    }

    private void unsubscribe(String feed) {
      world
          .gateway()
          .form(
              "/hub",
              "hub.mode",
              "unsubscribe",
              "hub.topic",
              feed,
              "hub.callback",
              world.subscriber().url("feed.xml"));
    }
  }

  @Nested
  class S10AChange {

    @Test
    void of_the_hub_leads_to_the_new_one_and_then_away_from_the_old_one() {
      String feed = hubFeed("feed.xml");
      World.until(() -> world.hub().subscribers(feed) == 1);
      other.neverVerify();
      world.origin().rss("feed.xml", hubLink(other), "one");
      world.publish(feed);
      World.until(() -> other.requests().size() == 1);
      // As long as the new one has not confirmed, the old one counts.
      assertThat(world.hub().subscribers(feed)).isEqualTo(1);
      assertThat(world.hub().requests()).hasSize(1);

      verify(other.requests().get(0));

      World.until(() -> world.hub().subscribers(feed) == 0);
      assertThat(world.hub().requests().get(1).get("hub.mode")).containsExactly("unsubscribe");
    }

    @Test
    void of_self_is_a_new_topic_at_the_same_hub() {
      String feed = hubFeed("feed.xml");
      World.until(() -> world.hub().subscribers(feed) == 1);
      String self = world.origin().url("self.xml");
      world
          .origin()
          .rss(
              "feed.xml",
              hubLink(world.hub()) + "<atom:link rel=\"self\" href=\"" + self + "\"/>",
              "one");

      world.publish(feed);

      World.until(() -> world.hub().subscribers(self) == 1);
      World.until(() -> world.hub().subscribers(feed) == 0);
    }

    @Test
    void to_no_hub_at_all_ends_the_subscription() {
      String feed = hubFeed("feed.xml");
      World.until(() -> world.hub().subscribers(feed) == 1);
      world.origin().rss("feed.xml", "", "one");

      world.publish(feed);

      World.until(() -> world.hub().subscribers(feed) == 0);
    }

    private void verify(Map<String, List<String>> form) {
      String query =
          Http.encode(
              "hub.mode",
              "subscribe",
              "hub.topic",
              Http.first(form, "hub.topic"),
              "hub.challenge",
              "c",
              "hub.lease_seconds",
              "86400");
      assertThat(new Http().get(Http.first(form, "hub.callback") + "?" + query).body())
          .isEqualTo("c");
    }
  }

  /** A feed with the world's hub, followed for a subscriber of the same name. */
  private String hubFeed(String path) {
    String feed = world.origin().rss(path, hubLink(world.hub()), "one");
    world.subscribe(feed, path);
    return feed;
  }

  private static String hubLink(FakeHub hub) {
    return "<atom:link rel=\"hub\" href=\"" + hub.url() + "\"/>";
  }
}
