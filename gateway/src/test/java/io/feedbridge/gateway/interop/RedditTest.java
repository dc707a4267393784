package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.NamedHosts;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.StubServer;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.work.Via;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stand-in of reddit.com as it was in 2026, over TLS: without a login it permits one request in
 * 30 to 60 s for an address, whatever the name or the path, and says so by {@code x-ratelimit-*}.
 */
class RedditTest {

  private static final Duration PERMITTED = Duration.ofSeconds(30);
  private static final int FEEDS = 20;

  private static final URI GATEWAY = URI.create("https://gateway.example");
  private static final List<String> NAMES = List.of("www.reddit.com", "old.reddit.com");
  private static final String BLOG = "blog.example";

  /** Sites of which each has a feed that leads to reddit.com. */
  private static final List<String> LEADING =
      IntStream.range(0, 100).mapToObj(number -> "leads" + number + ".example").toList();

  @TempDir static Path folder;
  private static NamedHosts hosts;

  @TempDir Path data;
  private final StubServer reddit = StubServer.serving(this::answer);
  private RawHost redditTls;
  private final FakeOrigin blog = new FakeOrigin();
  private RawHost blogTls;

  /** Requests that were answered with a feed, and with 429, by path. */
  private final Map<String, Integer> fetched = new ConcurrentHashMap<>();

  private final Map<String, Integer> refused = new ConcurrentHashMap<>();
  private Supplier<Instant> clock = Instant::now;
  private Instant last = Instant.EPOCH;

  @BeforeAll
  static void nameHosts() {
    hosts =
        new NamedHosts(
            folder,
            Stream.of(List.of("gateway.example", BLOG), NAMES, LEADING)
                .flatMap(List::stream)
                .toArray(String[]::new));
  }

  @AfterAll
  static void forgetHosts() {
    hosts.close();
  }

  @BeforeEach
  void start() {
    redditTls = hosts.before(reddit);
    blogTls = hosts.before(blog);
  }

  @AfterEach
  void stop() {
    blogTls.close();
    blog.close();
    redditTls.close();
    reddit.close();
  }

  private synchronized CompletionStage<Response> answer(Request request) {
    Instant now = clock.get();
    boolean early = last.plus(PERMITTED).isAfter(now);
    (early ? refused : fetched).merge(request.path(), 1, Integer::sum);
    last = early ? last : now;
    Response answer =
        early
            ? Response.text(429, "Too Many Requests")
            : Response.of(
                200,
                "application/atom+xml; charset=UTF-8",
                FakeOrigin.rssOf("", "t3_1").getBytes(StandardCharsets.UTF_8));
    return CompletableFuture.completedFuture(
        answer
            .withHeader("x-ratelimit-used", "1")
            .withHeader("x-ratelimit-remaining", "0.0")
            .withHeader(
                "x-ratelimit-reset",
                String.valueOf(Duration.between(now, last.plus(PERMITTED)).toSeconds())));
  }

  private String topic(String name) {
    return redditTls.at(NAMES.get(name.length() % 2), "/r/" + name + "/.rss");
  }

  /** Turns the clock while nothing is under way, so that no request takes any time. */
  private static void run(StageBench bench, Supplier<Boolean> done) {
    bench.until(
        () -> {
          if (bench.work().waiting() == 0 && bench.client().inFlight() == 0) {
            bench.timer().advance(Duration.ofSeconds(1));
          }
          return done.get();
        });
  }

  @Test
  void each_feed_is_fetched_in_turn_none_is_refused_twice_and_other_sites_are_not_delayed() {
    try (StageBench bench =
        new StageBench(data, new ManualTimer(StageBench.START), GATEWAY, hosts)) {
      clock = bench.timer()::now;
      bench.startIngest().startPolls();
      List<String> topics = new ArrayList<>();
      for (int i = 0; i < FEEDS; i++) {
        topics.add(topic("sub" + i));
        FollowedFeed feed = bench.subscribed(topic("sub" + i), Format.ATOM);
        bench.light(feed, Via.POLL);
      }
      Instant start = bench.timer().now();

      blog.rss("feed.xml", "", "one");
      FollowedFeed other = bench.followedBeside(blogTls.at(BLOG, "/feed.xml"));
      assertThat(other.hasBaseline()).isTrue();
      assertThat(bench.timer().now()).isEqualTo(start);

      run(bench, () -> fetched.size() == FEEDS);
      bench.until(() -> topics.stream().allMatch(topic -> bench.feed(topic).hasBaseline()));
      assertThat(fetched.values()).hasSize(FEEDS).allMatch(times -> times <= 2);
      assertThat(refused.values()).allMatch(times -> times == 1);
      assertThat(refused.size()).isLessThanOrEqualTo(3);
      assertThat(Duration.between(start, bench.timer().now()))
          .isLessThan(PERMITTED.multipliedBy(FEEDS + 5));
    }
  }

