package io.feedbridge.gateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.search.TextIndex.Hit;
import io.feedbridge.gateway.search.TextIndex.Hits;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.gateway.search.query.Terms;
import io.feedbridge.gateway.search.query.Words;
import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Ref;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract of {@link TextIndex}, for each engine. */
public abstract class TextIndexContract {

  private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
  private static final Duration TIME = Duration.ofSeconds(20);

  protected TextIndex index;

  protected abstract TextIndex open();

  @BeforeEach
  void start() {
    index = open();
  }

  @AfterEach
  void stop() {
    index.close();
  }

  private static IndexedEntry entry(String id, long seq, Instant at, String text, double bozo) {
    return new IndexedEntry(
        new Ref(new EntryKey(1, id), seq),
        at,
        Terms.of(Words.of(text), Set.of("site=a.example")),
        5,
        bozo);
  }

  private static IndexedEntry entry(String id, long seq, String text) {
    return entry(id, seq, NOW.plusSeconds(seq), text, 0);
  }

  protected Hits find(String query, int skip, int limit) {
    try {
      return index.find(QueryParser.parse(query), feed -> false, skip, limit, TIME);
    } catch (BadQueryException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private List<String> ids(String query) {
    return find(query, 0, 100).hits().stream().map(hit -> hit.ref().key().id()).toList();
  }

  @Test
  void a_new_index_knows_that_it_has_nothing() {
    assertThat(index.position()).isNegative();
    assertThat(ids("word")).isEmpty();
    assertThat(index.entries(0, 10)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\0',
      value = {
        "apple; three one",
        "apple banana; one",
        "banana | cherry; two one",
        "apple -banana; three",
        "\"red apple\"; three",
        "site:a.example -apple; two",
        "apple -(banana | red); ''",
        "(apple red) | (banana cherry); three two",
        "東京; two",
        "and or not near; ''",
        "apple popularity:>5; ''",
        "apple popularity:5; three one",
      })
  void a_query_finds_the_newest_first(String query, String found) {
    index.add(
        List.of(
            entry("one", 1, "apple banana"),
            entry("two", 2, "banana cherry 東京都"),
            entry("three", 3, "a red apple")),
        3);

    assertThat(String.join(" ", ids(query))).isEqualTo(found.equals("''") ? "" : found);
    assertThat(index.position()).isEqualTo(3);
  }

  @Test
  void pages_follow_one_another_over_all_of_time() {
    List<IndexedEntry> all = new ArrayList<>();
    for (int i = 1; i <= 300; i++) {
      // Many in one second, then long silence.
      all.add(entry("e" + i, i, NOW.plusSeconds(i / 50 * 86_400L), "word", 0));
    }
    index.add(all, 300);

    List<String> paged = new ArrayList<>();
    for (int skip = 0; skip < 300; skip += 30) {
      Hits hits = find("word", skip, 30);
      assertThat(hits.complete()).isTrue();
      hits.hits().forEach(hit -> paged.add(hit.ref().key().id()));
    }
    assertThat(paged).hasSize(300).doesNotHaveDuplicates().startsWith("e300").endsWith("e1");
  }

  @Test
  void an_entry_that_arrived_earlier_stands_behind_whenever_it_is_indexed() {
    index.add(List.of(entry("late", 9, "word")), 9);
    index.add(List.of(entry("early", 2, "word")), 9);

    assertThat(ids("word")).containsExactly("late", "early");
  }

  @Test
  void more_entries_than_numbers_in_a_second_keep_their_order() {
    List<IndexedEntry> all = new ArrayList<>();
    for (int i = 1; i <= 5_000; i++) {
      all.add(entry("e" + i, i, NOW, i % 1_000 == 0 ? "rare" : "word", 0));
    }
    index.add(all, 5_000);
    index.add(List.of(entry("next", 5_001, NOW.plusSeconds(1), "rare", 0)), 5_001);

    assertThat(ids("rare")).containsExactly("next", "e5000", "e4000", "e3000", "e2000", "e1000");
  }

  @Test
  void a_changed_entry_takes_the_place_of_its_earlier_version() {
    index.add(List.of(entry("one", 1, "before")), 1);
    index.add(List.of(entry("one", 2, "after")), 2);
    index.add(List.of(entry("one", 1, "before")), 2);

    assertThat(ids("before")).isEmpty();
    assertThat(ids("after")).containsExactly("one");
    assertThat(index.entries(0, 10)).hasSize(1);
  }

  @Test
  void a_removed_entry_is_not_found() {
    index.add(List.of(entry("one", 1, "word"), entry("two", 2, "word")), 2);
    List<Hit> all = index.entries(0, 10);
    assertThat(index.entries(all.get(0).id(), 10)).containsExactly(all.get(1));

    index.remove(List.of(all.get(0)));

    assertThat(ids("word")).containsExactly("two");
  }

  @Test
  void an_untrusted_feed_is_left_out_unless_asked_for() {
    index.add(List.of(entry("one", 1, NOW, "word", 0.4)), 1);

    assertThat(ids("word")).isEmpty();
    assertThat(ids("word bozo:ok")).containsExactly("one");
  }

  @Test
  void a_search_whose_time_is_over_answers_with_what_it_has() throws BadQueryException {
    List<IndexedEntry> all = new ArrayList<>();
    for (int i = 1; i <= 1_000; i++) {
      all.add(entry("e" + i, i, NOW.plusSeconds(i), "word", 0));
    }
    index.add(all, 1_000);

    Hits hits = index.find(QueryParser.parse("nothing"), feed -> false, 0, 10, Duration.ZERO);

    assertThat(hits.complete()).isFalse();
    assertThat(hits.hits()).isEmpty();
  }

  @Test
  void a_position_and_its_entries_outlive_a_restart() {
    index.add(List.of(entry("one", 1, "word")), 7);
    index.close();
    index = open();

    assertThat(index.position()).isEqualTo(7);
    assertThat(ids("word")).containsExactly("one");
  }

  /** A process of epoch 4 writes an entry of event 7, then another process opens the index. */
  @ParameterizedTest
  @CsvSource({
    "store, 4, 7, true",
    "store, 5, 9, true",
    "store, 6, 9, false", // a process of epoch 5 has opened the store without the index
    "store, 3, 9, false",
    "store, 5, 6, false",
    "other, 5, 9, false",
  })
  void an_index_of_another_state_of_the_store_begins_anew(
      String store, long epoch, long head, boolean kept) {
    index.adopt("store", 4, 7);
    index.add(List.of(entry("one", 1, "word")), 7);
    index.close();
    index = open();

    index.adopt(store, epoch, head);

    assertThat(index.position() == 7).isEqualTo(kept);
    assertThat(index.remade()).isEqualTo(kept ? 0 : 1);
    assertThat(ids("word")).hasSize(kept ? 1 : 0);
    index.adopt(store, epoch + 1, head);
    assertThat(index.remade()).isEqualTo(kept ? 0 : 1);
  }

  @Test
  void entries_of_events_that_left_the_log_are_compared_once() {
    index.add(List.of(entry("one", 1, "word"), entry("two", 2, "word"), entry("three", 3, "a")), 3);

    List<Hit> left = index.leaving(2, 10);
    index.trim(left.subList(0, 1), 2);

    assertThat(left).extracting(hit -> hit.ref().key().id()).containsExactly("one", "two");
    assertThat(ids("word")).containsExactly("two");
    assertThat(index.trimmed()).isEqualTo(2);
    assertThat(index.leaving(3, 10)).extracting(hit -> hit.ref().seq()).containsExactly(3L);
  }
}
