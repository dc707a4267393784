package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.SeenEntry;
import io.feedbridge.normalizer.Status;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of {@link Feeds#newest}: each feed's newest entries outlive the log (rule L13). */
public abstract class NewestContract extends StoreContract {

  private static Entry entry(String id) {
    return OutcomeBuilder.entry(id, "text");
  }

  /** Entries in a document's order, the newest first: from number {@code newest} down to 0. */
  private static Entry[] entries(int newest) {
    return IntStream.rangeClosed(0, newest)
        .mapToObj(i -> entry("entry-" + (newest - i)))
        .toArray(Entry[]::new);
  }

  private FollowedFeed baseline(Entry... newestFirst) {
    FollowedFeed feed = done(feeds().follow("https://origin.example/feed", NOW));
    done(
        feeds()
            .record(
                OutcomeBuilder.of(feed, NOW).baseline().document("Title", newestFirst).build()));
    return reread(feed);
  }

  private long append(FollowedFeed feed, List<Entry> fresh, List<Entry> changed) {
    Update update =
        new Update(
            Feed.bare(feed.topic(), "Title").withEntries(fresh),
            changed,
            Status.of(feed.topic()),
            true);
    return done(feeds()
            .record(
                OutcomeBuilder.of(reread(feed), after(Duration.ofSeconds(1)))
                    .document("New title")
                    .event(update)
                    .build()))
        .get(0);
  }

  private Newest newest(FollowedFeed feed) {
    return feeds().newest(feed.id(), Newest.KEPT).orElseThrow();
  }

  private List<String> ids(FollowedFeed feed) {
    return newest(feed).entries().stream().map(arrival -> arrival.entry().id()).toList();
  }

  @Test
  void what_was_never_read_as_a_feed_has_none() {
    FollowedFeed feed = feed("feed");

    assertThat(feeds().newest(feed.id(), Newest.KEPT)).isEmpty();
    assertThat(feeds().newest(4711, Newest.KEPT)).isEmpty();
  }

  @Test
  void L13_a_baseline_is_there_from_the_first_fetch_and_came_in_no_event() {
    FollowedFeed feed = baseline(entry("c"), entry("b"), entry("a"));

    assertThat(newest(feed))
        .isEqualTo(
            new Newest(
                Feed.bare(feed.topic(), "Title"),
                List.of(
                    new Newest.Arrival(null, NOW, entry("c")),
                    new Newest.Arrival(null, NOW, entry("b")),
                    new Newest.Arrival(null, NOW, entry("a")))));
  }

  @Test
  void an_entry_that_its_feed_removed_is_kept_no_more() {
    FollowedFeed feed = baseline(entry("b"), entry("a"));
    long seq = append(feed, List.of(entry("c")), List.of());
    KeptEntries.Ref of = new KeptEntries.Ref(new EntryKey(feed.id(), "c"), seq);
    assertThat(store().entries().find(List.of(of))).containsOnlyKeys(of);

    Feed removed =
        Feed.bare(feed.topic(), "Title")
            .withRemovals(List.of(new Removal("c", NOW), new Removal("unknown", NOW)));
    done(
        feeds()
            .record(
                OutcomeBuilder.of(reread(feed), after(Duration.ofSeconds(2)))
                    .seen(new SeenEntry("c", "gone:print", NOW))
                    .event(new Update(removed, List.of(), Status.of(feed.topic()), false))
                    .build()));

    assertThat(ids(feed)).containsExactly("b", "a");
    assertThat(store().entries().find(List.of(of))).as("though its event is there").isEmpty();
    assertThat(store().entries().gone(List.of(of))).containsExactly(of);
    long again = append(feed, List.of(entry("c")), List.of());
    done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).seen("c").build()));
    assertThat(ids(feed)).containsExactly("c", "b", "a");
    KeptEntries.Ref back = new KeptEntries.Ref(of.key(), again);
    assertThat(store().entries().find(List.of(back))).containsOnlyKeys(back);
  }

  @Test
  void L13_what_comes_later_stands_before_it_with_its_event() {
    FollowedFeed feed = baseline(entry("b"), entry("a"));

    long seq = append(feed, List.of(entry("d"), entry("c")), List.of());

    assertThat(newest(feed).feed().title()).isEqualTo("New title");
    assertThat(newest(feed).entries())
        .startsWith(
            new Newest.Arrival(seq, after(Duration.ofSeconds(1)), entry("d")),
            new Newest.Arrival(seq, after(Duration.ofSeconds(1)), entry("c")),
            new Newest.Arrival(null, NOW, entry("b")));
    assertThat(ids(feed)).containsExactly("d", "c", "b", "a");
  }

  @Test
  void L13_a_changed_entry_replaces_its_older_version_and_stands_where_its_change_does() {
    FollowedFeed feed = baseline(entry("c"), entry("b"), entry("a"));
    Entry changed = OutcomeBuilder.entry("a", "another text");

    long seq = append(feed, List.of(entry("d")), List.of(changed));

    assertThat(ids(feed)).containsExactly("d", "a", "c", "b");
    assertThat(newest(feed).entries().get(1))
        .isEqualTo(new Newest.Arrival(seq, after(Duration.ofSeconds(1)), changed));
  }

  @Test
  void L13_fifty_are_kept_however_many_there_were_at_first_or_came_since() {
    FollowedFeed feed = baseline(entries(119));
    assertThat(ids(feed)).hasSize(50).startsWith("entry-119").endsWith("entry-70");

    append(feed, List.of(entry("one more")), List.of());
    assertThat(ids(feed)).hasSize(50).startsWith("one more", "entry-119").endsWith("entry-71");

    append(feed, List.of(entries(99)), List.of());
    assertThat(ids(feed)).hasSize(50).startsWith("entry-99").endsWith("entry-50");
  }

  @Test
  void L13_of_several_events_of_one_outcome_the_last_is_the_newest() {
    FollowedFeed feed = baseline();
    OutcomeBuilder outcome = OutcomeBuilder.of(feed, NOW);
    for (int i = 0; i < 3; i++) {
      outcome.event(
          OutcomeBuilder.update(feed.topic(), List.of(entry(i + " new"), entry(i + " old"))));
    }
    List<Long> seqs = done(feeds().record(outcome.build()));

    assertThat(ids(feed)).containsExactly("2 new", "2 old", "1 new", "1 old", "0 new", "0 old");
    assertThat(newest(feed).entries().get(0).seq()).isEqualTo(seqs.get(2));
    assertThat(newest(feed).entries().get(5).seq()).isEqualTo(seqs.get(0));
  }

  @Test
  void each_change_of_the_content_has_a_later_second_and_nothing_else_has() {
    FollowedFeed feed = baseline(entry("a"));
    Instant first = feeds().changedAt(feed.id()).orElseThrow();
    assertThat(first).isEqualTo(NOW.truncatedTo(ChronoUnit.SECONDS));

    append(feed, List.of(entry("b")), List.of());
    append(feed, List.of(), List.of(OutcomeBuilder.entry("b", "changed")));
    assertThat(feeds().changedAt(feed.id())).contains(first.plusSeconds(2));
    Update failing = Update.ofStatus(Feed.bare(feed.topic(), "Title"), Status.of(feed.topic()));
    done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).event(failing).build()));
    assertThat(feeds().changedAt(feed.id())).as("status").contains(first.plusSeconds(2));

    done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).document("Renamed").build()));
    assertThat(feeds().changedAt(feed.id()))
        .as("the clock went back")
        .contains(first.plusSeconds(3));
    done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).document("Renamed").build()));
    assertThat(feeds().changedAt(feed.id())).contains(first.plusSeconds(3));
    assertThat(feeds().changedAt(4711)).isEmpty();
  }

  @Test
  void L13_a_limit_takes_the_newest() {
    FollowedFeed feed = baseline(entries(9));

    assertThat(feeds().newest(feed.id(), 2).orElseThrow().entries())
        .extracting(arrival -> arrival.entry().id())
        .containsExactly("entry-9", "entry-8");
  }

  @Test
  void newest_entries_beyond_a_number_of_bytes_are_not_read_save_the_newest() {
    String half = "x".repeat(Newest.MAX_BYTES / 2 - 1_000);
    FollowedFeed feed =
        baseline(
            entry("d"),
            OutcomeBuilder.entry("c", half),
            OutcomeBuilder.entry("b", half),
            OutcomeBuilder.entry("a", half));
    assertThat(ids(feed)).containsExactly("d", "c", "b");
    assertThat(feeds().newestLength(feed.id())).isBetween(3L * half.length(), 4L * half.length());

    append(
        feed, List.of(OutcomeBuilder.entry("long", half.repeat(2) + "x".repeat(4_000))), List.of());
    assertThat(ids(feed)).containsExactly("long");
    assertThat(feeds().newestLength(4711)).isZero();
  }

  @Test
  void L13_each_feed_has_its_own() {
    FollowedFeed feed = baseline(entry("a"));
    FollowedFeed other = feed("other");
    done(
        feeds()
            .record(
                OutcomeBuilder.of(other, NOW).document("Other", entry("a"), entry("b")).build()));

    append(feed, List.of(entry("c")), List.of());

    assertThat(ids(feed)).containsExactly("c", "a");
    assertThat(ids(other)).containsExactly("a", "b");
  }

  @Test
  void L13_a_feed_followed_again_keeps_what_it_had_and_takes_over_what_is_there_now() {
    FollowedFeed feed = baseline(entry("a"));
    long seq = append(feed, List.of(entry("b")), List.of());
    done(feeds().unfollowIfUnused(feed.id(), NOW));
    assertThat(ids(feed)).containsExactly("b", "a");

    FollowedFeed again = done(feeds().follow(feed.topic(), NOW));
    Entry changed = OutcomeBuilder.entry("a", "changed meanwhile");
    done(
        feeds()
            .record(
                OutcomeBuilder.of(again, NOW)
                    .baseline()
                    .document("Title", entry("c"), entry("b"), changed)
                    .build()));

    assertThat(ids(feed)).containsExactly("c", "a", "b");
    assertThat(newest(feed).entries())
        .extracting(Newest.Arrival::seq)
        .containsExactly(null, null, seq);
    assertThat(newest(feed).entries().get(1).entry()).isEqualTo(changed);
  }

  @Test
  void L13_an_id_of_any_length_is_one() {
    String id = "x".repeat(100_000);
    FollowedFeed feed = baseline(entry(id + "1"), entry(id + "2"));

    append(feed, List.of(), List.of(OutcomeBuilder.entry(id + "2", "changed")));

    assertThat(ids(feed)).containsExactly(id + "2", id + "1");
  }

  @Test
  void L13_it_is_there_after_a_restart_and_when_its_events_are_gone() {
    FollowedFeed feed = baseline(entry("a"));
    append(feed, List.of(entry("b")), List.of());
    walk(feed);
    Newest before = newest(feed);
    done(log().trim(after(Duration.ofDays(1)), 100, 1 << 20, after(Duration.ofDays(8))));
    assertThat(log().extent().events()).isZero();

    restart();

    assertThat(newest(feed)).isEqualTo(before);
    assertThat(feeds().events(feed.id(), 0, Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void the_newest_entries_of_several_feeds_come_together_the_newest_first() {
    FollowedFeed one = baseline(entry("b"), entry("a"));
    FollowedFeed other = feed("other");
    append(other, List.of(entry("c")), List.of());
    append(one, List.of(entry("d")), List.of());
    Log.Scope both = new Log.Scope.Some(Set.of(one.id(), other.id()));

    assertThat(recent(Log.Scope.ALL, 100)).containsExactly("d", "c", "b", "a");
    assertThat(recent(both, 100)).containsExactly("d", "c", "b", "a");
    assertThat(recent(both, 2)).containsExactly("d", "c");
    assertThat(recent(new Log.Scope.Some(Set.of(one.id())), 100)).containsExactly("d", "b", "a");
    assertThat(recent(new Log.Scope.Some(Set.of()), 100)).isEmpty();
  }

  @Test
  void of_the_newest_entries_no_more_than_a_bound_of_bytes_is_read_but_one_in_any_case() {
    String half = "x".repeat(Newest.MAX_BYTES / 2);
    FollowedFeed feed = baseline(OutcomeBuilder.entry("a", half), OutcomeBuilder.entry("b", half));

    assertThat(recent(new Log.Scope.Some(Set.of(feed.id())), 100)).containsExactly("a");
  }

  private List<String> recent(Log.Scope scope, int limit) {
    return store().feedQueries().recent(scope, limit).stream()
        .map(one -> one.entry().id())
        .toList();
  }
}
