package io.feedbridge.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeCloud;
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

    assertThat(new String(world.delivery(path).body(), UTF_8)).contains("<id>two</id>");
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

    assertThat(new String(world.delivery("common").body(), UTF_8)).contains("<id>two</id>");
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
    return call(path, RpcCall.of("rssCloud.notify", new RpcValue.Text(feed)));
  }

  private RpcAnswer call(String path, RpcCall call) {
    byte[] body = RpcProtocol.XML_RPC.writeCall(call);
    return Rpc.answer(
        RpcProtocol.XML_RPC, world.gateway().post(path, RpcProtocol.CONTENT_TYPE, body));
  }
}
