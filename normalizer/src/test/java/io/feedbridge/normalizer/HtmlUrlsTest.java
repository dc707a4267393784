package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HtmlUrlsTest {
  private static final URI BASE = URI.create("https://x.example/a/feed.xml?q=1");

  private static String absolute(String html) {
    return HtmlUrls.absolute(html, BASE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "<img src=\"b.png\">|<img src=\"https://x.example/a/b.png\">",
        "<IMG ALT=x SRC = '/b.png' />|<IMG ALT=x SRC = 'https://x.example/b.png' />",
        "<img src=b.png>|<img src=https://x.example/a/b.png>",
        "<a href=\"../c?d=1&amp;e=2#f\">|<a href=\"https://x.example/c?d=1&amp;e=2#f\">",
        "<a href=\" ?p=2 \">|<a href=\"https://x.example/a/feed.xml?p=2\">",
        "<a href=\"//cdn.example/x\">|<a href=\"https://cdn.example/x\">",
        "<a href=\"&#x2F;c&amp;d\">|<a href=\"https://x.example/c&amp;d\">",
        "<a href=\"http:c\">|<a href=\"http:c\">",
        "<video poster=p.jpg>|<video poster=https://x.example/a/p.jpg>",
        "<q cite='c'>|<q cite='https://x.example/a/c'>",
        "<object data=\"o\">|<object data=\"https://x.example/a/o\">",
        "<form action=\"/go\">|<form action=\"https://x.example/go\">",
        "<img srcset=\"b.png, /c,1.png 2x,d.png 100w\">"
            + "|<img srcset=\"https://x.example/a/b.png, https://x.example/c,1.png 2x,"
            + "https://x.example/a/d.png 100w\">",
        "<p style=\"background: URL( 'b.png' )\">"
            + "|<p style=\"background: URL( 'https://x.example/a/b.png' )\">",
        "<p style='a:url(&quot;b.png&quot;);b:url(c)'>"
            + "|<p style='a:url(&quot;https://x.example/a/b.png&quot;);b:url(https://x.example/a/c)'>",
        "<p>1 < 2 <a href=b>|<p>1 < 2 <a href=https://x.example/a/b>",
        "<b <a href='c'>|<b <a href='https://x.example/a/c'>"
      })
  void a_relative_URL_becomes_absolute(String html, String expected) {
    assertThat(absolute(html)).isEqualTo(expected);
    assertThat(HtmlUrls.hasRelative(html)).isEqualTo(!html.equals(expected));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no markup, href='x'",
        "<a href='https://y.example/b'>b</a><img src='data:image/png;base64,AA=='>",
        "<a href='#note'>1</a><a href=''>2</a><a href>3</a>",
        "<a href='mailto:a@x.example'><a href=javascript:void(0)>",
        "<a href='{{url}}'><img src='<?= $x ?>'>",
        "<img srcset='https://y.example/1 1x, https://y.example/2 2x'>",
        "<p style='color: red; background: url(data:image/png;base64,AA==)'>",
        "<div data='x' cited='y' data-src='z.png'>",
        "a = b < c"
      })
  void markup_without_a_relative_URL_stays_as_it_is(String html) {
    assertThat(absolute(html)).isSameAs(html);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<!-- <a href='x'> -->",
        "<!-- <a href='x'>",
        "<script>s = \"<a href='x'>\"</script>",
        "<textarea><img src='x'>",
        "<a title=\"<img src='x'>\">",
        "<a href='x",
        "<a href=",
        "<a href",
        "<",
        "</a href='x'>"
      })
  void what_is_no_tag_with_a_URL_is_not_touched(String html) {
    assertThat(absolute(html)).isSameAs(html);
  }

  @Test
  void a_base_with_an_apostrophe_does_not_end_an_attribute() {
    URI base = URI.create("https://x.example/o'brien/feed");
    assertThat(HtmlUrls.absolute("<a href='b'><a href=\"b\">", base))
        .isEqualTo(
            "<a href='https://x.example/o%27brien/b'>"
                + "<a href=\"https://x.example/o'brien/b\">");
  }

  @Test
  void odd_markup_is_kept_but_for_its_URLs() {
    Random random = new Random(7);
    String pieces = "<<<>>'\"=/ -!";
    String[] words = {"a", "href", "src", "srcset", "style", "url(", ")", "x.png", "--", "script"};
    URI base = URI.create("https://base.invalid/");
    for (int i = 0; i < Samples.of(1_000); i++) {
      StringBuilder html = new StringBuilder();
      for (int part = random.nextInt(25); part >= 0; part--) {
        if (random.nextBoolean()) {
          html.append(pieces.charAt(random.nextInt(pieces.length())));
        } else {
          html.append(words[random.nextInt(words.length)]);
        }
      }
      String resolved = HtmlUrls.absolute(html.toString(), base);
      assertThat(resolved.replace("https://base.invalid/", "").replaceAll("[ /]|%2\\d|%3\\w", ""))
          .isEqualTo(html.toString().replaceAll("[ /]", ""));
      assertThat(HtmlUrls.absolute(resolved, base)).isEqualTo(resolved);
      if (!resolved.equals(html.toString())) {
        assertThat(HtmlUrls.hasRelative(html.toString())).as(html.toString()).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<a ",
        "<a href=",
        "<a href=\"",
        "<a b=\"<",
        "srcset=",
        "<img srcset='a ",
        "style=\"url(",
        "<p style='url(",
        "<!--",
        "<script>",
        "</",
        "href=' ",
        "= ",
        "<a href=\"b\"",
        ","
      })
  @Timeout(20)
  void hostile_markup_takes_time_in_proportion_to_its_length(String piece) {
    String html = "<" + piece.repeat(1_000_000 / piece.length());
    HtmlUrls.hasRelative(html);
    assertThat(absolute(html)).startsWith("<");
  }
}
