package io.feedbridge.gateway.track;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.DnsResolver;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The callers that may subscribe to trackers, at each door that gives entries out. */
class TrackerPolicyTest {

  private static final String STRANGER = "203.0.113.7";
  private static final int FORBIDDEN = 403;

  private final FakeSubscriber subscriber = new FakeSubscriber();
  @TempDir Path data;

  // Each test starts it.
  @SuppressWarnings("NullAway.Init")
  private TestGateway gateway;

  @AfterEach
  void stop() {
    gateway.close();
    subscriber.close();
  }

  private void start(TrackerPolicy policy) {
    gateway =
        TestGateway.guarding(
            data,
            new Settings.Guarding(
                UrlPatterns.ALL, UrlPatterns.ALL, Settings.Guarding.DEFAULT.limits(), policy),
            Duration.ZERO,
            DnsResolver::new);
  }

  private String tracker() {
    return gateway.url("/track?query=mars");
  }

  private HttpResponse<String> subscribeByStranger() {
    return gateway.formBy(
        STRANGER,
        "/hub",
        "hub.mode",
        "subscribe",
        "hub.topic",
        tracker(),
        "hub.callback",
        subscriber.url("stranger"));
  }

  private HttpResponse<String> call(String credentials, String... form) {
    return gateway.post(
        "/hub",
        "application/x-www-form-urlencoded",
        Http.encode(form).getBytes(UTF_8),
        "X-Forwarded-For",
        STRANGER,
        "Authorization",
        "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8)));
  }

  private HttpResponse<String> subscribeBy(String credentials) {
    return call(
        credentials,
        "hub.mode",
        "subscribe",
        "hub.topic",
        tracker(),
        "hub.callback",
        subscriber.url("login"));
  }

  private HttpResponse<String> bridged(String kind) {
    return gateway.getBy(STRANGER, kind + "?" + Http.encode("url", tracker()));
  }

  private static void assertRefused(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(FORBIDDEN);
    assertThat(answer.body()).contains("--trackers");
    assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
  }

  private void assertStrangersAreRefused() {
    assertRefused(subscribeByStranger());
    assertRefused(
        gateway.subscribe(
            gateway.url("/feed.atom?" + Http.encode("url", tracker())), subscriber.url("bridged")));
    assertThat(gateway.pleaseNotify(subscriber, "cloud", tracker()).body())
        .contains("success=\"false\"", "--trackers");
    for (String kind : new String[] {"/feed.atom", "/feed.rss", "/feed.json"}) {
      assertRefused(bridged(kind));
    }
    assertThat(gateway.rows().count("subscription")).isZero();
    assertThat(gateway.rows().count("tracker")).isZero();
  }

  @Test
  void login_refuses_callers_without_a_login_at_each_door() {
    start(TrackerPolicy.LOGIN);
    assertStrangersAreRefused();
  }

  @Test
  void login_lets_a_token_subscribe_that_has_the_right_to() {
    start(TrackerPolicy.LOGIN);
    String ann = "ann:" + gateway.addToken("ann", Right.SUBSCRIBE, Right.RETRIEVE);
    String bob = "bob:" + gateway.addToken("bob", Right.RETRIEVE);

    assertThat(subscribeBy(bob).statusCode()).isEqualTo(FORBIDDEN);
    assertThat(subscribeBy("ann:of-nobody").statusCode()).isEqualTo(401);
    HttpResponse<String> answer = subscribeBy(ann);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(
            call(ann, "hub.mode", "retrieve", "hub.topic", tracker(), "format", "json")
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void open_lets_a_stranger_subscribe() {
    start(TrackerPolicy.OPEN);
    assertThat(subscribeByStranger().statusCode()).isEqualTo(202);
    World.until(() -> gateway.rows().count("subscription") == 1);
  }

  @Test
  void off_refuses_every_caller_at_each_door() {
    start(TrackerPolicy.OFF);
    String ann = "ann:" + gateway.addToken("ann", Right.SUBSCRIBE, Right.RETRIEVE);

    assertStrangersAreRefused();
    assertRefused(subscribeBy(ann));
    assertRefused(call(ann, "hub.mode", "retrieve", "hub.topic", tracker()));
    assertRefused(
        gateway.get("/hub?" + Http.encode("hub.mode", "retrieve", "hub.topic", tracker())));
    HttpResponse<String> webhook =
        gateway.json(
            "POST",
            "/api/v1/webhooks",
            "{\"url\":\"%s\",\"topics\":[\"%s\"]}".formatted(subscriber.url("hook"), tracker()));
    assertThat(webhook.statusCode()).isEqualTo(400);
    assertThat(webhook.body()).contains("--trackers");
    HttpResponse<String> feed =
        gateway.json("POST", "/api/v1/feeds", "{\"url\":\"%s\"}".formatted(tracker()));
    assertThat(feed.statusCode()).isEqualTo(400);
    assertThat(feed.body()).contains("--trackers");
  }
}
