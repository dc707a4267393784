package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.work.Via;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Feeds and other content, fat pings and light ones, and when the next poll is. */
class KindsTest {

  private static final String RSS = "application/rss+xml";

  private final FakeOrigin origin = new FakeOrigin();
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

  private void fetch(FollowedFeed feed, Via via) {
    bench.light(feed, via);
    bench.untilIdle();
  }

  private static boolean bytesChanged(Event event) {
    return event.update().bytesChanged();
  }

  @Nested
  class Content {

    private FollowedFeed served(String path, String type, String body) {
      return bench.followed(origin.serve(path, type, body));
    }

    @Test
    void a_document_that_is_no_feed_says_what_it_is_and_why_it_has_no_entries() {
      FollowedFeed page = served("page", "text/html", "<!DOCTYPE html><title>Hello</title>");
      FollowedFeed json = served("data", "application/json", "{\"a\": 1}");
      FollowedFeed text = served("text", "text/plain", "Hello");
      FollowedFeed broken = served("broken", "application/rss+xml", "<rss><channel>");

      assertThat(page.content()).isEqualTo("page");
      assertThat(page.problem()).contains("a web page", "no entries");
      assertThat(json.content()).isEqualTo("json");
      assertThat(json.problem()).contains("not a JSON Feed", "no entries");
      assertThat(text.content()).isEqualTo("other");
      assertThat(text.problem()).contains("not a feed", "no entries");
      assertThat(broken.content()).isEqualTo("other");
      assertThat(broken.problem()).contains("cannot be read", "no entries");
      assertThat(broken.fetched().message()).endsWith(broken.problem());
    }

    @Test
    void a_feed_that_had_to_be_repaired_has_a_problem() {
      FollowedFeed feed =
          served("feed", "application/rss+xml", "<rss version=\"2.0\"><channel><item></channel>");

      assertThat(feed.content()).isEqualTo("feed");
      assertThat(feed.problem()).contains("was repaired");
    }

    @Test
    void it_says_so_still_when_it_is_fetched_again_unchanged_and_no_more_once_it_is_a_feed() {
      FollowedFeed page = served("page", "text/html", "<html>Soon here</html>");
      fetch(page, Via.POLL);
      assertThat(bench.feed(page.topic()).problem()).isEqualTo(page.problem());
      origin.rss("page", "", "one");

      fetch(page, Via.POLL);

      assertThat(bench.feed(page.topic()).content()).isEqualTo("feed");
      assertThat(bench.feed(page.topic()).problem()).isNull();
    }

    @Test
    void a_feed_that_breaks_is_a_feed_with_a_problem_from_the_first_failure_on() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      origin.serve("feed.xml", "application/rss+xml", "<rss><channel>");

      fetch(feed, Via.POLL);

      assertThat(bench.feed(topic).content()).isEqualTo("feed");
      assertThat(bench.feed(topic).problem()).isNotBlank();
    }

    @Test
    void content_is_followed_by_its_bytes_even_when_a_poll_finds_the_change() {
      String topic = origin.serve("data.json", "application/json", "{\"a\": 1}");
      FollowedFeed feed = bench.followed(topic);
      assertThat(feed.kind()).isEqualTo(FeedKind.CONTENT);
      assertThat(bench.events(topic)).isEmpty();
      origin.serve("data.json", "application/json", "{\"a\": 2}");

      fetch(feed, Via.POLL);

      assertThat(bench.events(topic)).hasSize(1).allMatch(KindsTest::bytesChanged);
      assertThat(
              new String(
                  bench.store().feeds().body(feed.id()).orElseThrow().bytes(),
                  StandardCharsets.UTF_8))
          .isEqualTo("{\"a\": 2}");
    }

    @Test
    void a_fat_ping_is_the_whole_of_content_and_the_same_bytes_are_no_news() {
      String topic = origin.serve("page", "text/plain", "one");
      FollowedFeed feed = bench.followed(topic);
      int fetches = origin.requests("page").size();

      bench.fat(feed, "text/plain", "two");
      bench.untilIdle();
      bench.fat(feed, null, "two");
      bench.untilIdle();

      assertThat(origin.requests("page")).hasSize(fetches);
      assertThat(bench.events(topic)).hasSize(1).allMatch(KindsTest::bytesChanged);
      assertThat(
              new String(
                  bench.store().feeds().body(feed.id()).orElseThrow().bytes(),
                  StandardCharsets.UTF_8))
          .isEqualTo("two");
      origin.serve("page", "text/plain", "two");
      fetch(feed, Via.POLL);
      assertThat(bench.events(topic)).hasSize(1);
    }

