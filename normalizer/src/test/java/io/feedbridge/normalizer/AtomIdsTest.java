package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AtomIdsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://x.example/a?b=1&c=%20#d",
        "tag:x.example,2026:/1",
        "urn:uuid:60a76c80-d399-11d9-b93C-0003939e0af6",
        "http://[::1]:80/a",
        "http://x.example/ünï",
        "domain.tld:09/05/03-1",
        "yt:video:abc"
      })
  void an_IRI_stays_the_id(String id) {
    assertThat(AtomIds.of(id)).isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1234",
        "/relative",
        "a b:c",
        "http:",
        ":x",
        "1a:b",
        "http://x.example/a b",
        "http://x.example/a[0]",
        "http://x.example/100%",
        "http://x.example/%G0",
        "http://x.example/#a#b",
        "http://x.example/{a}",
        "http://x.example/a\nb",
        "urn:\ufffe",
        "urn:\ud800"
      })
  void any_other_id_becomes_a_URN_of_its_hash(String id) {
    assertThat(AtomIds.of(id)).matches("urn:feedbridge:id:[0-9a-f]{32}").isEqualTo(AtomIds.of(id));
    assertThat(AtomIds.isIri(AtomIds.of(id))).isTrue();
  }

  @Test
  void an_entry_without_an_id_has_none_in_the_Atom_of_its_topic() {
    assertThat(AtomIds.of("")).isEmpty();
  }

  @Test
  void the_sources_own_id_stands_beside_it_and_JSON_keeps_it_and_names_the_other()
      throws Exception {
    Feed feed = Fixtures.parse(Fixtures.item("<guid>e 1</guid>"));
    String atom =
        new String(
            SuperfeedrAtom.write(feed, Status.of("urn:s"), Instant.EPOCH), StandardCharsets.UTF_8);
    assertThat(atom)
        .contains("<entry><id>" + AtomIds.of("e 1") + "</id><dc:identifier")
        .contains(">e 1</dc:identifier>");
    JsonNode item =
        new ObjectMapper().readTree(SuperfeedrJson.write(feed, Status.of("urn:s"))).at("/items/0");
    assertThat(item.get("id").asText()).isEqualTo("e 1");
    assertThat(item.get("atomId").asText()).isEqualTo(AtomIds.of("e 1"));
  }

  @Test
  void an_entry_without_content_and_page_has_its_summary_as_content() throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            Fixtures.channel(
                "<item><guid isPermaLink='false'>1</guid><description>text</description></item>"
                    + "<item><guid isPermaLink='false'>2</guid><title>t</title></item>"
                    + "<item><link>http://x.example/3</link><description>d</description></item>"));
    String atom =
        new String(
            SuperfeedrAtom.write(feed, Status.of("urn:s"), Instant.EPOCH), StandardCharsets.UTF_8);
    assertThat(atom)
        .contains("<content type=\"html\">text</content><summary type=\"html\">text</summary>")
        .contains("<title>t</title><content type=\"text\"/></entry>")
        .contains("<title/><summary type=\"html\">d</summary>");
  }

  @Test
  void the_sources_own_id_is_read_back_from_the_Atom_that_was_written() throws Exception {
    Feed feed = Fixtures.parse(Fixtures.item("<guid>e 1</guid><title>t</title>"));
    byte[] atom = SuperfeedrAtom.write(feed, Status.of("urn:s"), Instant.EPOCH);

    Feed again = Fixtures.parse(atom, null);

    assertThat(again.entries()).extracting(Entry::id).containsExactly("e 1");
    assertThat(SuperfeedrAtom.write(again, Status.of("urn:s"), Instant.EPOCH))
        .asString()
        .containsOnlyOnce("</dc:identifier>");
    assertThat(
            DocumentScanner.scan(
                new String(atom, StandardCharsets.UTF_8), Served.at(Fixtures.BASE, null)))
        .isNull();
  }

  @Test
  void an_identifier_that_the_id_is_not_made_of_is_not_believed() throws Exception {
    Feed feed = Fixtures.parse(Fixtures.item("<guid>e 1</guid>"));
    String atom =
        new String(
            SuperfeedrAtom.write(feed, Status.of("urn:s"), Instant.EPOCH), StandardCharsets.UTF_8);

    assertThat(Fixtures.parse(atom.replace("e 1", "e 2")).entries())
        .extracting(Entry::id)
        .containsExactly(AtomIds.of("e 1"));
  }
}
