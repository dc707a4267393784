package io.feedbridge.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.Results;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is inside is neither fetched nor called unless it was allowed, and whoever asked for it is
 * told (DESIGN §5).
 */
class AddressRulesTest {

  private static final List<String> NONE = List.of();

  /** All that the fakes need; not {@link RawHost#INSIDE}. */
  private static final List<String> ONE = List.of("127.0.0.1/32");

  private final RawHost inside = RawHost.inside(RawHost.INSIDE, 0);
  @TempDir Path data;
  private World world;

  @BeforeEach
  void start() {
    world = World.around(TestGateway.with(data, NONE, NONE, Duration.ofMinutes(1)));
  }

  /** With another gateway. */
  private void allowing(List<String> fetch, List<String> callback) {
    world.close();
    world = World.around(TestGateway.with(data, fetch, callback, Duration.ofMinutes(1)));
  }

  @AfterEach
  void stop() {
    world.close();
    inside.close();
  }

  @Nested
  class WithNothingAllowed {

    @Test
    void a_registration_is_refused_with_the_reason_and_nobody_is_called() {
      String feed = world.origin().rss("feed.xml", "", "one");

      Results.Result result = register(feed);

      assertThat(result.success()).isFalse();
      assertThat(result.msg()).contains(feed + ": cannot be read", "must not be called");
      assertNobodyWasCalled();
    }

    @Test
    void a_subscription_is_refused_with_the_reason_and_nobody_is_called() {
      String feed = world.origin().rss("feed.xml", "", "one");

      HttpResponse<String> answer = world.gateway().subscribe(feed, world.subscriber().url("one"));

      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(answer.body())
          .isEqualTo(
              "hub.callback: 127.0.0.1 is in a network that must not be called; the operator can"
                  + " allow it\n");
      assertNothingStays();
      assertNobodyWasCalled();
    }

    @ParameterizedTest
    @CsvSource({
      "http://10.0.0.1/hook,           in a network that must not be called",
      "http://[fd00::1]/hook,          in a network that must not be called",
      "http://203.0.113.7/hook,        in a network that must not be called",
      "http://feeds.example.org:22/x,  Port 22 of feeds.example.org must not be called",
      "{gateway}/hook,                 is this gateway itself",
      "http://2130706433/hook,         looks like an IPv4 address",
      "http://user@example.org/hook,   user name or password"
    })
    void a_callback_that_can_never_be_called_is_refused_with_the_reason(
        String written, String reason) {
      String feed = world.origin().rss("feed.xml", "", "one");
      String callback = written.replace("{gateway}", world.gateway().url(""));

      HttpResponse<String> hub = world.gateway().subscribe(feed, callback);
      HttpResponse<String> webhook =
          world
              .gateway()
              .post(
                  "/api/v1/webhooks",
                  "application/json",
                  "{\"url\":\"%s\"}".formatted(callback).getBytes(StandardCharsets.UTF_8));

      assertThat(hub.statusCode()).isIn(400, 403);
      assertThat(hub.body()).contains("hub.callback").doesNotContain("accepted");
      assertThat(webhook.statusCode()).isEqualTo(400);
      assertThat(webhook.body()).contains("\"field\":\"url\"");
      assertThat(List.of(hub.body(), webhook.body()))
          .allSatisfy(body -> assertThat(body).contains(reason));
      assertThat(world.gateway().rows().count("webhook")).isZero();
      assertNothingStays();
    }

    @Test
    void a_callback_with_a_name_is_judged_when_its_addresses_are_known() {
      String feed = world.origin().rss("feed.xml", "", "one");
      String callback = world.subscriber().url("one").replace("127.0.0.1", "localhost");

      assertThat(world.gateway().subscribe(feed, callback).statusCode()).isEqualTo(202);

      assertNothingStays();
      assertNobodyWasCalled();
    }

    @Test
    void no_spelling_of_an_address_leads_inside() {
      for (String host :
          List.of(
              "localhost",
              "127.0.0.1",
              "127.1",
              "2130706433",
              "0x7f000001",
              "0177.0.0.1",
              "[::ffff:127.0.0.1]",
              "[::ffff:7f00:1]",
              "0.0.0.0",
              "127.0.0.1.")) {
        assertRefused(host);
      }
    }

