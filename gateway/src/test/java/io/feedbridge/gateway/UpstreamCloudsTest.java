package io.feedbridge.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Rpc;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.rsscloud.CloudProtocol;
import io.feedbridge.rsscloud.RpcAnswer;
import io.feedbridge.rsscloud.RpcCall;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.rsscloud.RpcValue;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The gateway as an aggregator of clouds that are called by procedures. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UpstreamCloudsTest {

  private final AtomicInteger numbers = new AtomicInteger();
  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private String feed(String elements, String... items) {
    return world.origin().rss("feed" + numbers.get() + ".xml", elements, items);
  }

  @ParameterizedTest
  @EnumSource(
      value = CloudProtocol.class,
      names = {"XML_RPC", "SOAP"})
  void a_feed_with_a_cloud_of_procedures_reaches_websub_subscribers(CloudProtocol protocol) {
    numbers.incrementAndGet();
    String element = world.cloud().element(protocol);
    String feed = feed(element, "one");
    String path = "reader" + numbers.get();

    world.subscribe(feed, path);

    World.until(() -> world.cloud().registered(feed) == 1);
    RpcCall registration = world.cloud().calls().get(world.cloud().calls().size() - 1);
    assertThat(registration.procedure()).isEqualTo("xmlStorageSystem.rssPleaseNotify");
    List<String> texts =
        registration.values().stream().flatMap(value -> value.asText().stream()).toList();
    assertThat(texts)
        .containsSubsequence("rssCloud.notify", protocol.wireName(), "127.0.0.1")
        .anySatisfy(text -> assertThat(text).matches("/callback/rsscloud/[\\w-]{20,}"));
    awaitActive(feed);
    feed(element, "two", "one");

    assertThat(world.cloud().notify(feed).statusCode()).isEqualTo(200);

    assertThat(new String(world.delivery(path).body(), UTF_8)).contains(">two</dc:identifier>");
  }

  /** WordPress serves /feed/, redirects /feed to it, and takes no other name. */
  @Test
  void a_cloud_that_knows_the_feed_by_the_URL_behind_a_redirect_is_asked_by_that_one(
      @TempDir Path data) {
    try (World wordPress = World.on(data)) {
      String canonical = wordPress.origin().rss("feed-.xml", wordPress.cloud().element(), "one");
      String feed = wordPress.origin().redirect("feed.xml", 301, canonical);
      wordPress.cloud().knowOnly(canonical);

      assertPushed(wordPress, feed, canonical);
    }
  }

  @Test
  void a_cloud_that_knows_the_feed_by_its_self_link_is_asked_by_that_one(@TempDir Path data) {
    try (World world = World.on(data)) {
      String self = "http://blog.example/feed/";
      String feed =
          world
              .origin()
              .rss(
                  "feed-.xml",
                  world.cloud().element() + "<atom:link rel=\"self\" href=\"" + self + "\"/>",
                  "one");
      world.cloud().knowOnly(self);

      assertPushed(world, feed, self);
    }
  }

  private static void assertPushed(World world, String feed, String known) {
    world.subscribe(feed, "reader");
    World.until(() -> world.cloud().registered(known) == 1);
    World.until(
        () ->
            world
                    .gateway()
                    .rows()
                    .count("following WHERE state = 'ACTIVE' AND topic = '" + known + "'")
                == 1);
    assertThat(world.cloud().requests())
        .extracting(form -> Http.first(form, "url1"))
        .startsWith(feed)
        .endsWith(known);
    world.gateway().settle();
    int fetches = world.origin().requests("feed-.xml").size();

    assertThat(world.cloud().notify(known).statusCode()).isEqualTo(200);

    World.until(() -> world.origin().requests("feed-.xml").size() > fetches);
    world.gateway().settle();
    int more = world.origin().requests("feed-.xml").size();

    assertThat(notified(world, "/RPC2", known)).isInstanceOf(RpcAnswer.Result.class);
    assertThat(notified(world, "/RPC2", known + "x")).isInstanceOf(RpcAnswer.Fault.class);

    World.until(() -> world.origin().requests("feed-.xml").size() > more);
  }

  @Test
  void a_cloud_that_takes_no_name_of_the_feed_is_refused_with_its_reason(@TempDir Path data) {
    try (World world = World.on(data)) {
      String canonical = world.origin().rss("feed-.xml", world.cloud().element(), "one");
      String feed = world.origin().redirect("feed.xml", 302, canonical);
      world.cloud().knowOnly("http://other.example/");

      world.subscribe(feed, "reader");

      World.until(
          () ->
              world
                      .gateway()
                      .rows()
                      .count("following WHERE state = 'REFUSED' AND topic = '" + feed + "'")
                  == 1);
      assertThat(world.cloud().requests()).hasSize(2);
      assertThat(world.gateway().rows().query("SELECT reason FROM following"))
          .singleElement()
          .asString()
          .contains("You can only request updates for http://other.example/");
    }
  }

  @Test
  void a_cloud_that_refuses_leads_to_the_next_best_way() {
    numbers.incrementAndGet();
    try (FakeCloud full = new FakeCloud()) {
      full.refuse("this cloud is full");
      String source =
          "<s:cloud xmlns:s=\"https://source.scripting.com/\">http://127.0.0.1:%d/full</s:cloud>"
              .formatted(1);
      String feed = feed(source + world.cloud().element(CloudProtocol.XML_RPC), "one");
      String other = world.origin().rss("full.xml", full.element(CloudProtocol.XML_RPC), "one");

      world.subscribe(feed, "next");
      world.subscribe(other, "full");

      World.until(() -> world.cloud().registered(feed) == 1);
      String refused =
          "SELECT reason FROM following WHERE state = 'REFUSED' AND topic = '" + other + "'";
      World.until(() -> !world.gateway().rows().query(refused).isEmpty());
      assertThat(world.gateway().rows().query(refused))
          .containsExactly("the cloud refused: this cloud is full");
    }
  }

  @Test
  void the_common_procedure_takes_notifications_of_what_is_followed_through_a_cloud() {
    numbers.incrementAndGet();
    String element = world.cloud().element(CloudProtocol.XML_RPC);
    String feed = feed(element, "one");
    world.subscribe(feed, "common");
    World.until(() -> world.cloud().registered(feed) == 1);
    awaitActive(feed);
    feed(element, "two", "one");

    assertThat(notified("/RPC2", feed)).isInstanceOf(RpcAnswer.Result.class);

    assertThat(new String(world.delivery("common").body(), UTF_8)).contains(">two</dc:identifier>");
  }

  @Test
  void a_callback_takes_notifications_of_its_own_feed_alone() {
    numbers.incrementAndGet();
    String feed = feed(world.cloud().element(CloudProtocol.XML_RPC), "one");
    world.subscribe(feed, "own");
    awaitActive(feed);
    String token =
        world
            .gateway()
            .rows()
            .query("SELECT token FROM following WHERE topic = '" + feed + "'")
            .get(0);

    assertThat(notified("/callback/rsscloud/" + token, feed + "x"))
        .isInstanceOf(RpcAnswer.Fault.class);
    assertThat(notified("/callback/rsscloud/none", feed)).isInstanceOf(RpcAnswer.Fault.class);
    assertThat(call("/callback/rsscloud/" + token, RpcCall.of("rssCloud.hello")))
        .isInstanceOf(RpcAnswer.Fault.class);
  }

  private void awaitActive(String feed) {
    String row = "following WHERE state = 'ACTIVE' AND topic = '" + feed + "'";
    World.until(() -> world.gateway().rows().count(row) == 1);
  }

  private RpcAnswer notified(String path, String feed) {
    return notified(world, path, feed);
  }

  private static RpcAnswer notified(World world, String path, String feed) {
    return call(world, path, RpcCall.of("rssCloud.notify", new RpcValue.Text(feed)));
  }

  private RpcAnswer call(String path, RpcCall call) {
    return call(world, path, call);
  }

  private static RpcAnswer call(World world, String path, RpcCall call) {
    byte[] body = RpcProtocol.XML_RPC.writeCall(call);
    return Rpc.answer(
        RpcProtocol.XML_RPC, world.gateway().post(path, RpcProtocol.CONTENT_TYPE, body));
  }
}
