package io.feedbridge.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.feeds.Upstreams.Accepted;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.NamedHosts;
import io.feedbridge.gateway.testing.WordPressCloud;
import io.feedbridge.gateway.testing.WordPressCloud.Version;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An https gateway as a subscriber of WordPress' plugin "RSSCloud", 0.5.1 and older. */
class WordPressCloudTest {

  private static final URI ON_443 = URI.create("https://gateway.example");
  private static final URI ON_8443 = URI.create("https://gateway.example:8443");

  @TempDir static Path folder;
  private static NamedHosts hosts;

  @TempDir Path data;

  @SuppressWarnings("NullAway.Init") // each test calls start
  private StageBench bench;

  @SuppressWarnings("NullAway.Init") // each test calls start
  private WordPressCloud blog;

  private String topic = "";

  @BeforeAll
  static void nameHosts() {
    hosts = new NamedHosts(folder, "gateway.example", WordPressCloud.HOST);
  }

  @AfterAll
  static void forgetHosts() {
    hosts.close();
  }

  private void start(URI publicUrl) {
    start(publicUrl, Version.V0_5_1);
  }

  private void start(URI publicUrl, Version version) {
    hosts.refusePlain(false);
    bench = new StageBench(data, new ManualTimer(StageBench.START), publicUrl, hosts);
    bench.startIngest();
    blog = new WordPressCloud(version, hosts);
    topic = blog.oldFeed();
  }

  @AfterEach
  void stop() {
    bench.close();
    blog.close();
  }

  private void follow() {
    bench.followed(topic);
    bench.startUpstream();
  }

