package io.feedbridge.gateway.opml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of feeds, as people have them. */
class OpmlTest {

  private static List<Outline> read(String text) throws BadOpmlException {
    return Opml.read(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void feeds_are_found_in_folders_too_and_by_attributes_of_whatever_case() throws Exception {
    assertThat(
            read(
                """
                <?xml version="1.0"?><opml version="1.1"><head><title>Mine</title></head><body>
                <outline text="Folder"><outline type="rss" text="A" xmlUrl="http://a.example/"/>
                <outline title="B" xmlurl=" http://b.example/ "/></outline>
                <outline text="no feed" htmlUrl="http://c.example/"/></body></opml>
                """))
        .containsExactly(
            new Outline("http://a.example/", "A", 2),
            new Outline("http://b.example/", "B", 3),
            new Outline("", "no feed", 4));
  }

  @Test
  void a_lone_ampersand_of_a_URL_stands_for_itself() throws Exception {
    assertThat(
            read(
                """
                <opml><body><outline text="Q&A &amp; &#38;" xmlUrl="http://a.example/?x=1&y=2"/>
                </body></opml>
                """))
        .containsExactly(new Outline("http://a.example/?x=1&y=2", "Q&A & &", 1));
    assertThatThrownBy(() -> read("<opml><outline text='&'></opml>"))
        .isInstanceOf(BadOpmlException.class)
        .hasMessageContaining("line 1");
  }

  @Test
  void what_is_written_is_read_again() throws Exception {
    List<Outline> outlines =
        List.of(
            new Outline("http://a.example/?x=1&y=\"2\"", "A & B <c>"),
            new Outline("http://b.example/", "B"));

    assertThat(Opml.read(Opml.write("a list", outlines)))
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("line")
        .isEqualTo(outlines);
  }

  @Test
  void titles_with_what_XML_has_no_place_for_are_written_without_it() throws Exception {
    byte[] list = Opml.write("x", List.of(new Outline("http://a.example/", "a\u0000b\uD800c")));

    assertThat(Opml.read(list)).containsExactly(new Outline("http://a.example/", "a b c", 2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no xml",
        "<rss/>",
        "<opml><body>",
        "<!DOCTYPE o [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><opml>&x;</opml>",
      })
  void what_is_no_list_says_so(String text) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(BadOpmlException.class)
        .hasMessageMatching(".+");
  }

  @Test
  void depth_and_number_have_bounds() {
    assertThatThrownBy(() -> read("<opml>" + "<outline>".repeat(200)))
        .isInstanceOf(BadOpmlException.class)
        .hasMessageContaining("deep");
    assertThatThrownBy(
            () -> read("<opml>" + "<outline xmlUrl='x'/>".repeat(Opml.MAX_FEEDS + 1) + "</opml>"))
        .isInstanceOf(BadOpmlException.class)
        .hasMessageContaining("20,000");
  }
}
