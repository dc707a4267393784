package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The outputs of one feed say the same. */
class AgreementTest {
  private static final Instant FIRST_SEEN = Instant.parse("2026-04-01T00:00:00Z");

  /** What all formats have room for. */
  private record Said(
      String id,
      String title,
      @Nullable String page,
      @Nullable Instant date,
      List<String> authors,
      List<String> enclosures) {

    static List<Said> by(Feed feed, Function<String, String> id) {
      return by(feed, id, Entry::permalink);
    }

    static List<Said> by(
        Feed feed, Function<String, String> id, Function<Entry, @Nullable String> page) {
      return feed.entries().stream()
          .map(
              entry ->
                  new Said(
                      id.apply(entry.id()),
                      text(entry.title()),
                      page.apply(entry),
                      date(entry),
                      names(entry.authorsWithin(feed.authors())),
                      enclosures(entry)))
          .toList();
    }

    private static @Nullable Instant date(Entry entry) {
      Instant date = entry.published() == null ? entry.updated() : entry.published();
      // RFC 822 has no fractions of seconds
      return date == null || date.equals(FIRST_SEEN) ? null : date.truncatedTo(ChronoUnit.SECONDS);
    }

    private static List<String> names(List<Author> authors) {
      TreeSet<String> names = new TreeSet<>();
      authors.forEach(author -> names.add(text(RssItemWriter.name(author))));
      names.remove("");
      return List.copyOf(names);
    }

    private static List<String> enclosures(Entry entry) {
      TreeSet<String> enclosures = new TreeSet<>();
      for (Link link : entry.links()) {
        if (link.rel().equals(Link.ENCLOSURE)) {
          enclosures.add(link.href());
        }
      }
      return List.copyOf(enclosures);
    }

    private static String text(@Nullable String value) {
      return value == null ? "" : value.trim();
    }
  }

  /** The schema's JSON as a list of what it says. */
  private static List<Said> json(Feed feed) throws IOException {
    JsonNode root = new ObjectMapper().readTree(SuperfeedrJson.write(feed, Status.of("urn:s")));
    List<Said> said = new ArrayList<>();
    for (JsonNode item : root.get("items")) {
      TreeSet<String> authors = new TreeSet<>();
      JsonNode actors = item.has("actors") ? item.get("actors") : item.path("actor");
      Iterable<JsonNode> all = actors.isArray() ? actors : List.of(actors);
      for (JsonNode actor : all) {
        authors.add(
            Stream.of("displayName", "title", "email", "permalinkUrl")
                .map(key -> actor.path(key).asText().trim())
                .filter(value -> !value.isEmpty())
                .findFirst()
                .orElse(""));
      }
      authors.remove("");
      TreeSet<String> enclosures = new TreeSet<>();
      item.at("/standardLinks/enclosure")
          .forEach(link -> enclosures.add(link.at("/href").asText()));
      JsonNode date = item.has("published") ? item.get("published") : item.path("updated");
      said.add(
          new Said(
              item.get("id").asText(),
              item.path("title").asText().trim(),
              item.has("permalinkUrl") ? item.get("permalinkUrl").asText() : null,
              date.isMissingNode() ? null : Instant.ofEpochSecond(date.asLong()),
              List.copyOf(authors),
              List.copyOf(enclosures)));
    }
    return said;
  }

  private static Feed read(byte[] document) throws FeedParseException {
    return Fixtures.parse(new String(document, StandardCharsets.UTF_8));
  }

