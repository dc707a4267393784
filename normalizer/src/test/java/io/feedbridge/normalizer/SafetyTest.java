package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SafetyTest {
  private static FeedParseException refused(String document) {
    return catchThrowableOfType(FeedParseException.class, () -> Fixtures.parse(document));
  }

  @Nested
  class Doctypes {
    @Test
    void an_external_entity_is_never_read(@TempDir Path folder) throws Exception {
      Path secret = Files.writeString(folder.resolve("secret"), "the-secret");
      Feed feed =
          Fixtures.parse(
              "<!DOCTYPE rss [<!ENTITY x SYSTEM '"
                  + secret.toUri()
                  + "'>]>"
                  + Fixtures.channel("<description>&x;</description>"));
      assertThat(feed.subtitle()).isEqualTo("&x;");
    }

    @Test
    void an_external_DTD_is_never_fetched() throws FeedParseException {
      Feed feed =
          Fixtures.parse("<!DOCTYPE rss SYSTEM 'http://192.0.2.1/rss.dtd'>" + Fixtures.channel(""));
      assertThat(feed.title()).isEqualTo("t");
    }

    @Test
    void an_entity_of_other_entities_is_never_expanded() throws FeedParseException {
      Feed feed =
          Fixtures.parse(
              "<!DOCTYPE rss [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
                  + "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]>"
                  + Fixtures.channel("<description>&c;</description>"));
      assertThat(feed.subtitle()).isEqualTo("&c;");
    }
  }

  @Nested
  class Bounds {
    @Test
    void depth() {
      String deep = "<a>".repeat(Limits.MAX_DEPTH + 1) + "</a>".repeat(Limits.MAX_DEPTH + 1);
      FeedParseException refusal = refused(Fixtures.channel(deep));
      assertThat(refusal.kind()).isEqualTo(FeedParseException.Kind.TOO_LARGE);
      assertThat(refusal.line()).isEqualTo(1);
    }

    @Test
    void depth_of_JSON() {
      String deep = "[".repeat(Limits.MAX_DEPTH + 1);
      assertThat(
              refused("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":" + deep).kind())
          .isEqualTo(FeedParseException.Kind.TOO_LARGE);
    }

    @Test
    void bytes() {
      byte[] large = new byte[Limits.MAX_BYTES + 1];
      FeedParseException refusal =
          catchThrowableOfType(
              FeedParseException.class, () -> Fixtures.parse(large, "application/xml"));
      assertThat(refusal.kind()).isEqualTo(FeedParseException.Kind.TOO_LARGE);
    }

    @Test
    void attributes_and_namespaces_of_an_element() {
      StringBuilder attributes = new StringBuilder();
      StringBuilder namespaces = new StringBuilder();
      for (int i = 0; i <= Math.max(Limits.MAX_ATTRIBUTES, Limits.MAX_NAMESPACES); i++) {
        attributes.append(" a").append(i).append("='x'");
        namespaces.append(" xmlns:n").append(i).append("='urn:").append(i).append("'");
      }
      for (StringBuilder many : List.of(attributes, namespaces)) {
        assertThat(refused(Fixtures.channel("<link" + many + "/>")).kind())
            .isEqualTo(FeedParseException.Kind.TOO_LARGE);
      }
    }

    @Test
    void entries_beyond_the_bound_are_left_out_and_noted() throws FeedParseException {
      Feed feed = Fixtures.parse(Fixtures.channel("<item/>".repeat(Limits.MAX_ENTRIES + 1)));
      assertThat(feed.entries()).hasSize(Limits.MAX_ENTRIES);
      assertThat(feed.repairs()).singleElement().asString().contains("entries");
    }

    @Test
    void categories_beyond_the_bound_are_left_out() throws FeedParseException {
      StringBuilder many = new StringBuilder();
      for (int i = 0; i <= Limits.MAX_VALUES; i++) {
        many.append("<category>c").append(i).append("</category>");
      }
      assertThat(Fixtures.entry(many.toString()).categories()).hasSize(Limits.MAX_VALUES);
    }
  }

  /** Each of these took minutes where a search began anew at every character. */
  @Nested
  @Timeout(20)
  class LinearTime {
    private static final int MANY = 250_000;

    @Test
    void unclosed_tags_and_comments_in_an_html_title() throws FeedParseException {
      for (String opening : List.of("&lt;a", "&lt;!--")) {
        Feed feed =
            Fixtures.parse(
                "<feed xmlns='http://www.w3.org/2005/Atom'><title type='html'>"
                    + opening.repeat(MANY)
                    + "&lt; ></title></feed>");
        assertThat(feed.title()).isNotNull();
      }
    }

    @Test
    void declarations_before_the_root() {
      assertThat(refused("<!a>".repeat(MANY))).isNotNull();
      assertThat(refused("<!DOCTYPE a [".repeat(MANY))).isNotNull();
    }

    @Test
    void ampersands_to_be_repaired() throws FeedParseException {
      Feed feed =
          Fixtures.parse(
              Fixtures.channel("<description>" + "&nbsp;&".repeat(MANY) + "</description>"));
      assertThat(feed.subtitle()).hasSize(2 * MANY);
    }
  }

  @Nested
  class Refusals {
    @Test
    void HTML_text_and_other_XML_are_no_feed() {
      for (String other :
          List.of(
              "",
              "   ",
              "hello",
              "<!DOCTYPE html><html><body><br></body></html>",
              "<html/>",
              "<html><p>&nbsp;<br></html>",
              "<opml version='2.0'/>",
              "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
              "<")) {
        assertThat(refused(other))
            .as(other)
            .isNotNull()
            .returns(true, FeedParseException::notAFeed);
      }
    }

    @Test
    void a_broken_feed_says_where_in_one_sentence() {
      FeedParseException broken =
          refused("<rss version='2.0'>\n<channel>\n<title>x</title></link></channel");
      assertThat(broken.kind()).isEqualTo(FeedParseException.Kind.BROKEN);
      assertThat(broken.line()).isEqualTo(3);
      assertThat(broken.column()).isPositive();
      assertThat(broken)
          .hasMessageStartingWith("The document is not well-formed XML: ")
          .hasMessageEndingWith("(line 3, column " + broken.column() + ").")
          .message()
          .doesNotContain("\n");
    }

    @Test
    void so_does_broken_or_deep_JSON() {
      String start = "{\"version\":\"https://jsonfeed.org/version/1\",\n\"title\":";
      FeedParseException broken = refused(start + "oops}");
      assertThat(broken.kind()).isEqualTo(FeedParseException.Kind.BROKEN);
      assertThat(broken.line()).isEqualTo(2);
      assertThat(broken).message().contains("(line 2, column ").doesNotContain("\n");
      assertThat(refused(start + "[".repeat(Limits.MAX_DEPTH + 1)).line()).isEqualTo(2);
    }

    @Test
    void an_XML_redirect_leads_on() {
      FeedParseException moved =
          refused("<redirect><newLocation>/new.xml</newLocation></redirect>");
      assertThat(moved.kind()).isEqualTo(FeedParseException.Kind.MOVED);
      assertThat(moved.newLocation()).isEqualTo("https://harbour.example/new.xml");
    }

    @Test
    void an_empty_XML_redirect_leads_nowhere() {
      FeedParseException gone = refused("<redirect><newLocation/></redirect>");
      assertThat(gone.kind()).isEqualTo(FeedParseException.Kind.MOVED);
      assertThat(gone.newLocation()).isNull();
    }

    @Test
    void every_cut_of_every_feed_is_a_feed_or_the_documented_exception() throws IOException {
      for (String name : Fixtures.ALL) {
        byte[] whole;
        try (var in = SafetyTest.class.getResourceAsStream("/feeds/" + name)) {
          assertThat(in).isNotNull();
          whole = in.readAllBytes();
        }
        for (int length = 0; length < whole.length; length += 19) {
          String cut = new String(whole, 0, length, StandardCharsets.UTF_8);
          Throwable thrown = null;
          try {
            Fixtures.parse(cut);
          } catch (Throwable t) {
            thrown = t;
          }
          if (thrown != null) {
            assertThat(thrown)
                .as(name + " cut at " + length)
                .isInstanceOf(FeedParseException.class);
          }
        }
      }
    }
  }
}
