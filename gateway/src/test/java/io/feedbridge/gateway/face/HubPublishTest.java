package io.feedbridge.gateway.face;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
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
  @ValueSource(strings = {"hub.url", "hub.url[]", "hub.topic"})
  void H15_topics_may_be_repeated_under_any_of_the_names(String name) {
    assertBothDelivered("hub.mode", "publish", name, one, name, two, name, one);
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
    assertThat(world.delivery("one").body()).asString().contains("<id>b</id>");
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

    assertThat(world.delivery("one").body()).asString().contains("<id>b</id>");
    assertThat(world.delivery("two").body()).asString().contains("<id>c</id>");
    world.gateway().settle();
    assertThat(world.origin().requests("one.xml")).hasSize(2);
    assertThat(world.origin().requests("two.xml")).hasSize(2);
  }
}
