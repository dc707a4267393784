package io.feedbridge.gateway.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which entries pass which expressions, and what is none. */
class FilterTest {

  private static final Entry ENTRY =
      entry(
          "The Straße of Mars",
          Content.html(
              "<p class=\"crater\">A <b>rover</b> found ice; 火星で水 was"
                  + " <a href='http://linked.example/page'>seen</a>.</p>"),
          "en-GB",
          List.of("Science", "Space Flight"),
          new Author("Ada B. Lovelace", "ada@example.org", null, null, null, List.of(), List.of()));

  private static final String TOPIC = "https://blog.example.org/feed.xml";

  private static final Entry BARE = entry(null, null, null, List.of());

  private static Entry entry(
      @Nullable String title,
      @Nullable Content content,
      @Nullable String language,
      List<String> categories,
      Author... authors) {
    return new Entry(
        "id",
        false,
        title,
        null,
        null,
        content,
        null,
        List.of(),
        categories,
        List.of(authors),
        null,
        List.of(),
        List.of(),
        language,
        null);
  }

  private static Filter parse(String expression) {
    try {
      return Filter.parse(expression);
    } catch (BadQueryException e) {
      throw new AssertionError(expression, e);
    }
  }

  private static boolean accepts(String expression, Entry entry) {
    return parse(expression).accepts(entry, List.of(), TOPIC);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mars",
        "keyword:MARS",
        "straße",
        "\"found ice\"",
        "火星",
        "category:science",
        "category:\"space flight\"",
        "language:en",
        "language:EN-gb",
        "author:lovelace",
        "author:\"ada b.\"",
        "author:\"ada@example.org\"",
        "mars rover",
        "mars AND ice",
        "venus OR mars",
        "NOT venus",
        "NOT NOT mars",
        "venus OR mars ice",
        "(venus OR mars) category:science",
        "NOT (venus OR jupiter)",
        "keyword:mars(language:en)",
        "mars | venus",
        "mars -venus",
        "-venus",
        "venus OR -jupiter",
        "venus|mars ice",
        "site:example.org",
        "site:blog.example.org mars",
        "link:linked.example/page",
        "NOT link:other.example",
        "  mars  "
      })
  void the_entry_passes(String expression) {
    assertThat(accepts(expression, ENTRY)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mar",
        "ars",
        "crater",
        "class",
        "\"rover ice\"",
        "category:space",
        "language:e",
        "language:en-US",
        "author:ada@example.com",
        "author:love",
        "mars venus",
        "NOT mars",
        "venus OR NOT mars",
        "(mars OR venus) NOT ice",
        "mars -ice",
        "venus | jupiter",
        "site:example.com",
        "link:linked.example/other",
        "or"
      })
  void the_entry_does_not(String expression) {
    assertThat(accepts(expression, ENTRY)).isFalse();
  }

  @Test
  void an_entry_that_says_nothing_passes_what_asks_for_nothing() {
    assertThat(accepts("mars OR category:x OR language:en OR author:a", BARE)).isFalse();
    assertThat(accepts("NOT mars", BARE)).isTrue();
  }

  @Test
  void an_entry_without_an_author_has_those_of_its_feed() {
    List<Author> ofFeed = List.of(Author.named("Ada B. Lovelace"));
    assertThat(parse("author:lovelace").accepts(BARE, ofFeed, "")).isTrue();
    assertThat(accepts("author:lovelace", BARE)).isFalse();
  }

  @Test
  void AND_binds_closer_than_OR_and_a_bar_closer_than_both() {
    assertThat(accepts("mars OR venus jupiter", ENTRY)).isTrue();
    assertThat(accepts("mars | venus jupiter", ENTRY)).isFalse();
    assertThat(accepts("venus mars | jupiter", ENTRY)).isFalse();
  }

  @Test
  void a_word_is_found_as_it_stands_there_with_its_signs() {
    Entry signs = entry("C++ (\"now\") AND Ada", null, null, List.of());

    assertThat(accepts("C++", signs)).isTrue();
    assertThat(accepts("\"AND\"", signs)).isTrue();
    assertThat(accepts("keyword:\"(\\\"now\\\")\"", signs)).isTrue();
    assertThat(accepts("C#", signs)).isFalse();
    assertThat(accepts("\"c *\"", signs)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``            | 1  | missing",
        "`   `         | 4  | missing",
        "AND           | 1  | AND needs",
        "mars AND      | 9  | missing",
        "mars OR       | 8  | missing",
        "NOT           | 4  | missing",
        "mars OR OR x  | 9  | OR needs",
        "(mars         | 1  | no )",
        "mars)         | 5  | no (",
        "()            | 2  | missing",
        "colour:red    | 1  | no such field",
        "mars OR x:y   | 9  | no such field",
        "keyword:      | 9  | missing",
        "keyword: a    | 9  | missing",
        "popularity:>1 | 1 | no such field",
        "\"mars        | 1  | no \"",
        "a \"b\\       | 3  | no \"",
        "\" \"         | 1  | empty",
        ":             | 1  | missing"
      })
  void what_does_not_parse_says_where_and_why(String expression, int position, String reason) {
    assertThatThrownBy(() -> Filter.parse(expression))
        .isInstanceOf(BadQueryException.class)
        .hasMessageStartingWith("character " + position + ": ")
        .hasMessageContaining(reason);
  }

  @Test
  void length_and_depth_are_bounded() {
    assertThat(accepts("x".repeat(QueryParser.MAX_LENGTH), BARE)).isFalse();
    assertThatThrownBy(() -> Filter.parse("x".repeat(QueryParser.MAX_LENGTH + 1)))
        .hasMessageContaining("longer");
    String deep =
        "(".repeat(QueryParser.MAX_FILTER_DEPTH) + "x" + ")".repeat(QueryParser.MAX_FILTER_DEPTH);
    assertThat(accepts(deep, BARE)).isFalse();
    assertThatThrownBy(() -> Filter.parse("(" + deep + ")")).hasMessageContaining("in each other");
    assertThatThrownBy(() -> Filter.parse("NOT ".repeat(200) + "x"))
        .hasMessageContaining("in each other");
    assertThatThrownBy(() -> Filter.parse("(".repeat(QueryParser.MAX_LENGTH)))
        .isInstanceOf(BadQueryException.class);
  }
}
