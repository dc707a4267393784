package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.feedbridge.gateway.ingest.digest.Upkeep;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Feeds move, fail, end and come back; their subscribers are told what they are to know. */
class FeedStatesTest {

  private static final String RSS = "application/rss+xml";

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  @TempDir Path data;
  private StageBench bench;

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest();
  }

  @AfterEach
  void stop() {
    bench.close();
    subscriber.close();
    origin.close();
  }

  private void poll(String topic) {
    bench.light(bench.feed(topic), Via.POLL);
    bench.untilIdle();
  }

  private void pollAfter(Duration time, String topic) {
    bench.timer().advance(time);
    poll(topic);
  }

  private static String redirectTo(String location) {
    return "<?xml version=\"1.0\"?><redirect><newLocation>%s</newLocation></redirect>"
        .formatted(location);
  }

  @Test
  void the_log_names_what_became_of_a_feed() {
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    Logger logger = (Logger) LoggerFactory.getLogger("io.feedbridge.gateway.ingest");
    logger.addAppender(logged);
    logger.setLevel(Level.INFO);
    try {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      origin.rss("feed.xml", "", "two", "one");
      pollAfter(Duration.ofHours(1), topic);
      origin.fail("feed.xml", 500);
      pollAfter(Duration.ofHours(1), topic);
      origin.fail("feed.xml", 410);
      pollAfter(Duration.ofHours(1), topic);
      origin.rss("feed.xml", "", "two", "one");
      pollAfter(Duration.ofHours(1), topic);
      bench.followed(origin.serve("page", "text/html", "<!doctype html><title>a page</title>"));
      // A line is written after its outcome is in the store.
      bench.until(() -> messages(logged).contains("A topic is no feed"));
    } finally {
      logger.setLevel(null);
      logger.detachAppender(logged);
    }
    assertThat(messages(logged))
        .containsSubsequence(
            "A feed has new entries",
            "A fetch failed",
            "A feed is gone",
            "A feed is back",
            "A topic is no feed");
    assertThat(logged.list)
        .filteredOn(event -> event.getMessage().equals("A fetch failed"))
        .allSatisfy(
            event ->
                assertThat(event.getKeyValuePairs())
                    .extracting(pair -> pair.key)
                    .containsExactly("feed", "host", "cause"))
        .first()
        .satisfies(
            event ->
                assertThat(String.valueOf(event.getKeyValuePairs())).contains("500", "127.0.0.1"));
  }

  private static List<String> messages(ListAppender<ILoggingEvent> logged) {
    return List.copyOf(logged.list).stream().map(ILoggingEvent::getMessage).toList();
  }

  @Nested
  class Redirects {

    private String topic = "";
    private String target = "";

    @BeforeEach
    void move() {
      topic = origin.rss("old.xml", "", "one");
      target = origin.rss("new.xml", "", "one");
      bench.followed(topic);
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 308})
    void readers_SHOULD_update_their_database_after_a_301_seen_twice_an_hour_apart(int status) {
      origin.redirect("old.xml", status, target);

      poll(topic);
      assertThat(bench.feed(topic).url()).as("one alone moves nothing").isEqualTo(topic);
      pollAfter(Duration.ofMinutes(59), topic);
      assertThat(bench.feed(topic).url()).as("nor do two in a hurry").isEqualTo(topic);
      pollAfter(Duration.ofMinutes(1), topic);

      assertThat(bench.feed(topic).url()).isEqualTo(target);
      assertThat(bench.feed(topic).topic()).isEqualTo(topic);
      assertThat(bench.events(topic)).as("subscribers notice nothing").isEmpty();
      int old = origin.requests("old.xml").size();
      origin.rss("new.xml", "", "two", "one");
      poll(topic);
      assertThat(origin.requests("old.xml")).hasSize(old);
      assertThat(bench.news(topic)).containsExactly("two");
    }

    @Test
    void the_new_URL_is_asked_with_its_own_validators_alone() {
      origin.redirect("old.xml", 301, target);
      poll(topic);
      pollAfter(Duration.ofHours(1), topic);
      poll(topic);

      List<Request> requests = origin.requests("new.xml");
      assertThat(requests.get(0).header("If-None-Match")).isEmpty();
      assertThat(requests.get(requests.size() - 1).header("If-None-Match"))
          .isPresent()
          .isEqualTo(Optional.ofNullable(bench.feed(topic).validators().etag()));
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 303, 307})
    void readers_MUST_follow_a_302_and_MUST_NOT_update_their_database(int status) {
      origin.redirect("old.xml", status, target);
      origin.rss("new.xml", "", "two", "one");

      poll(topic);
      pollAfter(Duration.ofHours(2), topic);
      pollAfter(Duration.ofHours(2), topic);

      assertThat(bench.news(topic)).containsExactly("two");
      assertThat(bench.feed(topic).url()).isEqualTo(topic);
    }

    @Test
    void every_hop_must_be_permanent() {
      origin.redirect("old.xml", 301, origin.url("between.xml"));
      origin.redirect("between.xml", 302, target);

      poll(topic);
      pollAfter(Duration.ofHours(2), topic);

      assertThat(bench.feed(topic).url()).isEqualTo(topic);
    }

    @Test
    void a_redirect_that_was_gone_in_between_begins_anew() {
      origin.redirect("old.xml", 301, target);
      poll(topic);
      origin.redirect("old.xml", 302, target);
      pollAfter(Duration.ofMinutes(30), topic);
      origin.redirect("old.xml", 301, target);
      pollAfter(Duration.ofMinutes(30), topic);
      pollAfter(Duration.ofMinutes(30), topic);
      assertThat(bench.feed(topic).url()).isEqualTo(topic);

      pollAfter(Duration.ofMinutes(30), topic);

      assertThat(bench.feed(topic).url()).isEqualTo(target);
    }

    @Test
    void readers_SHOULD_treat_an_XML_redirect_like_a_301() {
      origin.serve("old.xml", "text/xml", redirectTo(target));
      origin.rss("new.xml", "", "two", "one");

      poll(topic);
      assertThat(bench.news(topic)).containsExactly("two");
      pollAfter(Duration.ofHours(1), topic);

      assertThat(bench.feed(topic).url()).isEqualTo(target);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "ftp:x", "mailto:author@example.com", "http://"})
    void an_XML_redirect_to_what_is_no_URL_of_the_web_is_a_failed_fetch(String nowhere) {
      origin.serve("old.xml", "text/xml", redirectTo(nowhere));

      poll(topic);

      assertThat(bench.feed(topic).fetched().failures()).isEqualTo(1);
      assertThat(bench.feed(topic).status().http()).contains("URL");
      origin.rss("old.xml", "", "two", "one");
      poll(topic);
      assertThat(bench.news(topic)).containsExactly("two");
    }

    @Test
    void XML_redirects_in_a_circle_are_an_error_after_five() {
      origin.serve("old.xml", "text/xml", redirectTo(target));
      origin.serve("new.xml", "text/xml", redirectTo(topic));
      int before = origin.requests();

      poll(topic);

      assertThat(origin.requests() - before).isLessThanOrEqualTo(6);
      assertThat(bench.feed(topic).fetched().failures()).isEqualTo(1);
      assertThat(bench.feed(topic).status().http()).contains("redirects");
    }

    @Test
    void HTTP_redirects_in_a_circle_are_an_error_after_five() {
      origin.redirect("old.xml", 301, target);
      origin.redirect("new.xml", 301, topic);
      int before = origin.requests();

      poll(topic);

      assertThat(origin.requests() - before).isLessThanOrEqualTo(6);
      assertThat(bench.feed(topic).fetched().failures()).isEqualTo(1);
    }
  }

  @Nested
  class Gone {

    private void subscribeReally(String topic) {
      bench
          .store()
          .subscriptions()
          .request(
              Verification.Mode.SUBSCRIBE,
              topic,
              subscriber.url("callback"),
              StageBench.terms(topic, Format.ATOM),
              null,
              bench.timer().now())
          .join();
    }

    private List<String> askedModes() {
      return subscriber.asked("callback").stream()
          .map(request -> Http.first(request.query(), "hub.mode"))
          .toList();
    }

    @Test
    void readers_MUST_stop_polling_after_a_410() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      origin.fail("feed.xml", 410);
      bench.startPolls();
      poll(topic);
      int asked = origin.requests("feed.xml").size();

      bench.timer().advance(Duration.ofDays(30));
      bench.untilIdle();

      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.GONE);
      assertThat(origin.requests("feed.xml")).hasSize(asked);
    }

    @Test
    void an_empty_XML_redirect_is_a_410() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      origin.serve("feed.xml", "text/xml", redirectTo(""));

      poll(topic);

      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.GONE);
      assertThat(bench.feed(topic).nextFetchAt()).isNull();
    }

    @Test
    void H10_WebSub_subscribers_are_denied_with_the_reason_and_a_fresh_subscription_tries_again() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      subscribeReally(topic);
      bench.startVerifier();
      bench.until(() -> askedModes().equals(List.of("subscribe")));
      bench.until(
          () -> bench.store().subscriptions().ofFeed(bench.feed(topic).id(), 0, 10).size() == 2);
      origin.fail("feed.xml", 410);
      poll(topic);

      bench.until(() -> askedModes().equals(List.of("subscribe", "denied")));
      assertThat(Http.first(subscriber.asked("callback").get(1).query(), "hub.reason"))
          .contains("gone");
      bench.until(() -> !bench.store().denials().any());

      bench.startPolls();
      subscribeReally(topic);
      bench.until(() -> askedModes().equals(List.of("subscribe", "denied", "denied")));
      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.GONE);

      origin.rss("feed.xml", "", "back", "one");
      // At another time than the poll that failed, whose feed may not be put off yet.
      bench.timer().advance(Duration.ofSeconds(1));
      subscribeReally(topic);
      bench.until(() -> askedModes().size() == 4 && bench.work().waiting() == 0);
      assertThat(askedModes()).endsWith("subscribe");
      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ACTIVE);
      assertThat(bench.news(topic)).containsExactly("back");
    }
  }

  @Nested
  class Status_documents {

    private List<Status> statuses(String topic) {
      List<Status> statuses = new ArrayList<>();
      for (Event event : bench.events(topic)) {
        assertThat(event.update().isStatusAlone()).isTrue();
        statuses.add(event.update().status());
      }
      return statuses;
    }

    @Test
    void an_error_state_makes_one_after_three_failures_and_recovery_another() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      origin.fail("feed.xml", 500);
      poll(topic);
      poll(topic);
      assertThat(statuses(topic)).isEmpty();

      poll(topic);
      poll(topic);
      assertThat(statuses(topic)).singleElement().extracting(Status::code).isEqualTo(500);
      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ERROR);
      origin.rss("feed.xml", "", "one");
      poll(topic);
      poll(topic);

      assertThat(statuses(topic)).extracting(Status::code).containsExactly(500, 304);
      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ACTIVE);
    }

    @Test
    void a_feed_that_is_gone_makes_one() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      origin.fail("feed.xml", 410);

      poll(topic);
      poll(topic);

      assertThat(statuses(topic)).extracting(Status::code).containsExactly(410);
    }

    @Test
    void a_recovery_with_news_says_so_first() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      origin.fail("feed.xml", 410);
      poll(topic);
      origin.rss("feed.xml", "", "two", "one");

      poll(topic);

      assertThat(bench.events(topic)).hasSize(3);
      assertThat(bench.events(topic).get(1).update().isStatusAlone()).isTrue();
      assertThat(bench.news(topic)).containsExactly("two");
    }

    @Test
    void a_feed_that_never_was_well_makes_none() {
      String topic = origin.fail("feed.xml", 500);
      bench.followed(topic);
      poll(topic);
      poll(topic);
      poll(topic);

      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ERROR);
      assertThat(bench.events(topic)).isEmpty();
    }
  }

  @Nested
  class S2_pages {

    private String page(String head) {
      return "<!DOCTYPE html><html><head><title>A blog</title>%s</head><body>Hi</body></html>"
          .formatted(head);
    }

    private String alternate() {
      return "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">";
    }

    @Test
    void S2_a_page_leads_to_its_feed() {
      origin.rss("feed.xml", "", "one");
      String topic = origin.serve("blog", "text/html", page(alternate()));
      FollowedFeed feed = bench.followed(topic);

      assertThat(feed.kind()).isEqualTo(FeedKind.FEED);
      assertThat(feed.url()).isEqualTo(origin.url("feed.xml"));
      origin.rss("feed.xml", "", "two", "one");
      poll(topic);
      assertThat(bench.news(topic)).containsExactly("two");
      assertThat(origin.requests("blog")).hasSize(1);
    }

    @Test
    void a_page_with_a_hub_of_its_own_is_a_topic_itself() {
      origin.rss("feed.xml", "", "one");
      String topic =
          origin.serve(
              "blog",
              "text/html",
              page("<link rel=\"hub\" href=\"https://hub.example/\">" + alternate()));

      assertThat(bench.followed(topic).kind()).isEqualTo(FeedKind.CONTENT);
      assertThat(bench.feed(topic).url()).isEqualTo(topic);
    }

    @Test
    void a_page_that_leads_to_a_page_is_no_endless_walk() {
      String topic = origin.serve("blog", "text/html", page(alternate()));
      origin.serve("feed.xml", "text/html", page(alternate()));

      bench.followed(topic);

      assertThat(origin.requests()).isEqualTo(2);
    }
  }

  @Nested
  class Status_metadata {

    @Test
    void maintenance_rolls_the_counts_over_every_24_h_with_an_unconditional_fetch() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      assertThat(bench.feed(topic).status().lastMaintenanceAt()).isEqualTo(bench.timer().now());
      origin.rss("feed.xml", "", "three", "two", "one");
      poll(topic);
      Status first = bench.feed(topic).status();
      assertThat(first.entriesCountSinceLastMaintenance()).isEqualTo(2);
      assertThat(first.velocity()).isNull();

      pollAfter(Upkeep.CYCLE, topic);

      Status second = bench.feed(topic).status();
      assertThat(second.velocity()).isEqualTo(2);
      assertThat(second.entriesCountSinceLastMaintenance()).isZero();
      assertThat(second.lastMaintenanceAt()).isEqualTo(bench.timer().now());
      List<Request> requests = origin.requests("feed.xml");
      assertThat(requests.get(requests.size() - 1).header("If-None-Match")).isEmpty();
    }

    @Test
    void entries_that_a_feed_has_not_had_for_long_are_forgotten_and_those_it_has_are_not() {
      String topic = origin.rss("feed.xml", "", "lasting", "passing");
      FollowedFeed feed = bench.followed(topic);
      origin.rss("feed.xml", "", "next", "lasting");
      pollAfter(Upkeep.ENTRIES_REMEMBERED.plusDays(1), topic);

      assertThat(bench.store().feeds().seen(feed.id(), List.of("lasting", "passing", "next")))
          .containsOnlyKeys("lasting", "next");
      assertThat(bench.news(topic)).containsExactly("next");
    }

    @Test
    void bozo_rank_is_the_share_of_new_entries_that_were_seen_under_another_id() {
      String item =
          "<item><guid>%s</guid><title>The same</title><link>http://n.example/</link></item>";
      String topic =
          origin.serve("feed.xml", RSS, FakeOrigin.rssOf(item.formatted("http://n.example/1")));
      bench.followed(topic);
      assertThat(bench.feed(topic).status().bozoRank()).isZero();

      origin.serve("feed.xml", RSS, FakeOrigin.rssOf(item.formatted("http://n.example/2")));
      poll(topic);
      assertThat(bench.feed(topic).status().bozoRank()).isEqualTo(1.0);
      origin.serve(
          "feed.xml",
          RSS,
          FakeOrigin.rssOf(
              "<item><guid>http://n.example/3</guid><title>Else</title></item>"
                  + item.formatted("http://n.example/2")));
      poll(topic);

      assertThat(bench.feed(topic).status().bozoRank()).isEqualTo(0.5);
    }

    @Test
    void a_document_that_had_to_be_repaired_raises_bozo_rank_and_is_read() {
      String topic = origin.serve("feed.xml", RSS, FakeOrigin.rssOf("<x>a & b</x>", "one"));
      bench.followed(topic);

      assertThat(bench.feed(topic).state()).isEqualTo(FeedState.ACTIVE);
      assertThat(bench.feed(topic).status().bozoRank()).isEqualTo(0.1);
    }

    @Test
    void popularity_grows_with_the_logarithm_of_the_readers() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      assertThat(bench.feed(topic).status().popularity()).isEqualTo(0.301);

      bench.subscribed(topic, Format.JSON);
      bench.subscribed(topic, Format.RAW);
      poll(topic);

      assertThat(bench.feed(topic).status().popularity()).isEqualTo(0.602);
    }

    @Test
    void a_parse_error_says_line_and_column() {
      String topic = origin.rss("feed.xml", "", "one");
      bench.followed(topic);
      origin.serve("feed.xml", RSS, "<rss version=\"2.0\">\n<channel><title");

      poll(topic);

      assertThat(bench.feed(topic).status().http()).containsPattern("line \\d+, column \\d+");
    }
  }
}
