package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TitlesTest {
  private static String rss(String title) throws FeedParseException {
    Feed feed = Fixtures.parse(Fixtures.channel("<item><title>" + title + "</title></item>"));
    return String.valueOf(feed.entries().get(0).title());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<![CDATA[What&#39;s new &amp; why]]> | What's new & why",
        "What&amp;#8217;s new | What’s new",
        "<![CDATA[a<script>location.href='x'</script> b]]> | a b",
        "<![CDATA[<style>a > b {}</style>c <em>d</em>]]> | c d",
        "<![CDATA[a <SCRIPT type=x>1 < 2</SCRIPT><br/>b]]> | a b"
      })
  void markup_in_a_title_of_RSS_is_read_as_HTML(String written, String read)
      throws FeedParseException {
    assertThat(rss(written)).isEqualTo(read);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<![CDATA[How <T> and List<String> work]]> | How <T> and List<String> work",
        "AT&amp;T | AT&T",
        "1 &lt; 2 &gt; 0 | 1 < 2 > 0",
        "<![CDATA[a &nosuch; b & c]]> | a &nosuch; b & c"
      })
  void text_in_a_title_of_RSS_stays_what_it_is(String written, String read)
      throws FeedParseException {
    String title = rss(written);
    assertThat(title).isEqualTo(read);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<![CDATA[<img src='x.png' alt='A &amp; B'>]]> | A & B",
        "<![CDATA[<a href='y'><IMG SRC=x.png ALT=\"\" TITLE=\"T\"/></a>]]> | T",
        "<![CDATA[<img src='x.png'><img src='y.png' alt='second'>]]> | second",
        "<![CDATA[<iframe src='https://www.youtube.com/embed/x' title='Film'></iframe>]]> | Film",
        "<![CDATA[<img src='x.png' alt='A'> text]]> | text",
        "<![CDATA[<img src='x.png'>]]> | null"
      })
  void a_title_without_text_is_the_description_of_its_image_or_player(String written, String read)
      throws FeedParseException {
    assertThat(rss(written)).isEqualTo(read);
  }

  @Test
  void titles_and_subtitles_of_Atom_have_descriptions_of_images_too() throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title type='xhtml'><div"
                + " xmlns='http://www.w3.org/1999/xhtml'><img src='x'"
                + " alt='Logo'/></div></title><subtitle type='html'>&lt;img src='y'"
                + " alt='Sub'&gt;</subtitle></feed>");
    assertThat(feed.title()).isEqualTo("Logo");
    assertThat(feed.subtitle()).isEqualTo("Sub");
  }

  @ParameterizedTest
  @CsvSource({"img", "video", "audio", "iframe"})
  void an_XHTML_body_with_an_image_or_a_player_alone_is_content(String element)
      throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            Fixtures.channel(
                "<item><body xmlns='http://www.w3.org/1999/xhtml'><p><%s src='http://e.example/x'/>"
                        .formatted(element)
                    + "</p></body></item>"));
    assertThat(feed.entries().get(0).content()).isNotNull();
    assertThat(feed.entries().get(0).content().value()).contains("http://e.example/x");
  }

  /** A title of RSS is decoded as XML, and what that leaves as HTML once where it is any. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "AT&amp;T | AT&T",
        "AT&amp;amp;T | AT&T",
        "AT&amp;amp;amp;T | AT&amp;T",
        "<![CDATA[AT&T]]> | AT&T",
        "<![CDATA[AT&amp;T]]> | AT&T",
        "<![CDATA[AT&amp;amp;T]]> | AT&amp;T",
        "Using &amp;lt;div&amp;gt; | Using &lt;div&gt;",
        "1 &lt; 2 | 1 < 2",
        "1 &amp;lt; 2 &amp;#8230; | 1 < 2 …"
      })
  void a_title_of_RSS_is_decoded_once_more_than_XML_asks(String written, String read)
      throws FeedParseException {
    assertThat(rss(written)).isEqualTo(read);
  }

  /** Atom says whether a title is HTML, so only references that no XML has left tell of more. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "html | AT&amp;amp;T | AT&T",
        "html | AT&amp;amp;amp;T | AT&amp;T",
        "text | AT&amp;amp;T | AT&amp;T",
        "text | AT&amp;T | AT&T"
      })
  void a_title_of_Atom_is_decoded_as_its_type_says(String type, String written, String read)
      throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title type='"
                + type
                + "'>"
                + written
                + "</title></feed>");
    assertThat(feed.title()).isEqualTo(read);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<![CDATA[safe<iframe src='x'> <b>description</b></iframe>]]>",
        "<![CDATA[safe<object classid='x'> <b>description</b></object>]]>",
        "<![CDATA[safe<noscript> <b>description</b></noscript>]]>",
        "<![CDATA[safe<script src='x'/> <b>description</b><script>x</script>]]>",
        "<![CDATA[safe<script>x</script> <b>description</b>]]>"
      })
  void text_in_or_behind_a_tag_that_is_dropped_stays(String written) throws FeedParseException {
    assertThat(rss(written)).isEqualTo("safe description");
  }

  @Test
  void a_title_of_Atom_that_is_escaped_twice_is_read_twice() throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title type='html'>What&amp;amp;#39;s"
                + "</title><subtitle>A &amp;amp; B</subtitle></feed>");
    assertThat(feed.title()).isEqualTo("What's");
    assertThat(feed.subtitle()).as("text is text").isEqualTo("A &amp; B");
  }
}
