package io.feedbridge.gateway.search.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Link;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryParserTest {

  private static final String TOPIC = "https://www.blog.example.org/feed.xml";

  private static Entry entry(String title, String html) {
    return new Entry(
        "id",
        false,
        title,
        null,
        null,
        Content.html(html),
        null,
        List.of(new Link(Link.ALTERNATE, "https://news.example.com/2026/one", null, null, null)),
        List.of("Category", "Long One"),
        List.of(new Author("Jane Doe", "jane@example.org", null, null, null, List.of(), List.of())),
        null,
        List.of(),
        List.of(),
        "en-GB",
        null);
  }

  private static boolean matches(String query, String title, String html, double bozo)
      throws BadQueryException {
    Terms terms = EntryTerms.of(entry(title, html), TOPIC, null);
    return QueryParser.parse(query).matches(terms, 12, bozo);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\0',
      value = {
        "apple banana; true",
        "apple cherry; false",
        "APPLE; true",
        "apple | cherry; true",
        "cherry | damson; false",
        "apple banana | cherry; true",
        "(apple cherry) | (apple banana); true",
        "apple -banana; false",
        "apple -cherry; true",
        "apple -\"red banana\"; true",
        "apple -(banana cherry); true",
        "\"apple and banana\"; true",
        "\"banana and apple\"; false",
        "apple-and-banana; true",
        "category; true",
        "\"banana category\"; false",
        "creme brulee; true",
        "crème; true",
        "ＡＰＰＬＥ; true",
        "東京; true",
        "京都; true",
        "東京都; true",
        "東都; false",
        "都; true",
        "犬; false",
        "한국; true",
        "site:example.com; true",
        "site:news.example.com; true",
        "site:blog.example.org; true",
        "site:www.example.com; true",
        "site:ample.com; false",
        "-site:example.com apple; false",
        "link:linked.example; true",
        "link:https://www.linked.example/page; true",
        "link:linked.example/other; false",
        "language:en; true",
        "language:EN-us; true",
        "language:de; false",
        "apple popularity:>10; true",
        "apple popularity:<=10; false",
        "apple popularity:12; true",
        "script; false",
        "a:apple; false",
        "cherry OR apple banana; true",
        "cherry OR damson; false",
        "apple AND banana; true",
        "apple NOT cherry; true",
        "apple NOT banana; false",
        "NOT NOT apple; true",
        "keyword:apple; true",
        "category:category; true",
        "category:\"long one\"; true",
        "category:one; false",
        "author:doe; true",
        "author:\"jane doe\"; true",
        "author:\"doe jane\"; false",
        "author:jane@example.org; true",
        "author:example; false",
      })
  void a_query_finds_an_entry_by_its_words_and_labels(String query, boolean found)
      throws BadQueryException {
    String html =
        "<p>Crème <b>brûlée</b> 東京都, 한국어는</p><script>script</script>"
            + "<a href='http://linked.example/page#part'>x</a>";
    assertThat(matches(query, "Apple and Banana", html, 0)).isEqualTo(found);
  }

  @Test
  void an_untrusted_feed_is_found_only_by_a_query_that_names_its_rank() throws BadQueryException {
    assertThat(matches("apple", "apple", "", 0.3)).isTrue();
    assertThat(matches("apple", "apple", "", 0.4)).isFalse();
    assertThat(matches("apple bozo:ok", "apple", "", 0.4)).isTrue();
    assertThat(matches("apple bozo:<0.5", "apple", "", 0.4)).isTrue();
    assertThat(matches("apple bozo:>0.5", "apple", "", 0.4)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "-",
        "- -",
        "-apple",
        "-apple -banana",
        "--apple",
        "apple -",
        "|",
        "apple |",
        "| apple",
        "apple | -banana",
        "(",
        ")",
        "()",
        "(apple",
        "apple)",
        "\"apple",
        "\"\"",
        "*",
        "app*",
        "a* b* c*",
        "!!!",
        "site:",
        "popularity:>10",
        "bozo:ok",
        "apple popularity:many",
        "apple | popularity:>3",
        "apple (bozo:ok banana)",
        "-popularity:>3 apple",
        "apple bozo:-1",
        "apple OR",
        "OR apple",
        "apple OR -banana",
        "NOT apple",
        "apple OR popularity:>3",
        "category:"
      })
  void a_text_that_is_no_query_is_refused_with_a_reason(String text) {
    assertThatThrownBy(() -> QueryParser.parse(text))
        .isInstanceOf(BadQueryException.class)
        .hasMessageMatching("[^\\n]{10,}[^.]");
  }

  @Test
  void a_query_of_any_size_is_refused_at_its_bound() throws BadQueryException {
    String terms =
        IntStream.range(0, QueryParser.MAX_TERMS)
            .mapToObj(i -> "w" + i)
            .collect(Collectors.joining(" "));
    assertThat(QueryParser.parse(terms)).isNotNull();
    assertThatThrownBy(() -> QueryParser.parse(terms + " more")).hasMessageContaining("terms");
    assertThatThrownBy(() -> QueryParser.parse("w".repeat(10_240)))
        .hasMessageContaining("characters");
    assertThatThrownBy(() -> QueryParser.parse("(".repeat(500) + "a" + ")".repeat(500)))
        .hasMessageContaining("in each other");
    assertThatThrownBy(() -> QueryParser.parse('"' + "a ".repeat(400) + '"'))
        .hasMessageContaining("phrase");
  }

  @Test
  void the_words_and_links_of_an_entry_are_bounded() {
    String html = "<a href='http://h.example/'>word</a> ".repeat(10_000);
    Terms terms = EntryTerms.of(entry("title", html), TOPIC, null);
    assertThat(terms.words()).hasSizeLessThan(EntryTerms.MAX_WORDS);
    assertThat(Words.of("x".repeat(1_000))).containsExactly("x".repeat(Words.MAX_LENGTH));
  }

  @Test
  void characters_outside_the_first_plane_stay_whole() {
    assertThat(Words.of("𠮷野家 😀 𝐛𝐨𝐥𝐝")).containsExactly("𠮷野", "野家", "bold");
    assertThat(Words.of("हिन्दी สวัสดี")).contains("हिन्दी").hasSizeGreaterThan(2);
  }
}
