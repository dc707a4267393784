package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Removed entries, as RFC 6721 has them. */
class RemovalsTest {
  private static final String AT = " xmlns:at='http://purl.org/atompub/tombstones/1.0'";
  private static final Instant WHEN = Instant.parse("2026-04-01T12:00:00Z");
  private static final Removal ONE = new Removal("urn:1", WHEN);

  private final DiffParser parser = new DiffParser();
  private final Memory memory = new Memory();

  private FeedDiff parse(String document) throws FeedParseException {
    FeedDiff found =
        parser.parse(
            document.getBytes(StandardCharsets.UTF_8), Served.at(Corpus.BASE, null), memory);
    memory.take(found.diff());
    return found;
  }

  private static String feed(String elements) {
    return "<feed xmlns='http://www.w3.org/2005/Atom'%s><id>urn:f</id>%s</feed>"
        .formatted(AT, elements);
  }

  private static String entry(int number, String updated) {
    return "<entry><id>urn:%d</id><title>t</title><updated>%s</updated></entry>"
        .formatted(number, updated);
  }

  private static String entries(int most) {
    StringBuilder entries = new StringBuilder();
    for (int i = most; i > 0; i--) {
      entries.append(entry(i, "2026-04-01T11:00:00Z"));
    }
    return entries.toString();
  }

  private static String gone(String id, String when) {
    return "<at:deleted-entry ref='%s' when='%s'><link href='http://x.example/1'/><at:by><name>n</name></at:by></at:deleted-entry>"
        .formatted(id, when);
  }

  private static String gone() {
    return gone("urn:1", "2026-04-01T14:00:00+02:00");
  }

  @Nested
  class Reads {
    @Test
    void a_feed_of_removals_alone() throws FeedParseException {
      Feed feed = Fixtures.parse(feed(gone() + gone("urn:2", "never") + gone(" ", "2026-01-01")));
      assertThat(feed.removals()).as("with id and time").containsExactly(ONE);
      assertThat(feed.entries()).isEmpty();
      assertThat(feed.repairs()).isEmpty();
      assertThat(feed.extensions()).isEmpty();
    }

    @Test
    void a_removal_alone() throws FeedParseException {
      String alone = gone().replaceFirst("deleted-entry", "deleted-entry" + AT);
      parse(feed(entries(1)));
      FeedDiff found = parse(alone);
      assertThat(found.feed().removals()).containsExactly(ONE);
      assertThat(found.diff().removed()).containsExactly(ONE);
      assertThat(found.family()).isEqualTo(FeedFamily.ATOM);
    }

    @Test
    void removals_within_a_bound() throws FeedParseException {
      String many = gone("urn:x", "2026-01-01T00:00:00Z").repeat(Limits.MAX_ENTRIES + 1);
      assertThat(Fixtures.parse(feed(many)).removals()).hasSize(Limits.MAX_ENTRIES);
    }

    @Test
    void no_removal_in_an_element_of_another_namespace() throws FeedParseException {
      assertThat(Fixtures.parse(feed(gone()).replace("tombstones", "other")).removals()).isEmpty();
    }
  }

  @Nested
  class IsNews {
    @Test
    void of_a_known_entry_once() throws FeedParseException {
      parse(feed(entries(2)));
      FeedDiff found = parse(feed(gone() + entry(2, "2026-04-01T11:00:00Z")));
      assertThat(found.whole()).as("the scan leaves the known entry out").isFalse();
      assertThat(found.diff().removed()).containsExactly(ONE);
      assertThat(found.diff().isEmpty()).isFalse();
      assertThat(found.diff().fresh()).isEmpty();

      assertThat(parse(feed(gone())).diff().isEmpty()).isTrue();
      assertThat(parse(feed(gone("urn:1", "2026-05-01"))).diff().removed()).isEmpty();
    }

    @Test
    void of_no_unknown_entry() throws FeedParseException {
      assertThat(parse(feed(gone())).diff().isEmpty()).isTrue();
      assertThat(parse(feed(entries(1))).diff().fresh()).hasSize(1);
    }

    @Test
    void of_no_entry_in_the_document() throws FeedParseException {
      parse(feed(entries(2)));
      assertThat(parse(feed(gone() + entries(2))).diff().isEmpty()).isTrue();
    }

