package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SuperfeedrJsonTest {
  static final Status STATUS =
      new Status(
          "http://domain.example/feed.xml",
          "A feed",
          200,
          "fine",
          Instant.ofEpochSecond(1290803865),
          600L,
          Instant.ofEpochSecond(1290796665),
          Instant.ofEpochSecond(1290793065),
          Instant.ofEpochSecond(1290778665),
          24L,
          50L,
          1.5,
          0.1,
          true);

  private static JsonNode json(Feed feed, Status status) throws IOException {
    return new ObjectMapper().readTree(SuperfeedrJson.write(feed, status));
  }

  private static List<String> keys(JsonNode node) {
    List<String> keys = new ArrayList<>();
    node.fieldNames().forEachRemaining(keys::add);
    return keys;
  }

  @Test
  void the_status_has_the_examples_keys_in_order_and_numbers_are_numbers() throws IOException {
    assertThat(json(Feed.bare("f", null), STATUS).get("status"))
        .hasToString(
            "{\"entriesCountSinceLastMaintenance\":24,\"velocity\":50,\"lastParse\":1290793065,"
                + "\"period\":600,\"lastMaintenanceAt\":1290778665,"
                + "\"feed\":\"http://domain.example/feed.xml\",\"lastFetch\":1290796665,"
                + "\"code\":200,\"title\":\"A feed\",\"nextFetch\":1290803865,\"http\":\"fine\","
                + "\"popularity\":1.5,\"bozoRank\":0.1,\"generatedIds\":true}");
  }

  @Test
  void unknown_values_are_left_out() {
    assertThat(
            new String(
                SuperfeedrJson.write(Feed.bare("urn:f", null), Status.of("f")),
                StandardCharsets.UTF_8))
        .isEqualTo("{\"status\":{\"feed\":\"f\"},\"items\":[],\"id\":\"urn:f\"}");
  }

  @Test
  void the_document_has_the_examples_keys_in_order() throws IOException {
    assertThat(keys(json(Fixtures.feed("atom.xml"), STATUS)))
        .containsExactly(
            "status",
            "items",
            "subtitle",
            "standardLinks",
            "permalinkUrl",
            "id",
            "title",
            "updated",
            "actor",
            "categories",
            "language");
  }

  @Test
  void an_item_has_the_examples_keys_in_order() throws IOException {
    JsonNode item = json(Fixtures.feed("atom.xml"), STATUS).get("items").get(0);
    assertThat(keys(item))
        .containsExactly(
            "geo",
            "standardLinks",
            "permalinkUrl",
            "verb",
            "content",
            "summary",
            "published",
            "actor",
            "actors",
            "categories",
            "id",
            "object",
            "title",
            "updated",
            "source",
            "language",
            "contentType",
            "summaryType");
    assertThat(item.get("geo"))
        .hasToString("{\"type\":\"point\",\"coordinates\":[47.597553,-122.15925]}");
    assertThat(item.get("published")).hasToString("1772359200");
    assertThat(item.get("categories")).hasToString("[\"Things\",\"Picture\"]");
  }

  @Test
  void a_source_has_the_feeds_keys_and_its_categories() throws IOException {
    JsonNode source = json(Fixtures.feed("atom.xml"), STATUS).get("items").get(0).get("source");
    assertThat(keys(source))
        .containsExactly(
            "id",
            "title",
            "subtitle",
            "updated",
            "permalinkUrl",
            "standardLinks",
            "actor",
            "categories",
            "language");
    assertThat(source.get("categories")).hasToString("[\"origins\"]");
  }

  @Test
  void verb_and_object_type_are_the_short_name_of_the_last() throws IOException {
    JsonNode item = json(Fixtures.feed("atom.xml"), STATUS).get("items").get(0);
    assertThat(item.get("verb").asText()).isEqualTo("publish");
    assertThat(item.get("object").get("objectType").asText()).isEqualTo("place");
    assertThat(item.get("actor").get("objectType").asText()).isEqualTo("dude");
  }

  @Test
  void an_actor_has_the_examples_keys_and_the_profile_goes_before_the_uri() throws IOException {
    JsonNode item = json(Fixtures.feed("atom.xml"), STATUS).get("items").get(0);
    assertThat(item.get("actor"))
        .hasToString(
            "{\"displayName\":\"First\",\"image\":\"https://atoms.example/first.png\","
                + "\"permalinkUrl\":\"https://atoms.example/first/profile\",\"id\":\"id-first\","
                + "\"objectType\":\"dude\",\"title\":\"The First\","
                + "\"email\":\"first@atoms.example\"}");
    assertThat(item.get("actors")).hasSize(2);
    assertThat(item.get("object").get("actor").get("permalinkUrl").asText())
        .isEqualTo("https://atoms.example/second");
  }

  @Test
  void links_are_grouped_by_relation_with_title_rel_href_type() throws IOException {
    JsonNode item = json(Fixtures.feed("atom.xml"), STATUS).get("items").get(0);
    assertThat(item.get("standardLinks").get("alternate"))
        .hasToString(
            "[{\"title\":\"One\",\"rel\":\"alternate\","
                + "\"href\":\"https://atoms.example/blog/2026/one.html\"}]");
    assertThat(item.get("standardLinks").get("enclosure").get(0))
        .hasToString(
            "{\"rel\":\"enclosure\",\"href\":\"https://atoms.example/blog/2026/one.mp3\","
                + "\"type\":\"audio/mpeg\",\"length\":77}");
  }

  @Test
  void an_entry_of_a_stream_is_one_object() {
    Entry entry = Fixtures.feed("feed.json").entries().get(1);
    assertThat(new String(SuperfeedrJson.write(entry), StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"content\":\"Sun & <wind>\",\"id\":\"2\",\"language\":\"cy\",\"contentType\":\"text\",\"atomId\":\"urn:feedbridge:id:213d185bfe1b0aced4589432b9d0e268\"}");
  }
}
