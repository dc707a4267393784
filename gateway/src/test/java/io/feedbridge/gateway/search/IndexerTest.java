package io.feedbridge.gateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.gateway.search.query.Terms;
import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.TrackedItem.Found;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries;
import io.feedbridge.gateway.store.sql.feeds.Trackers.Catch;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.store.sqlite.search.FtsIndex;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.SeenEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The index follows the store. */
class IndexerTest {

  private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

  @TempDir Path folder;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final SystemTimer timer = new SystemTimer(Clock.systemUTC());
  private SqliteBackend backend;
  private FtsIndex index;
  private Indexer indexer;
  private Search search;

  @BeforeEach
  void start() {
    backend = new SqliteBackend(folder);
    open();
  }

  private void open() {
    index = FtsIndex.open(folder);
    indexer =
        new Indexer(
            index, backend.store(), "store", topic -> topic.contains("/track?"), threads, timer);
    search = new Search(index, backend.store().entries(), threads);
  }

  @AfterEach
  void stop() {
    indexer.close();
    index.close();
    backend.close();
    timer.close();
    threads.shutdown();
  }

  private FollowedFeed follow(String... baseline) {
    var feeds = backend.store().feeds();
    FollowedFeed feed = feeds.follow("https://origin.example/feed", NOW).join();
    var entries =
        List.of(baseline).stream().map(id -> OutcomeBuilder.entry(id, "text of " + id)).toList();
    feeds
        .record(
            OutcomeBuilder.of(feed, NOW)
                .baseline()
                .document("Title", entries.toArray(Entry[]::new))
                .build())
        .join();
    return feeds.byId(feed.id()).orElseThrow();
  }

  private void append(FollowedFeed feed, Instant at, String id, String text) {
    append(feed, at, List.of(OutcomeBuilder.entry(id, text)));
  }

  private void append(FollowedFeed feed, Instant at, List<Entry> entries) {
    var feeds = backend.store().feeds();
    Feed document = Feed.bare(feed.topic(), "Title").withEntries(entries);
    feeds
        .record(
            OutcomeBuilder.of(feeds.byId(feed.id()).orElseThrow(), at)
                .document("Title")
                .event(new Update(document, List.of(), feed.status(), true))
                .build())
        .join();
  }

