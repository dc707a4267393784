package io.feedbridge.gateway.publish;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Rpc;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.rsscloud.RpcAnswer;
import io.feedbridge.rsscloud.RpcCall;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.rsscloud.RpcValue;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * rssCloud.saveRss, and the test feed beside it, on a gateway that may fetch nothing from itself.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SavedFeedsTest {

  private World world;
  private String password;

  @BeforeAll
  void start(@TempDir Path data) {
    // No network is needed for the gateway's own topics (rule L17), so none is allowed.
    world =
        World.around(TestGateway.with(data, List.of(), TestGateway.LOOPBACK, Duration.ofHours(1)));
    password = world.gateway().addUser("bull");
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private RpcAnswer save(RpcProtocol rpc, String user, String pass, RpcValue text) {
    RpcCall call =
        RpcCall.of("rssCloud.saveRss", new RpcValue.Text(user), new RpcValue.Text(pass), text);
    return Rpc.answer(
        rpc, world.gateway().post("/RPC2", RpcProtocol.CONTENT_TYPE, rpc.writeCall(call)));
  }

  private RpcAnswer save(String text) {
    return save(RpcProtocol.XML_RPC, "bull", password, new RpcValue.Text(text));
  }

  /** What saving writes; feeds that other tests made followed may still be fetched. */
  private List<String> saved() {
    return world
        .gateway()
        .rows()
        .query(
            "SELECT login, at, hex(bytes) FROM saved_feed UNION ALL"
                + " SELECT url, pings, name FROM site_ping, site_ping_count");
  }

  private String url() {
    return world.gateway().url("/files/bull/rss.xml");
  }

  @ParameterizedTest
  @EnumSource(RpcProtocol.class)
  void a_save_is_answered_with_the_public_url_and_served_there_with_validators(RpcProtocol rpc) {
    String rss = FakeOrigin.rssOf("<x:y xmlns:x='urn:x' z='&lt;'>é</x:y>", "one");

    assertThat(save(rpc, "bull", password, new RpcValue.Text(rss)))
        .isEqualTo(new RpcAnswer.Result(new RpcValue.Text(url())));

    HttpResponse<String> served = world.gateway().get("/files/bull/rss.xml");
    assertThat(served.statusCode()).isEqualTo(200);
    assertThat(served.headers().firstValue("Content-Type"))
        .hasValue("application/rss+xml; charset=utf-8");
    assertThat(served.headers().map())
        .containsKeys("etag", "last-modified")
        .containsEntry("x-content-type-options", List.of("nosniff"));
    assertThat(served.body())
        .contains(
            "<guid isPermaLink=\"false\">one</guid>",
            "<x:y xmlns:x=\"urn:x\" z=\"&lt;\">é</x:y>",
            "rel=\"hub\" href=\"" + world.gateway().url("/hub") + "\"",
            "rel=\"self\" href=\"" + url() + "\"",
            "path=\"/pleaseNotify\"",
            ">" + world.gateway().url("/pleaseNotify") + "</source:cloud>");
  }

  @Test
  void a_save_is_a_ping() {
    save(FakeOrigin.rssOf("", "one"));
    world.subscribe(url(), "reader");
    world.register(url(), "aggregator");

    save(FakeOrigin.rssOf("", "two", "one"));

    assertThat(new String(world.delivery("reader").body(), UTF_8))
        .contains(">two</dc:identifier>")
        .doesNotContain(">one</dc:identifier>");
    world.delivery("aggregator");
    assertThat(world.gateway().get("/changes.xml").body()).contains(url());
  }

  @Test
  void a_token_with_the_right_to_save_does_for_a_password() {
    RpcValue text = new RpcValue.Text(FakeOrigin.rssOf("", "one"));
    String token = world.gateway().addToken("cow", Right.SAVE);
    String without = world.gateway().addToken("cow", Right.LIST, Right.RETRIEVE);

    assertThat(save(RpcProtocol.XML_RPC, "cow", token, text))
        .isEqualTo(
            new RpcAnswer.Result(new RpcValue.Text(world.gateway().url("/files/cow/rss.xml"))));
    assertThat(save(RpcProtocol.XML_RPC, "cow", without, text)).isInstanceOf(RpcAnswer.Fault.class);
    assertThat(save(RpcProtocol.XML_RPC, "bull", token, text)).isInstanceOf(RpcAnswer.Fault.class);
  }

  @Test
  void a_text_in_base64_is_read_by_its_prolog() {
    byte[] latin1 =
        ("<?xml version='1.0' encoding='ISO-8859-1'?>" + FakeOrigin.rssOf("", "é"))
            .getBytes(ISO_8859_1);

    assertThat(save(RpcProtocol.XML_RPC, "bull", password, RpcValue.Binary.of(latin1)))
        .isInstanceOf(RpcAnswer.Result.class);

    assertThat(world.gateway().get("/files/bull/rss.xml").body()).contains(">é</guid>");
  }

  @Test
  void who_is_not_known_saves_nothing() {
    List<String> before = saved();
    RpcValue rss = new RpcValue.Text(FakeOrigin.rssOf("", "evil"));
    for (String[] shown :
        new String[][] {
          {"bull", "wrong"}, {"nobody", password}, {"Bull", password}, {"../bull", password}
        }) {
      assertThat(save(RpcProtocol.XML_RPC, shown[0], shown[1], rss))
          .isEqualTo(new RpcAnswer.Fault("4", "the user name or the password is wrong"));
    }
    assertThat(saved()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello",
        "<html><body/></html>",
        "<rss/>",
        "<feed xmlns='http://www.w3.org/2005/Atom'/>",
        "<!DOCTYPE rss SYSTEM 'file:///x'><rss><channel/></rss>",
        "<rss><channel>&nbsp;</channel></rss>"
      })
  void what_is_no_rss_is_refused_with_the_reason(String text) {
    List<String> before = saved();

    assertThat(((RpcAnswer.Fault) save(text)).message()).startsWith("the text ");

    assertThat(saved()).isEqualTo(before);
  }

  @Test
  void well_formed_HTML_is_called_what_it_is() {
    String page =
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>t</title></head>"
            + "<body><p>text</p></body></html>";

    assertThat(((RpcAnswer.Fault) save(page)).message()).contains("HTML");
  }

  @Test
  void a_text_over_the_bound_is_refused() {
    String text = FakeOrigin.rssOf("<!--" + "a".repeat(1 << 20) + "-->", "one");

    assertThat(((RpcAnswer.Fault) save(text)).message()).contains("longer than");
  }

  @Test
  void nothing_is_served_for_who_saved_nothing() {
    assertThat(world.gateway().get("/files/nobody/rss.xml").statusCode()).isEqualTo(404);
    assertThat(world.gateway().get("/files/%2e%2e/rss.xml").statusCode()).isIn(400, 404);
  }

  @Test
  void the_gateway_does_not_follow_its_own_feeds_through_its_own_hub_or_cloud() {
    world.subscribe(world.gateway().url("/test/feed.xml"), "onlooker");

    world.gateway().settle();

    assertThat(world.gateway().rows().count("following")).isZero();
  }

  @Test
  void the_test_feed_can_be_followed_too() {
    String feed = world.gateway().url("/test/feed.xml");

    world.subscribe(feed, "tester");

    HttpResponse<String> served = world.gateway().get("/test/feed.xml");
    assertThat(served.statusCode()).isEqualTo(200);
    assertThat(served.body())
        .contains("rel=\"hub\"", "<cloud ", "path=\"/pleaseNotify\"", "source:cloud", "<item>");
  }
}
