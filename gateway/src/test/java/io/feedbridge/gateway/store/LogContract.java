package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.log.Log.Scope;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The contract of {@link Log}: reading in order, and what retention removes and what it leaves. */
public abstract class LogContract extends StoreContract {

  private static final int MANY = 10_000;
  private static final long MUCH = 1L << 30;
  private static final Duration DAY = Duration.ofDays(1);

  private long append(FollowedFeed feed, Instant at) {
    return done(feeds().record(OutcomeBuilder.of(reread(feed), at).event(1).build())).get(0);
  }

  /** Appends and walks: a round that served everyone but these. */
  private long served(FollowedFeed feed, Instant at, Laggard... unserved) {
    long seq = append(feed, at);
    walk(feed, unserved);
    return seq;
  }

  private Log.Page read(long after, Scope scope) {
    return log().read(after, Long.MAX_VALUE, scope);
  }

  private static List<Long> seqs(Log.Page page) {
    return page.events().stream().map(Event::seq).toList();
  }

  private static Scope only(FollowedFeed... feeds) {
    return new Scope.Some(
        Set.copyOf(java.util.Arrays.stream(feeds).map(FollowedFeed::id).toList()));
  }

  private List<Long> eventsOf(FollowedFeed feed) {
    return feeds().events(feed.id(), 0, Long.MAX_VALUE).stream().map(Event::seq).toList();
  }

  /** Removes what is older than now, in one batch. */
  private Log.Trimmed trim() {
    return trim(MANY, MUCH);
  }

  private Log.Trimmed trim(int maxEvents, long maxBytes) {
    return done(log().trim(NOW, maxEvents, maxBytes, NOW));
  }

  /** Removes until there is no more; says how many events. */
  private int trimAll(int maxEvents) {
    int removed = 0;
    Log.Trimmed batch;
    do {
      batch = trim(maxEvents, MUCH);
      assertThat(batch.events()).isLessThanOrEqualTo(maxEvents);
      assertThat(batch.laggards()).isLessThanOrEqualTo(maxEvents);
      removed += batch.events();
    } while (batch.more());
    return removed;
  }

  // Reading.

  @Test
  void the_newest_events_come_first_of_all_feeds_or_of_one() {
    FollowedFeed one = feed("one");
    FollowedFeed two = feed("two");
    long first = append(one, NOW);
    long second = append(two, NOW);
    long third = append(one, NOW);

    assertThat(log().newest(null, Long.MAX_VALUE, 2))
        .extracting(Event::seq)
        .containsExactly(third, second);
    assertThat(log().newest(null, second, 2)).extracting(Event::seq).containsExactly(first);
    assertThat(log().newest(one.id(), Long.MAX_VALUE, 9))
        .extracting(Event::seq)
        .containsExactly(third, first);
    assertThat(log().newest(two.id(), second, 9)).isEmpty();
    assertThat(log().some(Set.of(third, first, 1_000L)))
        .extracting(Event::seq)
        .containsExactly(first, third);
    assertThat(log().some(Set.of())).isEmpty();
  }

  @Test
  void the_newest_events_are_no_more_than_one_document_holds() {
    FollowedFeed feed = feed("long");
    append(feed, Document.MAX_ENTRIES);
    long last = append(feed, Document.MAX_ENTRIES);

    assertThat(log().newest(feed.id(), Long.MAX_VALUE, 3))
        .extracting(Event::seq)
        .containsExactly(last);
  }

  @Test
  void an_empty_log_begins_and_ends_at_0() {
    assertThat(log().extent()).isEqualTo(new Log.Extent(0, 0, null));
    assertThat(read(0, Scope.ALL)).isEqualTo(new Log.Page(0, List.of(), 0, 0));
  }

  @Test
  void L8_the_events_of_all_feeds_are_read_in_their_order_with_what_each_feed_has_of_them() {
    FollowedFeed one = feed("one");
    FollowedFeed two = feed("two");
    List<Long> appended = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      appended.add(append(i % 2 == 0 ? one : two, after(Duration.ofSeconds(i))));
    }

    Log.Page page = read(0, Scope.ALL);

