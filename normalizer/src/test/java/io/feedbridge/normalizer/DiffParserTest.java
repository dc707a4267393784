package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiffParserTest {
  private static final Served SERVED = Served.at(Fixtures.BASE, null);

  private final DiffParser parser = new DiffParser();
  private final Memory memory = new Memory();

  private FeedDiff parse(String document) throws FeedParseException {
    FeedDiff found = parser.parse(document.getBytes(StandardCharsets.UTF_8), SERVED, memory);
    memory.take(found.diff());
    return found;
  }

  private static String channel(String... items) {
    return Fixtures.channel("<link>http://x.example/</link>" + String.join("\n", items));
  }

  private static String item(int number, String more) {
    return "<item><guid>" + number + "</guid><title>t" + number + "</title>" + more + "</item>";
  }

  @Nested
  class Reads {
    @Test
    void everything_of_a_feed_never_seen() throws FeedParseException {
      FeedDiff first = parse(channel(item(1, ""), item(2, "")));
      assertThat(first.diff().fresh()).extracting(Entry::id).containsExactly("1", "2");
      assertThat(first.whole()).isTrue();
    }

    @Test
    void nothing_but_the_feeds_own_fields_where_nothing_is_new() throws FeedParseException {
      parse(channel(item(1, ""), item(2, "")));
      FeedDiff again = parse(channel("<category>new</category>", item(2, ""), item(1, "")));
      assertThat(again.diff().isEmpty()).isTrue();
      assertThat(again.feed().entries()).isEmpty();
      assertThat(again.feed().categories()).containsExactly("new");
      assertThat(again.whole()).isFalse();
    }

    @Test
    void of_many_entries_the_new_and_the_changed_alone() throws FeedParseException {
      parse(channel(item(1, ""), item(2, ""), item(3, "")));
      FeedDiff next =
          parse(channel(item(4, ""), item(3, "<link>http://x.example/3</link>"), item(2, "")));
      assertThat(next.feed().entries()).extracting(Entry::id).containsExactly("4", "3");
      assertThat(next.diff().fresh()).extracting(Entry::id).containsExactly("4");
      assertThat(next.diff().changed()).extracting(Entry::id).containsExactly("3");
    }

    @Test
    void once_more_what_stands_there_otherwise_but_says_the_same() throws FeedParseException {
      parse(channel(item(1, "")));
      assertThat(parse(channel(item(1, "<!-- -->"))).feed().entries()).hasSize(1);
      assertThat(parse(channel(item(1, "<!-- -->"))).feed().entries()).isEmpty();
    }

    @Test
    void no_item_for_another_time_of_publication() throws FeedParseException {
      parse(channel(item(1, "<pubDate>Tue, 10 Mar 2026 08:00:00 GMT</pubDate>")));
      FeedDiff stamped = parse(channel(item(1, "<pubDate>Wed, 11 Mar 2026 08:00 GMT</pubDate>")));
      assertThat(stamped.feed().entries()).isEmpty();
      assertThat(stamped.diff().toRemember()).isEmpty();
    }

    @Test
    void an_entry_again_whose_surroundings_changed() throws FeedParseException {
      String items = item(1, "<enclosure url='a.mp3'/>");
      parse("<rss><channel>" + items + "</channel></rss>");
      FeedDiff moved =
          parse("<rss><channel xml:base='http://y.example/'>" + items + "</channel></rss>");
      assertThat(moved.diff().changed()).hasSize(1);
    }

    @Test
    void an_entry_that_was_remembered_without_its_source_once() throws FeedParseException {
      parse(channel(item(1, "")));
      memory.entries.putAll(memory.withoutSources());
      assertThat(parse(channel(item(1, ""))).feed().entries()).hasSize(1);
      assertThat(parse(channel(item(1, ""))).feed().entries()).isEmpty();
    }

    @Test
    void the_ids_of_links_where_there_are_no_others() throws FeedParseException {
      String linked = "<item><title>a</title><link>http://x.example/a</link></item>";
      FeedDiff first = parse(channel(linked));
      assertThat(first.anyGeneratedId()).isTrue();
      FeedDiff again = parse(channel(linked));
      assertThat(again.feed().entries()).isEmpty();
      assertThat(again.anyGeneratedId()).isTrue();
    }
  }

  @Nested
  class Reads_all_of {
    @ParameterizedTest
    @ValueSource(
        strings = {
          // two channels, items in two places, an item inside another
          "<rss><channel><item><guid>1</guid></item></channel><channel/></rss>",
          "<rss><channel><item><guid>1</guid></item></channel><item><guid>2</guid></item></rss>",
          "<rss><channel><item><guid>1</guid><item><guid>2</guid></item></item></channel></rss>",
          // an id twice, two ids, an id that is more than text
          "<rss><channel><item><guid>1</guid></item><item><guid>1</guid></item></channel></rss>",
          "<rss><channel><item><guid>1</guid><guid>2</guid></item></channel></rss>",
          "<rss><channel><item><guid>1<b>2</b></guid></item></channel></rss>",
          // no id, and no link of its own
          "<rss><channel><item><title>a</title></item></channel></rss>",
          "<rss><channel><link>http://x.example/</link><item><link>http://x.example/</link></item>"
              + "</channel></rss>",
          // odd namespaces and names, other formats, and what has to be mended
          "<r:rss xmlns:r='urn:r'><r:channel><r:item><r:guid>1</r:guid></r:item></r:channel></r:rss>",
          "<RSS><channel><item><guid>1</guid></item></channel></RSS>",
          "<entry xmlns='http://www.w3.org/2005/Atom'><id>1</id></entry>",
          "<rss><channel><item><guid>1</guid><title>a & b</title></item></channel></rss>",
          "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"id\":\"1\"}]}"
        })
    void what_is_not_of_the_plain_form(String document) throws FeedParseException {
      Feed feed = Fixtures.parse(document);
      FeedDiff first = parse(document);
      assertThat(first.feed()).isEqualTo(feed);
      assertThat(first.diff().fresh())
          .isEqualTo(
              feed.entries().stream().distinct().limit(first.diff().fresh().size()).toList());
      FeedDiff again = parse(document);
      assertThat(again.whole()).isTrue();
      assertThat(again.feed()).isEqualTo(feed);
      assertThat(again.diff().isEmpty()).isTrue();
    }

    @Test
    void what_is_no_feed_is_an_error_as_ever() {
      assertThatThrownBy(() -> parse("<html/>")).isInstanceOf(FeedParseException.class);
      assertThatThrownBy(() -> parse("<rss><channel><item>"))
          .isInstanceOf(FeedParseException.class)
          .hasMessageContaining("line 1");
    }
  }

  @Nested
  class Known_content_under_a_new_id {
    @Test
    void is_told() throws FeedParseException {
      parse(channel("<item><guid isPermaLink='false'>1</guid><title>same</title></item>"));
      FeedDiff next =
          parse(
              channel(
                  "<item><guid isPermaLink='false'>2</guid><title>same</title></item>",
                  "<item><guid isPermaLink='false'>3</guid><title>other</title></item>"));
      assertThat(next.diff().fresh()).extracting(Entry::id).containsExactly("2", "3");
      assertThat(next.diff().renamed()).extracting(Entry::id).containsExactly("2");
    }

    @Test
    void is_not_told_of_a_feed_never_seen() throws FeedParseException {
      assertThat(parse(channel(item(1, ""))).diff().renamed()).isEmpty();
    }
  }

  @Nested
  class The_scan_and_the_full_reading_agree {
    private ScanAgreement feed = new ScanAgreement(SERVED);

    private void agree(byte[] document, String name) {
      try {
        feed.agree(document);
      } catch (AssertionError e) {
        throw new AssertionError(name, e);
      }
    }

    @Test
    void over_the_lives_of_many_feeds() {
      for (long seed = 0; seed < Samples.of(60); seed++) {
        feed = new ScanAgreement(SERVED);
        FeedMaker maker = new FeedMaker(seed);
        for (int i = 0; i < 8; i++) {
          String document = maker.document();
          agree(document.getBytes(StandardCharsets.UTF_8), "seed " + seed + ": " + document);
          maker.live();
        }
      }
    }

    @Test
    void over_the_fixtures_and_the_corpus_first_and_again() {
      for (Corpus.Document document : Corpus.withFixtures()) {
        feed = new ScanAgreement(SERVED);
        agree(document.bytes(), document.name());
        agree(document.bytes(), document.name() + ", again");
      }
    }

    @Test
    void over_documents_that_are_damaged_somewhere_and_whole_again() {
      List<byte[]> documents = new ArrayList<>();
      Corpus.withFixtures().forEach(document -> documents.add(document.bytes()));
      for (long seed = 0; seed < Samples.of(60); seed++) {
        documents.add(new FeedMaker(seed).document().getBytes(StandardCharsets.UTF_8));
      }
      Random random = new Random(1);
      for (byte[] document : documents) {
        feed = new ScanAgreement(SERVED);
        String name = new String(document, StandardCharsets.UTF_8);
        agree(document, name);
        for (int i = 0; i < 4; i++) {
          byte[] damaged = damaged(document, random);
          agree(damaged, new String(damaged, StandardCharsets.UTF_8));
        }
        agree(document, name);
      }
    }

    /** Each is well-formed without what stands in braces; with it, some look so at a glance. */
    @ParameterizedTest
    @ValueSource(
        strings = {
          // what stands around an item left out is not to be read as one
          "<rss><channel>{&am}<item><guid>1</guid></item>{p;}</channel></rss>",
          "<rss><channel>{]]}<item><guid>1</guid></item>{>}</channel></rss>",
          "<rss><channel>{<}<item><guid>1</guid></item>{title>t</title>}</channel></rss>",
          // what is passed over in an item
          "<rss><channel><item><guid>1</guid><pubDate>1 Mar{ & 2 }</pubDate></item></channel></rss>",
          "<rss><channel><item><guid>1</guid><pubDate>1{<b>}</pubDate></item></channel></rss>",
          "<rss><channel><item><guid>1</guid><pubDate>1{\u0001}</pubDate></item></channel></rss>",
          "<rss><channel><item><guid>1</guid><pubDate{ a}>1</pubDate></item></channel></rss>",
          "<rss><channel><item><guid>1</guid><pubDate{ a='<'}>1</pubDate></item></channel></rss>",
          // what it stands in
          "<rss><channel{ xmlns='urn:x'}><item><guid>1</guid></item></channel></rss>",
          "<rss><channel><item><guid>1</guid></item>{</item>}</channel></rss>",
          "<rss><channel>{<!-- -- -->}<item><guid>1</guid></item></channel></rss>",
          "<rss><channel>{<![CDATA[}<item><guid>1</guid></item>{]]>}</channel></rss>",
          "<rss><channel><item><guid>1</guid></item></channel></rss>{<rss/>}",
          "<rss><channel><item><guid>1</guid></item></channel>{</rss><rss>}</rss>",
          "{<?xml version='1.1'?>}<rss><channel><item><guid>1</guid></item></channel></rss>",
          "{<!DOCTYPE rss [<!ENTITY a '<item/>'>]>}<rss><channel><item><guid>1</guid></item>"
              + "</channel></rss>",
          "{<!DOCTYPE rss '>' \"<item>\">}<rss><channel><item><guid>1</guid></item></channel></rss>",
          // another item beside it
          "<rss><channel><item><guid>1</guid></item>{<item><guid>2</guid>&x;</item>}</channel></rss>",
          "<rss><channel><item><guid>1</guid></item>{<item><guid>2</guid>}</channel></rss>",
          "<rss><channel><item><guid>1</guid></item>{<item a=1><guid>2</guid></item>}</channel></rss>",
          "<rss><channel><item><guid>1</guid></item>{<item><guid>2</guid></ item>}</channel></rss>"
        })
    void over_documents_that_are_broken_beside_or_in_known_items(String document) {
      String whole = document.replaceAll("\\{[^{}]*}", "");
      agree(whole.getBytes(StandardCharsets.UTF_8), whole);
      agree(whole.getBytes(StandardCharsets.UTF_8), whole);
      String broken = document.replaceAll("[{}]", "");
      agree(broken.getBytes(StandardCharsets.UTF_8), broken);
      agree(whole.getBytes(StandardCharsets.UTF_8), whole);
    }

    @Test
    void over_a_document_that_ends_anywhere() {
      String document =
          "<?xml version='1.0'?><!DOCTYPE rss SYSTEM 'a'><?pi a?><!-- c --><rss a = 'b'><channel>"
              + "<link>http://x.example/</link><br/><item><guid a='>'>a&amp;<![CDATA[b]]></guid>"
              + "<pubDate>1 Mar 2026</pubDate><x:y xmlns:x='urn:x'/></item></channel></rss>";
      agree(document.getBytes(StandardCharsets.UTF_8), document);
      for (int end = 1; end < document.length(); end++) {
        String cut = document.substring(0, end);
        agree(cut.getBytes(StandardCharsets.UTF_8), cut);
      }
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<guid>a&amp;b&#x41;&#66;<![CDATA[<&]]><!-- c --><?d e?></guid>",
          "<guid>\r\n http://x.example/?a&lt;\r\n</guid>",
          "<guid><![CDATA[ a ]]></guid>",
          "<guid>a\r\nb</guid>",
          "<guid>a<![CDATA[b\r\n]]></guid>",
          "<guid>&#10;a&#32;</guid>",
          "<guid>&#xD800;</guid>",
          "<guid>&a;</guid>",
          "<guid/>",
          "<guid />",
          "<guid></guid >",
          "<a:id xmlns:a='http://www.w3.org/2005/Atom'>1</a:id>",
          "<a:id xmlns:a='http://www.w3.org/2005/&#65;tom'>1</a:id>",
          "<id xmlns='http://www.w3.org/2005/Atom'>1</id>",
          "<guid xmlns='urn:x'>1</guid><guid>2</guid>",
          "<b:guid>1</b:guid>",
          "<guid a='>' b=\"/>\"\n c = '1'>1</guid>",
          "<title>&lt;item&gt; <![CDATA[</item><item>]]></title><guid>1</guid>"
        })
    void over_ids_however_they_are_written(String field) {
      String document = channel("<item>" + field + "</item>");
      agree(document.getBytes(StandardCharsets.UTF_8), document);
      agree(document.getBytes(StandardCharsets.UTF_8), document);
      String rdf =
          "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
              + " xmlns='http://purl.org/rss/1.0/'>"
              + "<channel/><item r:about=' a&amp;b&#x41;' xmlns:about='urn:y'>"
              + field
              + "</item></r:RDF>";
      agree(rdf.getBytes(StandardCharsets.UTF_8), rdf);
      agree(rdf.getBytes(StandardCharsets.UTF_8), rdf);
    }

    /** One byte is another, or some are missing, or stand there twice. */
    private static byte[] damaged(byte[] document, Random random) {
      int at = random.nextInt(document.length);
      int to = Math.min(document.length, at + random.nextInt(40));
      byte[] letters = "<>&;/\"' :xgi1]\u00e9\0".getBytes(StandardCharsets.UTF_8);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      int kind = random.nextInt(4);
      out.write(document, 0, kind == 0 ? to : at);
      if (kind > 1) {
        out.write(letters[random.nextInt(letters.length)]);
      }
      int from = kind == 1 ? to : kind == 2 ? at + 1 : at;
      out.write(document, from, document.length - from);
      return out.toByteArray();
    }

    @Test
    void and_most_living_feeds_are_read_in_part() throws FeedParseException {
      int partly = 0;
      for (long seed = 0; seed < 100; seed++) {
        memory.entries.clear();
        FeedMaker maker = new FeedMaker(seed);
        parse(maker.document());
        partly += parse(maker.document()).feed().entries().isEmpty() ? 1 : 0;
      }
      assertThat(partly).isGreaterThan(60);
    }
  }
}
