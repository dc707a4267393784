package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeopleTest {
  private static List<String> creators(String line) throws FeedParseException {
    return Fixtures.entry("<dc:creator>" + line + "</dc:creator>").authors().stream()
        .map(RssItemWriter::name)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Jane Doe, John Q. Public, Ludwig van Beethoven",
        "Jane Doe; John Q. Public; Ludwig van Beethoven",
        "Jane Doe, John Q. Public and Ludwig van Beethoven",
        "Jane Doe, John Q. Public, &amp; Ludwig van Beethoven"
      })
  void a_plain_list_of_creators_is_split(String line) throws FeedParseException {
    assertThat(creators(line))
        .containsExactly("Jane Doe", "John Q. Public", "Ludwig van Beethoven");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Doe, Jane",
        "Acme, Inc.",
        "John Smith, Jr.",
        "Jane Doe, PhD",
        "By Jane Doe, senior editor",
        "Jane Doe and John Roe",
        "the editors, all of them",
        "Smith, J., Roe, A."
      })
  void what_may_be_one_name_is_not_split(String line) throws FeedParseException {
    assertThat(creators(line)).containsExactly(line);
  }

  @Test
  void a_list_of_mail_addresses_with_names_is_split() throws FeedParseException {
    assertThat(Fixtures.entry("<author>a@x.example (Ann), b@x.example (Ben)</author>").authors())
        .containsExactly(
            Author.of("Ann", "a@x.example", null), Author.of("Ben", "b@x.example", null));
  }

  private static JsonNode item(String document) throws IOException, FeedParseException {
    return new ObjectMapper()
        .readTree(SuperfeedrJson.write(Fixtures.parse(document), Status.of("urn:s")))
        .at("/items/0");
  }

  @Test
  void an_entry_without_an_author_has_those_of_its_source_or_its_feed() throws Exception {
    String feed =
        "<feed xmlns='http://www.w3.org/2005/Atom'><author><name>Fay Feed</name></author><entry>"
            + "<id>urn:1</id>%s</entry></feed>";
    assertThat(item(feed.formatted("")).at("/actor/displayName").asText()).isEqualTo("Fay Feed");
    assertThat(
            item(feed.formatted("<source><author><name>Sue Source</name></author></source>"))
                .at("/actor/displayName")
                .asText())
        .isEqualTo("Sue Source");
    assertThat(
            item(feed.formatted("<author><name>Ed Entry</name></author>"))
                .at("/actor/displayName")
                .asText())
        .isEqualTo("Ed Entry");
  }

  @Test
  void an_inherited_author_is_no_part_of_the_entry_and_changes_no_fingerprint() throws Exception {
    String feed =
        "<feed xmlns='http://www.w3.org/2005/Atom'>%s<entry><id>urn:1</id></entry></feed>";
    Entry with = Fixtures.parse(feed.formatted("<author><name>F</name></author>")).entries().get(0);
    assertThat(with).isEqualTo(Fixtures.parse(feed.formatted("")).entries().get(0));
  }

  @Test
  void JSON_feed_authors_are_read_as_an_object_and_as_a_name() throws FeedParseException {
    String feed =
        "{\"version\":\"https://jsonfeed.org/version/1.1\",\"authors\":{\"name\":\"Ann\"},"
            + "\"items\":[{\"id\":\"urn:1\",\"author\":\"Ben\"},"
            + "{\"id\":\"urn:2\",\"authors\":[\"Cy\",{\"name\":\"Di\"}]}]}";
    Feed read = Fixtures.parse(feed);
    assertThat(read.authors()).extracting(Author::name).containsExactly("Ann");
    assertThat(read.entries().get(0).authors()).extracting(Author::name).containsExactly("Ben");
    assertThat(read.entries().get(1).authors())
        .extracting(Author::name)
        .containsExactly("Cy", "Di");
  }

  @Test
  void an_actor_is_the_author_and_a_target_stands_beside_the_object() throws Exception {
    String entry =
        "<entry xmlns='http://www.w3.org/2005/Atom' xmlns:as='http://activitystrea.ms/spec/1.0/'>"
            + "<id>urn:1</id>%s<as:actor><as:object-type>http://activitystrea.ms/schema/1.0/person"
            + "</as:object-type><id>urn:ann</id><title>Ann</title>"
            + "<link rel='alternate' href='/ann'/></as:actor><as:target><as:object-type>"
            + "http://activitystrea.ms/schema/1.0/group</as:object-type><id>urn:t</id>"
            + "<title>The group</title></as:target></entry>";
    JsonNode alone = item(entry.formatted(""));
    assertThat(alone.at("/actor"))
        .hasToString(
            "{\"permalinkUrl\":\"https://harbour.example/ann\",\"id\":\"urn:ann\","
                + "\"objectType\":\"person\",\"title\":\"Ann\"}");
    assertThat(alone.at("/target"))
        .hasToString("{\"id\":\"urn:t\",\"title\":\"The group\",\"objectType\":\"group\"}");
    JsonNode beside = item(entry.formatted("<author><name>Ann</name></author>"));
    assertThat(beside.at("/actor/displayName").asText()).isEqualTo("Ann");
    assertThat(beside.at("/actor/id").asText()).isEqualTo("urn:ann");
    JsonNode other = item(entry.formatted("<author><name>Ben</name></author>"));
    assertThat(other.at("/actor")).hasToString("{\"displayName\":\"Ben\"}");
  }

  @Test
  void an_authors_gd_image_is_its_picture() throws Exception {
    JsonNode item =
        item(
            "<entry xmlns='http://www.w3.org/2005/Atom' xmlns:gd='http://schemas.google.com/g/2005'>"
                + "<id>urn:1</id><author><name>Ann</name>"
                + "<gd:image rel='x' width='16' src='//img.example/a.png'/></author></entry>");
    assertThat(item.at("/actor/image").asText()).isEqualTo("https://img.example/a.png");
  }

  @Test
  void a_name_with_references_of_HTML_is_one_name_in_plain_text() throws FeedParseException {
    assertThat(creators("Ren&amp;eacute; O&amp;#39;Neill")).containsExactly("René O'Neill");
    assertThat(creators("<![CDATA[Ren&eacute; Roy; <b>Ann</b> Lee]]>"))
        .containsExactly("René Roy", "Ann Lee");
    assertThat(creators("<![CDATA[AT&amp;T]]>")).containsExactly("AT&amp;T");
    assertThat(creators("<![CDATA[<script>x</script>]]>")).isEmpty();
  }
}
