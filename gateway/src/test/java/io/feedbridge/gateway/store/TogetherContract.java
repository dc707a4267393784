package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FeedStep;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Transition;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Writes of one kind that share a commit leave behind what they would leave one by one. */
public abstract class TogetherContract extends StoreContract {

  private final List<Transition> transitions = new CopyOnWriteArrayList<>();
  private final List<Laggards.Host> dueHosts = new CopyOnWriteArrayList<>();

  private void listen() {
    store().onTransition(transitions::add);
    laggards().onDue((host, at) -> dueHosts.add(new Laggards.Host(host, at)));
  }

  /** Has writes share a commit, which does not fall back on making them one by one. */
  private <T extends @Nullable Object> List<T> together(
      Supplier<List<CompletableFuture<T>>> calls) {
    AtomicInteger runs = new AtomicInteger();
    List<CompletableFuture<Void>> counted = new ArrayList<>();
    List<T> results =
        inOneCommit(
            () -> {
              counted.add(database().change((handle, effects) -> runs.incrementAndGet()));
              return calls.get();
            });
    counted.forEach(StoreContract::done);
    assertThat(runs).as("runs of the commit").hasValue(1);
    return results;
  }

  private OutcomeBuilder outcome(FollowedFeed feed) {
    return OutcomeBuilder.of(reread(feed), NOW);
  }

  /** One more event, whose entries have these ids. */
  private static Update event(FollowedFeed feed, String... ids) {
    return OutcomeBuilder.update(
        feed.topic(), Arrays.stream(ids).map(id -> OutcomeBuilder.entry(id, "text")).toList());
  }

  private List<List<Long>> record(OutcomeBuilder... outcomes) {
    List<Outcome> built = Arrays.stream(outcomes).map(OutcomeBuilder::build).toList();
    return together(() -> built.stream().map(feeds()::record).toList());
  }

  /** The ids of the entries of a feed's events, by their numbers. */
  private Map<Long, List<String>> events(FollowedFeed feed) {
    return feeds().events(feed.id(), 0, Long.MAX_VALUE).stream()
        .collect(
            Collectors.toMap(
                Event::seq, one -> one.update().feed().entries().stream().map(Entry::id).toList()));
  }

  @Nested
  class Outcomes {

    @Test
    void L1_outcomes_of_one_feed_are_recorded_in_their_order() {
      FollowedFeed one = feed("one");
      FollowedFeed other = feed("other");
      SeenEntry first = new SeenEntry("a", "first print", NOW);
      SeenEntry second = new SeenEntry("a", "second print", NOW);

      List<List<Long>> numbers =
          record(
              outcome(one).seen(first).event(event(one, "a")).state(FeedState.ERROR),
              outcome(other).event(event(other, "b")),
              outcome(one).seen(second).seen("c").event(event(one, "c")).event(event(one, "d")),
              outcome(other).seen("e"));

      assertThat(numbers).extracting(List::size).containsExactly(1, 1, 2, 0);
      assertThat(numbers.stream().flatMap(List::stream).toList())
          .isSorted()
          .doesNotHaveDuplicates();
      assertThat(events(one))
          .isEqualTo(
              Map.of(
                  numbers.get(0).get(0), List.of("a"),
                  numbers.get(2).get(0), List.of("c"),
                  numbers.get(2).get(1), List.of("d")));
      assertThat(events(other)).isEqualTo(Map.of(numbers.get(1).get(0), List.of("b")));
      assertThat(feeds().seen(one.id(), List.of("a", "c", "e")))
          .containsOnlyKeys("a", "c")
          .containsEntry("a", second);
      assertThat(feeds().seen(other.id(), List.of("a", "e"))).containsOnlyKeys("e");
      assertThat(reread(one).head()).isEqualTo(numbers.get(2).get(1));
      assertThat(reread(one).state()).isEqualTo(FeedState.ACTIVE);
      assertThat(store().feedHistory().of(one.id(), Long.MAX_VALUE, 2))
          .as("each after the one before")
          .extracting(FeedStep::stateBefore, FeedStep::state)
          .containsExactly(
              tuple(FeedState.ERROR, FeedState.ACTIVE), tuple(FeedState.ACTIVE, FeedState.ERROR));
    }

