package io.feedbridge.gateway.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
          Content.html("<p class=\"crater\">A <b>rover</b> found ice; 火星で水 was seen.</p>"),
          "en-GB",
          List.of("Science", "Space Flight"),
          new Author("Ada B. Lovelace", "ada@example.org", null, null, null, List.of(), List.of()));

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
    } catch (BadFilterException e) {
      throw new AssertionError(expression, e);
    }
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
        "  mars  "
      })
  void the_entry_passes(String expression) {
    assertThat(parse(expression).accepts(ENTRY)).isTrue();
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
        "or"
      })
  void the_entry_does_not(String expression) {
    assertThat(parse(expression).accepts(ENTRY)).isFalse();
  }

  @Test
  void an_entry_that_says_nothing_passes_what_asks_for_nothing() {
    assertThat(parse("mars OR category:x OR language:en OR author:a").accepts(BARE)).isFalse();
    assertThat(parse("NOT mars").accepts(BARE)).isTrue();
  }

  @Test
  void an_entry_without_an_author_has_those_of_its_feed() {
    List<Author> ofFeed = List.of(Author.named("Ada B. Lovelace"));
    assertThat(parse("author:lovelace").accepts(BARE, ofFeed)).isTrue();
    assertThat(parse("author:lovelace").accepts(BARE)).isFalse();
  }

  @Test
  void AND_binds_closer_than_OR() {
    assertThat(parse("a OR b c"))
        .isEqualTo(
            new Filter.Or(
                List.of(
                    new Filter.Term(Filter.Field.KEYWORD, "a"),
                    new Filter.And(
                        List.of(
                            new Filter.Term(Filter.Field.KEYWORD, "b"),
                            new Filter.Term(Filter.Field.KEYWORD, "c"))))));
  }

  @Test
  void a_quoted_operator_and_an_escaped_quote_are_words() {
    assertThat(parse("\"AND\"")).isEqualTo(new Filter.Term(Filter.Field.KEYWORD, "AND"));
    assertThat(parse("keyword:\"a \\\"b\\\\\""))
        .isEqualTo(new Filter.Term(Filter.Field.KEYWORD, "a \"b\\"));
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
        "author:a:b    | 9  | colon",
        "\"mars        | 1  | no \"",
        "a \"b\\       | 3  | no \"",
        "\" \"         | 1  | empty",
        ":             | 1  | missing"
      })
  void what_does_not_parse_says_where_and_why(String expression, int position, String reason) {
    assertThatThrownBy(() -> Filter.parse(expression))
        .isInstanceOf(BadFilterException.class)
        .hasMessageStartingWith("character " + position + ": ")
        .hasMessageContaining(reason);
  }

  @Test
  void length_and_depth_are_bounded() {
    assertThat(parse("x".repeat(Filter.MAX_LENGTH)).accepts(BARE)).isFalse();
    assertThatThrownBy(() -> Filter.parse("x".repeat(Filter.MAX_LENGTH + 1)))
        .hasMessageContaining("longer");
    String deep = "(".repeat(Filter.MAX_DEPTH) + "x" + ")".repeat(Filter.MAX_DEPTH);
    assertThat(parse(deep).accepts(BARE)).isFalse();
    assertThatThrownBy(() -> Filter.parse("(" + deep + ")")).hasMessageContaining("deep");
    assertThatThrownBy(() -> Filter.parse("NOT ".repeat(200) + "x")).hasMessageContaining("deep");
    assertThatThrownBy(() -> Filter.parse("(".repeat(Filter.MAX_LENGTH)))
        .isInstanceOf(BadFilterException.class);
  }
}
