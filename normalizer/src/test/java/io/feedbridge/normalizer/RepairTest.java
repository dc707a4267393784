package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

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
    void a_wrong_label_is_survived_and_noted() throws FeedParseException {
      Feed feed = read("utf-8", latin, "text/xml; charset=utf-8");
      assertThat(feed.subtitle()).isEqualTo("é€");
      assertThat(feed.repairs()).isNotEmpty();
      assertThat(read("x-nonsense", StandardCharsets.UTF_8, "text/xml").subtitle()).isEqualTo("é€");
    }
  }
}
