package io.feedbridge.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.Resolver;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.Limits;
import io.feedbridge.gateway.guard.Rate;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.InetAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** How much one caller may ask for, and how the one who asks for more is told so. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallerLimitsTest {

  private static final Limits LIMITS =
      new Limits(
          rate("5/h"),
          rate("2/h"),
          rate("7/h"),
          rate("9/h"),
          rate("3/h"),
          rate("2/h"),
          rate("3/m"),
          List.of("192.0.2.200/32"));

  @TempDir static Path data;
  private final AtomicInteger callers = new AtomicInteger();
  private World world;
  private String feed;

  private static Rate rate(String text) {
    return Rate.parse(text).orElseThrow();
  }

  @BeforeAll
  void start() {
    Resolver resolver =
        host -> CompletableFuture.completedFuture(List.of(InetAddress.getLoopbackAddress()));
    world =
        World.around(
            TestGateway.guarding(
                data,
                new Settings.Guarding(UrlPatterns.ALL, UrlPatterns.ALL, LIMITS, TrackerPolicy.OPEN),
                Duration.ZERO,
                (loop, transport) -> resolver));
    feed = world.origin().rss("feed.xml", "", "one");
    world.subscribe(feed, "first");
  }

  @AfterAll
  void stop() {
    world.close();
  }

  /** Somebody who has asked for nothing yet. */
  private String caller() {
    return "192.0.2." + callers.incrementAndGet();
  }

  private HttpResponse<String> ping(String caller, String url) {
    return world.gateway().formBy(caller, "/ping", "url", url);
  }

  private void pingAll(String caller) {
    for (int i = 0; i < 5; i++) {
      assertThat(ping(caller, "http://unknown.test/" + i).statusCode()).isEqualTo(200);
    }
  }

  private static void assertTooMany(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).isEqualTo(429);
    assertWaits(answer);
  }

  private static void assertWaits(HttpResponse<String> answer) {
    assertThat(answer.headers().firstValueAsLong("Retry-After").orElse(0)).isBetween(1L, 3_600L);
    assertThat(answer.body()).contains("too many").contains("try again in");
  }

  private HttpResponse<String> post(String caller, String path, String type, String body) {
    return world
        .gateway()
        .post(path, type, body.getBytes(StandardCharsets.UTF_8), "X-Forwarded-For", caller);
  }

  @Test
  void pings_beyond_the_limit_are_refused_in_the_form_of_each_protocol() {
    String caller = caller();
    pingAll(caller);

    assertTooMany(ping(caller, feed));
    assertThat(ping(caller, feed).body()).contains("<result").contains("success=\"false\"");
    assertTooMany(world.gateway().formBy(caller, "/hub", "hub.mode", "publish", "hub.url", feed));
    HttpResponse<String> json =
        world
            .gateway()
            .post(
                "/ping",
                "application/x-www-form-urlencoded",
                ("url=" + feed).getBytes(StandardCharsets.UTF_8),
                "X-Forwarded-For",
                caller,
                "Accept",
                "application/json");
    assertTooMany(json);
    assertThat(json.body()).contains("\"success\":false");
    String call =
        "<methodCall><methodName>%s</methodName><params><param><value>%s</value></param>"
            + "<param><value>%s</value></param></params></methodCall>";
    HttpResponse<String> fault =
        post(caller, "/RPC2", "text/xml", call.formatted("rssCloud.ping", feed, ""));
    assertThat(fault.statusCode()).isEqualTo(200);
    assertThat(fault.body()).contains("<fault>");
    assertWaits(fault);
    String envelope =
        "<E:Envelope xmlns:E=\"http://schemas.xmlsoap.org/soap/envelope/\"><E:Body>"
            + "<ping><url>%s</url></ping></E:Body></E:Envelope>";
    HttpResponse<String> soap = post(caller, "/soap", "text/xml", envelope.formatted(feed));
    assertThat(soap.statusCode()).isEqualTo(500);
    assertThat(soap.body()).contains("Client").contains("faultstring");
    assertWaits(soap);
    HttpResponse<String> weblog =
        post(caller, "/RPC2", "text/xml", call.formatted("weblogUpdates.ping", "Name", feed));
    assertThat(weblog.body()).contains("flerror").contains("<boolean>1</boolean>", "too many");
  }

  @Test
  void the_API_says_which_caller_is_held_back_and_why() {
    String caller = caller();
    pingAll(caller);
    assertTooMany(ping(caller, feed));

    assertThat(world.gateway().get("/api/v1/callers").body())
        .contains(
            "\"caller\":\"%s\",\"limit\":\"pings\",\"reason\":\"too many pings of one caller"
                .formatted(caller))
        .contains("\"until\":\"");
  }

  @Test
  void another_caller_has_a_limit_of_his_own() {
    String caller = caller();
    pingAll(caller);

    assertTooMany(ping(caller, feed));
    assertThat(ping(caller(), feed).statusCode()).isEqualTo(200);
  }

  @Test
  void each_URL_of_a_request_is_a_ping_of_its_own() {
    String[] form = new String[14];
    form[0] = "hub.mode";
    form[1] = "publish";
    for (int i = 2; i < form.length; i += 2) {
      form[i] = "hub.url";
      form[i + 1] = "http://unknown.test/" + i;
    }
    String caller = caller();

    assertThat(world.gateway().formBy(caller, "/hub", form).statusCode()).isEqualTo(204);
    assertTooMany(ping(caller, feed));
  }

  @Test
  void one_feed_is_pinged_less_often_by_a_caller() {
    String caller = caller();
    assertThat(ping(caller, feed).statusCode()).isEqualTo(200);
    assertThat(ping(caller, feed).statusCode()).isEqualTo(200);

    assertTooMany(ping(caller, feed));
    assertThat(ping(caller, "http://unknown.test/").statusCode()).isEqualTo(200);
  }

  private HttpResponse<String> subscribe(String caller, String topic, String callback) {
    return world
        .gateway()
        .formBy(
            caller,
            "/hub",
            "hub.mode",
            "subscribe",
            "hub.topic",
            topic,
            "hub.callback",
            callback,
            "hub.verify",
            "sync");
  }

  private String callback(String host, Object path) {
    return "http://%s:%d/%s".formatted(host, world.subscriber().port(), path);
  }

  @Test
  void a_caller_asks_for_so_many_subscriptions() {
    String caller = caller();
    for (int i = 0; i < 7; i++) {
      String host = "host-%d.caller.test".formatted(i);
      assertThat(subscribe(caller, feed, callback(host, i)).statusCode()).isEqualTo(204);
    }

    assertTooMany(subscribe(caller, feed, callback("host.caller.test", 8)));
    HttpResponse<String> registration =
        world
            .gateway()
            .formBy(
                caller,
                "/pleaseNotify",
                "domain",
                "more.caller.test",
                "port",
                Integer.toString(world.subscriber().port()),
                "path",
                "/x",
                "protocol",
                "http-post",
                "url1",
                feed);
    assertTooMany(registration);
    assertThat(registration.body()).contains("<notifyResult").contains("success=\"false\"");
  }

  @Test
  void a_host_of_callbacks_has_so_many_asked_for_by_whomever() {
    for (int i = 0; i < 9; i++) {
      assertThat(subscribe(caller(), feed, callback("reader.test", i)).statusCode()).isEqualTo(204);
    }

    assertTooMany(subscribe(caller(), feed, callback("reader.test", "more")));
    assertThat(subscribe(caller(), feed, callback("other.test", "more")).statusCode())
        .isEqualTo(204);
  }

  @Test
  void a_caller_has_so_many_feeds_followed_that_were_not() {
    String caller = caller();
    for (int i = 0; i < 3; i++) {
      String topic = world.origin().rss("new-" + i, "", "one");
      assertThat(subscribe(caller, topic, callback("new-%d.test".formatted(i), i)).statusCode())
          .isEqualTo(204);
    }
    String another = world.origin().rss("new-more", "", "one");

    assertTooMany(subscribe(caller, another, callback("more.test", "more")));
    assertTooMany(bridged(caller, another));
    assertThat(subscribe(caller, feed, callback("known.test", "known")).statusCode())
        .isEqualTo(204);
  }

  private HttpResponse<String> bridged(String caller, String topic) {
    return world.gateway().getBy(caller, "/feed.rss?url=" + topic);
  }

  @Test
  void a_host_that_does_not_confirm_is_asked_no_more_whoever_asks() {
    for (int i = 0; i < 3; i++) {
      world
          .subscriber()
          .onQuestion(
              "deaf-" + i, any -> CompletableFuture.completedFuture(Response.text(200, "?")));
    }

    assertThat(subscribe(caller(), feed, callback("deaf.test", "deaf-0")).statusCode())
        .isEqualTo(409);
    assertThat(subscribe(caller(), feed, callback("deaf.test.", "deaf-1")).statusCode())
        .isEqualTo(409);
    assertTooMany(subscribe(caller(), feed, callback("DEAF.test", "deaf-2")));
    assertThat(world.subscriber().asked("deaf-2")).isEmpty();
    // Nor for an operator.
    HttpResponse<String> operators =
        world.gateway().subscribe(feed, callback("deaf.test", "deaf-2"), "hub.verify", "sync");
    assertThat(operators.statusCode()).isEqualTo(409);
    assertThat(operators.body()).contains("too many requests");
    assertThat(world.subscriber().asked("deaf-2")).isEmpty();
  }

  @Test
  void a_host_that_confirms_is_asked_without_end() {
    for (int i = 0; i < 20; i++) {
      assertThat(
              world
                  .gateway()
                  .subscribe(feed, callback("willing.test", i), "hub.verify", "sync")
                  .statusCode())
          .isEqualTo(204);
    }
  }

  @Test
  void operators_and_exempt_networks_have_no_limits() {
    for (int i = 0; i < 20; i++) {
      assertThat(world.gateway().form("/ping", "url", feed).statusCode()).isEqualTo(200);
      assertThat(ping("192.0.2.200", feed).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void whoever_has_an_IPv6_address_is_one_with_all_that_begin_like_it() {
    for (int i = 0; i < 5; i++) {
      assertThat(ping("2001:db8::" + i, "http://unknown.test/").statusCode())
          .isEqualTo(i < 2 ? 200 : 429);
    }
    assertThat(ping("2001:db8:0:1::1", "http://unknown.test/").statusCode()).isEqualTo(200);
  }
}
