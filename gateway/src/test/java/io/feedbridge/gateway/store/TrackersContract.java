package io.feedbridge.gateway.store;

import static io.feedbridge.gateway.store.log.Log.Scope.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.TrackedItem.Found;
import io.feedbridge.gateway.store.TrackedItem.Removed;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.sql.feeds.Trackers;
import io.feedbridge.gateway.store.sql.feeds.Trackers.Catch;
import io.feedbridge.gateway.store.sql.feeds.Trackers.Tracker;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.Source;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of {@link Trackers}. */
public abstract class TrackersContract extends StoreContract {

  private static final String TOPIC = "https://gateway.example/track?query=mars";

  private Trackers trackers() {
    return store().trackers();
  }

  /** An entry of the feed of a name, whose number is the length of the name. */
  private static Found entry(String id, String text, String from) {
    return found(id, text, from, false);
  }

  private static Found found(String id, String text, String from, boolean part) {
    return new Found(
        new EntryKey(from.length(), id),
        OutcomeBuilder.entry(id, text)
            .withSource(Source.of(Feed.bare("https://" + from + ".example/", from), null)),
        part);
  }

  private FollowedFeed tracker() {
    return tracker(TOPIC);
  }

  private int append(FollowedFeed feed, long position, List<Found> fresh, List<Found> changed) {
    return done(
        trackers()
            .append(
                List.of(new Catch(feed.id(), fresh, changed, List.of())),
                position,
                after(Duration.ofSeconds(position))));
  }

  private List<Event> events(FollowedFeed feed) {
    return feeds().events(feed.id(), 0, Long.MAX_VALUE);
  }

  private static List<String> ids(List<Entry> entries) {
    return entries.stream().map(Entry::id).toList();
  }

  @Test
  void the_rest_of_an_entry_is_news_to_a_tracker_that_had_a_part_of_it() {
    FollowedFeed tracker = tracker();
    append(tracker, 1, List.of(found("a", "a pa", "one", true)), List.of());

    assertThat(append(tracker, 2, List.of(found("a", "a pa", "one", true)), List.of())).isZero();
    append(tracker, 3, List.of(entry("a", "a part and the rest", "one")), List.of());

    assertThat(events(tracker)).hasSize(2);
    assertThat(append(tracker, 4, List.of(entry("a", "other text", "one")), List.of())).isZero();
  }

  @Test
  void a_tracker_begins_with_its_baseline_and_ends_when_it_is_not_followed() {
    FollowedFeed other = done(feeds().follow("https://origin.example/feed", NOW));
    done(feeds().record(OutcomeBuilder.of(other, NOW).baseline().document("Other").build()));
    assertThat(trackers().changes(0, 10)).isEmpty();

    FollowedFeed feed = tracker();
    List<Tracker> begun = trackers().changes(0, 10);
    assertThat(begun).hasSize(1);
    assertThat(begun.get(0).feedId()).isEqualTo(feed.id());
    assertThat(begun.get(0).topic()).isEqualTo(TOPIC);
    assertThat(begun.get(0).start()).isEqualTo(store().log().extent().head());

    done(feeds().unfollowIfUnused(feed.id(), NOW));
    List<Tracker> ended = trackers().changes(begun.get(0).change(), 10);
    assertThat(ended).hasSize(1);
    assertThat(ended.get(0).start()).isNull();
    assertThat(append(feed, 1, List.of(entry("a", "x", "one")), List.of())).isZero();
  }

  @Test
  void its_entries_are_an_event_and_its_newest_entries_with_their_source() {
    FollowedFeed feed = tracker();

    assertThat(append(feed, 7, List.of(entry("a", "x", "one"), entry("b", "y", "two")), List.of()))
        .isEqualTo(1);

    assertThat(trackers().position()).isEqualTo(7);
    Event event = events(feed).get(0);
    assertThat(event.via()).isEqualTo(Via.TRACK);
    assertThat(ids(event.update().feed().entries())).containsExactly("b", "a");
    assertThat(reread(feed).head()).isEqualTo(event.seq());
    assertThat(feeds().newest(feed.id(), 10).orElseThrow().entries())
        .extracting("entry.source.title")
        .containsExactly("two", "one");
  }

