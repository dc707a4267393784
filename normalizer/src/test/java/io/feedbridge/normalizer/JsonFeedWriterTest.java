package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonFeedWriterTest {
  private static JsonNode json(Feed feed, PushOffer offer) throws IOException {
    return new ObjectMapper().readTree(JsonFeedWriter.write(feed, offer));
  }

  private static JsonNode item(String elements) throws IOException, FeedParseException {
    return json(Fixtures.parse(Fixtures.item(elements)), PushOffer.NONE).get("items").get(0);
  }

  @Test
  void version_title_and_items_are_always_there() {
    assertThat(
            new String(
                JsonFeedWriter.write(Feed.bare("f", null), PushOffer.NONE), StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"\",\"items\":[]}");
  }

  @Test
  void the_offer_names_the_document_and_its_hubs() throws IOException {
    PushOffer offer =
        new PushOffer(
            "https://gate.example/feed.json",
            List.of("https://gate.example/hub"),
            List.of(),
            "https://gate.example/pleaseNotify");
    JsonNode json = json(Fixtures.feed("feed.json"), offer);
    assertThat(json.get("feed_url").asText()).isEqualTo("https://gate.example/feed.json");
    assertThat(json.get("hubs"))
        .hasToString(
            "[{\"type\":\"WebSub\",\"url\":\"https://gate.example/hub\"},"
                + "{\"type\":\"rssCloud\",\"url\":\"https://gate.example/pleaseNotify\"}]");
  }

  @Test
  void one_of_the_two_contents_is_always_there() throws IOException, FeedParseException {
    assertThat(item("<title>t</title>").get("content_text").asText()).isEmpty();
    JsonNode described = item("<description>&lt;b&gt;d&lt;/b&gt;</description>");
    assertThat(described.get("content_html").asText()).isEqualTo("<b>d</b>");
    assertThat(described.has("summary")).isFalse();
  }

  @Test
  void a_summary_is_plain_text() throws IOException, FeedParseException {
    JsonNode item =
        item(
            "<description>&lt;b&gt;d&lt;/b&gt;</description>"
                + "<xhtml:body><xhtml:p>l</xhtml:p></xhtml:body>");
    assertThat(item.get("content_html").asText()).isEqualTo("<p>l</p>");
    assertThat(item.get("summary").asText()).isEqualTo("d");
  }

  @Test
  void an_attachment_has_a_type_and_its_size_is_a_number() throws IOException, FeedParseException {
    assertThat(item("<enclosure url='http://x.example/a' length='7'/>").get("attachments"))
        .hasToString(
            "[{\"url\":\"http://x.example/a\",\"mime_type\":\"application/octet-stream\","
                + "\"size_in_bytes\":7}]");
  }

  @Test
  void an_author_has_a_name_an_address_or_an_image() throws IOException {
    JsonNode item = json(Fixtures.feed("atom.xml"), PushOffer.NONE).get("items").get(0);
    assertThat(item.get("authors"))
        .hasToString(
            "[{\"name\":\"First\",\"url\":\"https://atoms.example/first\","
                + "\"avatar\":\"https://atoms.example/first.png\"},{\"name\":\"Second\"}]");
  }

  @Test
  void an_items_language_is_written_where_it_is_not_the_feeds() throws IOException {
    JsonNode items = json(Fixtures.feed("atom.xml"), PushOffer.NONE).get("items");
    assertThat(items.get(0).get("language").asText()).isEqualTo("en");
    assertThat(items.get(1).has("language")).isFalse();
  }

  @Test
  void half_a_character_does_not_stop_the_writing() throws IOException {
    assertThat(json(Feed.bare("f", "a\ud800b"), PushOffer.NONE).get("title").asText())
        .isEqualTo("ab");
    assertThat(
            new ObjectMapper()
                .readTree(SuperfeedrJson.write(Feed.bare("f", "a\ud800b"), Status.of("f")))
                .get("title")
                .asText())
        .isEqualTo("ab");
  }

  @Test
  void what_is_written_is_read_back_the_same_in_what_JSON_Feed_has() throws FeedParseException {
    Feed feed = Fixtures.feed("feed.json");
    Feed again =
        Fixtures.parse(
            new String(JsonFeedWriter.write(feed, PushOffer.of(feed)), StandardCharsets.UTF_8));
    assertThat(again).isEqualTo(feed);
  }
}