    @Test
    void an_outcome_of_a_feed_that_does_not_exist_fails_alone() {
      FollowedFeed one = feed("one");
      FollowedFeed two = feed("two");
      Outcome unknown = outcomeOfNone(two.id() + 1_000);
      List<CompletableFuture<List<Long>>> fails = new ArrayList<>();

      List<List<Long>> numbers =
          inOneCommit(
              () -> {
                var first = feeds().record(outcome(one).seen("a").event(event(one, "a")).build());
                fails.add(feeds().record(unknown));
                return List.of(first, feeds().record(outcome(two).event(event(two, "b")).build()));
              });

      assertThatThrownBy(() -> done(fails.get(0))).isInstanceOf(RuntimeException.class);
      assertThat(events(one)).isEqualTo(Map.of(numbers.get(0).get(0), List.of("a")));
      assertThat(events(two)).isEqualTo(Map.of(numbers.get(1).get(0), List.of("b")));
      assertThat(feeds().seen(one.id(), List.of("a"))).containsOnlyKeys("a");
      assertThat(feeds().events(unknown.feed().id(), 0, Long.MAX_VALUE)).isEmpty();
      assertThat(due(0, 10)).containsExactly(one.id(), two.id());
    }

    private Outcome outcomeOfNone(long id) {
      FollowedFeed like = feed("like");
      FollowedFeed none =
          new FollowedFeed(
              id,
              like.topic(),
              like.url(),
              like.kind(),
              like.state(),
              like.followed(),
              like.tried(),
              like.head(),
              like.firstFetchAt(),
              like.nextFetchAt(),
              like.retryVia(),
              like.fetched(),
              like.validators(),
              like.advertised(),
              like.pace());
      return OutcomeBuilder.of(none, NOW).event(event(none, "x")).build();
    }

    @Test
    void each_outcome_gets_the_numbers_of_its_own_events() {
      FollowedFeed none = feed("none");
      FollowedFeed two = feed("two");
      FollowedFeed noneEither = feed("none-either");
      FollowedFeed one = feed("one");

      List<List<Long>> numbers =
          record(
              outcome(none),
              outcome(two).event(event(two, "a")).event(event(two, "b")),
              outcome(noneEither),
              outcome(one).event(event(one, "c")));

      assertThat(numbers).extracting(List::size).containsExactly(0, 2, 0, 1);
      assertThat(events(two))
          .isEqualTo(
              Map.of(
                  numbers.get(1).get(0), List.of("a"),
                  numbers.get(1).get(1), List.of("b")));
      assertThat(events(one)).isEqualTo(Map.of(numbers.get(3).get(0), List.of("c")));
      assertThat(reread(two).head()).isEqualTo(numbers.get(1).get(1));
      assertThat(reread(one).head()).isEqualTo(numbers.get(3).get(0));
      assertThat(due(0, 10)).containsExactly(two.id(), one.id());
    }

    @Test
    void of_several_steps_those_that_repeat_the_step_before_are_counted_and_the_others_added() {
      FollowedFeed quiet = feed("quiet");
      FollowedFeed pinged = feed("pinged");
      FollowedFeed quietToo = feed("quiet-too");
      FollowedFeed fresh = feed("fresh");
      FollowedFeed news = feed("news");
      done(store().feedHistory().trim(after(Duration.ofDays(1)), 10));
      record(outcome(quiet), outcome(pinged), outcome(quietToo));

      List<List<Long>> numbers =
          record(
              outcome(pinged).via(Via.PING),
              outcome(quiet),
              outcome(news).event(event(news, "a")),
              outcome(quietToo),
              outcome(fresh));
      record(outcome(quiet), outcome(pinged), outcome(fresh));

      assertThat(times(quiet)).containsExactly(3L);
      assertThat(times(pinged)).containsExactly(1L, 1L, 1L);
      assertThat(times(quietToo)).containsExactly(2L);
      assertThat(times(fresh)).containsExactly(2L);
      assertThat(times(news)).containsExactly(1L);
      assertThat(store().feedHistory().ofEvent(news.id(), numbers.get(2).get(0))).isPresent();
    }

    private List<Long> times(FollowedFeed feed) {
      return store().feedHistory().of(feed.id(), Long.MAX_VALUE, 10).stream()
          .map(FeedStep::times)
          .toList();
    }
  }

  @Nested
  class Work {

    private CompletableFuture<Void> ping(FollowedFeed feed, int number) {
      return work().add(new WorkItem.Light(feed.id(), Via.PING, NOW.plusSeconds(number)));
    }

    /** The first item of each feed with work, as the feeds' order has it. */
    private Map<Long, Long> backlog() {
      return byFeed("SELECT feed_id, oldest AS item FROM backlog");
    }

    private Map<Long, Long> oldestItems() {
      return byFeed("SELECT feed_id, MIN(id) AS item FROM work GROUP BY feed_id");
    }

