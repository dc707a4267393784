package io.feedbridge.gateway.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Signed;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What upstream hubs and clouds may make the gateway believe (rules S5 to S7, DESIGN §5). */
class UpstreamTrustTest {

  private static final String RSS = "application/rss+xml";

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
  class AFatPing {

    private String link;
    private String feed;
    private String secret;

    @BeforeEach
    void follow() {
      link = "<atom:link rel=\"hub\" href=\"" + world.hub().url() + "\"/>";
      feed = world.origin().rss("feed.xml", link, "one");
      world.subscribe(feed, "one");
      World.until(() -> world.hub().subscribers(feed) == 1);
      World.until(() -> world.gateway().rows().count("following WHERE state = 'ACTIVE'") == 1);
      secret = Http.first(world.hub().requests().get(0), "hub.secret");
    }

    private static byte[] evil() {
      return FakeOrigin.rssOf("", "evil").getBytes(UTF_8);
    }

    private List<String> forgeries() {
      String right = Signed.by("sha256", secret, evil());
      String shorter = right.substring(0, right.length() - 1);
      return List.of(
          "",
          shorter,
          right + "0",
          shorter + (right.endsWith("0") ? 1 : 0),
          right.replace("sha256", "sha512"),
          right.replace("sha256", "md5"),
          right.replace("sha256=", ""),
          "sha256=",
          right + "," + right,
          // HMAC pads keys with zeros: this is what the empty secret would give.
          Signed.by("sha256", "\0", evil()),
          Signed.by("sha256", "guess", evil()),
          Signed.by("sha256", secret, FakeOrigin.rssOf("", "ok").getBytes(UTF_8)));
    }

    @Test
    void S7_with_a_wrong_signature_is_403_and_makes_the_gateway_fetch_just_once() {
      int forged = 0;
      for (String signature : forgeries()) {
        forged++;
        // Fetches for pings that bring nothing have a budget, so each finds an entry.
        world.origin().rss("feed.xml", link, "news" + forged);
        assertRefused(signature);
        assertThat(world.origin().requests("feed.xml")).as(signature).hasSize(1 + forged);
        assertThat(world.subscriber().bodies("one")).as(signature).hasSize(forged);
        assertThat(world.subscriber().bodies("one").get(forged - 1))
            .contains(">news" + forged + "</dc:identifier>")
            .doesNotContain("evil");
      }
      assertThat(
              world
                  .gateway()
                  .meter("feedbridge_pings_total{outcome=\"bad_signature\",via=\"websub\"}"))
          .isEqualTo(forgeries().size());
    }

    @Test
    void S7_without_a_signature_is_403_and_makes_the_gateway_fetch_just_once() {
      assertRefused(null);

      assertThat(world.origin().requests("feed.xml")).hasSize(2);
      assertThat(world.subscriber().received("one")).isEmpty();
    }

    @Test
    void S7_that_is_not_believed_brings_what_the_origin_serves_and_not_what_it_says() {
      world.origin().rss("feed.xml", link, "two", "one");

      assertRefused("sha256=00");

      assertThat(body("one")).contains(">two</dc:identifier>").doesNotContain("evil");
      assertThat(world.origin().requests("feed.xml")).hasSize(2);
    }

