package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.rometools.rome.feed.synd.SyndFeed;
import com.rometools.rome.io.FeedException;
import com.rometools.rome.io.SyndFeedInput;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.jdom2.Element;
import org.jdom2.Namespace;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class TopicDocumentTest {
  private static final Instant FIRST_SEEN = Instant.parse("2026-04-01T00:00:00Z");
  private static final PushOffer OFFER =
      new PushOffer(
          "https://topic.example/feed.rdf",
          List.of("https://hub.example/"),
          List.of(new Hints.Cloud("cloud.example", 5337, "/pleaseNotify", "", "http-post")),
          "https://cloud.example/pleaseNotify");

  private static String written(FeedFamily family, Feed feed) {
    return new String(
        TopicDocument.write(family, feed, Status.of("https://topic.example/"), OFFER, FIRST_SEEN),
        StandardCharsets.UTF_8);
  }

  @Nested
  class Rss1 {
    private static final Namespace RSS = Namespace.getNamespace("http://purl.org/rss/1.0/");
    private static final Namespace RDF = Vocabulary.RDF.namespace();

    /** RSS 1.0 §5: which elements stand where, and which of them are named by what. */
    private static void assertGrammar(String name, String document) throws Exception {
      Element root =
          new org.jdom2.input.SAXBuilder().build(new StringReader(document)).getRootElement();
      assertThat(root.getQualifiedName()).as(name).isEqualTo("rdf:RDF");
      assertThat(root.getNamespace()).as(name).isEqualTo(RDF);
      assertThat(root.getChildren())
          .as(name)
          .extracting(Element::getName)
          .startsWith("channel")
          .isSubsetOf("channel", "image", "item");
      assertThat(root.getChildren("channel", RSS)).as(name).hasSize(1);
      Element channel = root.getChild("channel", RSS);
      assertThat(channel.getAttribute("about", RDF)).as(name).isNotNull();
      assertThat(core(channel))
          .as(name)
          .startsWith("title", "link", "description")
          .doesNotHaveDuplicates()
          .contains("items")
          .isSubsetOf("title", "link", "description", "image", "items");
      assertThat(
              channel.getChild("items", RSS).getChild("Seq", RDF).getChildren("li", RDF).stream()
                  .map(li -> li.getAttributeValue("resource", RDF)))
          .as(name)
          .isEqualTo(
              root.getChildren("item", RSS).stream()
                  .map(item -> item.getAttributeValue("about", RDF))
                  .filter(about -> about != null)
                  .toList());
      for (Element item : root.getChildren("item", RSS)) {
        assertThat(core(item))
            .as(name)
            .doesNotHaveDuplicates()
            .isSubsetOf("title", "link", "description");
      }
      Element image = root.getChild("image", RSS);
      Element referred = channel.getChild("image", RSS);
      assertThat(image == null).as(name).isEqualTo(referred == null);
      if (image != null && referred != null) {
        assertThat(core(image)).as(name).containsExactly("url", "title", "link");
        assertThat(image.getAttributeValue("about", RDF))
            .as(name)
            .isEqualTo(referred.getAttributeValue("resource", RDF));
      }
    }

    private static List<String> core(Element parent) {
      return parent.getChildren().stream()
          .filter(child -> child.getNamespace().equals(RSS))
          .map(Element::getName)
          .toList();
    }

    private static SyndFeed rome(String document) throws FeedException {
      return new SyndFeedInput().build(new StringReader(document));
    }

    @Test
    void every_document_has_the_elements_of_RSS_1_0_and_no_others() throws Exception {
      for (Corpus.Document document : Corpus.withFixtures()) {
        assertGrammar(document.name(), written(FeedFamily.RDF, document.feed()));
      }
    }

    @Test
    void rome_and_the_parser_read_the_entries_that_were_written() throws Exception {
      for (Corpus.Document document : Corpus.withFixtures()) {
        Feed feed = document.feed();
        String rdf = written(FeedFamily.RDF, feed);
        assertThat(rome(rdf).getFeedType()).as(document.name()).isEqualTo("rss_1.0");
        assertThat(rome(rdf).getEntries()).as(document.name()).hasSameSizeAs(feed.entries());
        List<Entry> again = Corpus.parse(rdf.getBytes(StandardCharsets.UTF_8)).entries();
        assertThat(again).as(document.name()).hasSameSizeAs(feed.entries());
        IntStream.range(0, again.size())
            .forEach(i -> assertSame(document.name(), again.get(i), feed.entries().get(i)));
      }
    }

    private static void assertSame(String name, Entry read, Entry written) {
      if (!written.generatedId()) {
        assertThat(read.id()).as(name).isEqualTo(written.id().trim());
      }
      assertThat(read.title()).as(name).isEqualTo(written.title());
      assertThat(read.permalink()).as(name).isEqualTo(written.permalink());
      assertThat(read.published())
          .as(name)
          .isEqualTo(written.published() == null ? written.updated() : written.published());
      assertThat(read.categories()).as(name).containsExactlyElementsOf(written.categories());
    }

    @Test
    void an_item_has_the_name_and_the_modules_that_readers_of_RSS_1_0_know()
        throws FeedParseException {
      Feed feed =
          Fixtures.parse(
              "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
                  + " xmlns:dc='http://purl.org/dc/elements/1.1/'"
                  + " xmlns:content='http://purl.org/rss/1.0/modules/content/'"
                  + " xmlns='http://purl.org/rss/1.0/'><channel rdf:about='https://x.example/'>"
                  + "<title>t</title><link>https://x.example/</link><description>d</description>"
                  + "</channel><item rdf:about='https://x.example/about/1'><title>A</title>"
                  + "<link>https://x.example/1</link><description>short</description>"
                  + "<dc:creator>Ann</dc:creator><dc:subject>s</dc:subject>"
                  + "<dc:date>2026-03-01T01:00:00+01:00</dc:date>"
                  + "<content:encoded>&lt;p>long</content:encoded></item></rdf:RDF>");
      assertThat(written(FeedFamily.RDF, feed))
          .contains(
              "<items><rdf:Seq><rdf:li rdf:resource=\"https://x.example/about/1\"/></rdf:Seq>"
                  + "</items></channel>",
              "<item rdf:about=\"https://x.example/about/1\"><title>A</title>"
                  + "<link>https://x.example/1</link><description>short</description>"
                  + "<content:encoded>&lt;p>long</content:encoded>"
                  + "<dc:date>2026-03-01T00:00:00Z</dc:date><dc:creator>Ann</dc:creator>"
                  + "<dc:subject>s</dc:subject></item>");
    }

    @Test
    void an_item_without_an_id_has_no_name() throws FeedParseException {
      String rdf =
          written(
              FeedFamily.RDF,
              Fixtures.parse(Fixtures.item("<title>t</title><link>https://x.example/1</link>")));
      assertThat(rdf).contains("<items><rdf:Seq/></items>", "<item><title>t</title>");
    }

    @Test
    void the_status_and_the_offer_stand_in_the_channel() throws FeedParseException {
      assertThat(written(FeedFamily.RDF, Fixtures.feed("rss2.xml")))
          .contains(
              "<status xmlns=\"http://superfeedr.com/xmpp-pubsub-ext\""
                  + " feed=\"https://topic.example/\"",
              "<source:cloud>https://cloud.example/pleaseNotify</source:cloud>",
              "<atom:link type=\"application/rdf+xml\""
                  + " href=\"https://topic.example/feed.rdf\" rel=\"self\"/>"
                  + "<atom:link href=\"https://hub.example/\" rel=\"hub\"/>")
          .doesNotContain("<cloud ");
    }
  }
}
