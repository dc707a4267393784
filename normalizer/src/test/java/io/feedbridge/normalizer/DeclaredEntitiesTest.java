package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** XML 1.0 §5.1: a reader that does not validate includes the entities of the internal subset. */
class DeclaredEntitiesTest {
  private static Feed feed(String subset, String elements) throws FeedParseException {
    return Fixtures.parse("<!DOCTYPE rss [" + subset + "]>" + Fixtures.channel(elements));
  }

  private static @Nullable String subtitle(String subset, String text) throws FeedParseException {
    return feed(subset, "<description>" + text + "</description>").subtitle();
  }

  @Test
  void an_entity_of_plain_text_is_its_text_in_a_text_and_in_an_attribute()
      throws FeedParseException {
    String declared = "\n  <!-- ids --><?x y?><!ELEMENT rss ANY>\n  <!ENTITY id 'tag:\"]]>,'>\n";
    Feed feed =
        feed(
            "<!ENTITY id \"tag:x.example,\">",
            "<item><guid>&id;1</guid><enclosure url='http://x.example/&id;' length='1' type='a/b'/></item>");
    assertThat(feed.entries().get(0).id()).isEqualTo("tag:x.example,1");
    assertThat(feed.entries().get(0).links())
        .extracting(Link::href)
        .containsExactly("http://x.example/tag:x.example,");
    assertThat(feed.repairs())
        .containsExactly("Entities that the DOCTYPE declares were replaced by their text.");
    assertThat(subtitle(declared, "&id;1 &amp; &id;")).isEqualTo("tag:\"]]>,1 & tag:\"]]>,");
  }

  @Test
  void the_first_declaration_of_a_name_counts_and_goes_before_that_of_HTML()
      throws FeedParseException {
    assertThat(subtitle("<!ENTITY copy 'a'><!ENTITY copy 'b'>", "&copy;&reg;"))
        .isEqualTo("a\u00ae");
  }

  @Test
  void the_five_of_XML_are_never_others() throws FeedParseException {
    assertThat(subtitle("<!ENTITY amp 'a'><!ENTITY x 'b'>", "&amp;&x;")).isEqualTo("&b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<!-- <!ENTITY x 'a'> -->",
        "<!ENTITY x '<b>a</b>'>",
        "<!ENTITY x 'a&#60;'>",
        "<!ENTITY x 'a%y;'>",
        "<!ENTITY % x 'a'>",
        "<!ENTITY x SYSTEM 'a'>",
        "<!ENTITY x 'a",
        "<!ENTITY % y SYSTEM 'z'> %y; <!ENTITY x 'a'>",
      })
  void others_do_not_exist(String subset) throws FeedParseException {
    assertThat(subtitle(subset, "&x;")).isEqualTo("&x;");
  }
}
