package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class EntryDiffTest {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

  private final Map<String, SeenEntry> memory = new HashMap<>();

  private EntryDiff.Diff diff(Entry... entries) {
    EntryDiff.Diff diff =
        EntryDiff.of(Feed.bare("f", null).withEntries(List.of(entries)), memory::get);
    diff.toRemember().forEach(seen -> memory.put(seen.id(), seen));
    return diff;
  }

  private static Entry entry(String id, String title, @Nullable Instant updated) {
    return new Entry(
        id, false, title, null, updated, null, null, List.of(), List.of(), List.of(), null,
        List.of(), List.of(), null, null);
  }

  @Test
  void a_new_id_is_fresh_and_remembered() {
    EntryDiff.Diff diff = diff(entry("1", "a", NOON), entry("2", "b", null));
    assertThat(diff.fresh()).extracting(Entry::id).containsExactly("1", "2");
    assertThat(diff.changed()).isEmpty();
    assertThat(diff.toRemember())
        .containsExactly(
            new SeenEntry("1", Fingerprint.of(entry("1", "a", NOON)), NOON),
            new SeenEntry("2", Fingerprint.of(entry("2", "b", null)), null));
  }

  @Test
  void the_same_document_again_brings_nothing() {
    Entry[] entries = Fixtures.feed("atom.xml").entries().toArray(Entry[]::new);
    assertThat(diff(entries).fresh()).hasSize(2);
    EntryDiff.Diff again = diff(entries);
    assertThat(again.isEmpty()).isTrue();
    assertThat(again.toRemember()).isEmpty();
  }

  @Test
  void another_content_under_a_known_id_is_a_change() {
    diff(entry("1", "a", null));
    EntryDiff.Diff diff = diff(entry("1", "b", null));
    assertThat(diff.fresh()).isEmpty();
    assertThat(diff.changed()).extracting(Entry::title).containsExactly("b");
    assertThat(diff(entry("1", "b", null)).isEmpty()).isTrue();
  }

  @Test
  void an_id_that_stands_twice_counts_once_where_it_stands_first() {
    EntryDiff.Diff diff = diff(entry("1", "a", null), entry("1", "b", null));
    assertThat(diff.fresh()).extracting(Entry::title).containsExactly("a");
    assertThat(diff.toRemember()).hasSize(1);
    assertThat(diff(entry("1", "a", null), entry("1", "c", null)).isEmpty()).isTrue();
  }

  @Test
  void the_memory_is_asked_once_for_each_id() {
    List<String> asked = new ArrayList<>();
    EntryDiff.of(
        Feed.bare("f", null).withEntries(List.of(entry("1", "a", null), entry("1", "b", null))),
        id -> {
          asked.add(id);
          return null;
        });
    assertThat(asked).containsExactly("1");
  }

  @Nested
  class L11 {
    @Test
    void an_older_version_replaces_nothing() {
      diff(entry("1", "new", NOON));
      EntryDiff.Diff stale = diff(entry("1", "old", NOON.minusSeconds(1)));
      assertThat(stale.isEmpty()).isTrue();
      assertThat(stale.toRemember()).isEmpty();
      assertThat(diff(entry("1", "new", NOON)).isEmpty()).isTrue();
    }

    @Test
    void a_version_of_the_same_or_a_newer_time_is_a_change() {
      diff(entry("1", "a", NOON));
      assertThat(diff(entry("1", "b", NOON)).changed()).hasSize(1);
      assertThat(diff(entry("1", "c", NOON.plusSeconds(1))).changed()).hasSize(1);
    }

    @Test
    void a_version_without_a_date_does_not_make_the_known_one_forgotten() {
      diff(entry("1", "a", NOON));
      assertThat(diff(entry("1", "b", null)).changed()).hasSize(1);
      assertThat(diff(entry("1", "old", NOON.minusSeconds(1))).isEmpty()).isTrue();
    }

    @Test
    void a_newer_date_alone_is_no_change_but_is_remembered() {
      diff(entry("1", "a", NOON));
      EntryDiff.Diff touched = diff(entry("1", "a", NOON.plusSeconds(9)));
      assertThat(touched.isEmpty()).isTrue();
      assertThat(touched.toRemember()).hasSize(1);
      assertThat(diff(entry("1", "old", NOON.plusSeconds(5))).isEmpty()).isTrue();
    }
  }

  @Nested
  class Fingerprints {
    @Test
    void have_128_bits_and_do_not_change_with_a_release() {
      assertThat(Fingerprint.of(entry("1", "a", null)))
          .hasSize(32)
          .isEqualTo(Fingerprint.of(entry("2", "a", NOON)));
      assertThat(EntryKey.of("tag:x,2026:1")).isEqualTo("a7fc80dc97f49f20056510b66f41f081");
      assertThat(Fingerprint.of(entry("1", "a", null)))
          .isEqualTo("89b03d2422b536364e973f5a20fbf991");
    }

    @Test
    void tell_every_meaningful_field_apart() throws FeedParseException {
      List<String> prints = new ArrayList<>();
      for (String elements :
          List.of(
              "<title>a</title>",
              "<description>a</description>",
              "<xhtml:body>a</xhtml:body>",
              "<link>http://a.example/</link>",
              "<category>a</category>",
              "<category>a</category><category>b</category>",
              "<category>ab</category>",
              "<author>a</author>",
              "<author>a@b.example</author>",
              "<georss:point>1 2</georss:point>",
              "<as:verb>a</as:verb>",
              "<as:object/>",
              "<as:object><as:object-type>a</as:object-type></as:object>",
              "<enclosure url='a'/>")) {
        prints.add(Fingerprint.of(Fixtures.entry("<guid isPermaLink='false'>1</guid>" + elements)));
      }
      assertThat(prints).doesNotHaveDuplicates();
    }
  }
}