    private void assertRefused(String host) {
      world.origin().rss("feed.xml", "", "one");
      String feed = world.origin().url("feed.xml").replace("127.0.0.1", host);
      String callback = world.subscriber().url("one").replace("127.0.0.1", host);

      HttpResponse<String> subscribed = world.gateway().subscribe(feed, callback);
      Results.Result registered = register(feed);

      assertThat(subscribed.statusCode()).as(host).isIn(202, 400, 403);
      assertThat(registered.success()).isFalse();
      assertThat(registered.msg()).isNotBlank();
      assertNothingStays();
      assertNobodyWasCalled();
    }

    @Test
    void loopback_private_and_link_local_addresses_are_refused_without_a_try() {
      for (String host :
          List.of(
              "10.0.0.1",
              "172.16.0.1",
              "192.168.1.1",
              "169.254.169.254",
              "100.64.0.1",
              "[::1]",
              "[::]",
              "[fe80::1]",
              "[fd00::1]",
              "[64:ff9b::7f00:1]",
              "[2002:7f00:1::]")) {
        Results.Result result = register("http://" + host + "/feed.xml");

        assertThat(result.success()).as(host).isFalse();
        assertThat(result.msg()).contains("must not be called");
      }
    }

    private void assertNobodyWasCalled() {
      assertThat(world.origin().requests("feed.xml")).isEmpty();
      assertThat(world.subscriber().asked("one")).isEmpty();
      assertThat(world.subscriber().received("one")).isEmpty();
    }
  }

  @Nested
  class WithFeedsAllowedAlone {

    @Test
    void a_callback_inside_is_not_verified() {
      allowing(ONE, NONE);
      String feed = world.origin().rss("feed.xml", "", "one");

      world.gateway().subscribe(feed, world.subscriber().url("one"));

      assertNothingStays();
      assertThat(world.subscriber().asked("one")).isEmpty();
    }

    @Test
    void a_handler_inside_is_refused_with_the_reason() {
      allowing(ONE, NONE);
      String feed = world.origin().rss("feed.xml", "", "one");

      Results.Result result = register(feed);

      assertThat(result.success()).isFalse();
      assertThat(result.msg())
          .contains(feed, "your handler could not be reached", "must not be called");
      assertNothingStays();
      assertThat(world.subscriber().asked("one")).isEmpty();
    }

    @Test
    void a_handler_at_the_callers_own_address_inside_is_refused_too() {
      allowing(ONE, NONE);
      String feed = world.origin().rss("feed.xml", "", "one");

      Results.Result result =
          Results.xml(
              world
                  .gateway()
                  .form(
                      "/pleaseNotify",
                      "port",
                      Integer.toString(world.subscriber().port()),
                      "path",
                      "/one",
                      "protocol",
                      "http-post",
                      "url1",
                      feed),
              "notifyResult");

      assertThat(result.success()).isFalse();
      assertThat(world.subscriber().received("one")).isEmpty();
    }
  }

  @Nested
  class WithCallbacksAllowedAlone {

    @Test
    void a_subscriber_is_told_that_the_topic_is_denied_and_why() {
      allowing(NONE, ONE);
      String feed = world.origin().rss("feed.xml", "", "one");

      world.gateway().subscribe(feed, world.subscriber().url("one"));

      World.until(() -> world.subscriber().asked("one").size() == 1);
      var denial = world.subscriber().asked("one").get(0).query();
      assertThat(denial.get("hub.mode")).containsExactly("denied");
      assertThat(Http.first(denial, "hub.reason"))
          .contains("cannot be fetched", "must not be called");
      assertNothingStays();
      assertThat(world.origin().requests("feed.xml")).isEmpty();
    }

    @Test
    void a_registration_is_refused_with_the_reason() {
      allowing(NONE, ONE);
      String feed = world.origin().rss("feed.xml", "", "one");

      Results.Result result = register(feed);

      assertThat(result.success()).isFalse();
      assertThat(result.msg()).contains(feed + ": cannot be read", "must not be called");
      assertThat(world.origin().requests("feed.xml")).isEmpty();
      assertThat(world.subscriber().asked("one")).isEmpty();
    }
  }

  @Nested
  class WithOneAddressAllowed {

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void a_feed_that_redirects_elsewhere_inside_is_refused(int status) {
      allowing(ONE, ONE);
      String feed =
          world.origin().redirect("feed.xml", status, inside.at(RawHost.INSIDE, "/secret"));

      Results.Result result = register(feed);

      assertThat(result.success()).isFalse();
      assertThat(result.msg()).contains("must not be called");
      assertThat(inside.accepted()).isZero();
    }