    private void assertRefused(@Nullable String signature) {
      HttpResponse<String> answer =
          world.hub().deliver(feed, RSS, new String(evil(), UTF_8), signature);
      assertThat(answer.statusCode()).as("signature %s", signature).isEqualTo(403);
      assertThat(answer.body()).contains("signature");
      world.gateway().settle();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sha1", "sha256", "sha384", "sha512"})
    void S7_with_a_right_signature_by_any_method_is_believed_without_a_fetch(String method) {
      String content = FakeOrigin.rssOf(link, "two");
      String signature = Signed.by(method, secret, content.getBytes(UTF_8));

      assertThat(world.hub().deliver(feed, RSS, content, signature).statusCode())
          .isBetween(200, 299);

      assertThat(body("one")).contains(">two</dc:identifier>");
      world.gateway().settle();
      assertThat(world.origin().requests("feed.xml")).hasSize(1);
    }

    @Test
    void S7_whose_signature_is_in_capitals_is_believed() {
      String content = FakeOrigin.rssOf(link, "two");
      String signature = Signed.by("sha256", secret, content.getBytes(UTF_8));

      assertThat(
              world
                  .hub()
                  .deliver(
                      feed,
                      RSS,
                      content,
                      "sha256=" + signature.substring(7).toUpperCase(Locale.ROOT))
                  .statusCode())
          .isBetween(200, 299);
      assertThat(body("one")).contains(">two</dc:identifier>");
    }

    @Test
    void S7_of_a_hub_that_never_signs_is_a_light_ping_once_it_was_asked_without_a_secret() {
      for (int i = 0; i < 3; i++) {
        assertThat(world.hub().deliver(feed, RSS, new String(evil(), UTF_8), null).statusCode())
            .isEqualTo(403);
      }
      World.until(() -> world.hub().requests().size() == 2);
      assertThat(world.hub().requests().get(1))
          .doesNotContainKey("hub.secret")
          .containsEntry("hub.callback", world.hub().requests().get(0).get("hub.callback"));
      World.until(() -> world.gateway().rows().count("following WHERE state = 'ACTIVE'") == 1);
      world.origin().rss("feed.xml", link, "two", "one");

      assertThat(world.hub().deliver(feed, RSS, new String(evil(), UTF_8), null).statusCode())
          .isBetween(200, 299);

      assertThat(body("one")).contains(">two</dc:identifier>").doesNotContain("evil");
      assertThat(world.hub().requests()).hasSize(2);
    }

    @Test
    void S7_of_a_hub_that_has_signed_once_is_refused_without_a_signature_for_good() {
      world.hub().deliver(feed, RSS, FakeOrigin.rssOf(link, "two", "one"));
      for (int i = 0; i < 5; i++) {
        assertThat(world.hub().deliver(feed, RSS, new String(evil(), UTF_8), null).statusCode())
            .isEqualTo(403);
      }
      world.gateway().settle();

      assertThat(world.hub().requests()).hasSize(1);
    }

    @Test
    void that_is_believed_brings_raw_subscribers_the_whole_feed_and_others_nothing_twice() {
      world.subscribe(feed, "raw", "format", "raw");
      world.register(feed, "cloud");
      String whole = FakeOrigin.rssOf(link, "two", "one");
      world.origin().serve("feed.xml", RSS, whole);

      assertThat(world.hub().deliver(feed, RSS, FakeOrigin.rssOf(link, "two")).statusCode())
          .isBetween(200, 299);

      assertThat(body("raw")).isEqualTo(whole);
      world.gateway().settle();
      assertThat(body("one")).contains(">two</dc:identifier>");
      assertThat(world.origin().requests("feed.xml")).hasSize(2);
      assertThat(world.subscriber().received("cloud")).isNotEmpty();
    }

    @Test
    void that_is_signed_and_is_no_feed_makes_the_gateway_fetch() {
      world.origin().rss("feed.xml", link, "two", "one");

      assertThat(world.hub().deliver(feed, "text/html", "<html>sorry").statusCode())
          .isBetween(200, 299);

      assertThat(body("one")).contains(">two</dc:identifier>");
    }

    @Test
    void on_the_other_protocols_callback_is_404() {
      String path = world.hub().callback(feed).replace("/websub/", "/rsscloud/");

      assertThat(new Http().form(path, "url", feed).statusCode()).isEqualTo(404);
      assertThat(new Http().get(path + "?" + Http.encode("url", feed, "challenge", "x")))
          .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(404));
    }
  }

  @Nested
  class AVerification {

    private String feed;
    private String callback;
    private String token;

    @BeforeEach
    void follow() {
      String link = "<atom:link rel=\"hub\" href=\"" + world.hub().url() + "\"/>";
      feed = world.origin().rss("feed.xml", link, "one");
      world.subscribe(feed, "one");
      World.until(() -> world.hub().subscribers(feed) == 1);
      callback = world.hub().callback(feed);
      token = Http.first(world.hub().requests().get(0), "hub.verify_token");
    }