    @Test
    void of_no_entry_that_is_later_than_the_removal() throws FeedParseException {
      parse(feed(entry(1, "2026-04-01T12:00:01Z")));
      assertThat(parse(feed(gone())).diff().isEmpty()).isTrue();
    }

    @Test
    void not_where_an_entry_is_only_absent() throws FeedParseException {
      parse(feed(entries(2)));
      assertThat(parse(feed(entry(2, "2026-04-01T11:00:00Z"))).diff().isEmpty()).isTrue();
    }

    @Test
    void to_a_comparison_without_a_scan() throws FeedParseException {
      parse(feed(entries(1)));
      assertThat(EntryDiff.against(Fixtures.parse(feed(gone())), memory).removed())
          .containsExactly(ONE);
    }
  }

  @Nested
  class AfterARemoval {
    @Test
    void a_later_version_of_the_entry_is_new() throws FeedParseException {
      parse(feed(entries(1)));
      parse(feed(gone()));
      assertThat(parse(feed(entry(1, "2026-04-01T12:00:01Z"))).diff().fresh()).hasSize(1);
      assertThat(parse(feed(entry(1, "2026-04-01T12:00:01Z"))).diff().isEmpty()).isTrue();
    }

    @Test
    void the_entry_without_a_date_is_new() throws FeedParseException {
      String dateless = "<entry><id>urn:1</id><title>t</title></entry>";
      parse(feed(dateless));
      parse(feed(gone()));
      assertThat(parse(feed(dateless)).diff().fresh()).hasSize(1);
    }

    @Test
    void a_cache_that_lags_behind_brings_the_entry_not_back() throws FeedParseException {
      parse(feed(entries(2)));
      parse(feed(gone()));
      assertThat(parse(feed(entries(2))).diff().isEmpty()).isTrue();
      assertThat(parse(feed(gone())).diff().isEmpty()).as("nothing twice").isTrue();
    }

    @Test
    void an_entry_with_the_moved_id_is_new() throws FeedParseException {
      String entry = "<entry><id>http://a.example/1</id><title>t</title></entry>";
      parse(feed(entry));
      parse(feed(gone("http://a.example/1", "2026-04-01T12:00:00Z")));
      assertThat(parse(feed(entry.replace("http", "https"))).diff().fresh()).hasSize(1);
    }
  }

  @Nested
  class IsWritten {
    private static final Status STATUS = Status.of("http://x.example/");

    private static Feed feed(Removal... removals) {
      return Feed.bare("urn:f", "t").withRemovals(List.of(removals));
    }

    private static String text(byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void in_Atom_as_a_tombstone_that_is_read_again() throws FeedParseException {
      Removal other = new Removal("no IRI", WHEN);
      String atom = text(SuperfeedrAtom.write(feed(ONE, other), STATUS, WHEN));
      assertThat(atom).contains("<at:deleted-entry ref=\"urn:1\" when=\"2026-04-01T12:00:00Z\"/>");
      assertThat(Fixtures.parse(atom).removals()).containsExactly(ONE, other);
      assertThat(text(SuperfeedrAtom.write(feed(), STATUS, WHEN))).doesNotContain("tombstones");
    }

    @Test
    void in_the_schemas_JSON_among_the_items() {
      assertThat(text(SuperfeedrJson.write(feed(ONE), STATUS)))
          .contains("\"items\":[{\"id\":\"urn:1\",\"removed\":true,\"when\":1775044800}]");
    }

    @Test
    void in_a_JSON_Feed_beside_the_status() {
      String json = text(write(FeedFamily.JSON_FEED));
      assertThat(json)
          .contains("\"removed\":[{\"id\":\"urn:1\",\"when\":1775044800}]}", "\"items\":[]");
    }

    @ParameterizedTest
    @EnumSource(names = {"RSS", "RDF"})
    void in_no_family_of_RSS(FeedFamily family) {
      assertThat(text(write(family))).doesNotContain("urn:1");
    }

    private static byte[] write(FeedFamily family) {
      Feed feed = feed(ONE);
      return TopicDocument.write(family, feed, STATUS, PushOffer.of(feed), WHEN);
    }

    @Test
    void in_the_log() {
      FeedCodec codec = new FeedCodec();
      assertThat(codec.decode(codec.encode(feed(ONE)))).isEqualTo(feed(ONE));
    }
  }
}