    private Map<Long, Long> byFeed(String query) {
      return database()
          .read(
              handle ->
                  handle
                      .createQuery(query)
                      .map((row, context) -> Map.entry(row.getLong("feed_id"), row.getLong("item")))
                      .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    private List<Integer> seconds(Assignment taken) {
      return taken.items().stream()
          .map(item -> (int) Duration.between(NOW, item.receivedAt()).toSeconds())
          .toList();
    }

    @Test
    void pings_of_one_feed_and_of_others_keep_their_order_and_each_feed_its_oldest() {
      FollowedFeed one = feed("one");
      FollowedFeed two = feed("two");
      FollowedFeed waits = feed("waits");
      done(ping(waits, 1));

      together(
          () -> List.of(ping(two, 2), ping(one, 3), ping(waits, 4), ping(one, 5), ping(two, 6)));

      assertThat(backlog()).hasSize(3).isEqualTo(oldestItems());
      List<Assignment> taken = work().take(10);
      assertThat(taken)
          .extracting(Assignment::feedId, this::seconds)
          .containsExactly(
              tuple(waits.id(), List.of(1, 4)),
              tuple(two.id(), List.of(2, 6)),
              tuple(one.id(), List.of(3, 5)));
    }

    @Test
    void outcomes_end_the_work_that_they_stand_for_and_no_later_one() {
      FollowedFeed one = feed("one");
      FollowedFeed two = feed("two");
      FollowedFeed idle = feed("idle");
      together(() -> List.of(ping(one, 1), ping(two, 2), ping(one, 3)));
      List<Assignment> taken = work().take(10);
      done(ping(one, 4));

      record(
          outcome(idle),
          outcome(two).doing(taken.get(1)).event(1),
          outcome(one).doing(taken.get(0)).event(1));
      taken.forEach(work()::giveBack);

      assertThat(backlog()).hasSize(1).isEqualTo(oldestItems());
      assertThat(work().take(10))
          .extracting(Assignment::feedId, this::seconds)
          .containsExactly(tuple(one.id(), List.of(4)));
      assertThat(reports(one)).isEqualTo(2);
      assertThat(reports(two)).isEqualTo(1);
      assertThat(reports(idle)).isZero();
    }

    private long reports(FollowedFeed feed) {
      return store().feedHistory().of(feed.id(), Long.MAX_VALUE, 1).get(0).reports();
    }
  }

  @Nested
  class RoundsTogether {

    private List<Optional<Round>> open(FollowedFeed... feeds) {
      return together(
          () -> Arrays.stream(feeds).map(feed -> rounds().open(feed.id(), NOW)).toList());
    }

    /** A subscriber that got ahead of the feed's rounds. */
    private Subscription ahead(FollowedFeed feed, String callback) {
      Subscription subscription = subscribe(feed, callback);
      append(feed, 1);
      Round round = openRound(feed);
      Laggard behind = laggard(subscription, 0).build();
      done(rounds().checkpoint(round, List.of(behind)));
      long second = append(feed, 1);
      done(laggards().settle(LaggardBuilder.of(behind).got(second).build(), NOW));
      done(rounds().close(round, List.of()));
      return subscription;
    }

    /** A subscriber that has all events up to the feed's next round. */
    private Subscription caughtUp(FollowedFeed feed, String callback) {
      Subscription subscription = subscribe(feed, callback);
      long head = append(feed, 1);
      walk(feed, laggard(subscription, 0).build());
      done(laggards().settle(laggard(subscription, head).build(), NOW));
      return subscription;
    }

    @Test
    void rounds_that_open_wake_the_laggards_of_their_own_feed_alone() {
      FollowedFeed idle = feed("idle");
      FollowedFeed plain = feed("plain");
      FollowedFeed lags = feed("lags");
      FollowedFeed returns = feed("returns");
      Subscription woken = ahead(lags, "https://ahead.example/");
      Subscription back = caughtUp(returns, "https://back.example/");
      FollowedFeed unopened = feed("unopened");
      ahead(unopened, "https://unopened.example/");
      append(unopened, 1);
      long plainHead = append(plain, 1);
      long lagsHead = append(lags, 1);
      long returnsFrom = reread(returns).head();
      long returnsHead = append(returns, 1);
      listen();

      List<Optional<Round>> opened = open(plain, idle, lags, returns);

      assertThat(opened.get(0)).contains(new Round(plain.id(), 0, plainHead, 0));
      assertThat(opened.get(1)).isEmpty();
      assertThat(opened.get(2)).map(Round::to).contains(lagsHead);
      assertThat(opened.get(3)).contains(new Round(returns.id(), returnsFrom, returnsHead, 0));
      for (FollowedFeed feed : List.of(plain, idle, lags, returns)) {
        int place = List.of(plain, idle, lags, returns).indexOf(feed);
        assertThat(rounds().current(feed.id())).isEqualTo(opened.get(place));
      }
      assertThat(allDue()).extracting(Laggard::subscriptionId).containsExactly(woken.id());
      assertThat(recipients(returns.id(), 0, 10)).containsExactly(back);
      assertThat(dueHosts).containsExactly(new Laggards.Host("ahead.example", NOW));
      assertThat(transitions)
          .extracting(Transition::state, Transition::topic, Transition::callback)
          .containsExactly(tuple(SubscriptionState.LAGGING, lags.topic(), "ahead.example"));
    }

    @Test
    void each_of_the_rounds_ends_where_its_own_document_is_full() {
      FollowedFeed much = feed("much");
      FollowedFeed little = feed("little");
      append(much, 60);
      long full = append(much, 40);
      append(much, 1);
      append(little, 1);
      long end = append(little, 1);

      List<Optional<Round>> opened = open(much, little);

      assertThat(opened).extracting(one -> one.orElseThrow().to()).containsExactly(full, end);
    }

    @Test
    void L2_a_feed_that_is_opened_twice_has_one_round() {
      FollowedFeed one = feed("one");
      FollowedFeed other = feed("other");
      ahead(one, "https://ahead.example/");
      append(one, 1);
      append(other, 1);
      listen();

      List<Optional<Round>> opened = open(one, other, one);

      assertThat(opened).extracting(Optional::isPresent).containsExactly(true, true, false);
      assertThat(rounds().current(one.id())).isEqualTo(opened.get(0));
      assertThat(rounds().current(other.id())).isEqualTo(opened.get(1));
      assertThat(transitions).hasSize(1);
      assertThat(dueHosts).hasSize(1);
    }

    @Test
    void rounds_that_close_begin_the_replays_of_their_own_feed_and_tell_of_the_next_event() {
      FollowedFeed plain = feed("plain");
      FollowedFeed replays = feed("replays");
      FollowedFeed leaves = feed("leaves");
      FollowedFeed next = feed("next");
      FollowedFeed stays = feed("stays");
      List<FollowedFeed> closing = List.of(plain, replays, leaves, next);
      Subscription replayed = subscribe(replays, "https://replayed.example/");
      Subscription left = subscribe(leaves, "https://left.example/");
      Subscription waiting = subscribe(stays, "https://waiting.example/");
      long wanted = append(replays, 1);
      long wantedLater = append(stays, 1);
      walk(replays);
      walk(stays);
      closing.forEach(feed -> append(feed, 1));
      append(stays, 1);
      List<Round> rounds =
          open(plain, replays, leaves, next, stays).stream().map(Optional::orElseThrow).toList();
      done(laggards().replay(replayed, 0, wanted, NOW));
      done(laggards().replay(waiting, 0, wantedLater, NOW));
      append(next, 1);
      assertThat(allDue()).isEmpty();
      AtomicInteger appended = new AtomicInteger();
      store().onChange(Change.APPENDED, appended::incrementAndGet);
      listen();

      together(
          () ->
              rounds.subList(0, closing.size()).stream()
                  .map(round -> rounds().close(round, unserved(round, leaves, left)))
                  .toList());

      assertThat(closing).allMatch(feed -> rounds().current(feed.id()).isEmpty());
      assertThat(rounds().current(stays.id())).isPresent();
      assertThat(due(0, 10)).containsExactly(next.id(), stays.id());
      assertThat(appended).as("told once of the next event").hasValue(1);
      assertThat(allDue())
          .extracting(Laggard::subscriptionId)
          .containsExactlyInAnyOrder(replayed.id(), left.id());
      assertThat(dueHosts)
          .containsExactlyInAnyOrder(
              new Laggards.Host("replayed.example", Instant.EPOCH),
              new Laggards.Host("left.example", NOW));
      assertThat(transitions)
          .extracting(Transition::state, Transition::topic, Transition::callback)
          .containsExactlyInAnyOrder(
              tuple(SubscriptionState.LAGGING, replays.topic(), "replayed.example"),
              tuple(SubscriptionState.LAGGING, leaves.topic(), "left.example"));
    }

    private List<Laggard> unserved(Round round, FollowedFeed feed, Subscription subscription) {
      return round.feedId() == feed.id()
          ? List.of(laggard(subscription, round.from()).build())
          : List.of();
    }
  }
}
