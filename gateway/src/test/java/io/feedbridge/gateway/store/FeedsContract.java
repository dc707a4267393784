package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.feeds.Standing;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.feeds.FeedQueries;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.ActivityObject;
import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.GeoPoint;
import io.feedbridge.normalizer.Hints;
import io.feedbridge.normalizer.Link;
import io.feedbridge.normalizer.SeenEntry;
import io.feedbridge.normalizer.Source;
import io.feedbridge.normalizer.Status;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of {@link Feeds}. */
public abstract class FeedsContract extends StoreContract {

  private static final String TOPIC = "https://origin.example/feed";

  @Nested
  class Lists {

    private static final FeedQueries.Filter ALL = new FeedQueries.Filter(null, null, null, null);

    private List<String> names(FeedQueries.Filter filter, FeedQueries.Sort sort, long skip) {
      return store().feedQueries().list(filter, sort, 0, skip, 10).stream()
          .map(item -> item.feed().topic().replaceFirst(".*/", ""))
          .toList();
    }

    @Test
    void are_sorted_entered_anywhere_and_counted() {
      FollowedFeed quiet = feed("m-quiet");
      FollowedFeed popular = feed("z-popular");
      FollowedFeed busy = feed("a-busy");
      subscribe(popular, "https://one.example/");
      subscribe(popular, "https://two.example/");
      subscribe(quiet, "https://one.example/");
      done(feeds().record(OutcomeBuilder.of(reread(popular), NOW).event(1).build()));
      done(feeds().record(OutcomeBuilder.of(reread(busy), NOW.plusSeconds(9)).event(1).build()));

      assertThat(names(ALL, FeedQueries.Sort.ADDED, 0))
          .containsExactly("m-quiet", "z-popular", "a-busy");
      assertThat(names(ALL, FeedQueries.Sort.URL, 0))
          .containsExactly("a-busy", "m-quiet", "z-popular");
      assertThat(names(ALL, FeedQueries.Sort.SUBSCRIBERS, 0))
          .containsExactly("z-popular", "m-quiet", "a-busy");
      assertThat(names(ALL, FeedQueries.Sort.NEWEST, 0))
          .containsExactly("a-busy", "z-popular", "m-quiet");
      assertThat(names(ALL, FeedQueries.Sort.NEWEST, 2)).containsExactly("m-quiet");
      assertThat(names(ALL, FeedQueries.Sort.TITLE, 3)).isEmpty();
      assertThat(store().feedQueries().count(ALL)).isEqualTo(3);

      FeedQueries.Filter some = new FeedQueries.Filter("-BUSY", null, null, null);
      assertThat(names(some, FeedQueries.Sort.TITLE, 0)).containsExactly("a-busy");
      assertThat(store().feedQueries().count(some)).isEqualTo(1);
    }
  }

  @Nested
  class Following {

    @Test
    void a_topic_that_is_followed_is_due_at_once() {
      FollowedFeed feed = done(feeds().follow(TOPIC, NOW));

      assertThat(feed.topic()).isEqualTo(TOPIC);
      assertThat(feed.url()).isEqualTo(TOPIC);
      assertThat(feed.kind()).isEqualTo(FeedKind.UNKNOWN);
      assertThat(feed.state()).isEqualTo(FeedState.NEW);
      assertThat(feed.followed()).isTrue();
      assertThat(feed.tried()).isFalse();
      assertThat(feed.hasBaseline()).isFalse();
      assertThat(feed.head()).isZero();
      assertThat(feed.nextFetchAt()).isEqualTo(NOW);
      assertThat(feeds().due(NOW, 10)).containsExactly(feed);
      assertThat(feeds().byTopic(TOPIC)).contains(feed);
      assertThat(feeds().byId(feed.id())).contains(feed);
      assertThat(feeds().kind(feed.id())).contains(FeedKind.UNKNOWN);
    }

    @Test
    void a_topic_that_is_followed_already_stays_as_it_is() {
      FollowedFeed feed = feed("feed");

      assertThat(done(feeds().follow(TOPIC, after(Duration.ofMinutes(1))))).isEqualTo(feed);
    }

    @Test
    void what_nobody_follows_is_not_there() {
      assertThat(feeds().byTopic(TOPIC)).isEmpty();
      assertThat(feeds().byId(1)).isEmpty();
      assertThat(feeds().kind(1)).isEmpty();
      assertThat(feeds().nextDue()).isEmpty();
    }

    @Test
    void with_its_last_subscription_a_feed_is_let_go_of() {
      FollowedFeed feed = feed("feed");
      Subscription first = subscribe(feed, "https://one.example/");
      Subscription second = subscribe(feed, "https://two.example/");

      done(subscriptions().end(first.id(), "gone", NOW));
      assertThat(reread(feed).followed()).isTrue();

      done(subscriptions().end(second.id(), "gone", NOW));
      assertThat(reread(feed).followed()).isFalse();
      assertThat(reread(feed).nextFetchAt()).isNull();
      assertThat(feeds().due(after(Duration.ofDays(9)), 10)).isEmpty();
      assertThat(feeds().nextDue()).isEmpty();
    }