    @Test
    void a_followed_feed_that_begins_to_redirect_inside_is_not_followed_there() {
      allowing(ONE, ONE);
      String feed = world.origin().rss("feed.xml", "", "one");
      world.subscribe(feed, "one");
      world.origin().redirect("feed.xml", 302, inside.at(RawHost.INSIDE, "/secret"));

      world.publish(feed);

      assertThat(inside.accepted()).isZero();
      assertThat(world.subscriber().received("one")).isEmpty();
      assertThat(
              world.gateway().rows().query("SELECT json_extract(fetched, '$.message') FROM feed"))
          .allSatisfy(message -> assertThat(message).contains("must not be called"));
    }

    @Test
    void a_feed_that_redirects_to_what_is_allowed_is_followed_there() {
      allowing(ONE, ONE);
      world.origin().rss("there.xml", "", "one");
      String feed = world.origin().redirect("feed.xml", 302, "/there.xml");

      assertThat(register(feed).success()).isTrue();
    }

    @Test
    void a_hub_inside_is_not_asked_and_the_cloud_is() {
      allowing(ONE, ONE);
      String link = "<atom:link rel=\"hub\" href=\"" + inside.at(RawHost.INSIDE, "/hub") + "\"/>";
      String feed = world.origin().rss("feed.xml", link + world.cloud().element(), "one");
      world.subscribe(feed, "one");

      World.until(() -> world.cloud().registered(feed) == 1);
      assertThat(inside.accepted()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {307, 308})
    void a_hub_that_sends_the_gateway_inside_is_not_obeyed(int status) {
      allowing(ONE, ONE);
      world.hub().moveTo(status, inside.at(RawHost.INSIDE, "/hub"));
      String link = "<atom:link rel=\"hub\" href=\"" + world.hub().url() + "\"/>";
      world.subscribe(world.origin().rss("feed.xml", link, "one"), "one");

      World.until(() -> world.gateway().rows().count("following WHERE state = 'REFUSED'") == 1);
      assertThat(inside.accepted()).isZero();
    }

    @Test
    void a_cloud_inside_is_not_asked() {
      allowing(ONE, ONE);
      String cloud =
          "<cloud domain=\"%s\" port=\"%d\" path=\"/\" registerProcedure=\"\" protocol=\"http-post\"/>"
              .formatted(RawHost.INSIDE, inside.port());
      world.subscribe(world.origin().rss("feed.xml", cloud, "one"), "one");

      World.until(() -> world.gateway().rows().count("following WHERE state = 'REFUSED'") == 1);
      assertThat(inside.accepted()).isZero();
    }

    @Test
    void a_notification_that_is_redirected_inside_does_not_arrive_there() {
      allowing(ONE, ONE);
      String feed = world.origin().rss("feed.xml", "", "one");
      world.register(feed, "one");
      world
          .subscriber()
          .answer(
              "one",
              request ->
                  CompletableFuture.completedFuture(
                      Response.empty(307)
                          .withHeader("Location", inside.at(RawHost.INSIDE, "/secret"))));
      world.origin().rss("feed.xml", "", "two", "one");

      world.publish(feed);

      world.delivery("one");
      assertThat(inside.accepted()).isZero();
      assertThat(world.gateway().rows().query("SELECT error FROM laggard"))
          .allSatisfy(error -> assertThat(error).contains("must not be called"))
          .hasSize(1);
    }

    @Test
    void a_callback_inside_is_not_verified() {
      allowing(ONE, ONE);
      String feed = world.origin().rss("feed.xml", "", "one");

      world.gateway().subscribe(feed, inside.at(RawHost.INSIDE, "/one"));

      assertNothingStays();
      assertThat(inside.accepted()).isZero();
    }
  }

  private Results.Result register(String feed) {
    return Results.xml(
        world.gateway().pleaseNotify(world.subscriber(), "one", feed), "notifyResult");
  }

  private void assertNothingStays() {
    world.gateway().settle();
    assertThat(world.gateway().rows().count("verification")).isZero();
    assertThat(world.gateway().rows().count("subscription")).isZero();
    assertThat(world.gateway().rows().count("feed WHERE followed = 1")).isZero();
  }
}
