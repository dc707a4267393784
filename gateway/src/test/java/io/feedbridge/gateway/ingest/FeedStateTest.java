package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.digest.PollSchedule;
import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.hosts.HostGate;
import io.feedbridge.gateway.ingest.throttle.PingBursts;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.work.Via;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What readers must, should and can do, seen from the origin. */
class FeedStateTest {

  private final FakeOrigin origin = new FakeOrigin();

  /** An origin whose every answer a test writes itself. */
  private final FakeSubscriber scripted = new FakeSubscriber();

  @TempDir Path data;
  private StageBench bench;

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest();
  }

  @AfterEach
  void stop() {
    bench.close();
    scripted.close();
    origin.close();
  }

  private static Response rss(String channel, String... items) {
    return Response.of(
        200,
        "application/rss+xml",
        FakeOrigin.rssOf(channel, items).getBytes(StandardCharsets.UTF_8));
  }

  private String serving(Response response) {
    scripted.onQuestion("feed", request -> CompletableFuture.completedFuture(response));
    return scripted.url("feed");
  }

  private void fetch(String topic, Via via) {
    bench.light(bench.feed(topic), via);
    bench.untilIdle();
  }

  private Duration untilNext(String topic) {
    return Duration.between(bench.timer().now(), bench.nextFetch(topic));
  }

  private void restartWith(PollSchedule pollSchedule, Politeness politeness) {
    bench.close();
    bench =
        new StageBench(data, bench.timer(), store -> store, work -> work)
            .startIngest(pollSchedule, politeness);
  }

  @Nested
  class Hints_are_a_floor {

    @Test
    void readers_SHOULD_respect_ttl() {
      String topic = origin.rss("feed.xml", "<ttl>120</ttl>", "one");
      bench.followed(topic);

      assertThat(untilNext(topic)).isEqualTo(Duration.ofHours(2));
      fetch(topic, Via.POLL);
      assertThat(untilNext(topic)).as("after a 304 too").isEqualTo(Duration.ofHours(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "0", "99999999", "1.5", "", "soon"})
    void a_ttl_that_makes_no_sense_does_no_harm(String ttl) {
      String topic = origin.rss("feed.xml", "<ttl>" + ttl + "</ttl>", "one");
      bench.followed(topic);

      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ACTIVE);
      assertThat(untilNext(topic)).isBetween(Duration.ofMinutes(15), Duration.ofHours(24));
    }

    @Test
    void readers_MUST_respect_skipHours_and_a_ping_always_fetches() {
      String hours =
          IntStream.of(12, 13, 14)
              .mapToObj(hour -> "<hour>" + hour + "</hour>")
              .collect(Collectors.joining("", "<skipHours>", "</skipHours>"));
      String topic = origin.rss("feed.xml", hours, "one");
      bench.followed(topic);
      assertThat(bench.nextFetch(topic)).isEqualTo(Instant.parse("2026-11-20T15:00:00Z"));

      origin.rss("feed.xml", hours, "two", "one");
      fetch(topic, Via.PING);

      assertThat(bench.news(topic)).containsExactly("two");
    }

    @Test
    void readers_MUST_respect_skipDays() {
      String topic =
          origin.rss("feed.xml", "<skipDays><day>Friday</day><day>Sat</day></skipDays>", "one");
      bench.followed(topic);

      assertThat(bench.nextFetch(topic)).isEqualTo(Instant.parse("2026-11-22T00:00:00Z"));
    }

    @Test
    void twenty_four_skipHours_do_no_harm() {
      String all =
          IntStream.rangeClosed(1, 24)
              .mapToObj(hour -> "<hour>" + hour + "</hour>")
              .collect(Collectors.joining("", "<skipHours>", "</skipHours>"));
      String topic = origin.rss("feed.xml", all, "one");
      bench.followed(topic);

      assertThat(untilNext(topic)).isEqualTo(Duration.ofMinutes(15));
    }

    @Test
    void readers_SHOULD_respect_the_syndication_module() {
      String topic =
          origin.serve(
              "feed.xml",
              "application/rss+xml",
              FakeOrigin.rssOf(
                      "<sy:updatePeriod>hourly</sy:updatePeriod>"
                          + "<sy:updateFrequency>2</sy:updateFrequency>",
                      "one")
                  .replace(
                      "<rss ", "<rss xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\" "));
      bench.followed(topic);

      assertThat(untilNext(topic)).isEqualTo(Duration.ofMinutes(30));
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "Cache-Control | max-age=3600                       | 3600",
          "Cache-Control | public, MAX-AGE=\"7200\", must-revalidate | 7200",
          "Cache-Control | no-cache, max-age=3600             | 900",
          "Cache-Control | max-age=0                          | 900",
          "Cache-Control | s-maxage=3600                      | 900",
          "Cache-Control | max-age=999999999999999999         | 86400",
          "Cache-Control | max-age=-5                         | 900",
          "Expires       | Fri, 20 Nov 2020 14:00:00 GMT      | 900",
          "Expires       | 0                                  | 900",
        })
    void readers_MUST_respect_HTTP_caching(String header, String value, long seconds) {
      String topic = serving(rss("", "one").withHeader(header, value));
      bench.followed(topic);

      assertThat(untilNext(topic)).isEqualTo(Duration.ofSeconds(seconds));
    }

    @Test
    void readers_MUST_respect_HTTP_caching_by_Expires() {
      // The server's own Date is that of this machine.
      String date =
          DateTimeFormatter.RFC_1123_DATE_TIME.format(
              ZonedDateTime.now(ZoneOffset.UTC).plusHours(2));
      String topic = serving(rss("", "one").withHeader("Expires", date));
      bench.followed(topic);

      assertThat(untilNext(topic)).isBetween(Duration.ofMinutes(115), Duration.ofHours(2));
    }

    @Test
    void the_status_has_the_period_that_is_kept_to() {
      String topic = origin.rss("feed.xml", "<ttl>120</ttl>", "one");
      bench.followed(topic);

      assertThat(bench.feed(topic).status().period()).isEqualTo(7_200);
      assertThat(bench.feed(topic).status().nextFetch()).isEqualTo(bench.nextFetch(topic));
    }
  }

  @Nested
  class Pings {

    @Test
    void L10_a_burst_of_1_000_pings_makes_one_fetch_or_two() {
      restartWith(StageBench.CADENCE, new Politeness(Duration.ZERO, PingBursts.USUAL));
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      int before = origin.requests("feed.xml").size();

      for (int i = 0; i < 1_000; i++) {
        var unused = bench.intake().ping(topic, Via.PING).join();
        if (i % 4 == 0) {
          bench.timer().advance(Duration.ofMillis(10));
        }
      }
      bench.until(
          () -> {
            bench.timer().advance(Duration.ofMillis(50));
            return bench.work().waiting() == 0;
          });

      assertThat(origin.requests("feed.xml").size() - before).isBetween(1, 2);
      assertThat(bench.feed(topic).id()).isEqualTo(feed.id());
    }

    @Test
    void while_a_Retry_After_of_the_host_runs_a_ping_waits_for_its_end() {
      AtomicInteger requests = new AtomicInteger();
      String limited = serving(rss("", "one"));
      FollowedFeed feed = bench.followed(limited);
      scripted.onQuestion(
          "other",
          request -> {
            requests.incrementAndGet();
            return CompletableFuture.completedFuture(rss("", "one"));
          });
      String other = scripted.url("other");
      bench.followed(other);
      serving(Response.text(429, "slowly").withHeader("Retry-After", "600"));
      fetch(limited, Via.POLL);
      assertThat(feed.url()).isNotEqualTo(other);

      fetch(other, Via.PUBLISH);

      assertThat(requests).hasValue(1);
      assertThat(untilNext(other)).isEqualTo(Duration.ofMinutes(10));
      assertThat(bench.feed(other).retryVia()).isEqualTo(Via.PUBLISH);
      bench.startPolls();
      bench.timer().advance(Duration.ofMinutes(10));
      bench.until(() -> requests.get() == 2 && bench.work().waiting() == 0);
    }

    @Test
    void a_pinged_feed_that_is_unchanged_is_fetched_once_more_after_30_s_and_no_oftener() {
      restartWith(
          new PollSchedule(
              Duration.ofMinutes(1),
              Duration.ofHours(24),
              Duration.ofHours(24),
              Duration.ofSeconds(30),
              false),
          StageBench.MANNERS);
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      Instant poll = bench.nextFetch(topic);
      bench.startPolls();
      fetch(topic, Via.PUBLISH);
      assertThat(untilNext(topic)).isEqualTo(Duration.ofSeconds(30));
      bench.timer().advance(Duration.ofSeconds(10));
      fetch(topic, Via.PUBLISH);
      assertThat(untilNext(topic)).isEqualTo(Duration.ofSeconds(20));
      origin.rss("feed.xml", "", "two", "one");

      bench.timer().advance(Duration.ofSeconds(20));
      bench.until(() -> bench.news(topic).equals(List.of("two")) && bench.work().waiting() == 0);

      assertThat(bench.events(topic).get(0).via()).isEqualTo(Via.PUBLISH);
      assertThat(bench.nextFetch(topic)).isBetween(poll.minusSeconds(600), poll.plusSeconds(60));
      fetch(topic, Via.POLL);
      assertThat(untilNext(topic)).isGreaterThan(Duration.ofMinutes(5));
    }
  }

  @Nested
  class Requests {

    private Request last(String path) {
      List<Request> all = origin.requests(path);
      return all.get(all.size() - 1);
    }

    @Test
    void centralized_readers_SHOULD_say_how_many_subscribers_they_poll_for() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      assertThat(last("feed.xml").header("User-Agent"))
          .contains("Feedbridge/test (+http://gateway.example; 1 subscriber)");

      bench.subscribed(topic, Format.JSON);
      bench.register(feed);
      fetch(topic, Via.POLL);

      assertThat(last("feed.xml").header("User-Agent"))
          .contains("Feedbridge/test (+http://gateway.example; 3 subscribers)");
      assertThat(last("feed.xml").header("From")).isEmpty();
    }

    @Test
    void an_ETag_of_8_KB_is_not_sent_back() {
      String topic = serving(rss("", "one").withHeader("ETag", "\"" + "x".repeat(7_900) + "\""));
      bench.followed(topic);
      fetch(topic, Via.POLL);

      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ACTIVE);
      assertThat(bench.feed(topic).validators().etag()).isNull();
      assertThat(bench.feed(topic).status().code()).isEqualTo(200);
    }

    @Test
    void polls_of_one_host_are_paused_between_and_none_is_lost() {
      restartWith(
          StageBench.CADENCE, new Politeness(Duration.ofMillis(500), StageBench.MANNERS.bursts()));
      bench.startPolls();
      int feeds = 3 * HostGate.WAITING_POLLS_PER_HOST;
      List<FollowedFeed> polled = new ArrayList<>();
      for (int i = 0; i < feeds; i++) {
        polled.add(bench.subscribed(origin.rss(i + ".xml", "", "one"), Format.ATOM));
      }
      bench.until(() -> origin.requests() == feeds);
      bench.untilIdle();

      polled.forEach(feed -> bench.light(feed, Via.POLL));
      int fetched = 0;
      for (int steps = 0; fetched < feeds && steps < 20 * feeds; steps++) {
        bench.until(() -> bench.threadsAreIdle());
        int now = origin.requests() - feeds;
        assertThat(now - fetched).as("within half a second").isLessThanOrEqualTo(1);
        fetched = now;
        bench.timer().advance(Duration.ofMillis(250));
      }

      assertThat(fetched).isEqualTo(feeds);
    }
  }

  @Nested
  class Bad_input_does_no_harm_and_has_a_clear_status {

    private String statusAfter(String topic) {
      fetch(topic, Via.POLL);
      FollowedFeed feed = bench.feed(topic);
      assertThat(feed.fetched().failures()).isEqualTo(1);
      assertThat(feed.state()).isEqualTo(FeedState.ACTIVE);
      assertThat(bench.events(topic)).isEmpty();
      return String.valueOf(feed.status().http());
    }

    @Test
    void a_document_of_more_than_16_MiB() {
      String topic = serving(rss("", "one"));
      bench.followed(topic);
      serving(Response.of(200, "application/rss+xml", new byte[Fetcher.MAX_BODY + 1]));

      assertThat(statusAfter(topic)).contains("longer");
    }

    @Test
    void a_gzip_bomb() throws IOException {
      String topic = serving(rss("", "one"));
      bench.followed(topic);
      ByteArrayOutputStream bomb = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(bomb)) {
        for (int i = 0; i < 65; i++) {
          gzip.write(new byte[1 << 20]);
        }
      }
      serving(
          Response.of(200, "application/rss+xml", bomb.toByteArray())
              .withHeader("Content-Encoding", "gzip"));

      assertThat(statusAfter(topic)).contains("longer");
    }

    @Test
    void a_Brotli_bomb() {
      String topic = serving(rss("", "one"));
      bench.followed(topic);
      // 17 MiB of spaces.
      byte[] bomb = Base64.getDecoder().decode("z///fwAkQOKxQHLv/+v//wFIAMRhAejePwA=");
      serving(Response.of(200, "application/rss+xml", bomb).withHeader("Content-Encoding", "br"));

      assertThat(statusAfter(topic)).contains("longer");
      bench.until(() -> bench.fetcher().documents().heldBytes() == 0);
    }

    @Test
    void a_redirect_to_a_private_address() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      origin.redirect("feed.xml", 302, "http://10.0.0.1/feed.xml");

      assertThat(statusAfter(topic)).contains("10.0.0.1").contains("not");
    }
  }
}
