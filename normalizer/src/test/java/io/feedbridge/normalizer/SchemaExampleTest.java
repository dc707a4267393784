package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The schema document's Atom example goes in, its JSON example's item comes out. */
class SchemaExampleTest {
  private final ObjectMapper mapper = new ObjectMapper();
  private Entry entry;
  private ObjectNode expected;
  private ObjectNode written;

  private static byte[] resource(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(SchemaExampleTest.class.getResourceAsStream("/schema/" + name))) {
      return in.readAllBytes();
    }
  }

  @BeforeEach
  void read() throws IOException, FeedParseException {
    entry = Fixtures.parse(resource("example.xml"), "application/atom+xml").entries().get(0);
    expected = (ObjectNode) mapper.readTree(resource("example-item.json"));
    written = (ObjectNode) mapper.readTree(SuperfeedrJson.write(entry));
  }

  @Test
  void every_key_of_the_item_is_written_with_its_value_and_in_its_place() {
    // Where the two examples differ from one another, the Atom one is what was read:
    // its dates are three years later than those of the JSON example,
    for (ObjectNode node : List.of(expected, (ObjectNode) expected.get("object"))) {
      node.put("updated", 1366545640);
    }
    expected.put("published", 1366545640);
    ((ObjectNode) expected.get("object")).put("published", 1366462840);
    // its replies are Atom, where the JSON example has HTML; an empty title is left out,
    ObjectNode replies = (ObjectNode) expected.at("/standardLinks/replies/0");
    replies.put("type", "application/atom+xml").remove("title");
    // and its source is another feed.
    ((ObjectNode) expected.get("source"))
        .put("id", "feed-id")
        .put("title", "feed-title")
        .put("updated", 1366545640)
        .put("permalinkUrl", "http://domain.tld/entries/12345");
    assertContains(written, expected, "");
  }

  @Test
  void what_the_item_has_beyond_the_example_is_in_the_atom_example() {
    assertThat(keysBeyond(written, expected, ""))
        .containsExactlyInAnyOrder(
            "/standardLinks/alternate",
            "/standardLinks/replies/0/rel",
            "/standardLinks/picture/0/rel",
            "/summary",
            "/contentType",
            "/summaryType",
            "/object/contentType",
            "/actor/email",
            "/actors",
            "/object/actor/email",
            "/object/standardLinks",
            "/source/standardLinks");
  }

  @Test
  void the_atom_example_is_written_as_it_was_read() throws FeedParseException {
    byte[] atom =
        SuperfeedrAtom.write(
            Feed.bare("feed", null).withEntries(List.of(entry)), Status.of("feed"), Instant.EPOCH);
    Entry again = Fixtures.parse(new String(atom, StandardCharsets.UTF_8)).entries().get(0);
    // The example's source has an id that is no IRI, which RFC 4287 §4.2.6 requires
    assertThat(Objects.requireNonNull(again.source()).id()).isEqualTo(AtomIds.of("feed-id"));
    assertThat(again.withSource(null)).isEqualTo(entry.withSource(null));
    assertThat(again.source().title()).isEqualTo("feed-title");
    assertThat(new String(atom, StandardCharsets.UTF_8))
        .contains("<entry xml:lang=\"en\"><id>domain.tld:09/05/03-1</id><published>")
        .contains("<geo:point>47.597553 -122.15925</geo:point><link type=\"text/html\"");
  }

  /** All of {@code expected} is in {@code actual}, objects' keys in the same order. */
  private static void assertContains(JsonNode actual, JsonNode expected, String path) {
    if (expected.isObject()) {
      assertThat(actual.isObject()).as(path).isTrue();
      List<String> common = new ArrayList<>();
      actual.fieldNames().forEachRemaining(common::add);
      List<String> wanted = new ArrayList<>();
      expected.fieldNames().forEachRemaining(wanted::add);
      common.retainAll(wanted);
      // Links are grouped in the order of the document, and a link's keys are those of the mapping
      if (path.startsWith("/standardLinks")) {
        assertThat(common).as(path).hasSameElementsAs(wanted);
      } else {
        assertThat(common).as(path).isEqualTo(wanted);
      }
      wanted.forEach(key -> assertContains(actual.get(key), expected.get(key), path + "/" + key));
    } else if (expected.isArray()) {
      assertThat(actual).as(path).hasSameSizeAs(expected);
      for (int i = 0; i < expected.size(); i++) {
        assertContains(actual.get(i), expected.get(i), path + "/" + i);
      }
    } else {
      assertThat(actual.asText()).as(path).isEqualTo(expected.asText());
    }
  }

  private static List<String> keysBeyond(JsonNode actual, JsonNode expected, String path) {
    List<String> beyond = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : actual.properties()) {
      String at = path + "/" + field.getKey();
      if (expected.has(field.getKey())) {
        beyond.addAll(keysBeyond(field.getValue(), expected.get(field.getKey()), at));
      } else {
        beyond.add(at);
      }
    }
    for (int i = 0; actual.isArray() && i < actual.size(); i++) {
      beyond.addAll(keysBeyond(actual.get(i), expected.path(i), path + "/" + i));
    }
    return beyond;
  }
}