    @Test
    void S5_of_what_is_active_is_answered_with_the_challenge_out_of_the_blue_too() {
      HttpResponse<String> answer = ask("subscribe", feed, "hub.verify_token", token);

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("<c> & é");
      assertThat(answer.headers().firstValue("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
    }

    @Test
    void S5_of_what_is_active_needs_no_token() {
      assertThat(ask("subscribe", feed).statusCode()).isEqualTo(200);
    }

    @Test
    void S5_of_what_was_never_asked_is_404() {
      assertNothingGiven(ask("subscribe", feed + "x"));
      assertNothingGiven(ask("subscribe", world.origin().url("other.xml")));
      assertNothingGiven(ask("unsubscribe", feed, "hub.verify_token", token));
      assertNothingGiven(ask("subscribe", feed, "hub.verify_token", "guess"));
      assertNothingGiven(ask("subscribe", feed, "hub.verify_token", token + "0"));
      String other = callback.substring(0, callback.length() - 1);
      assertThat(new Http().get(other + "?" + query("subscribe", feed)).statusCode())
          .isEqualTo(404);
      assertThat(world.gateway().rows().query("SELECT state FROM following"))
          .containsExactly("ACTIVE");
    }

    private void assertNothingGiven(HttpResponse<String> answer) {
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body()).doesNotContain("<c>");
    }

    private HttpResponse<String> ask(String mode, String topic, String... more) {
      return new Http()
          .get(
              callback
                  + "?"
                  + query(mode, topic)
                  + (more.length == 0 ? "" : "&" + Http.encode(more)));
    }

    private static String query(String mode, String topic) {
      return Http.encode(
          "hub.mode",
          mode,
          "hub.topic",
          topic,
          "hub.challenge",
          "<c> & é",
          "hub.lease_seconds",
          "864000");
    }
  }

  @Nested
  class ADenial {

    @Test
    void S6_falls_back_to_the_cloud() {
      world.hub().neverVerify();
      String feed =
          world
              .origin()
              .rss(
                  "feed.xml",
                  "<atom:link rel=\"hub\" href=\"%s\"/>".formatted(world.hub().url())
                      + world.cloud().element(),
                  "one");
      world.subscribe(feed, "one");
      World.until(() -> world.hub().requests().size() == 1);
      assertThat(world.cloud().requests()).isEmpty();

      assertThat(world.hub().deny(feed, "not here").statusCode()).isEqualTo(200);

      World.until(() -> world.cloud().registered(feed) == 1);
      assertRemembered("not here");
    }

    @Test
    void S6_of_an_active_subscription_falls_back_to_polling_and_its_pushes_are_not_wanted() {
      String feed =
          world
              .origin()
              .rss(
                  "feed.xml",
                  "<atom:link rel=\"hub\" href=\"%s\"/>".formatted(world.hub().url()),
                  "one");
      world.subscribe(feed, "one");
      World.until(() -> world.hub().subscribers(feed) == 1);

      assertThat(world.hub().deny(feed, "no more").statusCode()).isEqualTo(200);

      assertRemembered("no more");
      assertThat(world.hub().deliver(feed, RSS, FakeOrigin.rssOf("", "two")).statusCode())
          .isIn(404, 410);
      assertThat(world.gateway().rows().count("feed WHERE next_fetch_at IS NOT NULL")).isEqualTo(1);
    }

    @Test
    void of_what_was_never_asked_is_404() {
      assertThat(
              world
                  .gateway()
                  .get(
                      "/callback/websub/unknown?"
                          + Http.encode("hub.mode", "denied", "hub.topic", "http://a.example/"))
                  .statusCode())
          .isEqualTo(404);
    }

    private void assertRemembered(String reason) {
      World.until(
          () ->
              world
                      .gateway()
                      .rows()
                      .count(
                          "following WHERE kind = 'WEBSUB' AND state = 'REFUSED' AND reason LIKE '%"
                              + reason
                              + "%'")
                  == 1);
    }
  }

  private String body(String path) {
    return new String(world.delivery(path).body(), UTF_8);
  }
}