  private static void agree(String name, Feed feed) throws Exception {
    List<Said> model = Said.by(feed, id -> id);
    // The other formats have no page of an entry without a link
    assertThat(json(feed))
        .as(name + " JSON")
        .isEqualTo(Said.by(feed, id -> id, entry -> Link.page(entry.links())));
    byte[] atom = SuperfeedrAtom.write(feed, Status.of("urn:s"), FIRST_SEEN);
    assertThat(Said.by(read(atom), id -> id)).as(name + " Atom").isEqualTo(model);
    assertThat(Said.by(read(RssWriter.write(feed, PushOffer.of(feed))), id -> id))
        .as(name + " RSS")
        .isEqualTo(model);
    ByteArrayOutputStream rdf = new ByteArrayOutputStream();
    RssWriter.write(RssVersion.ONE, feed, PushOffer.of(feed), null, rdf);
    assertThat(Said.by(read(rdf.toByteArray()), id -> id)).as(name + " RDF").isEqualTo(model);
    byte[] jsonFeed = JsonFeedWriter.write(feed, PushOffer.of(feed));
    assertThat(Said.by(read(jsonFeed), id -> id)).as(name + " JSON Feed").isEqualTo(model);
    assertThat(ValidityTest.grammarErrors(atom)).as(name).isEmpty();
    assertThat(ids(atom)).as(name).allMatch(AtomIds::isIri);
  }

  private static List<String> ids(byte[] atom) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    NodeList found =
        factory
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(new String(atom, StandardCharsets.UTF_8))))
            .getElementsByTagNameNS(AtomElements.ATOM, "id");
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      String parent = found.item(i).getParentNode().getLocalName();
      // The schema has persons and objects with ids of their own kind
      if (List.of("feed", "entry", "source").contains(parent)) {
        ids.add(found.item(i).getTextContent());
      }
    }
    return ids;
  }

  @Test
  void the_outputs_of_the_fixtures_and_the_corpus_agree() throws Exception {
    for (Corpus.Document document : Corpus.withFixtures()) {
      agree(document.name(), document.feed());
    }
  }

  @Test
  void the_outputs_of_generated_feeds_agree() throws Exception {
    Random random = new Random(19);
    for (int i = 0; i < Samples.of(40); i++) {
      String document = document(random);
      agree(document, Fixtures.parse(document));
    }
  }

  private static final String[] IDS = {"7", "a b", "http://x.example/7", "tag:x,2026:7", "%", "ü"};
  private static final String[] NAMES = {
    "Jane Doe", "jane@x.example", "jane@x.example (Jane)", "Jane Doe, John Roe", "Doe, Jane", "A; B"
  };
  private static final String[] TITLES = {"One", "A &amp; B", "&lt;b&gt;x&lt;/b&gt;", "ü €"};
  private static final String[] DATES = {
    "Mon, 02 Mar 2026 10:00:00 GMT", "2026-03-02T10:00:00.123Z", "never", "2026-03-02"
  };

  private static String document(Random random) {
    StringBuilder out = new StringBuilder("<rss version='2.0' ");
    out.append("xmlns:dc='http://purl.org/dc/elements/1.1/' ");
    out.append("xmlns:media='http://search.yahoo.com/mrss/'><channel><title>t</title>");
    if (random.nextBoolean()) {
      out.append("<managingEditor>").append(one(random, NAMES)).append("</managingEditor>");
    }
    for (int item = random.nextInt(5); item >= 0; item--) {
      out.append("<item>");
      maybe(random, out, "<guid isPermaLink='false'>", one(random, IDS) + item, "</guid>");
      maybe(random, out, "<title>", one(random, TITLES), "</title>");
      maybe(random, out, "<link>", "p/" + item, "</link>");
      maybe(random, out, "<link>", "q/" + item, "</link>");
      maybe(random, out, "<pubDate>", one(random, DATES), "</pubDate>");
      maybe(random, out, "<author>", one(random, NAMES), "</author>");
      maybe(random, out, "<dc:creator>", one(random, NAMES), "</dc:creator>");
      maybe(random, out, "<description>", "&lt;img src='i.png'>", "</description>");
      maybe(random, out, "<enclosure type='audio/mpeg' length='1' url='e", "" + item, "'/>");
      maybe(random, out, "<media:content duration='0:30' url='e", "" + item, "'/>");
      maybe(random, out, "<media:content type='video/mp4' url='v", "" + item, "'/>");
      out.append("</item>");
    }
    return out.append("</channel></rss>").toString();
  }

  private static void maybe(
      Random random, StringBuilder out, String before, String value, String after) {
    if (random.nextInt(3) > 0) {
      out.append(before).append(value).append(after);
    }
  }

  private static String one(Random random, String[] of) {
    return of[random.nextInt(of.length)];
  }
}
