package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Served;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Work becomes events: rules L1, L2, L10 and L11, and what counts as a change. */
class IngestTest {

  private static final String RSS = "application/rss+xml";

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

  private static CompletionStage<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }

  private static Response rss(String... items) {
    return Response.of(200, RSS, FakeOrigin.rssOf("", items).getBytes(StandardCharsets.UTF_8));
  }

  private void ping(FollowedFeed feed) {
    bench.light(feed, Via.PING);
    bench.untilIdle();
  }

  @Nested
  class L1_one_transaction {

    private final AtomicInteger failing = new AtomicInteger();

    private void startWithFailingRecords() {
      bench.close();
      bench =
          new StageBench(
                  data,
                  new ManualTimer(StageBench.START),
                  StageBench.faultyPart(
                      Feeds.class,
                      (method, arguments, rest) -> {
                        if (method.equals("record") && failing.getAndDecrement() > 0) {
                          return StageBench.diskFull();
                        }
                        return rest.call();
                      }),
                  work -> work)
              .startIngest();
    }

    @Test
    void a_record_that_fails_leaves_the_work_and_the_feed_as_they_were_and_is_redone() {
      startWithFailingRecords();
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed before = bench.followed(topic);
      origin.rss("feed.xml", "", "two", "one");
      failing.set(1);

      bench.light(before, Via.PING);
      bench.until(() -> failing.get() == 0 && rests(Duration.ofSeconds(1)));
      assertThat(bench.work().waiting()).isEqualTo(1);
      assertThat(bench.feed(topic)).isEqualTo(before);
      bench.timer().advance(Duration.ofSeconds(1));
      bench.untilIdle();

      assertThat(bench.news(topic)).containsExactly("two");
      assertThat(bench.feed(topic).head()).isEqualTo(bench.events(topic).get(0).seq());
    }

    @Test
    void work_that_fails_rests_whatever_else_arrives_and_longer_each_time() {
      startWithFailingRecords();
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      String other = origin.rss("other.xml", "", "one");
      int before = origin.requests("feed.xml").size();
      failing.set(2);

      bench.light(feed, Via.PING);
      bench.until(() -> failing.get() == 1 && rests(Duration.ofSeconds(1)));
      // Anything that wakes the stage must not redo it before its rest is over.
      followedWhileFailing(other);
      assertThat(origin.requests("feed.xml")).hasSize(before + 1);
      bench.timer().advance(Duration.ofSeconds(1));
      bench.until(() -> failing.get() == 0 && rests(Duration.ofSeconds(2)));
      bench.timer().advance(Duration.ofMillis(1_500));
      followedWhileFailing(origin.rss("third.xml", "", "one"));
      assertThat(origin.requests("feed.xml")).hasSize(before + 2);
      bench.timer().advance(Duration.ofMillis(500));
      bench.untilIdle();
      assertThat(origin.requests("feed.xml")).hasSize(before + 3);
    }

    /** Whether work that failed is to be done again so long from now. */
    private boolean rests(Duration time) {
      return bench.timer().runsOneIn(time);
    }

    private void followedWhileFailing(String topic) {
      int left = failing.getAndSet(0);
      bench.followedBeside(topic);
      failing.set(left);
    }

    @Test
    void an_error_is_survived_like_any_other_failure() {
      AtomicInteger errors = new AtomicInteger();
      bench.close();
      bench =
          new StageBench(
                  data,
                  new ManualTimer(StageBench.START),
                  StageBench.faultyPart(
                      Feeds.class,
                      (method, arguments, rest) -> {
                        if (method.equals("seen") && errors.getAndDecrement() > 0) {
                          throw new OutOfMemoryError("of one feed");
                        }
                        return rest.call();
                      }),
                  work -> work)
              .startIngest();
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      int before = origin.requests("feed.xml").size();
      origin.rss("feed.xml", "", "two", "one");
      errors.set(1);

      bench.light(feed, Via.PING);
      bench.until(() -> errors.get() == 0 && rests(Duration.ofSeconds(1)));
      bench.followedBeside(origin.rss("other.xml", "", "one"));
      assertThat(origin.requests("feed.xml")).hasSize(before + 1);
      bench.timer().advance(Duration.ofSeconds(1));
      bench.untilIdle();

      assertThat(bench.news(topic)).containsExactly("two");
    }
  }

  @Nested
  class L2_and_L10_pings_and_fetches {

    @Test
    void L10_a_ping_during_a_fetch_forces_exactly_one_more() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      int before = origin.requests("feed.xml").size();
      CompletableFuture<Void> gate = new CompletableFuture<>();
      origin.holdBack("feed.xml", gate);

      bench.light(feed, Via.PING);
      bench.until(() -> origin.requests("feed.xml").size() == before + 1);
      for (int i = 0; i < 10; i++) {
        bench.light(feed, Via.PING);
      }
      origin.rss("feed.xml", "", "two", "one");
      gate.complete(null);
      bench.untilIdle();

      assertThat(origin.requests("feed.xml")).hasSize(before + 2);
      assertThat(bench.news(topic)).containsExactly("two");
    }

    @Test
    void L10_a_thousand_pings_make_at_most_two_fetches() {
      bench.close();
      bench = StageBench.on(data);
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.subscribed(topic, Format.ATOM);
      CompletableFuture<?>[] pings = new CompletableFuture<?>[1_000];
      for (int i = 0; i < pings.length; i++) {
        pings[i] = bench.intake().ping(topic, Via.PING);
      }
      CompletableFuture.allOf(pings).join();

      bench.startIngest();
      bench.untilIdle();

      assertThat(origin.requests("feed.xml")).hasSizeBetween(1, 2);
      assertThat(bench.feed(topic).id()).isEqualTo(feed.id());
    }

    @Test
    void L2_a_feed_is_never_fetched_twice_at_once_while_others_go_on() {
      AtomicInteger now = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();
      List<CompletableFuture<Response>> held = new ArrayList<>();
      scripted.onQuestion(
          "slow",
          request -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            CompletableFuture<Response> answer = new CompletableFuture<>();
            synchronized (held) {
              held.add(answer);
            }
            return answer.whenComplete((response, failure) -> now.decrementAndGet());
          });
      FollowedFeed slow = bench.subscribed(scripted.url("slow"), Format.ATOM);

      for (int i = 0; i < 50; i++) {
        bench.light(slow, Via.PING);
        bench.fat(slow, RSS, FakeOrigin.rssOf("", "fat" + i));
      }
      bench.followedBeside(origin.rss("quick.xml", "", "one"));
      bench.until(
          () -> {
            synchronized (held) {
              held.forEach(answer -> answer.complete(rss("one")));
            }
            return bench.work().waiting() == 0;
          });

      assertThat(most).hasValue(1);
    }
  }

  @Nested
  class L11_the_baseline {

    @Test
    void L11_the_entries_of_the_first_fetch_are_news_to_nobody() {
      String topic = origin.rss("feed.xml", "", "two", "one");

      FollowedFeed feed = bench.followed(topic);

      assertThat(bench.events(topic)).isEmpty();
      assertThat(feed.hasBaseline()).isTrue();
      assertThat(feed.kind()).isEqualTo(FeedKind.FEED);
      assertThat(bench.store().feeds().seen(feed.id(), List.of("one", "two"))).hasSize(2);
    }

    @Test
    void L11_a_fat_ping_before_the_first_fetch_is_not_part_of_the_baseline() {
      bench.close();
      bench = StageBench.on(data);
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.subscribed(topic, Format.ATOM);
      bench.fat(feed, RSS, FakeOrigin.rssOf("", "early"));

      bench.startIngest().untilIdle();
      assertThat(bench.feed(topic).hasBaseline()).isTrue();
      assertThat(bench.store().feeds().seen(feed.id(), List.of("early"))).isEmpty();
      origin.rss("feed.xml", "", "early", "one");
      ping(feed);

      assertThat(bench.news(topic)).containsExactly("early");
    }

    @Test
    void L11_an_entry_with_an_older_updated_replaces_nothing() {
      String topic = origin.serve("feed.xml", "application/atom+xml", atom("2026-11-20", "new"));
      FollowedFeed feed = bench.followed(topic);
      origin.serve("feed.xml", "application/atom+xml", atom("2026-11-19", "a lagging cache"));

      ping(feed);
      assertThat(bench.events(topic))
          .allSatisfy(event -> assertThat(event.update().changed()).isEmpty());
      origin.serve("feed.xml", "application/atom+xml", atom("2026-11-21", "newer"));
      ping(feed);

      List<Event> events = bench.events(topic);
      assertThat(events.get(events.size() - 1).update().changed()).hasSize(1);
    }

    private static String atom(String day, String title) {
      return """
      <feed xmlns="http://www.w3.org/2005/Atom"><id>f</id><title>t</title>
      <updated>%sT00:00:00Z</updated><entry><id>e</id><title>%s</title>
      <updated>%sT00:00:00Z</updated></entry></feed>"""
          .formatted(day, title, day);
    }

    @Test
    void L11_a_feed_followed_again_gets_a_new_baseline() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      bench.unsubscribe(topic);
      origin.rss("feed.xml", "", "meanwhile", "one");

      FollowedFeed feed = bench.followed(topic);
      origin.rss("feed.xml", "", "later", "meanwhile", "one");
      ping(feed);

      assertThat(bench.news(topic)).containsExactly("later");
    }

    @Test
    void an_unfollow_during_a_fetch_leaves_the_feed_alone() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      CompletableFuture<Void> gate = new CompletableFuture<>();
      origin.rss("feed.xml", "", "two", "one");
      origin.holdBack("feed.xml", gate);
      bench.light(feed, Via.PING);
      bench.until(() -> origin.requests("feed.xml").size() == 2);

      bench.unsubscribe(topic);
      gate.complete(null);
      bench.untilIdle();

      assertThat(bench.events(topic)).isEmpty();
      assertThat(bench.feed(topic).nextFetchAt()).isNull();
    }

    @Test
    void L11_a_feed_followed_again_during_a_fetch_gets_its_baseline_from_it() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      CompletableFuture<Void> gate = new CompletableFuture<>();
      origin.rss("feed.xml", "", "meanwhile", "one");
      origin.holdBack("feed.xml", gate);
      bench.light(feed, Via.PING);
      bench.until(() -> origin.requests("feed.xml").size() == 2);

      bench.unsubscribe(topic);
      bench.timer().advance(Duration.ofMinutes(10));
      bench.subscribed(topic, Format.ATOM);
      gate.complete(null);
      bench.untilIdle();

      assertThat(bench.events(topic)).isEmpty();
      assertThat(bench.feed(topic).firstFetchAt()).isEqualTo(bench.timer().now());
      assertThat(bench.feed(topic).nextFetchAt()).isNotNull();
    }
  }

  @Nested
  class Conditional_fetches {

    @Test
    void validators_go_back_byte_for_byte() {
      List<Request> requests = new ArrayList<>();
      scripted.onQuestion(
          "feed",
          request -> {
            requests.add(request);
            return done(
                rss("one")
                    .withHeader("ETag", "W/\"a b,é--gzip")
                    .withHeader("Last-Modified", "yesterday,  around noon"));
          });
      FollowedFeed feed = bench.followed(scripted.url("feed"));
      ping(feed);

      assertThat(requests).hasSize(2);
      assertThat(requests.get(0).header("If-None-Match")).isEmpty();
      assertThat(requests.get(0).header("If-Modified-Since")).isEmpty();
      assertThat(requests.get(1).header("If-None-Match")).hasValue("W/\"a b,é--gzip");
      assertThat(requests.get(1).header("If-Modified-Since")).hasValue("yesterday,  around noon");
    }

    @Test
    void a_200_with_the_same_bytes_counts_as_not_modified() {
      AtomicInteger etag = new AtomicInteger();
      scripted.onQuestion(
          "feed",
          request -> done(rss("one").withHeader("ETag", "\"" + etag.incrementAndGet() + "\"")));
      String topic = scripted.url("feed");
      FollowedFeed feed = bench.followed(topic);

      ping(feed);

      assertThat(bench.events(topic)).isEmpty();
      assertThat(bench.feed(topic).validators().etag()).isEqualTo("\"2\"");
      assertThat(bench.feed(topic).fetched().message()).endsWith("unchanged");
    }

    @Test
    void a_304_that_nobody_asked_for_is_a_failure() {
      scripted.onQuestion("feed", request -> done(Response.empty(304)));
      String topic = scripted.url("feed");

      bench.followed(topic);

      assertThat(bench.feed(topic).hasBaseline()).isFalse();
      assertThat(bench.feed(topic).fetched().failures()).isEqualTo(1);
    }

    @Test
    void S10_a_200_with_the_same_bytes_may_name_another_hub() {
      AtomicInteger hub = new AtomicInteger();
      scripted.onQuestion(
          "feed",
          request ->
              done(
                  rss("one")
                      .withHeader(
                          "Link",
                          "<http://hub%d.example/>; rel=hub".formatted(hub.incrementAndGet()))));
      String topic = scripted.url("feed");
      FollowedFeed feed = bench.followed(topic);
      assertThat(feed.advertised().hubs()).containsExactly("http://hub1.example/");

      ping(feed);

      assertThat(bench.feed(topic).advertised().hubs()).containsExactly("http://hub2.example/");
    }
  }

  @Nested
  class Headers_around_a_document {

    @Test
    void say_its_language_and_what_its_URLs_are_relative_to() {
      AtomicInteger turn = new AtomicInteger();
      String items = "<item><guid>%d</guid><link>page</link></item>";
      scripted.onQuestion(
          "feed",
          request ->
              done(
                  Response.of(
                          200,
                          RSS,
                          ("<rss version='2.0'><channel>"
                                  + items.formatted(turn.incrementAndGet())
                                  + "</channel></rss>")
                              .getBytes(StandardCharsets.UTF_8))
                      .withHeader("Content-Language", "gd")
                      .withHeader("Content-Location", "https://elsewhere.example/a/")));
      FollowedFeed feed = bench.followed(scripted.url("feed"));
      ping(feed);

      assertThat(bench.events(feed.topic()))
          .singleElement()
          .extracting(event -> event.update().feed().entries().get(0))
          .returns("gd", Entry::language)
          .returns("https://elsewhere.example/a/page", Entry::permalink);
    }
  }

  @Test
  void news_without_a_declared_language_has_the_one_it_is_written_in() {
    AtomicInteger turn = new AtomicInteger();
    scripted.onQuestion(
        "feed",
        request ->
            done(
                Response.of(
                    200,
                    RSS,
                    ("<rss version='2.0'><channel><item><guid>%d</guid><title>Wegen des Nebels legt"
                            + " die Fähre erst am Mittag ab</title></item></channel></rss>")
                        .formatted(turn.incrementAndGet())
                        .getBytes(StandardCharsets.UTF_8))));
    FollowedFeed feed = bench.followed(scripted.url("feed"));
    ping(feed);

    assertThat(bench.events(feed.topic()))
        .singleElement()
        .extracting(event -> event.update().feed().entries().get(0).language())
        .isEqualTo("de");
  }

  @Nested
  class Failures {

    @Test
    void a_failed_fetch_after_a_ping_is_repeated_after_5_s_30_s_2_min_and_10_min() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      bench.startPolls();
      origin.fail("feed.xml", 500);
      bench.light(bench.feed(topic), Via.PING);
      List<Duration> pauses = new ArrayList<>();
      for (int failures = 1; failures <= 4; failures++) {
        int expected = failures;
        bench.until(
            () ->
                bench.feed(topic).fetched().failures() == expected && bench.work().waiting() == 0);
        FollowedFeed feed = bench.feed(topic);
        assertThat(feed.retryVia()).isEqualTo(Via.PING);
        pauses.add(Duration.between(bench.timer().now(), bench.nextFetch(topic)));
        bench.timer().advanceTo(bench.nextFetch(topic));
      }

      assertThat(pauses)
          .containsExactly(
              Duration.ofSeconds(5),
              Duration.ofSeconds(30),
              Duration.ofMinutes(2),
              Duration.ofMinutes(10));
      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ERROR);
    }

    @Test
    void Retry_After_is_honoured_up_to_the_longest_period() {
      String topic = scripted.url("feed");
      scripted.onQuestion("feed", request -> done(rss("one")));
      FollowedFeed feed = bench.followed(topic);
      scripted.onQuestion(
          "feed", request -> done(Response.text(503, "later").withHeader("Retry-After", "3600")));
      ping(feed);
      assertThat(bench.feed(topic).nextFetchAt())
          .isEqualTo(bench.timer().now().plus(Duration.ofHours(1)));
      bench.timer().advance(Duration.ofHours(1));

      scripted.onQuestion(
          "feed",
          request ->
              done(Response.text(429, "later").withHeader("Retry-After", "99999999999999999999")));
      ping(feed);
      assertThat(bench.feed(topic).nextFetchAt())
          .isEqualTo(bench.timer().now().plus(Duration.ofHours(24)));
    }

    @Test
    void a_feed_that_is_gone_is_polled_no_more_and_a_ping_tries_again() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      origin.fail("feed.xml", 410);
      ping(feed);
      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.GONE);
      assertThat(bench.feed(topic).nextFetchAt()).isNull();

      origin.rss("feed.xml", "", "back", "one");
      ping(feed);

      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ACTIVE);
      assertThat(bench.news(topic)).containsExactly("back");
    }

    @Test
    void a_gone_feed_that_then_fails_otherwise_is_in_error_since_it_is_polled_again() {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      origin.fail("feed.xml", 410);
      ping(feed);
      origin.fail("feed.xml", 500);

      ping(feed);

      assertThat(bench.feed(topic).nextFetchAt()).isNotNull();
      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ERROR);
    }

    @ParameterizedTest
    @CsvSource({"text/html,<html><body>Be right back</body></html>", "text/plain,''"})
    void a_feed_that_turns_into_something_else_has_failed_and_stays_a_feed(
        String type, String body) {
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.followed(topic);
      origin.serve("feed.xml", type, body);
      ping(feed);
      assertThat(bench.feed(topic).kind()).isEqualTo(FeedKind.FEED);
      assertThat(bench.feed(topic).fetched().failures()).isEqualTo(1);

      origin.rss("feed.xml", "", "two", "one");
      ping(feed);

      assertThat(bench.news(topic)).containsExactly("two");
      assertThat(bench.feed(topic).fetched().failures()).isZero();
    }
  }

  @Nested
  class L14_topics_are_never_merged {

    private String target = "";
    private String moved = "";

    @BeforeEach
    void redirectOntoAnotherFollowedFeed() {
      target = origin.rss("target.xml", "", "one");
      moved = origin.rss("moved.xml", "", "one");
      bench.followed(target);
      bench.followed(moved);
      origin.redirect("moved.xml", 302, target);
    }

    @Test
    void L14_each_has_its_own_diff_and_its_own_log() {
      ping(bench.feed(moved));
      origin.rss("target.xml", "", "two", "one");
      bench.fat(bench.feed(moved), RSS, FakeOrigin.rssOf("", "pushed", "one"));
      bench.untilIdle();

      ping(bench.feed(moved));

      assertThat(bench.news(moved)).containsExactly("pushed", "two");
      assertThat(bench.news(target)).containsExactly("two");
      assertThat(bench.feed(moved).topic()).isEqualTo(moved);
      assertThat(bench.events(moved)).allMatch(e -> e.feedId() == bench.feed(moved).id());
      assertThat(bench.feed(moved).head()).isNotEqualTo(bench.feed(target).head());
    }

    @Test
    void L14_the_fetch_of_one_serves_the_other() {
      origin.rss("target.xml", "", "two", "one");
      int before = origin.requests("target.xml").size();

      ping(bench.feed(moved));

      assertThat(origin.requests("target.xml")).hasSize(before + 1);
      assertThat(bench.news(moved)).containsExactly("two");
      assertThat(bench.news(target)).containsExactly("two");

      origin.rss("target.xml", "", "three", "two", "one");
      ping(bench.feed(target));

      assertThat(origin.requests("target.xml")).hasSize(before + 2);
      assertThat(origin.requests("moved.xml")).hasSize(2);
      assertThat(bench.news(moved)).containsExactly("two", "three");
      assertThat(bench.news(target)).containsExactly("two", "three");
    }

    @Test
    void a_poll_of_one_does_not_stretch_the_period_of_the_other() {
      bench.light(bench.feed(moved), Via.POLL);
      bench.untilIdle();
      Duration before = bench.feed(target).fetched().period();
      int fetches = origin.requests("target.xml").size();

      for (int i = 0; i < 5; i++) {
        bench.light(bench.feed(moved), Via.POLL);
        bench.untilIdle();
      }

      assertThat(origin.requests("target.xml")).hasSize(fetches + 5);
      assertThat(bench.feed(target).fetched().period()).isEqualTo(before);
      assertThat(bench.nextFetch(target)).isEqualTo(bench.timer().now().plus(before));
    }

    /** What the target's fetch, made now, is to a ping of the moved topic at another time. */
    private Optional<FetchResult> takenBy(Duration pingAfterFetch) {
      SharedFetches shared = new SharedFetches(bench.store().feeds(), bench.timer().clock());
      Instant sent = bench.timer().now();
      FollowedFeed first = bench.feed(moved);
      FollowedFeed other = bench.feed(target);
      FetchResult fetched =
          new FetchResult.Fresh(
              200,
              new byte[0],
              Served.at(URI.create(target), null),
              FetchResult.Way.straight(target, Duration.ZERO),
              List.of(),
              null,
              null);
      assertThat(shared.offer(first, new Parts(fetched), sent)).containsExactly(other.id());
      return shared.take(
          other, List.of(new WorkItem.Light(other.id(), Via.PING, sent.plus(pingAfterFetch))));
    }

    @Test
    void L10_L14_a_ping_that_came_after_the_fetch_was_sent_is_not_answered_by_it() {
      assertThat(takenBy(Duration.ZERO)).isPresent();
      assertThat(takenBy(Duration.ofMillis(1))).isEmpty();
    }

    @Test
    void L14_not_modified_is_no_answer_to_whoever_would_have_asked_something_else() {
      SharedFetches shared = new SharedFetches(bench.store().feeds(), bench.timer().clock());
      Instant sent = bench.timer().now();
      FollowedFeed asked = bench.feed(moved);
      origin.rss("target.xml", "", "two", "one");
      ping(bench.feed(target));
      FollowedFeed other = bench.feed(target);
      assertThat(other.validators()).isNotEqualTo(asked.validators());

      shared.offer(
          asked,
          new Parts(new FetchResult.NotModified(FetchResult.Way.straight(target, Duration.ZERO))),
          sent);

      assertThat(shared.take(other, List.of())).isEmpty();
    }
  }
}