  private List<String> found(String query) {
    try {
      return search.find("caller", QueryParser.parse(query), 1, 10).join().entries().stream()
          .map(one -> one.entry().id())
          .toList();
    } catch (BadQueryException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Test
  void a_baseline_and_new_entries_are_found_the_newest_first() {
    FollowedFeed feed = follow("b", "a");
    append(feed, NOW.plusSeconds(5), "c", "text of c");
    indexer.start();

    World.until(() -> found("text").equals(List.of("c", "b", "a")));
    append(feed, NOW.plusSeconds(9), "d", "text of d");
    World.until(() -> found("text").equals(List.of("d", "c", "b", "a")));
    World.until(() -> indexer.behind() == 0);
    assertThat(backend.store().entries().due(10)).isEmpty();
  }

  @Test
  void an_entry_that_a_tracker_has_as_well_is_found_once() {
    FollowedFeed feed = follow("a");
    var feeds = backend.store().feeds();
    FollowedFeed tracker = feeds.follow("https://gateway.example/track?query=text", NOW).join();
    feeds.record(OutcomeBuilder.of(tracker, NOW).baseline().document("Track").build()).join();
    Found found =
        new Found(new EntryKey(feed.id(), "a"), OutcomeBuilder.entry("a", "text of a"), false);
    backend
        .store()
        .trackers()
        .append(List.of(new Catch(tracker.id(), List.of(found), List.of(), List.of())), 1, NOW)
        .join();

    indexer.start();

    World.until(() -> indexer.behind() == 0);
    assertThat(found("text")).containsExactly("a");
  }

  @Test
  void a_changed_entry_is_found_by_its_new_text_alone() {
    FollowedFeed feed = follow("a");
    indexer.start();
    World.until(() -> found("text").equals(List.of("a")));

    append(feed, NOW.plusSeconds(5), "a", "other words");

    World.until(() -> found("words").equals(List.of("a")));
    assertThat(found("text")).isEmpty();
  }

  @Test
  void an_entry_that_its_feed_removed_is_not_found_and_leaves_the_index() {
    FollowedFeed feed = follow("a");
    append(feed, NOW.plusSeconds(5), "b", "text of b");
    indexer.start();
    World.until(() -> found("text").equals(List.of("b", "a")));

    Feed removed = Feed.bare(feed.topic(), "Title").withRemovals(List.of(new Removal("b", NOW)));
    backend
        .store()
        .feeds()
        .record(
            OutcomeBuilder.of(
                    backend.store().feeds().byId(feed.id()).orElseThrow(), NOW.plusSeconds(9))
                .seen(new SeenEntry("b", "gone:print", NOW))
                .event(new Update(removed, List.of(), feed.status(), false))
                .build())
        .join();

    assertThat(found("text")).containsExactly("a");
    World.until(() -> index.entries(0, 10).size() == 1);
  }

  @Test
  void a_restart_goes_on_where_the_index_ends() {
    FollowedFeed feed = follow("a");
    indexer.start();
    World.until(() -> found("text").equals(List.of("a")));
    indexer.close();
    index.close();
    append(feed, NOW.plusSeconds(5), "b", "text of b");

    open();
    indexer.start();

    World.until(() -> found("text").equals(List.of("b", "a")));
  }

  @Test
  void an_index_that_was_lost_is_made_again() throws IOException {
    FollowedFeed feed = follow("a");
    append(feed, NOW.plusSeconds(5), "b", "text of b");
    indexer.start();
    World.until(() -> found("text").equals(List.of("b", "a")));
    indexer.close();
    index.close();
    Files.delete(file());

    open();
    indexer.start();

    World.until(() -> found("text").equals(List.of("b", "a")));
  }

  private Path file() {
    return folder.resolve("feedbridge-search.db");
  }

  /** All pages but the first, by which SQLite opens the file. */
  private void damage() throws IOException {
    byte[] bytes = Files.readAllBytes(file());
    new Random(7).nextBytes(bytes);
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes, 4_096, bytes.length - 4_096), 4_096);
    }
  }

  @Test
  void an_index_with_damaged_pages_is_made_again_at_the_start() throws IOException {
    FollowedFeed feed = follow("a");
    append(feed, NOW.plusSeconds(5), "b", "text of b");
    indexer.start();
    World.until(() -> found("text").equals(List.of("b", "a")));
    indexer.close();
    index.close();
    damage();

    open();
    indexer.start();
    append(feed, NOW.plusSeconds(9), "c", "text of c");

    World.until(() -> foundIfWell("text").equals(List.of("c", "b", "a")));
    assertThat(index.remade()).isEqualTo(1);
  }

  @Test
  void an_index_whose_pages_are_damaged_while_it_is_open_is_made_again() throws IOException {
    FollowedFeed feed = follow("a");
    indexer.start();
    World.until(() -> found("text").equals(List.of("a")));
    // The pages of the log are read first, and the cache of a connection would hide the damage.
    indexer.close();
    index.close();
    open();
    damage();

    indexer.start();
    append(feed, NOW.plusSeconds(9), "b", "text of b");

    World.until(() -> foundIfWell("text").equals(List.of("b", "a")));
    assertThat(index.remade()).isPositive();
  }

  private List<String> foundIfWell(String query) {
    try {
      return found(query);
    } catch (CompletionException | StoreException notYet) {
      return List.of();
    }
  }

  @Test
  void the_index_keeps_up_with_the_removal_of_events() {
    FollowedFeed feed = follow("a");
    for (int i = 0; i < 60; i++) {
      int event = i;
      append(
          feed,
          NOW.plusSeconds(i),
          IntStream.range(0, 50)
              .mapToObj(k -> OutcomeBuilder.entry("e" + event + "-" + k, "text"))
              .toList());
    }
    indexer.start();
    World.until(() -> index.entries(0, 10_000).size() == 3_000);

    Rounds rounds = backend.store().rounds();
    // Events that a round needs are not removed.
    for (var round = rounds.open(feed.id(), NOW).join();
        round.isPresent();
        round = rounds.open(feed.id(), NOW).join()) {
      rounds.close(round.get(), List.of()).join();
    }
    Instant later = NOW.plusSeconds(3_600);
    World.until(() -> !backend.store().log().trim(later, 1_000, 1 << 30, later).join().more());
    // It goes on beside further entries.
    append(feed, NOW.plusSeconds(99), "b", "text of b");

    World.until(() -> index.entries(0, 10_000).size() == Newest.KEPT);
    assertThat(index.trimmed()).isEqualTo(60);
  }

  @Test
  void an_entry_that_left_the_store_leaves_the_index() {
    follow("old");
    indexer.start();
    World.until(() -> found("text").equals(List.of("old")));
    assertThat(index.entries(0, 100)).hasSize(1);
    indexer.close();
    index.close();
    follow(IntStream.range(0, Newest.KEPT).mapToObj(i -> "e" + i).toArray(String[]::new));

    open();
    indexer.start();

    World.until(
        () ->
            index.entries(0, 100).size() == Newest.KEPT
                && index.entries(0, 100).stream()
                    .noneMatch(hit -> hit.ref().key().id().equals("old")));
  }

  @Test
  void an_entry_that_has_just_left_the_store_is_left_out_of_the_results() {
    index.add(
        List.of(
            new IndexedEntry(
                new KeptEntries.Ref(new EntryKey(4711, "none"), 1L),
                NOW,
                Terms.of(List.of("text"), Set.of()),
                0,
                0)),
        1);

    assertThat(found("text")).isEmpty();
  }
}