  @Test
  void L16_what_is_repeated_after_a_crash_is_appended_once() {
    FollowedFeed feed = tracker();
    append(feed, 1, List.of(entry("a", "x", "one")), List.of());

    assertThat(append(feed, 2, List.of(entry("a", "x", "one"), entry("b", "y", "one")), List.of()))
        .isEqualTo(1);
    assertThat(append(feed, 3, List.of(entry("a", "x", "one")), List.of())).isZero();
    assertThat(append(feed, 3, List.of(entry("c", "x", "one"), entry("c", "x", "one")), List.of()))
        .isEqualTo(1);

    assertThat(events(feed).stream().map(event -> ids(event.update().feed().entries())))
        .containsExactly(List.of("a"), List.of("b"), List.of("c"));
  }

  @Test
  void a_changed_entry_is_new_to_a_tracker_that_has_not_had_it_and_else_a_change() {
    FollowedFeed feed = tracker();
    append(feed, 1, List.of(), List.of(entry("a", "x", "one")));
    append(feed, 2, List.of(), List.of(entry("a", "y", "one")));

    assertThat(append(feed, 3, List.of(), List.of(entry("a", "y", "one")))).isZero();
    assertThat(ids(events(feed).get(0).update().feed().entries())).containsExactly("a");
    assertThat(ids(events(feed).get(1).update().changed())).containsExactly("a");
    assertThat(events(feed)).hasSize(2);
  }

  @Test
  void entries_of_two_feeds_with_one_id_are_two_entries() {
    FollowedFeed feed = tracker();

    append(feed, 1, List.of(entry("1", "x", "one"), entry("1", "x", "three")), List.of());
    append(feed, 2, List.of(), List.of(entry("1", "y", "three"), entry("1", "y", "fourth")));
    append(feed, 3, List.of(entry("1", "x", "one")), List.of());

    List<Event> events = events(feed);
    assertThat(events).hasSize(2);
    assertThat(titles(events.get(0).update().feed().entries())).containsExactly("three", "one");
    assertThat(titles(events.get(1).update().feed().entries())).containsExactly("fourth");
    assertThat(titles(events.get(1).update().changed())).containsExactly("three");
    assertThat(feeds().newest(feed.id(), 10).orElseThrow().entries())
        .extracting("entry.source.title")
        .containsExactly("fourth", "three", "one");
  }