    @Test
    void content_that_turns_into_a_feed_is_changed_bytes_and_its_entries_are_a_baseline() {
      String topic = origin.serve("feed.xml", "text/html", "<html>Soon here</html>");
      FollowedFeed feed = bench.followed(topic);
      origin.rss("feed.xml", "", "one");

      fetch(feed, Via.POLL);

      assertThat(bench.feed(topic).kind()).isEqualTo(FeedKind.FEED);
      assertThat(bench.news(topic)).isEmpty();
      assertThat(bench.events(topic)).hasSize(1).allMatch(KindsTest::bytesChanged);
      origin.rss("feed.xml", "", "two", "one");
      fetch(feed, Via.POLL);
      assertThat(bench.news(topic)).containsExactly("two");
    }

    @Test
    void content_whose_feed_came_by_a_fat_ping_becomes_a_feed_at_the_next_fetch() {
      String topic = origin.serve("feed.xml", "text/html", "<html>Soon here</html>");
      FollowedFeed feed = bench.followed(topic);
      bench.fat(feed, RSS, FakeOrigin.rssOf("", "one"));
      bench.untilIdle();
      origin.rss("feed.xml", "", "one");

      fetch(feed, Via.POLL);

      assertThat(bench.feed(topic).kind()).isEqualTo(FeedKind.FEED);
    }
  }

  @Nested
  class Feeds {

    @Test
    void changed_bytes_alone_are_news_after_a_ping_and_not_after_a_poll() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      origin.rss("feed.xml", "<lastBuildDate>Fri, 20 Nov 2026 12:00:00 GMT</lastBuildDate>", "one");
      fetch(feed, Via.POLL);
      assertThat(bench.events(topic)).isEmpty();

      origin.rss("feed.xml", "<lastBuildDate>Fri, 20 Nov 2026 13:00:00 GMT</lastBuildDate>", "one");
      fetch(feed, Via.RSSCLOUD);

      assertThat(bench.events(topic)).hasSize(1).allMatch(KindsTest::bytesChanged);
      assertThat(bench.events(topic).get(0).via()).isEqualTo(Via.RSSCLOUD);
    }

    @Test
    void a_fat_ping_makes_an_event_without_a_fetch_and_leaves_the_validators() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);

      bench.fat(feed, RSS, FakeOrigin.rssOf("", "two"));
      bench.untilIdle();

      assertThat(origin.requests("feed.xml")).hasSize(1);
      assertThat(bench.news(topic)).containsExactly("two");
      assertThat(bench.events(topic)).noneMatch(KindsTest::bytesChanged);
      FollowedFeed after = bench.feed(topic);
      assertThat(after.validators()).isEqualTo(feed.validators());
      assertThat(after.nextFetchAt()).isEqualTo(feed.nextFetchAt());
      assertThat(after.fetched().lastFetch()).isEqualTo(feed.fetched().lastFetch());
      assertThat(after.fetched().maintenance().entriesSince()).isEqualTo(1);
    }

    @Test
    void a_fat_ping_of_a_feed_with_raw_subscribers_has_the_whole_feed_fetched() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      bench.subscribed(topic, Format.RAW);
      origin.rss("feed.xml", "", "two", "one");

      bench.fat(feed, RSS, FakeOrigin.rssOf("", "two"));
      bench.untilIdle();
      assertThat(bench.feed(topic).nextFetchAt()).isEqualTo(bench.timer().now());
      bench.startPolls();
      bench.until(() -> origin.requests("feed.xml").size() == 2 && bench.work().waiting() == 0);

      assertThat(bench.news(topic)).containsExactly("two");
      assertThat(bench.events(topic))
          .extracting(KindsTest::bytesChanged)
          .containsExactly(false, true);
    }

    @Test
    void an_unreadable_fat_ping_is_a_light_one() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      origin.rss("feed.xml", "", "two", "one");

      bench.fat(feed, "text/html", "<html>not a feed</html>");
      bench.untilIdle();

      assertThat(bench.news(topic)).containsExactly("two");
    }

    @Test
    void the_status_of_an_event_is_as_of_its_append() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      bench.timer().advance(Duration.ofMinutes(3));
      origin.rss("feed.xml", "", "two", "one");

      fetch(feed, Via.PING);

      assertThat(bench.events(topic).get(0).update().status())
          .isEqualTo(bench.feed(topic).status());
      assertThat(bench.feed(topic).status())
          .satisfies(
              status -> {
                assertThat(status.feed()).isEqualTo(topic);
                assertThat(status.title()).isEqualTo("News");
                assertThat(status.code()).isEqualTo(200);
                assertThat(status.http()).contains("1 new entries");
                assertThat(status.lastFetch()).isEqualTo(bench.timer().now());
                assertThat(status.lastParse()).isEqualTo(bench.timer().now());
                assertThat(status.nextFetch()).isAfter(bench.timer().now());
              });
    }
  }

  @Nested
  class Polls {

    /** From now on the feed is followed by a live push. */
    private void push(FollowedFeed feed) {
      UpstreamSubscriptions.Choice choice =
          bench.store().upstreamSubscriptions().toChoose(1).get(0);
      Instant later = bench.timer().now().plus(Duration.ofDays(5));
      UpstreamSubscription live =
          new UpstreamSubscription(
              0,
              feed.id(),
              UpstreamSubscription.Kind.WEBSUB,
              "http://hub.example/",
              feed.topic(),
              "token",
              "secret",
              UpstreamSubscription.State.ACTIVE,
              later,
              later,
              0,
              null);
      bench.store().upstreamSubscriptions().choose(choice, List.of(live), List.of()).join();
    }

    @Test
    void pushes_do_not_starve_the_backup_poll() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      push(feed);
      fetch(feed, Via.POLL);
      Instant planned = bench.feed(topic).nextFetchAt();
      assertThat(planned).isEqualTo(bench.timer().now().plus(Duration.ofHours(24)));

      for (int i = 0; i < 5; i++) {
        bench.timer().advance(Duration.ofHours(4));
        origin.rss("feed.xml", "", "light" + i, "one");
        fetch(feed, Via.WEBSUB);
        bench.fat(feed, RSS, FakeOrigin.rssOf("", "fat" + i));
        bench.untilIdle();
      }

      assertThat(bench.feed(topic).nextFetchAt()).isEqualTo(planned);
    }

    @Test
    void what_is_pushed_tells_the_rhythm_as_what_is_found_does() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      for (int i = 0; i < 3; i++) {
        bench.timer().advance(Duration.ofHours(4));
        bench.fat(feed, RSS, FakeOrigin.rssOf("", "fat" + i));
        bench.untilIdle();
      }

      assertThat(bench.feed(topic).pace().gap()).isEqualTo(Duration.ofHours(4));
      assertThat(bench.feed(topic).pace().newestAt()).isEqualTo(bench.timer().now());
      assertThat(bench.feed(topic).pace().shown()).isEqualTo(1);
    }

    @Test
    void a_poll_that_is_served_together_with_a_ping_counts_as_the_backup_poll() {
      bench.close();
      bench = StageBench.on(data);
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.subscribed(topic, Format.ATOM);
      bench.light(feed, Via.POLL);
      bench.startIngest().untilIdle();
      bench.close();
      bench = StageBench.on(data);
      push(feed);
      bench
          .store()
          .feeds()
          .postpone(feed.id(), bench.timer().now().plus(Duration.ofMinutes(5)))
          .join();
      bench.light(feed, Via.POLL);
      bench.light(feed, Via.PING);

      bench.startIngest().untilIdle();

      assertThat(bench.feed(topic).nextFetchAt())
          .isEqualTo(bench.timer().now().plus(Duration.ofHours(24)));
    }

    @Test
    void a_poll_that_finds_nothing_lengthens_the_period_and_one_that_finds_something_shortens_it() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      assertThat(feed.fetched().period()).isEqualTo(Duration.ofMinutes(15));

      bench.timer().advance(Duration.ofHours(1));
      fetch(feed, Via.POLL);
      assertThat(bench.feed(topic).fetched().period()).isEqualTo(Duration.ofSeconds(1_350));
      origin.rss("feed.xml", "", "two", "one");
      bench.timer().advance(Duration.ofHours(1));
      fetch(feed, Via.POLL);
      assertThat(bench.feed(topic).fetched().period()).isEqualTo(Duration.ofSeconds(675));
    }

    @Test
    void pings_that_bring_nothing_do_not_make_polls_rare() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);

      for (int i = 0; i < 20; i++) {
        fetch(feed, Via.PING);
      }

      assertThat(bench.feed(topic).fetched().period()).isEqualTo(Duration.ofMinutes(15));
    }
  }
}