    @Test
    void a_feed_that_is_followed_again_gets_a_new_baseline() {
      FollowedFeed feed = feed("feed");
      long before = append(feed, 1);
      done(subscriptions().end(subscribe(feed, "https://one.example/").id(), "gone", NOW));

      Instant later = after(Duration.ofDays(1));
      FollowedFeed again = done(feeds().follow(TOPIC, later));

      assertThat(again.id()).isEqualTo(feed.id());
      assertThat(again.followed()).isTrue();
      assertThat(again.hasBaseline()).isFalse();
      assertThat(again.tried()).isFalse();
      assertThat(again.nextFetchAt()).isEqualTo(later);
      assertThat(again.head()).isEqualTo(before);
    }

    @Test
    void whoever_waits_to_be_subscribed_keeps_a_feed_followed() {
      FollowedFeed feed = feed("feed");
      requestSubscription(TOPIC, "https://one.example/", TERMS);

      done(feeds().unfollowIfUnused(feed.id(), NOW));
      done(feeds().unfollowUnused());

      assertThat(reread(feed).followed()).isTrue();
    }

    @Test
    void whoever_waits_to_be_unsubscribed_does_not() {
      FollowedFeed feed = feed("feed");
      done(
          subscriptions()
              .request(
                  Verification.Mode.UNSUBSCRIBE, TOPIC, "https://one.example/", TERMS, null, NOW));

      done(feeds().unfollowIfUnused(feed.id(), NOW));

      assertThat(reread(feed).followed()).isFalse();
    }

    private FollowedFeed fed(String name) {
      FollowedFeed feed = feedWithBytes(name);
      done(
          feeds()
              .record(
                  OutcomeBuilder.of(feed, NOW)
                      .body("bytes")
                      .document("Title", OutcomeBuilder.entry("a", "text"))
                      .seen("a", "b", "c")
                      .event(1)
                      .build()));
      return reread(feed);
    }

    private boolean isFree(FollowedFeed feed) {
      return feeds().body(feed.id()).isEmpty()
          && feeds().seen(feed.id(), List.of("a", "b", "c")).isEmpty()
          && feeds().newest(feed.id(), 10).isEmpty();
    }

    @Test
    void a_feed_that_nobody_follows_for_a_time_is_freed_in_small_parts() {
      FollowedFeed left = fed("feed");
      FollowedFeed used = fed("used");
      done(feeds().unfollowIfUnused(left.id(), NOW));
      subscribe(used, "https://one.example/");
      Instant later = after(Duration.ofDays(1));

      assertThat(done(feeds().freeLeft(NOW.minusSeconds(1), NOW, 2))).isFalse();
      assertThat(isFree(left)).isFalse();
      assertThat(done(feeds().freeLeft(NOW, later, 2))).isTrue();
      assertThat(feeds().body(left.id())).isPresent();
      assertThat(done(feeds().freeLeft(NOW, later, 2))).isFalse();

      assertThat(isFree(left)).isTrue();
      assertThat(isFree(used)).isFalse();
      assertThat(feeds().seen(used.id(), List.of("a", "b", "c"))).hasSize(3);
    }

    @Test
    void a_feed_that_is_followed_again_meanwhile_is_not_freed() {
      FollowedFeed feed = fed("feed");
      done(feeds().unfollowIfUnused(feed.id(), NOW));
      assertThat(done(feeds().freeLeft(NOW.minusSeconds(1), NOW, 100))).isFalse();

      done(feeds().follow(feed.topic(), NOW));

      assertThat(done(feeds().freeLeft(after(Duration.ofDays(9)), NOW, 100))).isFalse();
      assertThat(isFree(feed)).isFalse();
    }

    @Test
    void L11_a_feed_that_is_barred_for_longer_than_it_is_kept_has_a_new_baseline_afterwards() {
      FollowedFeed feed = fed("feed");
      done(store().restrictions().bar(feed.id()));
      assertThat(done(feeds().freeLeft(NOW.minusSeconds(1), NOW, 2))).isFalse();
      // One fingerprint is left when the bar is lifted.
      assertThat(done(feeds().freeLeft(NOW, after(Duration.ofDays(1)), 2))).isTrue();

      done(store().restrictions().unbar(feed.id(), NOW));

      assertThat(reread(feed).followed()).isTrue();
      assertThat(reread(feed).hasBaseline()).isFalse();
    }

    @Test
    void unfollowUnused_lets_go_of_all_that_a_stop_left_behind_and_of_no_other() {
      FollowedFeed used = feed("used");
      subscribe(used, "https://one.example/");
      FollowedFeed unused = feed("unused");
      FollowedFeed untried = done(feeds().follow("https://origin.example/untried", NOW));

      done(feeds().unfollowUnused());

      assertThat(reread(used).followed()).isTrue();
      assertThat(reread(unused).followed()).isFalse();
      assertThat(reread(untried).followed()).isFalse();
    }