  private static List<String> titles(List<Entry> entries) {
    return entries.stream()
        .map(Entry::source)
        .map(source -> String.valueOf(source == null ? null : source.title()))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("io.feedbridge.gateway.store.EntryIds#any")
  void an_entry_of_any_id_is_appended_once_and_known(String id) {
    FollowedFeed feed = tracker();

    assertThat(append(feed, 1, List.of(entry(id, "x", "one")), List.of())).isEqualTo(1);
    assertThat(append(feed, 2, List.of(entry(id, "x", "one")), List.of())).isZero();
    assertThat(append(feed, 3, List.of(entry(id, "x", "three")), List.of())).isEqualTo(1);

    assertThat(events(feed)).hasSize(2);
    assertThat(feeds().knows(feed.id(), id)).isTrue();
    assertThat(feeds().knows(feed.id(), id + "x")).isFalse();
  }

  private FollowedFeed tracker(String topic) {
    FollowedFeed feed = done(feeds().follow(topic, NOW));
    done(feeds().record(OutcomeBuilder.of(feed, NOW).baseline().document("Track").build()));
    return reread(feed);
  }

  private List<String> newest(FollowedFeed feed) {
    return feeds().newest(feed.id(), 10).orElseThrow().entries().stream()
        .map(arrival -> arrival.entry().id())
        .toList();
  }

  @Test
  void an_entry_that_many_trackers_get_is_stored_once() {
    FollowedFeed mars = tracker();
    FollowedFeed moon = tracker("https://gateway.example/track?query=moon");
    FollowedFeed both = tracker("https://gateway.example/track?query=mars+moon");
    Found a = entry("a", "x".repeat(10_000), "one");
    Found b = entry("b", "y", "two");
    List<Catch> caught =
        List.of(
            new Catch(mars.id(), List.of(a), List.of(), List.of()),
            new Catch(moon.id(), List.of(b), List.of(), List.of()),
            new Catch(both.id(), List.of(a, b), List.of(), List.of()));

    assertThat(done(trackers().append(caught, 1, NOW))).isEqualTo(3);

    assertThat(store().figures().sharedEntries()).isEqualTo(2);
    assertThat(newest(both)).containsExactly("b", "a");
    Event event = events(both).get(0);
    assertThat(ids(event.update().feed().entries())).containsExactly("b", "a");
    assertThat(event)
        .isEqualTo(store().log().read(event.seq() - 1, event.seq(), ALL).events().get(0));
    // Also where another transaction brings it to a tracker that begins later.
    append(tracker("https://gateway.example/track?query=late"), 2, List.of(a), List.of());
    assertThat(store().figures().sharedEntries()).isEqualTo(2);
  }

  @Test
  void the_bytes_of_a_page_are_those_of_shared_entries_too() {
    FollowedFeed feed = tracker();
    String large = "x".repeat(Document.MAX_BYTES / 2);
    append(feed, 1, List.of(entry("a", large, "one")), List.of());
    append(feed, 2, List.of(entry("b", large, "one")), List.of());
    append(feed, 3, List.of(entry("c", "x", "one")), List.of());

    List<Event> events = store().log().read(0, Long.MAX_VALUE, ALL).events();

    assertThat(ids(events.get(0).update().feed().entries())).containsExactly("a");
    assertThat(events).hasSize(1);
    assertThat(store().laggards().documentEnd(feed.id(), 0)).isEqualTo(events.get(0).seq());
  }

  @Test
  void an_entry_that_changed_in_the_event_in_which_it_is_new_is_kept_as_it_is_now() {
    FollowedFeed feed = tracker();

    append(feed, 1, List.of(entry("a", "old", "one")), List.of(entry("a", "now", "one")));

    assertThat(newest(feed)).containsExactly("a");
    assertThat(feeds().newest(feed.id(), 10).orElseThrow().entries().get(0).entry().content())
        .asString()
        .contains("now");
  }

  @Test
  void an_entry_is_freed_when_no_event_and_no_tracker_has_it_any_more() {
    FollowedFeed feed = tracker();
    append(feed, 1, List.of(entry("a", "x", "one")), List.of());
    append(feed, 2, List.of(), List.of(entry("a", "y", "one")));
    assertThat(store().figures().sharedEntries()).isEqualTo(2);

    // No round has given the events to the subscribers yet.
    trim();
    assertThat(events(feed)).hasSize(2);
    assertThat(store().figures().sharedEntries()).isEqualTo(2);

    walk(reread(feed));
    trim();
    assertThat(events(feed)).isEmpty();
    assertThat(store().figures().sharedEntries()).isEqualTo(1);
    assertThat(newest(feed)).containsExactly("a");

    done(feeds().unfollowIfUnused(feed.id(), NOW));
    Instant later = after(Duration.ofDays(9));
    done(feeds().freeLeft(later, later, 100));
    done(feeds().freeLeft(later, later, 100));
    trim();
    assertThat(store().figures().sharedEntries()).isZero();
  }

  @Test
  void the_fingerprint_of_an_entry_leaves_with_the_last_event_that_has_it() {
    FollowedFeed feed = tracker();
    append(feed, 1, List.of(entry("a", "x", "one"), entry("b", "x", "one")), List.of());
    walk(reread(feed));
    Instant between = after(Duration.ofSeconds(2));
    done(
        trackers()
            .append(
                List.of(
                    new Catch(feed.id(), List.of(), List.of(entry("b", "y", "one")), List.of())),
                3,
                after(Duration.ofSeconds(3))));

    done(store().log().trim(between, 100, 1 << 20, NOW));

    assertThat(events(feed)).hasSize(1);
    assertThat(feeds().knows(feed.id(), "a")).isFalse();
    assertThat(feeds().knows(feed.id(), "b")).isTrue();
  }

  private int remove(FollowedFeed feed, long position, String id, String from) {
    EntryKey key = new EntryKey(from.length(), id);
    Source source = Source.of(Feed.bare("https://" + from + ".example/", from), null);
    Removed removed = new Removed(key, new Removal(id, NOW, source));
    return done(
        trackers()
            .append(
                List.of(new Catch(feed.id(), List.of(), List.of(), List.of(removed))),
                position,
                after(Duration.ofSeconds(position))));
  }

  @Test
  void an_entry_that_its_feed_removed_is_an_event_once_and_no_entry_of_the_tracker() {
    FollowedFeed feed = tracker();
    FollowedFeed other = tracker("https://gateway.example/track?query=moon");
    EntryKey of = new EntryKey("one".length(), "a");
    append(feed, 1, List.of(entry("a", "x", "one"), entry("a", "x", "three")), List.of());
    assertThat(trackers().having(of)).containsExactly(feed.id());

    assertThat(remove(feed, 2, "a", "one")).isEqualTo(1);
    assertThat(remove(feed, 3, "a", "one")).as("again").isZero();
    assertThat(remove(other, 4, "a", "one")).as("a tracker without it").isZero();

    assertThat(trackers().having(of)).isEmpty();
    assertThat(feeds().newest(feed.id(), 10).orElseThrow().entries())
        .extracting("entry.source.title")
        .containsExactly("three");
    Event event = events(feed).get(1);
    assertThat(event.update().feed().entries()).isEmpty();
    assertThat(event.update().feed().removals()).extracting(Removal::id).containsExactly("a");
    assertThat(reread(feed).head()).isEqualTo(event.seq());
    assertThat(feeds().knows(feed.id(), "a")).as("as a place in a retrieve").isTrue();
  }

  @Test
  void a_removed_entry_that_comes_again_is_new() {
    FollowedFeed feed = tracker();
    append(feed, 1, List.of(entry("a", "x", "one")), List.of());
    remove(feed, 2, "a", "one");

    append(feed, 3, List.of(), List.of(entry("a", "later", "one")));

    assertThat(ids(events(feed).get(2).update().feed().entries())).containsExactly("a");
    assertThat(newest(feed)).containsExactly("a");
    assertThat(remove(feed, 4, "a", "one")).isEqualTo(1);
  }

  @Test
  void an_entry_whose_event_has_left_the_log_can_be_removed_and_leaves_nothing_behind() {
    FollowedFeed feed = tracker();
    append(feed, 1, List.of(entry("a", "x", "one"), entry("b", "x", "one")), List.of());
    remove(feed, 2, "b", "one");
    walk(reread(feed));
    trim();
    assertThat(feeds().knows(feed.id(), "b")).isFalse();
    assertThat(newest(feed)).containsExactly("a");
    assertThat(trackers().having(new EntryKey("one".length(), "a"))).containsExactly(feed.id());

    assertThat(remove(feed, 3, "a", "one")).isEqualTo(1);

    assertThat(newest(feed)).isEmpty();
    walk(reread(feed));
    trim();
    assertThat(store().figures().sharedEntries()).isZero();
  }

  private void trim() {
    Instant later = after(Duration.ofDays(8));
    while (done(store().log().trim(later, 100, 1 << 20, later)).more()) {
      // There is more.
    }
  }

  @Test
  void a_position_never_goes_back() {
    done(trackers().append(List.of(), 9, NOW));
    done(trackers().append(List.of(), 4, NOW));
    assertThat(trackers().position()).isEqualTo(9);
  }
}
