package io.feedbridge.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.DnsResolver;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StoredRows;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the operator does not have followed, or called, by whichever face it comes in. */
class PoliciesTest {

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  @TempDir Path data;
  private TestGateway gateway;

  @BeforeEach
  void begin() {
    gateway = gateway(List.of(), List.of());
  }

  private void start(List<String> topics, List<String> callbacks) {
    gateway.close();
    gateway = gateway(topics, callbacks);
  }

  private TestGateway gateway(List<String> topics, List<String> callbacks) {
    return TestGateway.guarding(
        data,
        new Settings.Guarding(
            UrlPatterns.parse(topics),
            UrlPatterns.parse(callbacks),
            Settings.Guarding.DEFAULT.limits(),
            TrackerPolicy.OPEN),
        Duration.ZERO,
        DnsResolver::new);
  }

  @AfterEach
  void stop() {
    gateway.close();
    subscriber.close();
    origin.close();
  }

  private StoredRows rows() {
    return gateway.rows();
  }

  private HttpResponse<String> subscribe(String topic, String path) {
    return gateway.subscribe(topic, subscriber.url(path), "hub.verify", "sync");
  }

  private static void assertRefused(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.body()).contains("the operator of this gateway does not have it followed");
  }

  @Test
  void a_topic_that_is_denied_is_refused_by_every_face_and_never_fetched() {
    String good = origin.rss("good/feed.xml", "", "one");
    String bad = origin.rss("bad/feed.xml", "", "one");
    start(List.of("!" + origin.url("bad/")), List.of());

    assertRefused(subscribe(bad, "one"), 403);
    assertRefused(subscribe(gateway.url("/feed.rss?url=" + bad), "one"), 403);
    assertRefused(subscribe(origin.url("good/../%62ad/feed.xml"), "one"), 403);
    assertRefused(gateway.pleaseNotify(subscriber, "one", bad), 200);
    assertThat(gateway.pleaseNotify(subscriber, "one", bad).body()).contains("success=\"false\"");
    assertRefused(gateway.get("/feed.rss?url=" + bad), 403);
    assertRefused(gateway.json("POST", "/api/v1/feeds", "{\"url\":\"" + bad + "\"}"), 400);
    String webhook = "{\"url\":\"%s\",\"topics\":[\"%s\"]}";
    assertRefused(
        gateway.json("POST", "/api/v1/webhooks", webhook.formatted(subscriber.url("hook"), bad)),
        400);
    String opml =
        "<opml version=\"2.0\"><head/><body><outline type=\"rss\" xmlUrl=\"%s\"/><outline"
            + " type=\"rss\" xmlUrl=\"%s\"/></body></opml>";
    HttpResponse<String> report =
        gateway.post(
            "/api/v1/import",
            "text/x-opml",
            opml.formatted(good, bad).getBytes(StandardCharsets.UTF_8));
    assertRefused(report, 200);
    assertThat(report.body()).contains("\"followed\":1", "\"forbidden\":1");
    gateway.form("/ping", "url", bad);
    gateway.settle();

    assertThat(subscribe(good, "one").statusCode()).isEqualTo(204);
    assertThat(origin.requests("bad/feed.xml")).isEmpty();
    assertThat(rows().count("feed WHERE topic LIKE '%bad%' AND followed = 1")).isZero();
  }

  @Test
  void credentials_change_nothing_in_that_and_the_null_device_is_always_there() {
    String good = origin.rss("good/feed.xml", "", "one");
    String bad = origin.rss("bad/feed.xml", "", "one");
    start(List.of("!" + origin.url("bad/")), List.of(subscriber.url("good/")));
    String token = "ann:" + gateway.addToken("ann", Right.SUBSCRIBE);

    assertRefused(withCredentials(token, bad, subscriber.url("good/1")), 403);
    HttpResponse<String> callback = withCredentials(token, good, subscriber.url("bad/1"));
    assertThat(callback.statusCode()).isEqualTo(403);
    assertThat(callback.body()).contains("does not have it called");
    assertThat(withCredentials(token, good, subscriber.url("good/1")).statusCode()).isEqualTo(204);
    assertThat(withCredentials(token, good, gateway.url("/dev/null")).statusCode()).isEqualTo(204);
  }

  private HttpResponse<String> withCredentials(String who, String topic, String callback) {
    String shown = Base64.getEncoder().encodeToString(who.getBytes(StandardCharsets.UTF_8));
    return gateway.form(
        "/hub?" + Http.encode("authorization", shown),
        "hub.mode",
        "subscribe",
        "hub.topic",
        topic,
        "hub.callback",
        callback);
  }

  @Test
  void where_some_are_allowed_no_others_are() {
    String good = origin.rss("good/feed.xml", "", "one");
    String other = origin.rss("other/feed.xml", "", "one");
    start(List.of(origin.url("good/")), List.of());

    assertThat(subscribe(good, "one").statusCode()).isEqualTo(204);
    assertRefused(subscribe(other, "two"), 403);
    // The gateway's own feeds are its operator's.
    assertThat(subscribe(gateway.url("/test/feed.xml"), "three").statusCode()).isEqualTo(204);
  }

  @Test
  void no_redirect_leads_to_what_is_denied() {
    origin.rss("bad/feed.xml", "", "one");
    String feed = origin.redirect("feed.xml", 302, origin.url("bad/feed.xml"));
    start(List.of("!" + origin.url("bad/")), List.of());

    HttpResponse<String> answer = subscribe(feed, "one");

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).contains("the operator denies it");
    assertThat(origin.requests("bad/feed.xml")).isEmpty();
  }

  @Test
  void a_callback_that_is_denied_is_refused_by_every_face_and_never_called() {
    String feed = origin.rss("feed.xml", "", "one");
    start(List.of(), List.of("!" + subscriber.url("bad")));

    assertThat(subscribe(feed, "good").statusCode()).isEqualTo(204);
    assertThat(subscribe(feed, "bad").statusCode()).isEqualTo(403);
    assertThat(gateway.pleaseNotify(subscriber, "bad", feed).body())
        .contains("success=\"false\"", "does not have it called");
    String webhook = "{\"url\":\"%s\",\"topics\":[\"*\"]}";
    assertThat(
            gateway
                .json("POST", "/api/v1/webhooks", webhook.formatted(subscriber.url("bad")))
                .statusCode())
        .isEqualTo(400);
    assertThat(subscriber.asked("bad")).isEmpty();
    assertThat(subscriber.received("bad")).isEmpty();
  }

  @Test
  void a_policy_that_changed_ends_what_it_refuses_and_tells_WebSub_subscribers() {
    String good = origin.rss("good/feed.xml", "", "one");
    String bad = origin.rss("bad/feed.xml", "", "one");
    start(List.of(), List.of());
    assertThat(subscribe(good, "of-good").statusCode()).isEqualTo(204);
    assertThat(subscribe(good, "unwanted").statusCode()).isEqualTo(204);
    assertThat(subscribe(bad, "of-bad").statusCode()).isEqualTo(204);
    assertThat(gateway.pleaseNotify(subscriber, "cloud-of-bad", bad).body())
        .contains("success=\"true\"");
    gateway.json("POST", "/api/v1/feeds", "{\"url\":\"" + bad + "\"}");
    String webhook = "{\"url\":\"%s\",\"topics\":[\"*\"],\"verified\":true}";
    gateway.json("POST", "/api/v1/webhooks", webhook.formatted(subscriber.url("unwanted/hook")));
    gateway.settle();
    int before = origin.requests("bad/feed.xml").size();

    start(List.of("!" + origin.url("bad/")), List.of("!" + subscriber.url("unwanted")));

    World.until(() -> subscriber.asked("of-bad").size() == 2);
    var denial = subscriber.asked("of-bad").get(1).query();
    assertThat(Http.first(denial, "hub.mode")).isEqualTo("denied");
    assertThat(Http.first(denial, "hub.topic")).isEqualTo(bad);
    assertThat(Http.first(denial, "hub.reason")).contains("does not have it followed");
    gateway.settle();
    assertThat(rows().query("SELECT callback FROM subscription"))
        .containsExactly(subscriber.url("of-good"));
    assertThat(rows().query("SELECT state FROM webhook")).containsExactly("DISABLED");
    assertThat(subscriber.asked("unwanted")).hasSize(1);
    origin.rss("bad/feed.xml", "", "two", "one");
    gateway.form("/ping", "url", bad);
    gateway.settle();
    assertThat(origin.requests("bad/feed.xml")).hasSize(before);
    assertThat(rows().count("feed WHERE followed = 1")).isEqualTo(1);

    // What the operator had followed comes back when it may.
    start(List.of(), List.of());
    World.until(() -> origin.requests("bad/feed.xml").size() > before);
    assertThat(rows().count("feed WHERE followed = 1")).isEqualTo(2);
  }
}