    @Test
    void a_topic_whose_first_fetch_failed_is_fetched_again_for_whoever_asks_anew() {
      FollowedFeed feed = done(feeds().follow(TOPIC, NOW));
      done(feeds().record(OutcomeBuilder.of(feed, NOW).build()));
      assertThat(reread(feed).tried()).isTrue();

      Instant later = after(Duration.ofMinutes(5));
      FollowedFeed again = done(feeds().follow(TOPIC, later));

      assertThat(again.tried()).isFalse();
      assertThat(again.nextFetchAt()).isEqualTo(later);
    }
  }

  @Nested
  class Pages {

    private static final String PAGE = "http://site.example/blog";

    private void record(FollowedFeed feed, @Nullable String page) {
      done(feeds().record(OutcomeBuilder.of(feed, NOW).baseline().page(page).build()));
    }

    private List<Long> ofPage(String page) {
      return feeds().ofPage(page, 10).stream().map(FollowedFeed::id).toList();
    }

    @Test
    void a_page_leads_to_the_followed_feeds_that_name_it() {
      FollowedFeed entries = feed("entries");
      FollowedFeed comments = feed("comments");
      record(entries, PAGE + "/");
      record(comments, "HTTP://SITE.example:80/blog");
      record(feed("other"), "http://site.example/");

      assertThat(ofPage(PAGE)).containsExactly(entries.id(), comments.id());
      assertThat(ofPage(PAGE + "/")).containsExactly(entries.id(), comments.id());
      assertThat(feeds().ofPage(PAGE, 1))
          .extracting(FollowedFeed::id)
          .containsExactly(entries.id());
      assertThat(ofPage("http://site.example")).hasSize(1);
      assertThat(ofPage("http://site.example/BLOG")).isEmpty();
    }

    @Test
    void a_document_leads_to_its_own_feed_and_to_the_followed_parts_of_it() {
      String document = "http://a.example/page";
      for (String topic :
          List.of(
              document, document + "#p", document + "#%2Em", document + "s", document + "%23p")) {
        done(feeds().follow(topic, NOW));
      }
      assertThat(feeds().ofDocument(document, 10))
          .extracting(FollowedFeed::topic)
          .containsExactly(document, document + "#%2Em", document + "#p");
      assertThat(feeds().ofDocument(document, 10))
          .extracting(FollowedFeed::url)
          .containsOnly(document);
      assertThat(feeds().ofDocument(document, 2)).hasSize(2);
      assertThat(feeds().ofDocument("http://a.example/pag", 10)).isEmpty();
    }

    @Test
    void the_newest_document_counts() {
      FollowedFeed feed = feed("feed");
      record(feed, PAGE);
      record(feed, "http://moved.example/");
      assertThat(ofPage(PAGE)).isEmpty();
      assertThat(ofPage("http://moved.example/")).hasSize(1);

      record(feed, null);
      assertThat(ofPage("http://moved.example/")).isEmpty();

      record(feed, "no URL");
      assertThat(ofPage("no URL")).isEmpty();
    }
  }

  @Nested
  class Due {

    @Test
    void feeds_are_due_longest_due_first_and_at_most_as_many_as_asked_for() {
      FollowedFeed third = feed("third");
      FollowedFeed first = feed("first");
      FollowedFeed second = feed("second");
      done(feeds().postpone(first.id(), after(Duration.ofSeconds(1))));
      done(feeds().postpone(second.id(), after(Duration.ofSeconds(2))));
      done(feeds().postpone(third.id(), after(Duration.ofSeconds(3))));

      assertThat(feeds().nextDue()).contains(after(Duration.ofSeconds(1)));
      assertThat(feeds().due(NOW, 10)).isEmpty();
      assertThat(feeds().due(after(Duration.ofSeconds(2)), 10))
          .extracting(FollowedFeed::id)
          .containsExactly(first.id(), second.id());
      assertThat(feeds().due(after(Duration.ofSeconds(3)), 2))
          .extracting(FollowedFeed::id)
          .containsExactly(first.id(), second.id());
    }

    @Test
    void to_postpone_moves_the_next_fetch_and_nothing_else() {
      FollowedFeed feed = feed("feed");
      done(feeds().postpone(feed.id(), after(Duration.ofHours(7))));

      assertThat(reread(feed))
          .usingRecursiveComparison()
          .ignoringFields("nextFetchAt")
          .isEqualTo(feed);
      assertThat(reread(feed).nextFetchAt()).isEqualTo(after(Duration.ofHours(7)));
    }

    @Test
    void a_feed_whose_fetch_was_asked_for_is_due_again_later() {
      FollowedFeed feed = feed("feed");
      done(feeds().postpone(feed.id(), NOW));

      done(feeds().asked(reread(feed), after(Duration.ofMinutes(5))));

      assertThat(reread(feed).nextFetchAt()).isEqualTo(after(Duration.ofMinutes(5)));
    }