  private UpstreamSubscription only() {
    List<UpstreamSubscription> all = bench.upstreamSubscriptions(topic);
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  private boolean is(State state) {
    List<UpstreamSubscription> all = bench.upstreamSubscriptions(topic);
    return all.size() == 1 && all.get(0).state() == state;
  }

  private Accepted accepted() {
    return bench.store().upstreams().accepted(only().endpoint());
  }

  private List<String> protocols() {
    return blog.registrations().stream().map(form -> form.get("protocol")).toList();
  }

  private void renew() {
    bench.timer().advanceTo(only().nextActionAt());
  }

  @Test
  void on_port_443_it_registers_as_http_post_and_is_challenged_pinged_and_renewed_by_https() {
    start(ON_443);

    follow();
    bench.until(() -> is(State.ACTIVE));

    assertThat(protocols()).containsExactly("http-post");
    assertThat(blog.registrations().get(0))
        .containsEntry("domain", "gateway.example")
        .containsEntry("port", "443")
        .containsEntry("path", "/callback/rsscloud/" + only().token());
    assertThat(blog.dialled())
        .singleElement()
        .asString()
        .startsWith("https://gateway.example:443/callback/rsscloud/" + only().token() + "?url=");
    assertThat(accepted()).isEqualTo(new Accepted("http-post", null));

    blog.publish("two", "one");
    assertThat(blog.ping()).containsExactly(200);
    bench.untilIdle();
    assertThat(bench.news(topic)).containsExactly(blog.id("two"));

    renew();
    bench.until(() -> blog.registrations().size() == 2 && is(State.ACTIVE));
    assertThat(protocols()).containsExactly("http-post", "http-post");
  }

  @Test
  void on_another_port_both_ways_are_tried_once_and_the_reasons_of_both_are_told() {
    start(ON_8443);
    hosts.refusePlain(true);

    follow();
    bench.until(() -> is(State.REFUSED));

    assertThat(protocols()).containsExactly("https-post", "http-post");
    assertThat(blog.dialled())
        .singleElement()
        .asString()
        .startsWith("http://gateway.example:8443/callback/rsscloud/");
    assertThat(only().reason())
        .contains("Error testing notification URL")
        .contains("before as https-post: ")
        .contains(WordPressCloud.ONLY_HTTP_POST);
  }

  @Test
  void version_0_5_0_reaches_port_443_by_http_where_the_gateway_itself_answers_there() {
    start(ON_443, Version.V0_5_0);

    follow();
    bench.until(() -> is(State.ACTIVE));

    assertThat(blog.dialled())
        .singleElement()
        .asString()
        .startsWith("http://gateway.example:443/callback/rsscloud/");
    blog.publish("two", "one");
    assertThat(blog.ping()).containsExactly(200);
  }

  @Test
  void version_0_5_0_is_refused_behind_a_proxy_that_takes_https_alone() {
    start(ON_443, Version.V0_5_0);
    hosts.refusePlain(true);

    follow();
    bench.until(() -> is(State.REFUSED));

    assertThat(only().reason()).contains("The URL returned HTTP status code: 400");
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void an_https_blog_that_names_port_80_gets_the_POST_through_its_redirect(int status) {
    start(ON_443, Version.V0_5_0);
    blog.moveToHttps(status);
    topic = blog.feed();

    follow();
    bench.until(() -> is(State.ACTIVE));

    assertThat(blog.registrations())
        .singleElement()
        .satisfies(
            form ->
                assertThat(form)
                    .containsAllEntriesOf(Map.of("by", "https", "url1", topic, "port", "443")));
    assertThat(blog.plainPosts()).isEqualTo(1);

    renew();
    bench.until(() -> blog.registrations().size() == 2 && is(State.ACTIVE));
    assertThat(blog.plainPosts()).as("the place that answered is asked first").isEqualTo(1);
  }

  @Test
  void a_place_that_fails_is_forgotten_and_the_cloud_is_asked_at_its_own_URL() {
    start(ON_443, Version.V0_5_0);
    blog.moveToHttps(301);
    follow();
    bench.until(() -> is(State.ACTIVE));
    assertThat(accepted().place()).startsWith("https://blog.example:");
    blog.moveBack();

    renew();
    bench.until(() -> blog.registered(blog.oldFeed()) == 1 && is(State.ACTIVE));

    assertThat(accepted()).isEqualTo(new Accepted("http-post", null));
    assertThat(blog.registrations().get(blog.registrations().size() - 1))
        .containsEntry("by", "http");
  }

  @Test
  void a_blog_that_moves_to_https_keeps_its_registration_and_its_pings() {
    start(ON_443);
    follow();
    bench.startPolls();
    bench.until(() -> is(State.ACTIVE));
    blog.moveToHttps(301);

    for (int hours = 0; hours < 50 && blog.registered(blog.feed()) == 0; hours++) {
      bench.timer().advance(Duration.ofHours(1));
      bench.untilIdle();
    }
    bench.until(() -> blog.registered(blog.feed()) == 1 && is(State.ACTIVE));

    blog.publish("two", "one");
    assertThat(blog.ping()).containsOnly(200);
    bench.untilIdle();
    assertThat(bench.news(topic)).containsExactly(blog.id("two"));
  }

  /** A cloud that calls https-post alone by https, such as an old rsscloud-server. */
  @Test
  void the_protocol_that_a_cloud_took_is_asked_for_first_after_a_restart_too() {
    start(ON_443);
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber other = new FakeSubscriber()) {
      List<String> asked = new CopyOnWriteArrayList<>();
      other.answer(
          "cloud",
          request -> {
            String protocol = Http.first(request.form(), "protocol");
            asked.add(protocol);
            return CompletableFuture.completedFuture(
                Response.text(
                    200,
                    "<notifyResult success='%s' msg='%s is unsupported'/>"
                        .formatted(protocol.equals("https-post"), protocol)));
          });
      topic = feedOf(origin, other);
      follow();
      bench.until(() -> is(State.ACTIVE));
      assertThat(asked).containsExactly("http-post", "https-post");

      bench.close();
      bench = new StageBench(data, bench.timer(), ON_443, hosts).startIngest();
      bench.startUpstream();
      renew();
      bench.until(() -> asked.size() == 3 && is(State.ACTIVE));

      assertThat(asked).endsWith("https-post");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:%d/cloud", "http://10.0.0.1:%d/cloud"})
  void a_registration_is_not_redirected_for_ever_nor_to_where_the_guard_refuses(String to) {
    start(ON_443);
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber other = new FakeSubscriber()) {
      other.answer(
          "cloud",
          request ->
              CompletableFuture.completedFuture(
                  Response.text(302, "").withHeader("Location", to.formatted(other.port()))));
      topic = feedOf(origin, other);

      follow();
      bench.until(() -> is(State.REFUSED));

      assertThat(other.received("cloud")).hasSizeLessThanOrEqualTo(1 + CloudEndpoint.MAX_MOVES);
    }
  }

  private static String feedOf(FakeOrigin origin, FakeSubscriber cloud) {
    return origin.rss(
        "feed.xml",
        "<cloud domain='127.0.0.1' port='%d' path='/cloud' protocol='http-post'/>"
            .formatted(cloud.port()),
        "one");
  }
}
