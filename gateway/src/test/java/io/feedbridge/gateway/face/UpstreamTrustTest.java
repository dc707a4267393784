package io.feedbridge.gateway.face;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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

    static Stream<Named<UnaryOperator<String>>> forgeries() {
      return Stream.of(
          Named.of("of nothing", right -> ""),
          Named.of("of one digit less", right -> right.substring(0, right.length() - 1)),
          Named.of("of one digit more", right -> right + "0"),
          Named.of(
              "of one other digit",
              right -> right.substring(0, right.length() - 1) + (right.endsWith("0") ? 1 : 0)),
          Named.of("under another method's name", right -> right.replace("sha256", "sha512")),
          Named.of("under an unknown method", right -> right.replace("sha256", "md5")),
          Named.of("without a method", right -> right.replace("sha256=", "")),
          Named.of("of a method alone", right -> "sha256="),
          Named.of("repeated", right -> right + "," + right),
          Named.of("by the empty secret", right -> Signed.by("sha256", "\0", evil())),
          Named.of("by another secret", right -> Signed.by("sha256", "guess", evil())));
    }

    private static byte[] evil() {
      return FakeOrigin.rssOf("", "evil").getBytes(UTF_8);
    }

    @ParameterizedTest(name = "with a signature {0}")
    @MethodSource("forgeries")
    void S7_with_a_wrong_signature_is_403_and_only_makes_the_gateway_fetch(
        UnaryOperator<String> forgery) {
      String signature = forgery.apply(Signed.by("sha256", secret, evil()));

      assertNotBelieved(world.hub().deliver(feed, RSS, new String(evil(), UTF_8), signature));
    }

    @Test
    void S7_without_a_signature_is_403_and_only_makes_the_gateway_fetch() {
      assertNotBelieved(world.hub().deliver(feed, RSS, new String(evil(), UTF_8), null));
    }

    @Test
    void S7_whose_signature_is_that_of_another_body_is_not_believed() {
      String signature = Signed.by("sha256", secret, FakeOrigin.rssOf("", "ok").getBytes(UTF_8));

      assertNotBelieved(world.hub().deliver(feed, RSS, new String(evil(), UTF_8), signature));
    }

    private void assertNotBelieved(HttpResponse<String> answer) {
      world.gateway().settle();
      int before = world.origin().requests("feed.xml").size();
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(answer.body()).contains("signature");
      assertThat(before).as("the first fetch and one for the ping").isEqualTo(2);
      assertThat(world.subscriber().received("one")).isEmpty();
      assertThat(
              world
                  .gateway()
                  .meter("feedbridge_pings_total{outcome=\"bad_signature\",via=\"websub\"}"))
          .isEqualTo(1);

      // And where the feed did change, what goes out is what the origin serves.
      world.origin().rss("feed.xml", link, "two", "one");
      world.hub().deliver(feed, RSS, FakeOrigin.rssOf(link, "evil", "one"), "sha256=00");
      assertThat(body("one")).contains("<id>two</id>").doesNotContain("evil");
      world.gateway().settle();
      assertThat(world.origin().requests("feed.xml")).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sha1", "sha256", "sha384", "sha512"})
    void S7_with_a_right_signature_by_any_method_is_believed_without_a_fetch(String method) {
      String content = FakeOrigin.rssOf(link, "two");
      String signature = Signed.by(method, secret, content.getBytes(UTF_8));

      assertThat(world.hub().deliver(feed, RSS, content, signature).statusCode())
          .isBetween(200, 299);

      assertThat(body("one")).contains("<id>two</id>");
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
      assertThat(body("one")).contains("<id>two</id>");
    }

    @Test
    void that_is_signed_and_is_no_feed_makes_the_gateway_fetch() {
      world.origin().rss("feed.xml", link, "two", "one");

      assertThat(world.hub().deliver(feed, "text/html", "<html>sorry").statusCode())
          .isBetween(200, 299);

      assertThat(body("one")).contains("<id>two</id>");
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