    @Test
    void what_was_said_of_the_next_fetch_since_one_was_asked_for_stays() {
      FollowedFeed feed = feed("feed");
      done(feeds().postpone(feed.id(), NOW));
      FollowedFeed due = reread(feed);
      done(feeds().postpone(feed.id(), after(Duration.ofSeconds(2))));

      done(feeds().asked(due, after(Duration.ofMinutes(5))));

      assertThat(reread(feed).nextFetchAt()).isEqualTo(after(Duration.ofSeconds(2)));
      done(feeds().unfollowIfUnused(feed.id(), NOW));
      done(feeds().asked(due, after(Duration.ofMinutes(5))));
      assertThat(reread(feed).nextFetchAt()).isNull();
    }

    @Test
    void a_feed_that_is_let_go_of_cannot_be_postponed_into_being_fetched() {
      FollowedFeed feed = feed("feed");
      done(feeds().unfollowIfUnused(feed.id(), NOW));

      done(feeds().postpone(feed.id(), NOW));

      assertThat(reread(feed).nextFetchAt()).isNull();
    }
  }

  @Nested
  class Spreading {

    private final Duration tick = Duration.ofMillis(100);

    /** Feeds with a baseline whose polls were due one after the other, the last just now. */
    private List<FollowedFeed> overdue(int count) {
      List<FollowedFeed> feeds = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        FollowedFeed feed = feed("overdue-" + i);
        done(feeds().postpone(feed.id(), after(Duration.ofSeconds(i - count))));
        feeds.add(feed);
      }
      return feeds;
    }

    @Test
    void polls_that_are_due_are_spread_in_their_order() {
      List<FollowedFeed> feeds = overdue(7);

      assertThat(done(feeds().spreadDue(NOW, 3, tick))).isEqualTo(4);

      assertThat(feeds().due(NOW, 10))
          .extracting(FollowedFeed::id)
          .containsExactlyElementsOf(feeds.subList(0, 3).stream().map(FollowedFeed::id).toList());
      assertThat(feeds.subList(3, 7))
          .extracting(feed -> reread(feed).nextFetchAt())
          .containsExactly(after(tick), after(tick), after(tick), after(tick.multipliedBy(2)));
    }

    @Test
    void what_is_not_due_keeps_its_time() {
      List<FollowedFeed> feeds = overdue(2);
      Instant later = after(Duration.ofMillis(1));
      done(feeds().postpone(feeds.get(1).id(), later));

      assertThat(done(feeds().spreadDue(NOW, 1, tick))).isZero();

      assertThat(reread(feeds.get(1)).nextFetchAt()).isEqualTo(later);
    }

