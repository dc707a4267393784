package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.NamedHosts;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.WordPressCloud;
import io.feedbridge.gateway.testing.WordPressCloud.Version;
import io.feedbridge.gateway.testing.World;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The life of a blog with WordPress' plugin "RSSCloud", 0.5.1 and 0.5.0, beside an https gateway:
 * registered, pinged and renewed by http, moved to https, found there, and pinged and renewed by
 * https.
 */
class WordPressTest {

  private static final URI GATEWAY = URI.create("https://gateway.example");

  private static final Duration STEP = Duration.ofMinutes(5);
  private static final String AGGREGATOR = "aggregator.example";

  @TempDir static Path folder;
  private static NamedHosts hosts;

  @TempDir Path data;

  @SuppressWarnings("NullAway.Init") // tests of the whole life call start
  private StageBench bench;

  @SuppressWarnings("NullAway.Init") // each test calls start
  private WordPressCloud blog;

  private String topic = "";

  @BeforeAll
  static void nameHosts() {
    hosts = new NamedHosts(folder, GATEWAY.getHost(), WordPressCloud.HOST, AGGREGATOR);
  }

  @AfterAll
  static void forgetHosts() {
    hosts.close();
  }

  private void start(Version version) {
    bench = new StageBench(data, new ManualTimer(StageBench.START), GATEWAY, hosts);
    blog = new WordPressCloud(version, hosts);
    topic = blog.oldFeed();
    bench.startIngest();
    bench.followed(topic);
    bench.startUpstream().startPolls();
  }

  @AfterEach
  void stop() {
    if (bench != null) {
      bench.close();
    }
    blog.close();
  }

  private boolean isActive() {
    List<UpstreamSubscription> all = bench.upstreamSubscriptions(topic);
    return all.size() == 1 && all.get(0).state() == State.ACTIVE;
  }

  /** Turns the clock in steps within which no renewal of a lease misses all of its tries. */
  private void pass(Duration span) {
    for (long minutes = 0; minutes < span.toMinutes(); minutes += STEP.toMinutes()) {
      bench.timer().advance(STEP);
      bench.until(() -> bench.work().waiting() == 0 && bench.threadsAreIdle());
    }
  }

  private void publishAndPing(String... newestFirst) {
    blog.publish(newestFirst);
    assertThat(blog.ping()).containsExactly(200);
    bench.untilIdle();
  }

  private List<String> schemes() {
    return blog.registrations().stream().map(form -> form.get("by")).distinct().toList();
  }

  @ParameterizedTest
  @CsvSource({"V0_5_0, false", "V0_5_0, true", "V0_5_1, false", "V0_5_1, true"})
  void a_blog_is_followed_through_its_move_to_https_and_no_entry_is_lost_or_doubled(
      Version version, boolean idsMove) {
    start(version);
    bench.until(this::isActive);
    publishAndPing("two", "one");
    pass(Duration.ofHours(26));
    assertThat(blog.registrations().size()).as("renewed").isGreaterThan(1);
    publishAndPing("three", "two", "one");
    assertThat(schemes()).containsExactly("http");

    blog.moveToHttps(301);
    if (idsMove) {
      blog.replaceIds();
    }
    blog.publish("four", "three", "two", "one");
    assertThat(blog.ping()).as("it knows no aggregator of its new URL").isEmpty();
    while (bench.news(topic).size() < 3) {
      pass(STEP);
    }
    Instant found = bench.timer().now();
    while (blog.registered(blog.feed()) == 0 || !isActive()) {
      pass(STEP);
      assertThat(bench.timer().now())
          .as("it is registered anew when the move is sure, some polls after it was found")
          .isBefore(found.plus(Duration.ofHours(6)));
    }
    assertThat(schemes()).containsExactly("http", "https");

    publishAndPing("five", "four", "three", "two", "one");
    int before = blog.registrations().size();
    pass(Duration.ofHours(26));
    assertThat(blog.registrations().size()).as("renewed").isGreaterThan(before);
    assertThat(blog.registrations().subList(before, blog.registrations().size()))
        .allSatisfy(form -> assertThat(form).containsEntry("by", "https"));
    publishAndPing("six", "five", "four", "three", "two", "one");

    assertThat(bench.news(topic).stream().map(id -> id.substring(id.indexOf("/?p=") + 4)))
        .containsExactly("two", "three", "four", "five", "six");
  }

  /** An aggregator behind TLS at port 443, where the machine lets tests listen there. */
  @Test
  void a_post_of_the_blog_reaches_an_aggregator_that_registered_port_443_as_http_post() {
    RawHost aggregator = aggregator();
    blog = new WordPressCloud(Version.V0_5_1, hosts);
    try (aggregator;
        TestGateway gateway = TestGateway.named(data, GATEWAY, hosts)) {
      HttpResponse<String> answer =
          gateway.form(
              "/pleaseNotify",
              "notifyProcedure",
              "",
              "domain",
              AGGREGATOR,
              "port",
              "443",
              "path",
              "/feedupdated",
              "protocol",
              "http-post",
              "url1",
              blog.feed());
      assertThat(answer.body()).contains("success=\"true\"");
      World.until(() -> blog.registered(blog.feed()) == 1);

      blog.publish("two", "one");
      assertThat(blog.ping()).containsExactly(200);

      World.until(() -> aggregator.requests().size() == 2);
      assertThat(aggregator.requests().get(1).line()).isEqualTo("POST /feedupdated HTTP/1.1");
      assertThat(aggregator.requests().get(1).body()).isEqualTo(Http.encode("url", blog.feed()));
    }
  }

  private static RawHost aggregator() {
    try {
      return hosts.secure(
          443,
          talk -> {
            for (RawHost.Received one = talk.read(); one != null; one = talk.read()) {
              talk.send(RawHost.ok(one.target().replaceFirst(".*challenge=", "")));
            }
          });
    } catch (UncheckedIOException e) {
      return abort("no test may listen on port 443 here: " + e.getMessage());
    }
  }
}
