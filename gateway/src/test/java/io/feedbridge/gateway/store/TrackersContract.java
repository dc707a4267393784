package io.feedbridge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.Trackers.Catch;
import io.feedbridge.gateway.store.Trackers.Found;
import io.feedbridge.gateway.store.Trackers.Tracker;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Source;
import java.time.Duration;
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
    return new Found(
        new EntryKey(from.length(), id),
        OutcomeBuilder.entry(id, text)
            .withSource(Source.of(Feed.bare("https://" + from + ".example/", from), null)));
  }

  private FollowedFeed tracker() {
    FollowedFeed feed = done(feeds().follow(TOPIC, NOW));
    done(feeds().record(OutcomeBuilder.of(feed, NOW).baseline().document("Track").build()));
    return reread(feed);
  }

  private int append(FollowedFeed feed, long position, List<Found> fresh, List<Found> changed) {
    return done(
        trackers()
            .append(
                List.of(new Catch(feed.id(), fresh, changed)),
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

  @Test
  void a_position_never_goes_back() {
    done(trackers().append(List.of(), 9, NOW));
    done(trackers().append(List.of(), 4, NOW));
    assertThat(trackers().position()).isEqualTo(9);
  }
}