    @Test
    void whom_somebody_waits_for_is_not_put_off() {
      overdue(1);
      FollowedFeed untried = done(feeds().follow("https://origin.example/untried", NOW));
      FollowedFeed pinged = feed("pinged");
      done(
          feeds()
              .record(
                  OutcomeBuilder.of(reread(pinged), NOW)
                      .baseline()
                      .nextFetchAt(NOW)
                      .retryVia(Via.PUBLISH)
                      .build()));

      assertThat(done(feeds().spreadDue(NOW, 1, tick))).isZero();

      assertThat(feeds().due(NOW, 10))
          .extracting(FollowedFeed::id)
          .contains(untried.id(), pinged.id());
    }
  }

  @Nested
  class Putting_off {

    @Test
    void ends_the_work_and_names_the_time_and_leaves_the_rest_of_the_feed_as_it_was() {
      FollowedFeed feed = done(feeds().follow(TOPIC, NOW));
      done(work().add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
      Assignment ping = work().take(1).get(0);
      Instant later = after(Duration.ofMinutes(10));

      done(feeds().putOff(ping.position(), later, Via.PING));

      work().giveBack(ping);
      assertThat(work().waiting()).isZero();
      FollowedFeed after = reread(feed);
      assertThat(after.tried()).isFalse();
      assertThat(after.nextFetchAt()).isEqualTo(later);
      assertThat(after.retryVia()).isEqualTo(Via.PING);
      done(feeds().putOff(new Position(feed.id(), 0), later.plusSeconds(1), null));
      assertThat(reread(feed).retryVia()).as("a ping is not forgotten").isEqualTo(Via.PING);
    }

    @Test
    void makes_nothing_due_that_nobody_follows() {
      FollowedFeed feed = feed("feed");
      done(feeds().unfollowIfUnused(feed.id(), NOW));

      done(feeds().putOff(new Position(feed.id(), 0), NOW, null));

      assertThat(reread(feed).nextFetchAt()).isNull();
    }
  }

  @Nested
  class L1_recording_is_one_transaction {

    private final FollowedFeed.Fetched fetched =
        new FollowedFeed.Fetched(
            "A title",
            200,
            "Fetched (ping) 200",
            Duration.ofMinutes(90),
            2,
            true,
            NOW,
            after(Duration.ofSeconds(-1)),
            new FollowedFeed.Maintenance(NOW, 3, 4L),
            Standing.UNKNOWN);

    private Assignment ping(FollowedFeed feed) {
      done(work().add(new WorkItem.Light(feed.id(), Via.PING, NOW)));
      return work().take(1).get(0);
    }

    @Test
    void L1_record_writes_events_entries_validators_body_head_and_removes_the_work() {
      FollowedFeed feed = feedWithBytes("feed");
      Assignment ping = ping(feed);
      Validators validators = new Validators("W/\"1\"", "Sun, 01 Mar 2026 12:00:00 GMT", "abc");
      Advertised advertised =
          new Advertised(
              List.of("https://hub.example/"),
              "https://origin.example/self",
              List.of(new Advertised.Cloud("http://cloud.example:80/notify", "http-post")));

      List<Long> appended =
          done(
              feeds()
                  .record(
                      OutcomeBuilder.of(feed, NOW)
                          .doing(ping)
                          .seen("a", "b")
                          .body("<rss/>")
                          .event(2)
                          .event(1)
                          .url("https://moved.example/feed")
                          .state(FeedState.ERROR)
                          .nextFetchAt(after(Duration.ofHours(3)))
                          .retryVia(Via.PUBLISH)
                          .fetched(fetched)
                          .validators(validators)
                          .advertised(advertised)
                          .build()));
      work().giveBack(ping);

      assertThat(appended).hasSize(2).isSorted();
      assertThat(feeds().events(feed.id(), 0, Long.MAX_VALUE))
          .extracting(Event::seq)
          .isEqualTo(appended);
      assertThat(feeds().events(feed.id(), 0, Long.MAX_VALUE))
          .allSatisfy(
              event -> {
                assertThat(event.via()).isEqualTo(Via.PING);
                assertThat(event.at()).isEqualTo(NOW);
                assertThat(event.feedId()).isEqualTo(feed.id());
              });
      assertThat(feeds().seen(feed.id(), List.of("a", "b", "c"))).containsOnlyKeys("a", "b");
      assertThat(text(feeds().body(feed.id()))).isEqualTo("<rss/>");
      assertThat(feeds().bodyLength(feed.id())).isEqualTo("<rss/>".length());
      assertThat(work().waiting()).isZero();
      assertThat(work().take(1)).isEmpty();
      FollowedFeed now = reread(feed);
      assertThat(now.head()).isEqualTo(appended.get(1));
      assertThat(now.url()).isEqualTo("https://moved.example/feed");
      assertThat(now.topic()).isEqualTo(TOPIC);
      assertThat(now.state()).isEqualTo(FeedState.ERROR);
      assertThat(now.nextFetchAt()).isEqualTo(after(Duration.ofHours(3)));
      assertThat(now.retryVia()).isEqualTo(Via.PUBLISH);
      assertThat(now.fetched()).isEqualTo(fetched);
      assertThat(now.validators()).isEqualTo(validators);
      assertThat(now.advertised()).isEqualTo(advertised);
      assertThat(due(0, 10)).containsExactly(feed.id());
    }

    // The second update has no feed: by then work, entries, body and an event are written.
    @SuppressWarnings("NullAway")
    @Test
    void L1_a_record_that_fails_between_two_events_changes_nothing() {
      FollowedFeed feed = feedWithBytes("feed");
      fails(feed, with -> with.event(new Update(null, List.of(), Status.of(TOPIC), true)));
    }

    // A feed without a URL cannot be kept: that is found out last of all.
    @SuppressWarnings("NullAway")
    @Test
    void L1_a_record_that_fails_at_its_end_changes_nothing() {
      FollowedFeed feed = feedWithBytes("feed");
      fails(feed, with -> with.url(null));
    }

    private void fails(FollowedFeed feed, java.util.function.UnaryOperator<OutcomeBuilder> broken) {
      done(feeds().record(OutcomeBuilder.of(feed, NOW).seen("a").body("<old/>").build()));
      FollowedFeed before = reread(feed);
      Assignment ping = ping(feed);
      Outcome outcome =
          broken
              .apply(
                  OutcomeBuilder.of(before, after(Duration.ofHours(1)))
                      .doing(ping)
                      .seen(new SeenEntry("a", "another print", null))
                      .seen("b")
                      .body("<new/>")
                      .validators(new Validators("\"2\"", null, "def"))
                      .event(1))
              .build();

      assertThatThrownBy(() -> done(feeds().record(outcome))).isInstanceOf(StoreException.class);

      assertThat(reread(feed)).isEqualTo(before);
      assertThat(feeds().events(feed.id(), 0, Long.MAX_VALUE)).isEmpty();
      assertThat(feeds().seen(feed.id(), List.of("a", "b")))
          .containsOnlyKeys("a")
          .extractingByKey("a")
          .extracting(SeenEntry::fingerprint)
          .isEqualTo("print of a");
      assertThat(text(feeds().body(feed.id()))).isEqualTo("<old/>");
      assertThat(due(0, 10)).isEmpty();
      assertThat(work().waiting()).isEqualTo(1);
      work().giveBack(ping);
      assertThat(work().take(1)).containsExactly(ping);
    }

    @Test
    void L1_a_record_that_appends_nothing_leaves_the_head_and_makes_no_round_due() {
      FollowedFeed feed = feed("feed");
      long head = append(feed, 1);
      walk(feed);

      assertThat(done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).seen("a").build())))
          .isEmpty();

      assertThat(reread(feed).head()).isEqualTo(head);
      assertThat(due(0, 10)).isEmpty();
    }

    @Test
    void L1_a_round_is_due_after_a_restart_by_looking_at_the_head() {
      FollowedFeed feed = feed("feed");
      append(feed, 1);

      restart();

      assertThat(due(0, 10)).containsExactly(feed.id());
    }

    @Test
    void L1_an_outcome_read_before_another_append_does_not_turn_the_head_back() {
      FollowedFeed stale = feed("feed");
      long head = append(stale, 1);

      done(feeds().record(OutcomeBuilder.of(stale, NOW).build()));

      assertThat(reread(stale).head()).isEqualTo(head);
    }

    @Test
    void an_outcome_for_a_feed_let_go_of_meanwhile_does_not_follow_it_again() {
      FollowedFeed feed = feed("feed");
      done(feeds().unfollowIfUnused(feed.id(), NOW));

      done(feeds().record(OutcomeBuilder.of(feed, NOW).nextFetchAt(NOW).build()));

      assertThat(reread(feed).followed()).isFalse();
      assertThat(reread(feed).nextFetchAt()).isNull();
    }
  }

  @Nested
  class L11_baseline {

    @Test
    void L11_a_fetch_that_failed_is_tried_but_no_baseline() {
      FollowedFeed feed = done(feeds().follow(TOPIC, NOW));

      done(feeds().record(OutcomeBuilder.of(feed, NOW).build()));

      assertThat(reread(feed).tried()).isTrue();
      assertThat(reread(feed).hasBaseline()).isFalse();
    }

    @Test
    void L11_the_first_fetch_is_the_baseline() {
      FollowedFeed feed = done(feeds().follow(TOPIC, NOW));

      done(feeds().record(OutcomeBuilder.of(feed, NOW).baseline().seen("a").build()));

      assertThat(reread(feed).firstFetchAt()).isEqualTo(NOW);
      assertThat(reread(feed).head()).isZero();
    }
  }

  @Nested
  class EntriesAndEvents {

    @Test
    void any_number_of_entries_is_remembered_per_feed() {
      FollowedFeed feed = feed("feed");
      FollowedFeed other = feed("other");
      String[] ids = IntStream.range(0, 2_500).mapToObj(i -> "id-" + i).toArray(String[]::new);

      done(feeds().record(OutcomeBuilder.of(feed, NOW).seen(ids).build()));

      assertThat(feeds().seen(feed.id(), List.of(ids))).hasSize(2_500);
      assertThat(feeds().seen(feed.id(), List.of("id-7", "unknown")))
          .containsOnlyKeys("id-7")
          .containsValue(new SeenEntry("id-7", "print of id-7", NOW));
      assertThat(feeds().seen(other.id(), List.of(ids))).isEmpty();
      assertThat(feeds().seen(feed.id(), List.of())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("io.feedbridge.gateway.store.EntryIds#any")
    void an_entry_of_any_id_is_one_for_the_diff_the_kept_entries_the_index_and_its_removal(
        String id) {
      FollowedFeed feed = done(feeds().follow(TOPIC, NOW));
      FollowedFeed other = done(feeds().follow(TOPIC + "/other", NOW));
      Entry entry = OutcomeBuilder.entry(id, "x");
      for (FollowedFeed one : List.of(feed, other)) {
        done(feeds().record(OutcomeBuilder.of(one, NOW).baseline().document("Title").build()));
      }
      KeptEntries.Ref ref = new KeptEntries.Ref(new EntryKey(feed.id(), id), null);
      assertThat(store().entries().gone(List.of(ref))).containsExactly(ref);

      for (int version = 0; version < 2; version++) {
        done(
            feeds()
                .record(
                    OutcomeBuilder.of(reread(feed), NOW)
                        .seen(new SeenEntry(id, "print " + version, null))
                        .event(OutcomeBuilder.update(TOPIC, List.of(entry)))
                        .build()));
      }

      assertThat(feeds().seen(feed.id(), List.of(id)))
          .containsExactly(Map.entry(id, new SeenEntry(id, "print 1", null)));
      assertThat(feeds().knows(feed.id(), id)).isTrue();
      assertThat(feeds().knows(other.id(), id)).isFalse();
      assertThat(feeds().newest(feed.id(), 10).orElseThrow().entries()).hasSize(1);
      assertThat(store().entries().gone(List.of(ref))).isEmpty();
      assertThat(store().entries().find(List.of(ref)).values())
          .extracting(found -> found.entry().id())
          .containsExactly(id);
    }

    @Test
    void an_entry_seen_again_is_remembered_as_it_is_now() {
      FollowedFeed feed = feed("feed");
      done(feeds().record(OutcomeBuilder.of(feed, NOW).seen("a").build()));
      SeenEntry changed = new SeenEntry("a", "new print", null, "source");

      done(feeds().record(OutcomeBuilder.of(feed, NOW).seen(changed).build()));

      assertThat(feeds().seen(feed.id(), List.of("a")))
          .containsOnly(java.util.Map.entry("a", changed));

      // What it was read from is forgotten with what was read.
      SeenEntry again = new SeenEntry("a", "newest print", null);
      done(feeds().record(OutcomeBuilder.of(feed, NOW).seen(again).build()));
      assertThat(feeds().seen(feed.id(), List.of("a")))
          .containsOnly(java.util.Map.entry("a", again));
    }

    @Test
    void only_the_newest_body_is_kept_and_none_leaves_it() {
      FollowedFeed feed = feedWithBytes("feed");
      assertThat(feeds().body(feed.id())).isEmpty();

      record(feed, "one");
      record(feed, "two");
      done(feeds().record(OutcomeBuilder.of(feed, NOW).build()));

      assertThat(text(feeds().body(feed.id()))).isEqualTo("two");
      assertThat(feeds().body(feed.id()).orElseThrow().contentType())
          .isEqualTo("application/rss+xml");
    }

    private void record(FollowedFeed feed, String bytes) {
      done(feeds().record(OutcomeBuilder.of(feed, NOW).body(bytes).build()));
    }

    @Test
    void the_body_of_a_feed_that_nobody_reads_is_kept_from_its_first_fetch_until_it_changes() {
      FollowedFeed feed = done(feeds().follow("https://origin.example/feed", NOW));
      done(feeds().record(OutcomeBuilder.of(feed, NOW).baseline().body("one").build()));
      FollowedFeed read = reread(feed);
      done(feeds().record(OutcomeBuilder.of(read, NOW).build()));
      assertThat(text(feeds().body(feed.id()))).isEqualTo("one");

      record(read, "two");

      assertThat(feeds().body(feed.id())).isEmpty();
      assertThat(feeds().bodyLength(feed.id())).isZero();
    }

    @Test
    void the_body_of_a_topic_that_is_no_feed_is_kept() {
      FollowedFeed feed = feed("page");
      for (String bytes : List.of("one", "two")) {
        done(
            feeds()
                .record(OutcomeBuilder.of(feed, NOW).kind(FeedKind.CONTENT).body(bytes).build()));
      }

      assertThat(text(feeds().body(feed.id()))).isEqualTo("two");
    }

    @Test
    void a_body_that_is_wanted_and_not_there_makes_its_feed_due_without_validators() {
      FollowedFeed feed = feed("feed");
      done(
          feeds()
              .record(
                  OutcomeBuilder.of(feed, NOW)
                      .validators(new Validators("\"1\"", "date", "abc"))
                      .nextFetchAt(NOW.plusSeconds(600))
                      .build()));

      assertThat(done(feeds().keepBody(feed.id(), NOW.plusSeconds(60), NOW))).isFalse();

      assertThat(reread(feed).nextFetchAt()).isEqualTo(NOW);
      assertThat(reread(feed).validators()).isEqualTo(new Validators(null, null, null));
      record(reread(feed), "one");
      assertThat(done(feeds().keepBody(feed.id(), NOW, NOW))).as("it is there").isTrue();
      record(reread(feed), "two");
      assertThat(text(feeds().body(feed.id()))).isEqualTo("two");
      done(
          feeds()
              .record(OutcomeBuilder.of(reread(feed), NOW.plusSeconds(60)).body("three").build()));
      assertThat(feeds().body(feed.id())).as("its time is over").isEmpty();
    }

    @Test
    void a_body_is_asked_for_once_and_an_outcome_under_way_does_not_undo_that() {
      FollowedFeed feed = feed("feed");
      Validators known = new Validators("\"1\"", "date", "abc");
      Instant later = NOW.plusSeconds(600);
      done(
          feeds()
              .record(OutcomeBuilder.of(feed, NOW).validators(known).nextFetchAt(later).build()));
      FollowedFeed underWay = reread(feed);
      done(feeds().keepBody(feed.id(), NOW.plusSeconds(60), NOW));

      // 304 to a request that was sent before.
      done(feeds().record(OutcomeBuilder.of(underWay, NOW).nextFetchAt(later).build()));

      assertThat(reread(feed).validators()).isEqualTo(Validators.NONE);
      assertThat(reread(feed).nextFetchAt()).isEqualTo(NOW);
      // The origin fails, and is left alone for as long as planned.
      done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).nextFetchAt(later).build()));
      done(feeds().keepBody(feed.id(), NOW.plusSeconds(60), NOW));
      assertThat(reread(feed).nextFetchAt()).isEqualTo(later);
    }

    @Test
    void a_raw_subscription_has_the_body_fetched_and_kept() {
      FollowedFeed feed = feed("feed");
      record(feed, "one");
      done(
          feeds()
              .record(
                  OutcomeBuilder.of(feed, NOW)
                      .body("two")
                      .validators(new Validators(null, null, "abc"))
                      .build()));
      assertThat(feeds().body(feed.id())).isEmpty();

      subscribe(feed, "https://one.example/", terms(Format.RAW));

      assertThat(reread(feed).nextFetchAt()).isEqualTo(NOW);
      record(reread(feed), "three");
      assertThat(text(feeds().body(feed.id()))).isEqualTo("three");
    }

    @Test
    void events_are_read_per_feed_after_one_up_to_another_in_order() {
      FollowedFeed feed = feed("feed");
      FollowedFeed other = feed("other");
      long first = append(feed, 1);
      append(other, 1);
      long second = append(feed, 1);
      long third = append(feed, 1);

      assertThat(feeds().events(feed.id(), first, third))
          .extracting(Event::seq)
          .containsExactly(second, third);
      assertThat(feeds().events(feed.id(), 0, second))
          .extracting(Event::seq)
          .containsExactly(first, second);
      assertThat(feeds().events(feed.id(), third, Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void an_event_is_read_as_it_was_written() {
      FollowedFeed feed = feed("feed");
      Update update = everything();

      done(feeds().record(OutcomeBuilder.of(feed, NOW).event(update).build()));
      restart();

      assertThat(feeds().events(feed.id(), 0, Long.MAX_VALUE))
          .singleElement()
          .extracting(Event::update)
          .isEqualTo(update);
    }

    private Update everything() {
      Instant fine = Instant.parse("2026-02-03T04:05:06.789012Z");
      Link link = new Link("alternate", "https://origin.example/1?a=b&c", "text/html", "One", 7L);
      Author author =
          new Author(
              "Ann",
              "ann@example.org",
              "https://ann.example/",
              "id",
              "Dr",
              List.of("person"),
              List.of(link));
      ActivityObject object =
          new ActivityObject(
              List.of("note"),
              "o",
              "Object",
              fine,
              NOW,
              Content.text("o"),
              List.of(author),
              List.of("c"),
              List.of(link));
      Status status =
          new Status(
              TOPIC, "Feed", 200, "Fetched", NOW, 60L, NOW, fine, NOW, 3L, 4L, 0.5, 0.25, true);
      Source source =
          new Source("src", "Source", "Sub", NOW, "de", List.of(link), List.of(author), status);
      Entry entry =
          new Entry(
              "tag:origin.example,2026:1",
              true,
              "Title \uD83D\uDE80 \u0000\u2028 <b>&amp;",
              fine,
              NOW,
              Content.html("<p>Grüße</p>"),
              new Content("application/pdf", "QUJD", "https://origin.example/pdf"),
              List.of(link),
              List.of("a", "b"),
              List.of(author),
              new GeoPoint(52.5, -13.25),
              List.of("post"),
              List.of(object),
              "en",
              source);
      Hints hints =
          new Hints(
              Duration.ofMinutes(15),
              List.of(1, 2),
              List.of(DayOfWeek.SUNDAY),
              Duration.ofHours(1),
              NOW,
              List.of("https://hub.example/"),
              TOPIC,
              List.of(),
              "https://cloud.example/pleaseNotify");
      Feed feed =
          new Feed(
              "id",
              "Feed",
              "Sub",
              fine,
              "en",
              List.of(link),
              List.of(author),
              List.of(entry),
              hints,
              List.of("repaired"),
              List.of("category"));
      return new Update(feed, List.of(OutcomeBuilder.entry("changed", "text")), status, false);
    }
  }

  @Nested
  class Signals {

    @Test
    void a_feed_begun_is_told_as_fetch_due_once_it_is_there() {
      Signal<List<FollowedFeed>> told = signal(() -> feeds().due(NOW, 1));
      store().onChange(Change.FETCH_DUE, told);

      FollowedFeed feed = done(feeds().follow(TOPIC, NOW));

      told.awaits(List.of(feed));
    }

    @Test
    void an_append_is_told_once_the_round_is_due() {
      FollowedFeed feed = feed("feed");
      Signal<List<Long>> told = signal(() -> due(0, 1));
      store().onChange(Change.APPENDED, told);

      append(feed, 1);

      told.awaits(List.of(feed.id()));
    }

    @Test
    void a_first_fetch_is_told_to_whoever_waits_for_it() {
      requestSubscription(TOPIC, "https://one.example/", TERMS);
      FollowedFeed feed = feeds().byTopic(TOPIC).orElseThrow();
      Signal<Boolean> fetched = signal(() -> reread(feed).hasBaseline());
      Signal<Integer> verification = signal(() -> subscriptions().due(NOW, Set.of(), 10).size());
      Signal<Integer> following = signal(() -> upstreamSubscriptions().toChoose(10).size());
      store().onChange(Change.FETCHED, fetched);
      store().onChange(Change.VERIFICATION, verification);
      store().onChange(Change.FOLLOWING, following);

      done(feeds().record(OutcomeBuilder.of(feed, NOW).baseline().build()));

      fetched.awaits(true);
      verification.awaits(1);
      following.awaits(1);
    }

    @Test
    void a_fetch_set_to_another_time_is_told() {
      FollowedFeed feed = feed("feed");
      Signal<Optional<Instant>> told = signal(() -> feeds().nextDue());
      store().onChange(Change.FETCH_DUE, told);

      done(feeds().postpone(feed.id(), NOW));

      told.awaits(Optional.of(NOW));
    }
  }

  private static String text(Optional<Body> body) {
    return new String(body.orElseThrow().bytes(), StandardCharsets.UTF_8);
  }
}
