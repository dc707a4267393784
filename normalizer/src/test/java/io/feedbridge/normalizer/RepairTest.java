package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RepairTest {
  private static Feed repaired(String document) throws FeedParseException {
    Feed feed = Fixtures.parse(document);
    assertThat(feed.repairs()).isNotEmpty();
    return feed;
  }

  @Test
  void a_sound_document_needs_none() {
    for (String name : Fixtures.ALL) {
      assertThat(Fixtures.feed(name).repairs()).as(name).isEmpty();
    }
  }

  @Test
  void undeclared_HTML_entities_are_read() throws FeedParseException {
    assertThat(repaired(Fixtures.channel("<description>a&nbsp;&eacute;b</description>")).subtitle())
        .isEqualTo("a\u00a0éb");
  }

  @Test
  void a_reference_with_a_capital_X_is_a_character() throws FeedParseException {
    assertThat(repaired(Fixtures.channel("<description>&#X41;&#X20ac;</description>")).subtitle())
        .isEqualTo("A€");
  }

  @Test
  void every_name_of_HTML_5_is_known() throws FeedParseException {
    String names = "&hearts;&Gopf;&CounterClockwiseContourIntegral;&NotEqualTilde;&apos;";
    assertThat(repaired(Fixtures.channel("<description>" + names + "</description>")).subtitle())
        .isEqualTo("♥𝔾∳≂̸'");
  }

  @Test
  void stray_ampersands_are_ampersands() throws FeedParseException {
    assertThat(
            repaired(Fixtures.channel("<description>A & B &c=1 &what; &amp;</description>"))
                .subtitle())
        .isEqualTo("A & B &c=1 &what; &");
  }

  @Test
  void CDATA_is_left_as_it_is() throws FeedParseException {
    assertThat(
            repaired(Fixtures.channel("<description><![CDATA[a & b &nbsp;]]> & c</description>"))
                .subtitle())
        .isEqualTo("a & b &nbsp; & c");
  }

  @Test
  void control_characters_are_dropped() throws FeedParseException {
    assertThat(repaired(Fixtures.channel("<description>a\u0000b&#1;c</description>")).subtitle())
        .isEqualTo("abc");
  }

  @Test
  void characters_that_are_none_are_dropped() throws FeedParseException {
    for (String none : List.of("\uFFFE", "\uFFFF", "\uFFFF\uFFFE", "&#xFFFE;", "&#65535;")) {
      Feed feed = repaired(Fixtures.channel("<description>a" + none + "b</description>"));
      assertThat(feed.subtitle()).as(none).isEqualTo("ab");
    }
  }

  @Test
  void white_space_and_junk_before_the_document_are_dropped() throws FeedParseException {
    String document = "<?xml version='1.0'?>" + Fixtures.channel("");
    assertThat(repaired("\n\n " + document).title()).isEqualTo("t");
    assertThat(repaired("Warning: deprecated\n" + document).title()).isEqualTo("t");
  }

  @Test
  void known_prefixes_without_a_declaration_are_declared() throws FeedParseException {
    Feed feed =
        repaired(Fixtures.channel("<item><dc:creator>Ann</dc:creator><x:y>&amp;</x:y></item>"));
    assertThat(feed.entries().get(0).authors()).containsExactly(Author.named("Ann"));
  }

  @Nested
  class Tags {
    @Test
    void a_misspelt_end_tag_ends_its_element() throws FeedParseException {
      Feed feed =
          repaired("<rss><channel><title>T</titel><link>http://x.example/</link></channel></rss>");
      assertThat(feed.title()).isEqualTo("T");
      assertThat(feed.permalink()).isEqualTo("http://x.example/");
    }

    @Test
    void an_end_tag_in_another_case_ends_its_element() throws FeedParseException {
      assertThat(repaired("<rss><channel><title>T</Title></channel></rss>").title()).isEqualTo("T");
    }

    @Test
    void a_missing_end_tag_is_where_the_element_around_it_ends() throws FeedParseException {
      Feed feed =
          repaired(
              "<rss><channel><item><title>one</item><item><title>two</title></item>"
                  + "</channel></rss>");
      assertThat(feed.entries()).extracting(Entry::title).containsExactly("one", "two");
    }

    @Test
    void an_entry_ends_where_the_next_one_begins() throws FeedParseException {
      Feed feed = repaired(Fixtures.channel("<item><title>one</title><item><title>two</title>"));
      assertThat(feed.entries()).extracting(Entry::title).containsExactly("one", "two");
    }

    @Test
    void HTML_that_nobody_escaped_is_the_text_it_is_in() throws FeedParseException {
      Feed feed =
          repaired(
              Fixtures.channel(
                  "<item><description>a<br>b</i><p>c<p>d &copy;</description>"
                      + "<link>http://x.example/</link></item>"));
      Entry entry = feed.entries().get(0);
      assertThat(entry.permalink()).isEqualTo("http://x.example/");
      assertThat(entry.summary()).isEqualTo(Content.html("a<br />b<p>c</p><p>d ©</p>"));
    }

    @Test
    void that_are_in_balance_stay_where_they_are() throws FeedParseException {
      Feed feed =
          repaired(
              "<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'>"
                  + "<div>&nbsp;<p>a<p>b</p>c</p><br>d</br><li><li>e</li></li></div></content>"
                  + "</entry></feed>");
      Content content = feed.entries().get(0).content();
      assertThat(content).isNotNull();
      assertThat(content.value()).isEqualTo("\u00a0<p>a<p>b</p>c</p><br>d</br><li><li>e</li></li>");
    }

    @Test
    void attributes_may_lack_quotes_and_values_or_stand_twice() throws FeedParseException {
      Feed feed =
          repaired(
              Fixtures.channel(
                  "<item><enclosure url=http://x.example/a?b&c length='1' length='2' new "
                      + "type='a<b'/></item>"));
      assertThat(feed.entries().get(0).links())
          .containsExactly(new Link("enclosure", "http://x.example/a?b&c", "a<b", null, 1L));
    }

    @Test
    void angle_brackets_in_text_are_text() throws FeedParseException {
      assertThat(
              repaired(
                      Fixtures.channel(
                          "<description>1 < 2, ]]> Jo <jo@x.example> <3</description>"))
                  .subtitle())
          .isEqualTo("1 < 2, ]]> Jo <jo@x.example> <3");
    }

    @Test
    void comments_and_declarations_inside_are_dropped() throws FeedParseException {
      assertThat(
              repaired(
                      Fixtures.channel(
                          "<description>a<!-- b -- c -->d<?xml version='1.0'?>e<!x>f"
                              + "</description>"))
                  .subtitle())
          .isEqualTo("adef");
    }

    @Test
    void what_stands_behind_the_document_is_dropped() throws FeedParseException {
      assertThat(repaired(Fixtures.channel("") + "<script>x</script>").title()).isEqualTo("t");
      assertThat(repaired(Fixtures.channel("") + Fixtures.channel("")).title()).isEqualTo("t");
    }

    @Test
    void a_prefix_declared_elsewhere_is_declared_where_it_is_used() throws FeedParseException {
      Feed feed =
          repaired(
              Fixtures.channel(
                  "<item><dc:creator xmlns:dc='http://purl.org/dc/elements/1.1/'>Ann</dc:creator>"
                      + "</item><item><dc:creator>Ben</dc:creator></item>"));
      assertThat(feed.entries())
          .extracting(entry -> entry.authors().get(0).name())
          .containsExactly("Ann", "Ben");
    }
  }

  @Nested
  class Structure {
    private static final String ITEMS =
        "<item><title>one</title><link>http://x.example/1</link></item>"
            + "<item><title>two</title><link>http://x.example/2</link></item></channel></rss>";

    @Test
    void an_entry_closes_whatever_is_open_in_the_head() throws FeedParseException {
      for (String head :
          List.of(
              "<title>T",
              "<title>T<link>http://x.example/</link>",
              "<title>T</title><description>a <b>b",
              "<title>T</title><image><url>u<title>v</title>",
              "<title>T</title><itunes:owner><itunes:name>n</itunes:name>",
              "<title>T</title><dc:creator>n")) {
        Feed feed = repaired("<rss><channel>" + head + ITEMS);
        assertThat(feed.title()).as(head).isEqualTo("T");
        assertThat(feed.entries()).as(head).extracting(Entry::title).containsExactly("one", "two");
      }
    }

    @Test
    void a_field_without_an_end_tag_ends_where_the_next_begins() throws FeedParseException {
      Feed feed =
          repaired(
              Fixtures.channel(
                  "<item><title>one<link>http://x.example/1</link><guid>g<pubDate>Tue, 10 Mar 2026"
                      + " 08:00:00 GMT</pubDate><description>a <b>b</b><category>c</category>"
                      + "</item>"));
      Entry entry = feed.entries().get(0);
      assertThat(entry.title()).isEqualTo("one");
      assertThat(entry.permalink()).isEqualTo("http://x.example/1");
      assertThat(entry.id()).isEqualTo("g");
      assertThat(entry.published()).isNotNull();
      assertThat(entry.summary()).isEqualTo(Content.html("a <b>b</b>"));
      assertThat(entry.categories()).containsExactly("c");
    }

    @Test
    void an_end_tag_tells_the_name_of_an_element_whose_start_tag_is_misspelt()
        throws FeedParseException {
      Feed feed =
          repaired(
              Fixtures.channel(
                  "<itam><title>one</title><link>http://x.example/1</link></item>"
                      + "<it?m><title>two</title></item><item><titel>three</title></item>"));
      assertThat(feed.entries()).extracting(Entry::title).containsExactly("one", "two", "three");
    }

    @Test
    void an_end_tag_without_a_start_tag_closes_no_entry() throws FeedParseException {
      Feed feed =
          repaired(
              Fixtures.channel("<item>title>one</title><link>http://x.example/1</link></item>"));
      assertThat(feed.entries().get(0).permalink()).isEqualTo("http://x.example/1");
    }

    @Test
    void a_tag_without_its_last_bracket_is_a_tag_between_fields() throws FeedParseException {
      Feed feed = repaired(Fixtures.channel("<item<title>one</title></item>"));
      assertThat(feed.entries()).extracting(Entry::title).containsExactly("one");
    }

    @Test
    void a_quote_that_is_missing_takes_no_entry_along() throws FeedParseException {
      Feed feed =
          repaired(
              Fixtures.channel(
                  "<item><guid isPermaLink=\"false>1</guid></item>"
                      + "<item><guid isPermaLink=\"false\">2</guid></item>"));
      assertThat(feed.entries()).extracting(Entry::id).containsExactly("1", "2");
    }

    @Test
    void CDATA_that_nothing_ends_ends_with_its_element() throws FeedParseException {
      Feed feed =
          repaired(
              Fixtures.channel(
                  "<item><title><![CDATA[one & 1</title><description><![CDATA[a]]></description>"
                      + "</item><item><title>two</title><description><![CDAT[b]]></description>"
                      + "</item><item><title><![CDATA[three</title></item>"));
      assertThat(feed.entries())
          .extracting(Entry::title)
          .containsExactly("one & 1", "two", "three");
      assertThat(feed.entries().get(1).summary()).isEqualTo(Content.html("b"));
    }

    @Test
    void entries_inside_entries_of_Atom_are_entries() throws FeedParseException {
      Feed feed =
          repaired(
              "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>urn:x:1</id>"
                  + "<entry><id>urn:x:2</id></entry></entry></feed>");
      assertThat(feed.entries()).extracting(Entry::id).containsExactly("urn:x:1", "urn:x:2");
    }

    @Test
    void items_that_are_not_read_are_told() throws FeedParseException {
      assertThat(repaired("<rss><channel><x><item/></x></channel></rss>").entries()).isEmpty();
    }

    @Test
    void the_items_of_RSS_1_0_in_another_namespace_are_read() throws FeedParseException {
      Feed feed =
          repaired(
              "<rdf:RDF xmlns:rdf='"
                  + Vocabulary.RDF.namespace().getURI()
                  + "' xmlns='http://purl.org/rss/'><channel><title>T</title></channel>"
                  + "<item><title>one</title></item></rdf:RDF>");
      assertThat(feed.title()).isEqualTo("T");
      assertThat(feed.entries()).extracting(Entry::title).containsExactly("one");
    }
  }

  @Nested
  class Start {
    private static final String RSS =
        "<rss version='2.0' xmlns:a='http://www.w3.org/2005/Atom'><channel><title>T</title>"
            + "<item><link>http://x.example/1</link><a:id>urn:x:1</a:id></item></channel></rss>";
    private static final String ATOM =
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title>"
            + "<entry><id>urn:x:1</id></entry></feed>";

    @Test
    void markup_before_the_document_is_dropped() throws FeedParseException {
      for (String before :
          List.of(
              "<br />\n<b>Warning</b>:  x() in <b>/srv/a.php</b> on line <b>3</b><br />\n",
              "<!-- cached <rss> -->\n",
              "\n\uFEFF",
              "\uFEFF\uFEFF \uFEFF",
              "<p>a & b",
              "<html><body>Error</body></html>\n")) {
        for (String document : List.of(RSS, ATOM)) {
          Feed feed = repaired(before + "<?xml version='1.0'?>" + document);
          assertThat(feed.title()).as(before).isEqualTo("T");
          assertThat(feed.entries()).as(before).extracting(Entry::id).containsExactly("urn:x:1");
        }
      }
    }

    @Test
    void a_root_that_is_damaged_or_missing_is_replaced() throws FeedParseException {
      for (String document :
          List.of(
              RSS.replaceFirst("<rss", "<rzs"),
              RSS.replaceFirst("<rss", "<r s"),
              RSS.replaceFirst("<rss[^>]*>", ""),
              RSS.replaceFirst("<rss", "<").replaceFirst("<channel>", ""),
              RSS.replaceFirst("<rss", "<rss<"),
              ATOM.replaceFirst("<feed", "<fead"),
              ATOM.replaceFirst("<feed[^>]*>", ""))) {
        Feed feed = repaired(document);
        assertThat(feed.title()).as(document).isEqualTo("T");
        assertThat(feed.entries()).as(document).hasSize(1);
      }
    }

    @Test
    void what_is_no_feed_is_refused() {
      for (String document :
          List.of(
              "<html><head><title>T</title><body><item>a & b</item></body></html>",
              "<catalogue><item>a & b</catalogue>",
              "<br>a",
              "hello")) {
        assertThatThrownBy(() -> Fixtures.parse(document))
            .as(document)
            .isInstanceOfSatisfying(
                FeedParseException.class, e -> assertThat(e.notAFeed()).isTrue());
      }
    }
  }

  @Nested
  class Truncation {
    @Test
    void an_entry_that_breaks_off_is_kept_without_the_field_it_breaks_off_in()
        throws FeedParseException {
      String item = "<item><title>one</title><link>http://x.example/1</link><description>a <b>b";
      Feed feed = repaired("<rss><channel><title>T</title>" + item);
      Entry entry = feed.entries().get(0);
      assertThat(entry.title()).isEqualTo("one");
      assertThat(entry.permalink()).isEqualTo("http://x.example/1");
      assertThat(entry.summary()).isNull();
      assertThat(feed.repairs()).anyMatch(repair -> repair.contains("last entry"));
    }

    @Test
    void an_entry_of_which_nothing_is_whole_is_dropped() throws FeedParseException {
      String whole = "<rss><channel><item><guid>1</guid></item>";
      for (String cut :
          List.of("<item>", "<item><title>t</tit", "<item><link>http://x", "<item><link></li")) {
        assertThat(repaired(whole + cut).entries()).as(cut).hasSize(1);
      }
      assertThat(repaired(whole + "<item><title>t</title>").entries()).hasSize(2);
    }

    private static final String FEED =
        "<rss version='2.0'><channel><title>T</title><item><title>one</title></item>"
            + "<item><title>two</title><description><![CDATA[<p>x</p>]]></description></item>"
            + "</channel></rss>";

    @Test
    void whole_entries_before_the_cut_are_read_wherever_it_is() throws FeedParseException {
      int first = FEED.indexOf("</item>") + "</item>".length();
      for (int cut = first; cut < FEED.length(); cut++) {
        Feed feed = repaired(FEED.substring(0, cut));
        assertThat(feed.title()).isEqualTo("T");
        boolean hasTitle = cut >= FEED.indexOf("two</title>") + "two</title".length();
        List<String> titles = hasTitle ? List.of("one", "two") : List.of("one");
        assertThat(feed.entries())
            .as(FEED.substring(0, cut))
            .extracting(Entry::title)
            .isEqualTo(titles);
      }
    }

    @Test
    void a_document_without_a_whole_field_of_an_entry_is_broken() {
      int first = FEED.indexOf("</title><", FEED.indexOf("<item"));
      for (int cut = FEED.indexOf("<channel"); cut < first; cut++) {
        String start = FEED.substring(0, cut);
        assertThatThrownBy(() -> Fixtures.parse(start))
            .as(start)
            .isInstanceOfSatisfying(
                FeedParseException.class,
                e -> assertThat(e.kind()).isEqualTo(FeedParseException.Kind.BROKEN));
      }
    }

    @Test
    void only_the_last_bracket_may_be_missing() throws FeedParseException {
      assertThat(repaired("<rss><channel><title>T</title></channel></rss").title()).isEqualTo("T");
    }

    @Test
    void items_of_a_JSON_Feed_survive_too() throws FeedParseException {
      String json =
          "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"T\","
              + "\"_x\":{\"items\":[{}]},\"items\":[{\"id\":\"1\",\"tags\":[\"}\\\"\"]},"
              + "{\"id\":\"2\",\"title\":\"x\"}],\"language\":\"en\"}";
      int first = json.indexOf("]},{\"id\":\"2") + 2;
      for (int cut = first; cut < json.length() - 1; cut++) {
        Feed feed = repaired(json.substring(0, cut));
        assertThat(feed.title()).isEqualTo("T");
        assertThat(feed.entries().get(0).id()).isEqualTo("1");
        assertThat(feed.entries()).hasSize(cut <= json.indexOf("}],\"lang") ? 1 : 2);
      }
      String before = json.substring(0, first - 1);
      assertThatThrownBy(() -> Fixtures.parse(before)).isInstanceOf(FeedParseException.class);
    }

    @Test
    void JSON_that_is_nearly_JSON_is_read() throws FeedParseException {
      Feed feed =
          repaired(
              "{\"version\":\"https://jsonfeed.org/version/1.1\", // comment\n"
                  + "\"title\":\"a\tb\",\"items\":[{\"id\":\"1\"},],}");
      assertThat(feed.title()).isEqualTo("a\tb");
      assertThat(feed.entries()).hasSize(1);
    }

    @Test
    void entries_of_Atom_and_RDF_survive_too() throws FeedParseException {
      assertThat(
              repaired(
                      "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>one</title></entry>"
                          + "<entry><title>tw")
                  .entries())
          .extracting(Entry::title)
          .containsExactly("one");
      assertThat(
              repaired(
                      "<rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='"
                          + Vocabulary.RDF.namespace().getURI()
                          + "'><channel/><item><title>one</title></item><item")
                  .entries())
          .extracting(Entry::title)
          .containsExactly("one");
    }
  }

  @Nested
  class Charsets {
    private final Charset latin = Charset.forName("windows-1252");

    private Feed read(String encoding, Charset bytes, String contentType)
        throws FeedParseException {
      String declaration =
          encoding.isEmpty() ? "" : "<?xml version='1.0' encoding='" + encoding + "'?>";
      String document = declaration + Fixtures.channel("<description>é€</description>");
      return Fixtures.parse(document.getBytes(bytes), contentType);
    }

    @Test
    void the_HTTP_charset_goes_before_the_declaration() throws FeedParseException {
      for (String contentType :
          List.of("text/xml; charset=windows-1252", "text/xml;charset= \"windows-1252\"")) {
        assertThat(read("utf-16", latin, contentType).subtitle()).isEqualTo("é€");
      }
    }

    @Test
    void the_declaration_goes_before_UTF_8() throws FeedParseException {
      assertThat(read("windows-1252", latin, "text/xml").subtitle()).isEqualTo("é€");
      assertThat(read("", StandardCharsets.UTF_8, "text/xml").subtitle()).isEqualTo("é€");
    }

    @Test
    void a_byte_order_mark_goes_before_all() throws FeedParseException {
      String document = "\uFEFF" + Fixtures.channel("<description>é€</description>");
      for (Charset charset :
          List.of(
              StandardCharsets.UTF_8,
              StandardCharsets.UTF_16BE,
              StandardCharsets.UTF_16LE,
              Charset.forName("UTF-32BE"),
              Charset.forName("UTF-32LE"))) {
        assertThat(
                Fixtures.parse(document.getBytes(charset), "text/xml; charset=iso-8859-1")
                    .subtitle())
            .as(charset.name())
            .isEqualTo("é€");
      }
    }

    @Test
    void Latin_1_means_windows_1252() throws FeedParseException {
      assertThat(read("iso-8859-1", latin, "text/xml").subtitle()).isEqualTo("é€");
    }

    @Test
    void UTF_8_labelled_Latin_1_is_UTF_8_and_noted() throws FeedParseException {
      Feed feed = read("iso-8859-1", StandardCharsets.UTF_8, "text/xml");
      assertThat(feed.subtitle()).isEqualTo("é€");
      assertThat(feed.repairs()).singleElement().asString().contains("iso-8859-1");
      Feed ascii = Fixtures.parse(Fixtures.channel("").getBytes(latin), "text/xml; charset=latin1");
      assertThat(ascii.repairs()).isEmpty();
    }

    @Test
    void a_label_means_the_larger_charset_that_its_users_write() throws FeedParseException {
      Charset gb18030 = Charset.forName("GB18030");
      String document = Fixtures.channel("<description>镕€</description>");
      Feed feed = Fixtures.parse(document.getBytes(gb18030), "text/xml; charset=gb2312");
      assertThat(feed.subtitle()).isEqualTo("镕€");
    }

    @Test
    void UTF_16_without_zero_bytes_is_a_wrong_label() throws FeedParseException {
      Feed feed = read("utf-16", StandardCharsets.UTF_8, "text/xml");
      assertThat(feed.subtitle()).isEqualTo("é€");
      assertThat(feed.repairs()).isNotEmpty();
    }

    @Test
    void bytes_of_windows_1252_in_UTF_8_are_read_as_what_they_are() throws FeedParseException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.writeBytes("<rss><channel><title>é€ñ\uFFFD ".getBytes(StandardCharsets.UTF_8));
      bytes.writeBytes("“x”".getBytes(latin));
      bytes.writeBytes("</title></channel></rss>".getBytes(StandardCharsets.UTF_8));
      Feed feed = Fixtures.parse(bytes.toByteArray(), "text/xml; charset=utf-8");
      assertThat(feed.title()).isEqualTo("é€ñ\uFFFD “x”");
      assertThat(feed.repairs()).isNotEmpty();
    }

    @Test
    void a_few_wrong_bytes_do_not_change_the_charset() throws FeedParseException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.writeBytes(
          ("<rss><channel><title>" + "日本語".repeat(50)).getBytes(Charset.forName("euc-jp")));
      bytes.write(0xFF);
      bytes.writeBytes("</title></channel></rss>".getBytes(StandardCharsets.US_ASCII));
      Feed feed = Fixtures.parse(bytes.toByteArray(), "text/xml; charset=euc-jp");
      assertThat(feed.title()).startsWith("日本語日本語");
      assertThat(feed.repairs()).isNotEmpty();
    }

    @Test
    void a_replacement_character_of_the_document_itself_is_no_error() throws FeedParseException {
      Feed feed = Fixtures.parse(Fixtures.channel("<description>a\uFFFDb</description>"));
      assertThat(feed.subtitle()).isEqualTo("a\uFFFDb");
      assertThat(feed.repairs()).isEmpty();
    }

    @Test
    void C1_controls_are_the_characters_of_windows_1252() throws FeedParseException {
      for (String quote : List.of("\u0092", "&#146;", "&#x92;", "&#0146;")) {
        Feed feed = repaired(Fixtures.channel("<description>don" + quote + "t</description>"));
        assertThat(feed.subtitle()).as(quote).isEqualTo("don’t");
      }
    }

    @Test
    void C1_controls_that_windows_1252_lacks_stay_what_they_are_and_are_no_repair()
        throws FeedParseException {
      for (String control : List.of("\u008f", "&#143;", "&#x8f;", "&#0143;")) {
        Feed feed =
            Fixtures.parse(Fixtures.channel("<description>a" + control + "b</description>"));
        assertThat(feed.subtitle()).as(control).isEqualTo("a\u008fb");
        assertThat(feed.repairs()).as(control).isEmpty();
      }
    }

    @Test
    void references_to_them_in_CDATA_are_left_to_readers_of_HTML() throws FeedParseException {
      Feed feed =
          repaired(
              Fixtures.channel("<item><description><![CDATA[&#146;]]>&#146;</description></item>"));
      assertThat(feed.entries().get(0).summary()).isEqualTo(Content.html("&#146;’"));
    }

    @Test
    void a_wrong_label_is_survived_and_noted() throws FeedParseException {
      Feed feed = read("utf-8", latin, "text/xml; charset=utf-8");
      assertThat(feed.subtitle()).isEqualTo("é€");
      assertThat(feed.repairs()).isNotEmpty();
      assertThat(read("x-nonsense", StandardCharsets.UTF_8, "text/xml").subtitle()).isEqualTo("é€");
    }
  }
}