    assertThat(seqs(page)).isEqualTo(appended);
    assertThat(page.to()).isEqualTo(appended.get(4));
    assertThat(page.events().get(1)).isEqualTo(feeds().events(two.id(), 0, MANY).get(0));
    assertThat(log().extent()).isEqualTo(new Log.Extent(0, appended.get(4), NOW));
    assertThat(log().extent().events()).isEqualTo(5);
  }

  @Test
  void the_position_at_a_time_is_before_the_first_event_since_then() {
    FollowedFeed feed = feed("feed");
    assertThat(log().positionAt(NOW)).isZero();
    List<Long> appended = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      appended.add(append(feed, after(Duration.ofMinutes(i))));
    }

    assertThat(log().positionAt(NOW.minusSeconds(1))).isZero();
    for (int i = 1; i < 9; i++) {
      assertThat(log().positionAt(after(Duration.ofMinutes(i)))).isEqualTo(appended.get(i - 1));
      assertThat(log().positionAt(after(Duration.ofMinutes(i).minusSeconds(1))))
          .isEqualTo(appended.get(i - 1));
    }
    assertThat(log().positionAt(after(Duration.ofHours(1)))).isEqualTo(appended.get(8));
  }

  @Test
  void L8_a_reader_goes_on_from_where_a_page_ended() {
    FollowedFeed feed = feed("feed");
    long first = append(feed, NOW);
    long position = read(0, Scope.ALL).to();
    assertThat(read(position, Scope.ALL).events()).isEmpty();

    long second = append(feed, NOW);

    assertThat(seqs(read(position, Scope.ALL))).containsExactly(second);
    assertThat(seqs(read(0, Scope.ALL))).containsExactly(first, second);
  }

  @Test
  void L8_a_page_ends_at_100_entries_an_event_without_any_counting_as_one() {
    FollowedFeed feed = feed("feed");
    OutcomeBuilder outcome = OutcomeBuilder.of(feed, NOW).event(60).event(40).event(1);
    for (int i = 0; i < 101; i++) {
      outcome.event(0);
    }
    List<Long> all = done(feeds().record(outcome.build()));

    Log.Page first = read(0, Scope.ALL);
    Log.Page second = read(first.to(), Scope.ALL);
    Log.Page third = read(second.to(), Scope.ALL);

    assertThat(seqs(first)).isEqualTo(all.subList(0, 2));
    assertThat(seqs(second)).isEqualTo(all.subList(2, 102));
    assertThat(seqs(third)).isEqualTo(all.subList(102, 104));
    assertThat(third.to()).isEqualTo(log().extent().head());
  }

  @Test
  void L8_or_at_1_MiB_but_holds_one_event_at_least() {
    FollowedFeed feed = feed("feed");
    List<Long> all =
        done(
            feeds()
                .record(
                    OutcomeBuilder.of(feed, NOW)
                        .longEvent(Document.MAX_BYTES / 2)
                        .longEvent(Document.MAX_BYTES / 3)
                        .longEvent(Document.MAX_BYTES / 3)
                        .longEvent(Document.MAX_BYTES * 2)
                        .event(1)
                        .build()));

    Log.Page page = read(0, Scope.ALL);
    assertThat(seqs(page)).isEqualTo(all.subList(0, 2));
    assertThat(page.bytes()).isBetween(Document.MAX_BYTES / 2L, (long) Document.MAX_BYTES);
    page = read(page.to(), only(feed));
    assertThat(seqs(page)).isEqualTo(all.subList(2, 3));
    page = read(page.to(), Scope.ALL);
    assertThat(seqs(page)).isEqualTo(all.subList(3, 4));
    assertThat(page.bytes()).isGreaterThan(2L * Document.MAX_BYTES);
    assertThat(seqs(read(page.to(), Scope.ALL))).isEqualTo(all.subList(4, 5));
  }

  @Test
  void L12_a_page_that_is_read_again_up_to_where_it_ended_is_the_same() {
    FollowedFeed feed = feed("feed");
    FollowedFeed other = feed("other");
    append(feed, NOW);
    append(feed, NOW);
    Log.Page page = read(0, only(feed));
    append(other, NOW);
    append(feed, NOW);

    assertThat(log().read(0, page.to(), only(feed))).isEqualTo(page);
    assertThat(log().read(0, page.to(), Scope.ALL)).isEqualTo(page);
    assertThat(log().read(page.to(), page.to(), Scope.ALL).events()).isEmpty();
  }

  @Test
  void a_position_past_the_end_reads_nothing_until_the_end_has_passed_it() {
    FollowedFeed feed = feed("feed");
    long head = append(feed, NOW);

    assertThat(read(head + 1, Scope.ALL)).isEqualTo(new Log.Page(head + 1, List.of(), head + 1, 0));
    assertThat(read(head + 1, only(feed)).to()).isEqualTo(head + 1);

    append(feed, NOW);
    long next = append(feed, NOW);
    assertThat(seqs(read(head + 1, Scope.ALL))).containsExactly(next);
  }

  @Test
  void L8_a_reader_of_some_feeds_passes_over_the_others() {
    FollowedFeed one = feed("one");
    FollowedFeed two = feed("two");
    FollowedFeed three = feed("three");
    append(one, NOW);
    long second = append(two, NOW);
    long third = append(three, NOW);
    long last = append(one, NOW);

    assertThat(seqs(read(0, only(two, three)))).containsExactly(second, third);
    assertThat(read(0, only(two, three)).to()).isEqualTo(last);
    assertThat(read(0, new Scope.Some(Set.of()))).isEqualTo(new Log.Page(0, List.of(), last, 0));
    assertThat(read(0, new Scope.Some(Set.of(4711L))).to()).isEqualTo(last);
  }

  @Test
  void L8_however_many_it_passes_over_it_gets_on_and_misses_nothing() {
    FollowedFeed busy = feed("busy");
    FollowedFeed rare = feed("rare");
    long first = append(rare, NOW);
    for (int i = 0; i < 25; i++) {
      OutcomeBuilder outcome = OutcomeBuilder.of(busy, NOW);
      LongStream.range(0, 500).forEach(number -> outcome.event(0));
      done(feeds().record(outcome.build()));
    }
    long second = append(rare, NOW);
    append(busy, NOW);

    List<Long> found = new ArrayList<>();
    long position = 0;
    int reads = 0;
    while (position < log().extent().head()) {
      Log.Page page = read(position, only(rare));
      assertThat(page.to()).isGreaterThan(position);
      found.addAll(seqs(page));
      position = page.to();
      reads++;
    }

    assertThat(found).containsExactly(first, second);
    assertThat(reads).isLessThan(10);
  }

  @Test
  void L9_a_reader_during_concurrent_appends_skips_none() {
    List<FollowedFeed> feeds = LongStream.range(0, 8).mapToObj(i -> feed("feed " + i)).toList();
    CompletableFuture<List<Long>> reader =
        CompletableFuture.supplyAsync(
            () -> {
              List<Long> read = new ArrayList<>();
              long position = 0;
              while (read.size() < 1_000) {
                Log.Page page = log().read(position, Long.MAX_VALUE, Scope.ALL);
                read.addAll(seqs(page));
                position = page.to();
              }
              return read;
            });
    CompletableFuture<List<Long>> picky =
        CompletableFuture.supplyAsync(
            () -> {
              List<Long> read = new ArrayList<>();
              long position = 0;
              while (read.size() < 125) {
                Log.Page page = log().read(position, Long.MAX_VALUE, only(feeds.get(3)));
                read.addAll(seqs(page));
                position = page.to();
              }
              return read;
            });

    List<Long> appended =
        concurrently(
                1_000,
                i ->
                    feeds()
                        .record(OutcomeBuilder.of(feeds.get(i % 8), NOW).event(1).build())
                        .thenApply(seqs -> seqs.get(0)))
            .stream()
            .sorted()
            .toList();

    assertThat(done(reader)).isEqualTo(appended);
    assertThat(done(picky)).isEqualTo(eventsOf(feeds.get(3)));
  }

  // Retention.

  @Test
  void L13_what_is_older_is_removed_and_the_rest_stays() {
    FollowedFeed one = feed("one");
    FollowedFeed two = feed("two");
    served(one, NOW.minusSeconds(2));
    long last = served(two, NOW.minusMillis(1));
    long young = served(one, NOW);

    assertThat(trim()).isEqualTo(new Log.Trimmed(2, 0, true));
    assertThat(trim()).isEqualTo(new Log.Trimmed(0, 0, false));

    assertThat(eventsOf(one)).containsExactly(young);
    assertThat(eventsOf(two)).isEmpty();
    assertThat(log().extent()).isEqualTo(new Log.Extent(last, young, NOW));
    assertThat(log().extent().events()).isEqualTo(1);
    restart();
    assertThat(log().extent()).isEqualTo(new Log.Extent(last, young, NOW));
  }

  @Test
  void L13_a_log_of_which_everything_is_removed_ends_where_it_did() {
    FollowedFeed feed = feed("feed");
    long head = served(feed, NOW.minus(DAY));

    trimAll(MANY);

    assertThat(log().extent()).isEqualTo(new Log.Extent(head, head, null));
    assertThat(append(feed, NOW)).isGreaterThan(head);
  }

  @Test
  void L13_a_reader_that_is_behind_what_was_removed_is_told_and_goes_on_behind_it() {
    FollowedFeed feed = feed("feed");
    long first = served(feed, NOW.minus(DAY));
    long second = served(feed, NOW.minus(DAY));
    long third = served(feed, NOW);
    trimAll(MANY);

    for (Scope scope : List.of(Scope.ALL, only(feed), only())) {
      assertThat(read(0, scope).after()).isEqualTo(second);
      assertThat(read(first, scope).after()).isEqualTo(second);
      assertThat(read(second, scope).after()).isEqualTo(second);
      assertThat(read(second, scope).to()).isEqualTo(third);
    }
    assertThat(seqs(read(0, Scope.ALL))).containsExactly(third);
    assertThat(seqs(read(second, Scope.ALL))).containsExactly(third);
  }

  @Test
  void L13_events_of_a_round_that_is_due_stay_until_it_was_walked() {
    FollowedFeed feed = feed("feed");
    FollowedFeed other = feed("other");
    long due = append(feed, NOW.minus(DAY));
    long gone = served(other, NOW.minus(DAY));
    trimAll(MANY);
    assertThat(eventsOf(feed)).containsExactly(due);
    assertThat(eventsOf(other)).isEmpty();
    assertThat(log().extent()).isEqualTo(new Log.Extent(gone, gone, null));
    assertThat(due(0, 10)).containsExactly(feed.id());

    Round round = openRound(feed);
    assertThat(round.to()).isEqualTo(due);
    assertThat(trimAll(MANY)).isZero();
    assertThat(feeds().events(feed.id(), round.from(), round.to())).hasSize(1);
    done(rounds().close(round, List.of()));

    assertThat(trimAll(MANY)).isEqualTo(1);
    assertThat(eventsOf(feed)).isEmpty();
    assertThat(due(0, 10)).isEmpty();
    assertThat(rounds().current(feed.id())).isEmpty();
  }

  @Test
  void L13_what_stays_for_a_round_is_not_in_the_log_of_the_others() {
    FollowedFeed feed = feed("feed");
    FollowedFeed other = feed("other");
    append(feed, NOW.minus(DAY));
    long last = served(other, NOW.minus(DAY));
    long young = append(other, NOW);
    trimAll(MANY);

    assertThat(read(0, Scope.ALL).after()).isEqualTo(last);
    assertThat(seqs(read(0, Scope.ALL))).containsExactly(young);
    assertThat(seqs(read(0, only(feed)))).isEmpty();
  }

  @Test
  void L13_a_round_that_is_open_over_the_edge_finds_all_its_events_after_a_restart_too() {
    FollowedFeed feed = feed("feed");
    subscribe(feed, "https://one.example/");
    served(feed, NOW.minus(DAY));
    long old = append(feed, NOW.minus(DAY));
    long young = append(feed, NOW);
    Round round = openRound(feed);
    trimAll(1);
    restart();
    trimAll(1);

    assertThat(rounds().current(feed.id())).contains(round);
    assertThat(feeds().events(feed.id(), round.from(), round.to()))
        .extracting(Event::seq)
        .containsExactly(old, young);
    done(rounds().close(round, List.of()));
    trimAll(1);
    assertThat(eventsOf(feed)).containsExactly(young);
    assertThat(due(0, 10)).isEmpty();
  }

  @Test
  void L13_a_laggard_that_misses_nothing_old_stays_as_it_is() {
    FollowedFeed feed = feed("feed");
    Subscription one = subscribe(feed, "https://one.example/");
    long old = served(feed, NOW.minus(DAY));
    Laggard behind = laggard(one, old).build();
    long young = served(feed, NOW, behind);

    assertThat(trimAll(MANY)).isEqualTo(1);

    assertThat(allDue()).containsExactly(behind);
    assertThat(eventsOf(feed)).containsExactly(young);
    assertThat(laggards().documentEnd(feed.id(), old)).isEqualTo(young);
  }

  @Test
  void L13_one_that_misses_what_is_removed_jumps_to_the_present() {
    FollowedFeed feed = feed("feed");
    Subscription one = subscribe(feed, "https://one.example/");
    long first = served(feed, NOW.minus(DAY), laggard(one, 0).build());
    served(feed, NOW.minus(DAY));
    long last = served(feed, NOW);
    Laggard tried = LaggardBuilder.of(allDue().get(0)).sending(first).failed(1, NOW, "500").build();
    done(laggards().settle(tried, NOW));

    assertThat(trim()).isEqualTo(new Log.Trimmed(2, 1, true));

    // It rests there, and the next round takes it along.
    assertThat(allDue()).isEmpty();
    assertThat(due(0, 10)).isEmpty();
    long next = append(feed, NOW);
    Round round = openRound(feed);
    assertThat(round).isEqualTo(new Round(feed.id(), last, next, 0));
    assertThat(recipients(feed.id(), 0, 10)).containsExactly(one);
  }

  @Test
  void L13_one_that_jumps_while_a_round_is_open_is_taken_along_by_the_next() {
    FollowedFeed feed = feed("feed");
    Subscription one = subscribe(feed, "https://one.example/");
    served(feed, NOW.minus(DAY), laggard(one, 0).build());
    long second = append(feed, NOW.minus(DAY));
    Round round = openRound(feed);

    trimAll(MANY);

    assertThat(allDue()).isEmpty();
    assertThat(recipients(feed.id(), 0, 10)).isEmpty();
    done(rounds().close(round, List.of()));
    trimAll(MANY);
    long next = append(feed, NOW);
    assertThat(openRound(feed)).isEqualTo(new Round(feed.id(), second, next, 0));
    assertThat(recipients(feed.id(), 0, 10)).containsExactly(one);
  }

  @Test
  void L13_what_a_delivery_under_way_may_have_to_repeat_stays_until_it_ended() {
    FollowedFeed feed = feed("feed");
    Subscription one = subscribe(feed, "https://one.example/");
    long first = served(feed, NOW.minus(DAY));
    Laggard behind = laggard(one, first).build();
    long second = served(feed, NOW.minus(DAY), behind);
    Laggard claimed = LaggardBuilder.of(behind).inFlight(second).build();
    assertThat(done(laggards().claim(List.of(claimed)))).hasSize(1);

    assertThat(trimAll(MANY)).isEqualTo(1);
    assertThat(eventsOf(feed)).containsExactly(second);

    done(laggards().settle(LaggardBuilder.of(claimed).failed(1, NOW, "500").build(), NOW));
    assertThat(trimAll(MANY)).isEqualTo(1);
    assertThat(allDue()).isEmpty();
  }

  @Test
  void L13_a_laggard_that_jumped_cannot_be_claimed_as_it_was() {
    FollowedFeed feed = feed("feed");
    Subscription one = subscribe(feed, "https://one.example/");
    long seq = served(feed, NOW.minus(DAY), laggard(one, 0).build());
    List<Laggard> due = allDue();
    trimAll(MANY);

    Laggard claim = LaggardBuilder.of(due.get(0)).inFlight(seq).build();
    assertThat(done(laggards().claim(List.of(claim)))).isEmpty();
  }

  @Test
  void L13_a_replay_of_events_that_have_left_the_log_does_not_begin() {
    FollowedFeed feed = feed("feed");
    Subscription subscription = subscribe(feed, "https://s.example/");
    long gone = served(feed, NOW.minus(DAY));
    trimAll(MANY);

    done(laggards().replay(subscription, 0, gone, NOW));

    assertThat(allDue()).isEmpty();
    append(feed, NOW);
    openRound(feed);
    assertThat(recipients(feed.id(), 0, 10)).containsExactly(subscription);
  }

  @Test
  void L13_more_laggards_than_one_batch_moves_jump_before_their_events_go() {
    FollowedFeed feed = feed("feed");
    Laggard[] behind =
        LongStream.range(0, 25)
            .mapToObj(i -> laggard(subscribe(feed, "https://sub.example/" + i), 0).build())
            .toArray(Laggard[]::new);
    served(feed, NOW.minus(DAY), behind);

    assertThat(trim(10, MUCH)).isEqualTo(new Log.Trimmed(0, 10, true));
    assertThat(trim(10, MUCH)).isEqualTo(new Log.Trimmed(0, 10, true));
    assertThat(eventsOf(feed)).hasSize(1);
    assertThat(allDue()).hasSize(5);
    assertThat(trim(10, MUCH)).isEqualTo(new Log.Trimmed(1, 5, true));
    assertThat(allDue()).isEmpty();
  }

  @Test
  void L13_a_feed_without_subscribers_and_one_that_was_let_go_lose_their_events_like_others() {
    FollowedFeed unused = feed("unused");
    FollowedFeed gone = feed("gone");
    Subscription one = subscribe(gone, "https://one.example/");
    served(unused, NOW.minus(DAY));
    served(gone, NOW.minus(DAY), laggard(one, 0).build());
    done(subscriptions().end(one.id(), "gone", NOW));

    assertThat(trimAll(MANY)).isEqualTo(2);

    assertThat(due(0, 10)).isEmpty();
    FollowedFeed again = done(feeds().follow(gone.topic(), NOW));
    done(feeds().record(OutcomeBuilder.of(again, NOW).baseline().build()));
    Subscription two = subscribe(again, "https://two.example/");
    assertThat(two.start()).isEqualTo(again.head());
    long next = append(again, NOW);
    Round round = openRound(again);
    assertThat(round.to()).isEqualTo(next);
    assertThat(feeds().events(again.id(), round.from(), round.to())).hasSize(1);
    assertThat(recipients(again.id(), 0, 10)).containsExactly(two);
  }

  @Test
  void L13_a_batch_is_bounded_by_bytes_as_well_and_removes_one_event_at_least() {
    FollowedFeed feed = feed("feed");
    for (int i = 0; i < 4; i++) {
      done(
          feeds()
              .record(OutcomeBuilder.of(reread(feed), NOW.minus(DAY)).longEvent(10_000).build()));
      walk(feed);
    }

    assertThat(trim(MANY, 25_000).events()).isEqualTo(2);
    assertThat(trim(MANY, 10).events()).isEqualTo(1);
    assertThat(trim(MANY, MUCH).events()).isEqualTo(1);
  }

  @Test
  void L13_fingerprints_bytes_and_the_feed_outlive_the_log() {
    FollowedFeed feed = feedWithBytes("feed");
    done(
        feeds()
            .record(
                OutcomeBuilder.of(feed, NOW.minus(DAY)).seen("a").body("bytes").event(1).build()));
    walk(feed);
    FollowedFeed before = reread(feed);

    trimAll(MANY);
    restart();

    assertThat(reread(feed)).isEqualTo(before);
    assertThat(feeds().seen(feed.id(), List.of("a"))).containsKey("a");
    assertThat(feeds().body(feed.id())).isPresent();
  }

  @Test
  void L13_events_appended_while_it_runs_are_all_there() {
    FollowedFeed feed = feed("feed");
    for (int i = 0; i < 50; i++) {
      append(feed, NOW.minus(DAY));
    }
    while (!due(0, 1).isEmpty()) {
      walk(feed);
    }
    List<Object> results =
        concurrently(
            300,
            i ->
                i % 3 == 0
                    ? log().trim(NOW, 1, MUCH, NOW).thenApply(trimmed -> (Object) trimmed.events())
                    : feeds()
                        .record(OutcomeBuilder.of(feed, NOW).event(1).build())
                        .thenApply(seqs -> (Object) seqs.get(0)));

    List<Long> appended =
        results.stream().filter(Long.class::isInstance).map(Long.class::cast).sorted().toList();
    assertThat(appended).hasSize(200);
    assertThat(results.stream().filter(Integer.class::isInstance).mapToInt(i -> (int) i).sum())
        .isEqualTo(50);
    assertThat(eventsOf(feed)).isEqualTo(appended);
    assertThat(log().extent().start()).isEqualTo(50);
  }
}
