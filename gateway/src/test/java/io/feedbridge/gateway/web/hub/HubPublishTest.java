package io.feedbridge.gateway.web.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishing at the hub (rules H15, H17 and L10). */
class HubPublishTest {

  private World world;
  private String one;
  private String two;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.on(data);
    one = world.origin().rss("one.xml", "", "a");
    two = world.origin().rss("two.xml", "", "a");
    world.subscribe(one, "one");
    world.subscribe(two, "two");
    world.gateway().settle();
  }

  @AfterEach
  void stop() {
    world.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"hub.url", "hub.url[]", "hub.url[0]", "hub.topic", "hub.topic[]"})
  void H15_topics_may_be_repeated_under_any_of_the_names(String name) {
    assertBothDelivered("hub.mode", "publish", name, one, name, two, name, one);
  }

  @Test
  void H15_url_and_topic_may_both_name_the_feed() {
    HttpResponse<String> answer =
        world.gateway().form("/hub/", "hub.mode", "publish", "hub.url", one, "hub.topic", one);

    assertThat(answer.statusCode()).isEqualTo(204);
  }

  @Test
  void a_bridged_feed_that_is_published_stands_for_its_feed() {
    world.origin().rss("one.xml", "", "b", "a");
    String bridged =
        world.gateway().url("/feed.rss?url=" + URLEncoder.encode(one, StandardCharsets.UTF_8));

    assertThat(publish(bridged).statusCode()).isEqualTo(204);

    world.delivery("one");
  }

  @Test
  void H15_topics_may_be_separated_by_commas() {
    assertBothDelivered("hub.mode", "publish", "hub.url", one + "," + two);
  }

  @Test
  void H15_the_names_may_be_mixed_and_unknown_topics_among_them() {
    assertBothDelivered(
        "hub.mode",
        "publish",
        "hub.url",
        one + ", " + world.origin().url("unknown.xml"),
        "hub.topic",
        two.replace("http:", "HTTP:"));
    assertThat(world.origin().requests("unknown.xml")).isEmpty();
  }

  @Test
  void H15_unknown_topics_are_204_and_cause_no_fetch() {
    HttpResponse<String> answer = publish(world.origin().rss("unknown.xml", "", "a"));

    assertThat(answer.statusCode()).isEqualTo(204);
    assertThat(answer.body()).isEmpty();
    world.gateway().settle();
    assertThat(world.origin().requests("unknown.xml")).isEmpty();
    assertThat(world.gateway().rows().count("feed")).isEqualTo(2);
    assertThat(
            world
                .gateway()
                .meter("feedbridge_pings_total{outcome=\"unknown_feed\",via=\"publish\"}"))
        .isEqualTo(1);
  }

  @Test
  void H15_a_publish_without_a_change_is_fetched_once_and_delivered_to_nobody() {
    world.publish(one);

    assertThat(world.origin().requests("one.xml")).hasSize(2);
    assertThat(world.subscriber().received("one")).isEmpty();
  }

  @Test
  void H17_content_from_nobody_known_is_refused_and_not_believed() {
    HttpResponse<String> answer =
        world
            .gateway()
            .form(
                "/hub",
                "hub.mode",
                "publish",
                "hub.topic",
                one,
                "hub.content",
                FakeOrigin.rssOf("", "evil"),
                "hub.signature",
                "sha1=00");

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).isNotBlank();
    world.gateway().settle();
    assertThat(world.subscriber().received("one")).isEmpty();
  }

  /** Publishes content of a topic whose publisher's secret is {@link #SECRET}. */
  private int publishContent(String topic, String content, String signature) {
    return world
        .gateway()
        .form(
            "/hub",
            "hub.mode",
            "publish",
            "hub.topic",
            topic,
            "hub.content",
            content,
            "hub.signature",
            signature)
        .statusCode();
  }

  private static final String SECRET = "the publisher's own";

  private void addPublisher(String topic) {
    assertThat(
            world
                .gateway()
                .post(
                    "/api/v1/publishers",
                    "application/json",
                    "{\"topic\":\"%s\",\"secret\":\"%s\"}"
                        .formatted(topic, SECRET)
                        .getBytes(StandardCharsets.UTF_8))
                .statusCode())
        .isEqualTo(201);
  }

  @ParameterizedTest
  @EnumSource(SignatureMethod.class)
  void H17_content_signed_with_a_publishers_secret_is_delivered_without_a_fetch(
      SignatureMethod method) {
    addPublisher(one);
    String content = FakeOrigin.rssOf("", "pushé", "a");
    int fetches = world.origin().requests("one.xml").size();

    String signature = Signature.sign(method, SECRET, content.getBytes(StandardCharsets.UTF_8));

    assertThat(publishContent(one, content, signature)).isEqualTo(204);
    assertThat(world.delivery("one").body())
        .asString(StandardCharsets.UTF_8)
        .contains(">pushé</dc:identifier>");
    assertThat(world.origin().requests("one.xml")).hasSize(fetches);
  }

  @Test
  void H17_a_bare_signature_is_one_of_sha1() {
    addPublisher(one);
    String content = FakeOrigin.rssOf("", "pushed");
    String signature =
        Signature.sign(SignatureMethod.SHA1, SECRET, content.getBytes(StandardCharsets.UTF_8));

    assertThat(publishContent(one, content, signature.substring("sha1=".length()))).isEqualTo(204);
    assertThat(world.delivery("one").body()).asString().contains(">pushed</dc:identifier>");
  }

  @Test
  void H17_a_wrong_signature_or_one_of_another_topics_publisher_changes_nothing() {
    addPublisher("https://elsewhere.example/");
    String content = FakeOrigin.rssOf("", "evil");
    String signature =
        Signature.sign(SignatureMethod.SHA256, SECRET, content.getBytes(StandardCharsets.UTF_8));
    assertThat(publishContent(one, content, signature)).isEqualTo(403);
    addPublisher(one);
    assertThat(publishContent(one, content + " ", signature)).isEqualTo(403);
    assertThat(publishContent(one, content, "md5=00")).isEqualTo(403);

    world.gateway().settle();
    assertThat(world.subscriber().received("one")).isEmpty();
  }

  @Test
  void H17_content_of_a_topic_that_nobody_follows_is_204_and_goes_nowhere() {
    addPublisher("https://elsewhere.example/");
    String content = FakeOrigin.rssOf("", "unheard");
    String signature =
        Signature.sign(SignatureMethod.SHA256, SECRET, content.getBytes(StandardCharsets.UTF_8));

    assertThat(publishContent("https://elsewhere.example/", content, signature)).isEqualTo(204);
    assertThat(world.gateway().rows().count("work")).isZero();
  }

  @Test
  void L10_a_burst_of_200_while_a_fetch_is_under_way_makes_two_fetches_and_none_is_lost() {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.origin().holdBack("one.xml", gate);
    publish(one);
    World.until(() -> world.origin().requests("one.xml").size() == 2);
    burst(199);
    // What the fetch under way brings back is older than the pings.
    world.origin().rss("one.xml", "", "b", "a");
    gate.complete(null);

    world.gateway().settle();

    assertThat(world.origin().requests("one.xml")).hasSize(3);
    assertThat(world.delivery("one").body()).asString().contains(">b</dc:identifier>");
  }

  private void burst(int publishes) {
    Http http = new Http();
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < publishes; i++) {
      answers.add(
          http.formAsync(world.gateway().url("/hub"), "hub.mode", "publish", "hub.url", one));
    }
    assertThat(answers).allSatisfy(answer -> assertThat(answer.join().statusCode()).isEqualTo(204));
  }

  private HttpResponse<String> publish(String topic) {
    return world.gateway().form("/hub", "hub.mode", "publish", "hub.url", topic);
  }

  private void assertBothDelivered(String... form) {
    world.origin().rss("one.xml", "", "b", "a");
    world.origin().rss("two.xml", "", "c", "a");

    assertThat(world.gateway().form("/hub", form).statusCode()).isEqualTo(204);

    assertThat(world.delivery("one").body()).asString().contains(">b</dc:identifier>");
    assertThat(world.delivery("two").body()).asString().contains(">c</dc:identifier>");
    world.gateway().settle();
    assertThat(world.origin().requests("one.xml")).hasSize(2);
    assertThat(world.origin().requests("two.xml")).hasSize(2);
  }
}
