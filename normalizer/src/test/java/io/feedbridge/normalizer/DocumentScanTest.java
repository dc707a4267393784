package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DocumentScanTest {
  private static final URI PLACE = URI.create("https://scan.example/feed.xml");

  private @Nullable DocumentScan scan(byte[] document) throws FeedParseException {
    Served served = Served.at(PLACE, null);
    String text = new FeedParser().text(document, served, new ArrayList<>());
    return text.startsWith("<") ? DocumentScanner.scan(text, served) : null;
  }

  private static byte[] utf8(String document) {
    return document.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void the_ids_are_those_of_the_full_reading_wherever_the_scan_is_sure() throws FeedParseException {
    int sure = 0;
    List<byte[]> documents = new ArrayList<>();
    Corpus.withFixtures().forEach(document -> documents.add(document.bytes()));
    for (long seed = 0; seed < 200; seed++) {
      documents.add(utf8(new FeedMaker(seed).document()));
    }
    for (byte[] document : documents) {
      DocumentScan scan = scan(document);
      if (scan != null) {
        Feed feed = new FeedParser().parse(document, null, PLACE);
        assertThat(scan.ids())
            .as(new String(document, StandardCharsets.UTF_8))
            .isEqualTo(feed.entries().stream().map(Entry::id).toList());
        assertThat(scan.items().stream().map(DocumentScan.Item::generatedId).toList())
            .isEqualTo(feed.entries().stream().map(Entry::generatedId).toList());
        sure++;
      }
    }
    assertThat(sure).isGreaterThan(documents.size() / 3);
  }

  @Test
  void an_item_is_its_characters_from_the_first_to_the_last() throws FeedParseException {
    String item = "<item\n a='>'><guid>1</guid><![CDATA[</item>]]><!-- </item> -->é\r\n</item >";
    DocumentScan scan =
        scan(utf8("<?xml version='1.0'?><!DOCTYPE rss>\r\n" + Fixtures.channel("é" + item + "x")));
    assertThat(scan).isNotNull();
    DocumentScan.Item found = scan.items().get(0);
    assertThat(scan.text().substring(found.start(), found.end())).isEqualTo(item);
    assertThat(scan.with(new BitSet())).endsWith("é<!---->x</channel></rss>");
  }

  @Test
  void a_document_beyond_a_bound_is_left_to_the_full_reading() throws FeedParseException {
    StringBuilder names = new StringBuilder();
    for (int i = 0; i <= Limits.MAX_NAMES; i++) {
      names.append("<n").append(i).append("/>");
    }
    assertThat(scan(utf8(Fixtures.channel("<n0/>")))).isNotNull();
    assertThat(scan(utf8(Fixtures.channel(names.toString())))).isNull();
  }

  @Test
  void one_of_more_elements_or_a_greater_depth_than_may_be_too() throws FeedParseException {
    assertThat(scan(utf8(Fixtures.channel("<a/>".repeat(Limits.MAX_ELEMENTS))))).isNull();
    assertThat(scan(utf8(Fixtures.channel("<a>".repeat(200) + "</a>".repeat(200))))).isNull();
  }

  @Test
  void what_only_looks_like_tags_is_none() throws FeedParseException {
    DocumentScan scan =
        scan(
            utf8(
                "<?xml version='1.0'?><!DOCTYPE rss PUBLIC 'a>b' \"c>\"><?pi <item> ?>"
                    + Fixtures.channel(
                        "<!-- <item> --><a b='>' c=\"'/>\"/><![CDATA[<item>]]><?pi <item> ?>"
                            + "<item ><guid\n>1</guid\n></item><item r:about='2' xmlns:r='urn:r'/>")));
    assertThat(scan).isNotNull();
    assertThat(scan.ids()).containsExactly("1", "2");
  }

  @Test
  void the_hash_is_of_the_item_and_what_it_depends_on() throws FeedParseException {
    List<String> hashes = new ArrayList<>();
    for (String document :
        List.of(
            "<rss><channel><item><guid>1</guid></item></channel></rss>",
            "<rss><channel><item><guid>1</guid> </item></channel></rss>",
            "<rss xml:lang='en'><channel><item><guid>1</guid></item></channel></rss>",
            "<rss><channel xmlns:a='urn:a'><item><guid>1</guid></item></channel></rss>",
            "<rss><channel><item><guid>1</guid><pubDate>1 Mar 2026</pubDate></item></channel></rss>",
            "<rss><channel><item><guid>1</guid>é</item></channel></rss>")) {
      DocumentScan scan = scan(utf8(document));
      assertThat(scan).isNotNull();
      hashes.add(scan.sources().get(0));
    }
    assertThat(hashes).doesNotHaveDuplicates().allMatch(hash -> hash.length() == 32);
  }

  @Test
  void the_hash_is_the_same_whatever_stands_beside_the_item() throws FeedParseException {
    DocumentScan one = scan(utf8(Fixtures.channel("<item><guid>1</guid></item>")));
    DocumentScan other =
        scan(
            utf8(
                Fixtures.channel(
                    "<ttl>1</ttl>é <item><guid>1</guid></item><item><guid>2</guid></item>")));
    assertThat(one).isNotNull();
    assertThat(other).isNotNull();
    assertThat(other.sources().get(0)).isEqualTo(one.sources().get(0));
  }
}