  @Test
  void feeds_of_100_sites_that_redirect_there_keep_its_pace_and_nothing_else_is_delayed() {
    Map<String, Integer> led = new ConcurrentHashMap<>();
    try (StubServer leading =
            StubServer.serving(
                request -> {
                  led.merge(request.path(), 1, Integer::sum);
                  return CompletableFuture.completedFuture(
                      Response.empty(302)
                          .withHeader("Location", redditTls.at(NAMES.get(0), request.path())));
                });
        RawHost leadingTls = hosts.before(leading);
        StageBench bench =
            new StageBench(data, new ManualTimer(StageBench.START), GATEWAY, hosts)) {
      clock = bench.timer()::now;
      bench.startIngest().startPolls();
      assertThat(bench.followed(topic("java")).hasBaseline()).isTrue();
      List<String> topics = new ArrayList<>();
      for (String name : LEADING) {
        topics.add(leadingTls.at(name, "/r/" + name + "/.rss"));
        bench.light(bench.subscribed(topics.get(topics.size() - 1), Format.ATOM), Via.POLL);
      }
      Instant start = bench.timer().now();

      blog.rss("feed.xml", "", "one");
      assertThat(bench.followedBeside(blogTls.at(BLOG, "/feed.xml")).hasBaseline()).isTrue();
      assertThat(bench.timer().now()).isEqualTo(start);
      String last = topics.get(topics.size() - 1);
      bench.until(() -> bench.feed(last).tried());
      assertThat(bench.feed(last).fetched().message())
          .startsWith("it leads to www.reddit.com, and there: its site ");

      run(bench, () -> fetched.size() == 1 + LEADING.size());
      bench.until(() -> topics.stream().allMatch(topic -> bench.feed(topic).hasBaseline()));
      assertThat(refused).isEmpty();
      assertThat(topics).allMatch(topic -> bench.feed(topic).state() == FeedState.ACTIVE);
      assertThat(led.values()).as("asked again only in their turn").allMatch(times -> times <= 3);
      assertThat(Duration.between(start, bench.timer().now()))
          .isLessThan(PERMITTED.multipliedBy(LEADING.size() + 10));
    }
  }

  @Test
  void a_ping_is_told_when_the_feed_is_fetched_and_the_feed_says_why_it_waits() {
    try (FakeSubscriber subscriber = new FakeSubscriber();
        TestGateway gateway = TestGateway.named(data, GATEWAY, hosts)) {
      gateway.subscribe(topic("java"), subscriber.url("java"));
      gateway.settle();

      // The second one in a row is held back for long enough to be told.
      gateway.subscribe(topic("kotlin"), subscriber.url("kotlin"));
      assertThat(gateway.form("/ping", "url", topic("java")).body())
          .contains("Thanks for the ping.", topic("java") + " is fetched at", "its site permits");
      assertThat(gateway.get("/api/v1/feeds").body()).contains("its site permits one request in");
      assertThat(gateway.get("/api/v1/explain?" + Http.encode("url", topic("java"))).body())
          .contains("its site permits one request in");
    }
    assertThat(refused).isEmpty();
  }

  @Test
  void a_restart_keeps_the_pace() {
    try (FakeSubscriber subscriber = new FakeSubscriber();
        TestGateway gateway = TestGateway.named(data, GATEWAY, hosts)) {
      gateway.subscribe(topic("java"), subscriber.url("java"));
      gateway.settle();
    }
    try (TestGateway gateway = TestGateway.named(data, GATEWAY, hosts)) {
      assertThat(gateway.get("/api/v1/explain?" + Http.encode("url", topic("scala"))).body())
          .contains("its site permits one request in");
    }
    assertThat(refused).isEmpty();
    assertThat(fetched).hasSize(1);
  }
}
