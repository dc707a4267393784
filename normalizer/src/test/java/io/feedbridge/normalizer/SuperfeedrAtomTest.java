package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jdom2.Element;
import org.jdom2.Namespace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SuperfeedrAtomTest {
  private static final Namespace ATOM = Namespace.getNamespace("http://www.w3.org/2005/Atom");
  private static final Instant FIRST_SEEN = Instant.parse("2026-04-01T00:00:00Z");

  private static String atom(Feed feed, Status status) {
    return new String(SuperfeedrAtom.write(feed, status, FIRST_SEEN), StandardCharsets.UTF_8);
  }

  private static Element tree(Feed feed) throws FeedParseException {
    return new XmlDocument().parse(atom(feed, Status.of("f"))).getRootElement();
  }

  private static List<String> names(Element element) {
    return element.getChildren().stream().map(Element::getName).toList();
  }

  @Test
  void the_status_has_the_examples_elements_in_order() {
    assertThat(atom(Feed.bare("urn:f", "t"), SuperfeedrJsonTest.STATUS))
        .contains(
            "<status xmlns=\"http://superfeedr.com/xmpp-pubsub-ext\""
                + " feed=\"http://domain.example/feed.xml\"><title>A feed</title>"
                + "<http code=\"200\">fine</http><next_fetch>2010-11-26T20:37:45Z</next_fetch>"
                + "<period>600</period><last_fetch>2010-11-26T18:37:45Z</last_fetch>"
                + "<last_parse>2010-11-26T17:37:45Z</last_parse>"
                + "<last_maintenance_at>2010-11-26T13:37:45Z</last_maintenance_at>"
                + "<entries_count_since_last_maintenance>24</entries_count_since_last_maintenance>"
                + "<velocity>50</velocity><popularity>1.5</popularity><bozo_rank>0.1</bozo_rank>"
                + "<generated_ids>true</generated_ids></status>");
  }

  @Test
  void a_feed_without_entries_gives_its_status_and_what_RFC_4287_requires() {
    assertThat(atom(Feed.bare("urn:f", "t"), Status.of("f")))
        .isEqualTo(
            "<?xml version='1.0' encoding='UTF-8'?>"
                + "<feed xmlns=\"http://www.w3.org/2005/Atom\""
                + " xmlns:geo=\"http://www.georss.org/georss\""
                + " xmlns:as=\"http://activitystrea.ms/spec/1.0/\">"
                + "<status xmlns=\"http://superfeedr.com/xmpp-pubsub-ext\" feed=\"f\"/>"
                + "<id>urn:f</id><title>t</title><updated>2026-04-01T00:00:00Z</updated></feed>");
  }

  @Test
  void an_entry_has_the_examples_elements_in_order() throws FeedParseException {
    Element entry = tree(Fixtures.feed("atom.xml")).getChild("entry", ATOM);
    assertThat(names(entry))
        .containsExactly(
            "id",
            "published",
            "updated",
            "title",
            "content",
            "summary",
            "point",
            "link",
            "link",
            "link",
            "category",
            "category",
            "author",
            "author",
            "verb",
            "verb",
            "object",
            "source");
    assertThat(entry.getAttributeValue("lang", Namespace.XML_NAMESPACE)).isEqualTo("en");
    assertThat(entry.getChildText("point", Namespace.getNamespace("http://www.georss.org/georss")))
        .isEqualTo("47.597553 -122.15925");
    Namespace activity = Namespace.getNamespace("http://activitystrea.ms/spec/1.0/");
    assertThat(names(entry.getChild("author", ATOM)))
        .containsExactly(
            "name", "uri", "email", "id", "title", "object-type", "object-type", "link", "link");
    assertThat(names(entry.getChild("object", activity)))
        .containsExactly(
            "object-type",
            "object-type",
            "id",
            "title",
            "published",
            "updated",
            "content",
            "author",
            "link");
    assertThat(names(entry.getChild("source", ATOM)))
        .containsExactly("id", "title", "subtitle", "updated", "link", "category", "author");
  }

  @Test
  void id_title_and_updated_are_always_there() throws FeedParseException {
    Feed feed = Fixtures.parse(Fixtures.channel("<item/>"));
    Element entry = tree(feed).getChild("entry", ATOM);
    assertThat(entry.getChildText("id", ATOM)).isNotEmpty();
    assertThat(entry.getChildText("title", ATOM)).isEmpty();
    assertThat(entry.getChildText("updated", ATOM)).isEqualTo(FIRST_SEEN.toString());
  }

  @Test
  void updated_is_published_where_there_is_no_other() throws FeedParseException {
    Element root = tree(Fixtures.parse(Fixtures.item("<pubDate>7 Sep 2002</pubDate>")));
    assertThat(root.getChild("entry", ATOM).getChildText("updated", ATOM))
        .isEqualTo("2002-09-07T00:00:00Z");
    assertThat(root.getChildText("updated", ATOM)).isEqualTo("2002-09-07T00:00:00Z");
  }

  @Test
  void xhtml_is_written_as_html_so_that_it_cannot_break_the_document() throws FeedParseException {
    Element content =
        tree(Fixtures.feed("atom.xml")).getChild("entry", ATOM).getChild("content", ATOM);
    assertThat(content.getAttributeValue("type")).isEqualTo("html");
    assertThat(content.getText()).isEqualTo("<p>Hi <br />there<em></em></p>");
  }

  @Test
  void characters_that_XML_cannot_hold_are_dropped() throws FeedParseException {
    Feed feed = Feed.bare("urn:\u0001f", "a\u0000b\ufffec\ud800");
    assertThat(tree(feed).getChildText("title", ATOM)).isEqualTo("abc");
    assertThat(atom(feed, Status.of("x\u0002y"))).contains("feed=\"xy\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rss2.xml", "rss1.xml", "atom.xml", "atom03.xml", "feed.json"})
  void what_is_written_is_read_back_with_the_same_meaning(String name) throws FeedParseException {
    Feed feed = Fixtures.feed(name);
    Feed again =
        new FeedParser()
            .parse(
                SuperfeedrAtom.write(feed, SuperfeedrJsonTest.STATUS, FIRST_SEEN),
                "application/atom+xml",
                URI.create("http://other.example/"));
    assertThat(again.repairs()).isEmpty();
    assertThat(again.links()).isEqualTo(feed.links());
    assertThat(again.authors()).isEqualTo(feed.authors());
    assertThat(again.entries()).hasSameSizeAs(feed.entries());
    for (int i = 0; i < feed.entries().size(); i++) {
      Entry written = feed.entries().get(i);
      Entry read = again.entries().get(i);
      assertThat(read.id()).isEqualTo(written.id());
      assertThat(read.title()).isEqualTo(written.title());
      assertThat(read.published()).isEqualTo(written.published());
      if (written.summary() != null) {
        assertThat(read.summary()).isEqualTo(written.summary());
      }
      assertThat(read.links()).isEqualTo(written.links());
      assertThat(read.authors()).isEqualTo(written.authors());
      assertThat(read.categories()).isEqualTo(written.categories());
      assertThat(read.geo()).isEqualTo(written.geo());
      assertThat(read.objects()).isEqualTo(written.objects());
      assertThat(read.source()).isEqualTo(written.source());
    }
  }
}
