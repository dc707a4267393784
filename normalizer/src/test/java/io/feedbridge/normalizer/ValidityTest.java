package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.thaiopensource.util.PropertyMapBuilder;
import com.thaiopensource.validate.ValidateProperty;
import com.thaiopensource.validate.ValidationDriver;
import com.thaiopensource.validate.prop.rng.RngProperty;
import com.thaiopensource.validate.rng.CompactSchemaReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.xml.sax.ErrorHandler;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/** What is written is valid, whatever was read. */
class ValidityTest {
  private static final Instant FIRST_SEEN = Instant.parse("2026-04-01T00:00:00Z");

  /** The grammar of RFC 4287. */
  private static final class Grammar implements ErrorHandler {
    private final List<String> errors = new ArrayList<>();
    private final ValidationDriver driver;

    Grammar() throws IOException, SAXException {
      PropertyMapBuilder properties = new PropertyMapBuilder();
      properties.put(ValidateProperty.ERROR_HANDLER, this);
      RngProperty.CHECK_ID_IDREF.add(properties);
      driver = new ValidationDriver(properties.toPropertyMap(), CompactSchemaReader.getInstance());
      try (InputStream in =
          Objects.requireNonNull(ValidityTest.class.getResourceAsStream("/schema/atom.rnc"))) {
        assertThat(driver.loadSchema(new InputSource(in))).isTrue();
      }
    }

    List<String> errors(byte[] document) throws IOException, SAXException {
      errors.clear();
      driver.validate(new InputSource(new ByteArrayInputStream(document)));
      return List.copyOf(errors);
    }

    @Override
    public void warning(SAXParseException e) {
      errors.add(e.getMessage());
    }

    @Override
    public void error(SAXParseException e) {
      errors.add(e.getMessage());
    }

    @Override
    public void fatalError(SAXParseException e) {
      errors.add(e.getMessage());
    }
  }

  /** What the grammar of RFC 4287 has against a document. */
  static List<String> grammarErrors(byte[] atom) throws IOException, SAXException {
    return new Grammar().errors(atom);
  }

  private static byte[] atom(Feed feed) {
    return SuperfeedrAtom.write(feed, SuperfeedrJsonTest.STATUS, FIRST_SEEN);
  }

  @Test
  void the_grammar_refuses_what_is_no_atom() throws IOException, SAXException {
    String wrong =
        "<feed xmlns='http://www.w3.org/2005/Atom'><id>f</id><title/>"
            + "<updated>yesterday</updated></feed>";
    assertThat(new Grammar().errors(wrong.getBytes(StandardCharsets.UTF_8))).isNotEmpty();
  }

  @Test
  void every_atom_document_follows_the_grammar_of_RFC_4287() throws IOException, SAXException {
    Grammar grammar = new Grammar();
    for (Corpus.Document document : Corpus.withFixtures()) {
      assertThat(grammar.errors(atom(document.feed()))).as(document.name()).isEmpty();
    }
  }

  @Test
  void values_that_the_grammar_has_no_room_for_do_not_break_it()
      throws IOException, SAXException, FeedParseException {
    Feed feed =
        Fixtures.parse(
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='not a language'>"
                + "<link href='x' type='nonsense'/><link href='y' rel='a:b c'/>"
                + "<entry xml:lang='en_GB'><author><email>nobody</email></author>"
                + "<content type='html' src='http://x.example/'>left</content>"
                + "<summary type='image/png'>aGVsbG8=</summary></entry>"
                + "<entry><content type='application/xml'><x xmlns=''>1</x></content></entry>"
                + "<entry><content type='odd'>1</content><category/></entry></feed>");
    assertThat(new Grammar().errors(atom(feed))).isEmpty();
  }

  @Test
  void every_JSON_feed_follows_version_1_1() throws IOException {
    for (Corpus.Document document : Corpus.withFixtures()) {
      byte[] json = JsonFeedWriter.write(document.feed(), PushOffer.of(document.feed()));
      assertThat(JsonFeedRules.broken(new ObjectMapper().readTree(json)))
          .as(document.name())
          .isEmpty();
    }
  }

  /** The rules of JSON Feed 1.1 for the keys that are written. */
  private static final class JsonFeedRules {
    private final List<String> broken = new ArrayList<>();

    static List<String> broken(JsonNode feed) {
      JsonFeedRules rules = new JsonFeedRules();
      rules.feed(feed);
      return rules.broken;
    }

    private void feed(JsonNode feed) {
      rule(
          feed.path("version").asText().equals("https://jsonfeed.org/version/1.1"),
          "version is required");
      rule(feed.path("title").isTextual(), "title is required");
      rule(feed.path("items").isArray(), "items is required");
      strings(feed, "home_page_url", "feed_url", "description", "next_url", "icon", "language");
      for (JsonNode hub : feed.path("hubs")) {
        rule(hub.path("type").isTextual() && hub.path("url").isTextual(), "a hub has type and url");
      }
      authors(feed);
      feed.path("items").forEach(this::item);
    }

    private void item(JsonNode item) {
      rule(item.path("id").isTextual() && !item.path("id").asText().isEmpty(), "id is required");
      rule(
          item.path("content_html").isTextual() || item.path("content_text").isTextual(),
          "a content is required");
      strings(item, "url", "external_url", "title", "summary", "image", "language");
      for (String date : List.of("date_published", "date_modified")) {
        if (item.has(date)) {
          OffsetDateTime.parse(item.get(date).asText());
        }
      }
      item.path("tags").forEach(tag -> rule(tag.isTextual(), "tags are strings"));
      for (JsonNode attachment : item.path("attachments")) {
        rule(
            attachment.path("url").isTextual() && attachment.path("mime_type").isTextual(),
            "an attachment has url and mime_type");
        rule(
            !attachment.has("size_in_bytes") || attachment.get("size_in_bytes").isNumber(),
            "a size is a number");
      }
      authors(item);
    }

    private void authors(JsonNode parent) {
      for (JsonNode author : parent.path("authors")) {
        rule(
            author.has("name") || author.has("url") || author.has("avatar"),
            "an author has a name, a url or an avatar");
        strings(author, "name", "url", "avatar");
      }
    }

    private void strings(JsonNode parent, String... names) {
      for (String name : names) {
        rule(!parent.has(name) || parent.get(name).isTextual(), name + " is a string");
      }
    }

    private void rule(boolean kept, String rule) {
      if (!kept) {
        broken.add(rule);
      }
    }
  }
}
