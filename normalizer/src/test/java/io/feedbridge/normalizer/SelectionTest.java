package io.feedbridge.normalizer;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of pages and JSON documents. */
@Timeout(60)
class SelectionTest {

  private static final String PAGE =
      """
      <!DOCTYPE html><html><head><title> The shop </title></head><body>
      <div id="main" class="a b"><p class="price">9 &euro;</p><p>else</p></div>
      <ul><li>one</li><li><a href="/two">two</a></li></ul></body></html>
      """;

  private static final String JSON =
      """
      {"store":{"name":"The shop","books":[
        {"title":"A","price":8},{"title":"B","price":12},{"title":"C","price":22}]},"none":null}
      """;

  private static SelectableDocument document(byte[] body, String type) {
    return new SelectableDocument(body, Served.at(URI.create("https://x.example/p"), type));
  }

  private static SelectableDocument page(String html) {
    return document(html.getBytes(StandardCharsets.UTF_8), "text/html; charset=utf-8");
  }

  private static SelectableDocument json(String text) {
    return document(text.getBytes(StandardCharsets.UTF_8), "application/json");
  }

  private static String refusal(SelectableDocument document, String text) {
    BadSelectionException refused =
        catchThrowableOfType(
            BadSelectionException.class, () -> document.select(Selection.parse(text)));
    assertThat(refused).as(text).isNotNull();
    return refused.reason();
  }

  private static void quietly(SelectableDocument document, String selector) {
    try {
      document.select(Selection.parse(selector));
    } catch (BadSelectionException e) {
      assertThat(e.reason()).containsAnyOf("takes too long", "has nothing", "selects more than");
    }
  }

  @Nested
  class Of_a_page {

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "#main .price | <p class=\"price\">9 €</p>",
          "li | <li>one</li>~<li><a href=\"/two\">two</a></li>",
          "ul > li:has(a) | <li><a href=\"/two\">two</a></li>",
          "li:contains(one) | <li>one</li>",
          "p[class*=pri] | <p class=\"price\">9 €</p>",
        })
    void is_each_element_as_it_stands_there(String selector, String markup) throws Exception {
      Selected selected = page(PAGE).select(Selection.parse(selector));
      assertThat(selected.markup()).isEqualTo(markup.replace('~', '\n'));
      assertThat(selected.title()).isEqualTo("The shop");
      assertThat(selected.contentType()).isEqualTo("text/html; charset=utf-8");
    }

    @Test
    void is_an_entry_with_the_text_as_its_title() throws Exception {
      Instant now = Instant.parse("2026-01-02T03:04:05Z");
      Feed feed =
          page(PAGE)
              .select(Selection.parse("li"))
              .asFeed("https://x.example/p#li", "https://x.example/p", now);
      assertThat(feed.title()).isEqualTo("The shop");
      Entry entry = feed.entries().get(0);
      assertThat(entry.title()).isEqualTo("one two");
      assertThat(entry.updated()).isEqualTo(now);
      assertThat(entry.links().get(0).href()).isEqualTo("https://x.example/p");
      assertThat(requireNonNull(entry.content()).absolute()).contains("https://x.example/two");
    }

    @ParameterizedTest
    @CsvSource({"windows-1252, text/html;charset=windows-1252", "UTF-8, text/html"})
    void is_read_in_the_charset_of_the_page(String charset, String type) throws Exception {
      byte[] body = "<html><p>9 €</p>".getBytes(Charset.forName(charset));
      assertThat(document(body, type).select(Selection.parse("p")).text()).isEqualTo("9 €");
      byte[] meta = "<meta charset=windows-1252><p>9 €</p>".getBytes(Charset.forName("cp1252"));
      assertThat(document(meta, "text/html").select(Selection.parse("p")).text()).isEqualTo("9 €");
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "div[ | \"div[\" is no CSS selector",
          ">> | is no CSS selector",
          "p:nothing | Could not parse query 'p:nothing': unexpected token",
          "[a~=(x+)+y] | has a regular expression, which is not offered; write *= or :contains() (~= at character 3)",
          "p:matches(a) | (:matches at character 2)",
          "a:has(b:not(c)) | costs too much: within :has() only names, classes and attributes are offered (character 8)",
        })
    void is_refused_with_the_reason_and_the_place(String selector, String reason) {
      assertThat(refusal(page(PAGE), selector)).contains(reason);
    }

    @Test
    void that_is_not_there_is_told() {
      assertThat(refusal(page(PAGE), "h7"))
          .isEqualTo("the document has nothing that \"h7\" selects");
      assertThat(refusal(document("<rss/>".getBytes(StandardCharsets.UTF_8), "text/xml"), "p"))
          .isEqualTo("a CSS selector selects from an HTML page, and the document is text/xml");
    }
  }

  @Nested
  class Of_a_JSON_document {

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "$.store.name | \"The shop\" | The shop | 1",
          "$.store.books[?(@.price > 10)].title | [\"B\",\"C\"] | [\"B\",\"C\"] | 2",
          "$.store.books[0] | {\"title\":\"A\",\"price\":8} | {\"title\":\"A\",\"price\":8} | 1",
          "$..price | [8,12,22] | [8,12,22] | 3",
          "$.store.books.length() | 3 | 3 | 1",
          "$.none | null | null | 1",
          "$ | {\"store\":{\"name\":\"The shop\",\"books\":[{\"title\":\"A\",\"price\":8},{\"title\":\"B\",\"price\":12},{\"title\":\"C\",\"price\":22}]},\"none\":null} | {\"store\":{\"name\":\"The shop\",\"books\":[{\"title\":\"A\",\"price\":8},{\"title\":\"B\",\"price\":12},{\"title\":\"C\",\"price\":22}]},\"none\":null} | 1",
        })
    void is_the_value_or_the_array_of_the_values(String path, String markup, String text, int count)
        throws Exception {
      Selected selected = json(JSON).select(Selection.parse(path));
      assertThat(selected.markup()).isEqualTo(markup);
      assertThat(selected.text()).isEqualTo(text);
      assertThat(selected.count()).isEqualTo(count);
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "$.store[ | is no JSONPath: a [ is not closed (character 8)",
          "$.store.books[?(@.a in [1])] | compares with a list; write == and || instead",
          "$.store.books[?(@.a ==] | is no JSONPath",
          "$.store.books[?(@.title =~ /(a+)+b/)] | has a regular expression, which is not offered (=~ at character 25)",
          "$.store.books[?(@.title == {\"a\":1})] | compares with an object",
          "$.nothing | the document has nothing that \"$.nothing\" selects",
          "$..nothing | the document has nothing that \"$..nothing\" selects",
        })
    void is_refused_with_the_reason_and_the_place(String path, String reason) {
      assertThat(refusal(json(JSON), path)).contains(reason);
    }

    @Test
    void a_filter_compares_with_texts_numbers_and_null() throws Exception {
      String path = "$.store.books[?(@.title == 'A' || (@.price > 20.5 && @.title != null))].price";
      assertThat(json(JSON).select(Selection.parse(path)).markup()).isEqualTo("[8,22]");
    }

    @Test
    void that_is_none_is_told() {
      assertThat(refusal(page(PAGE), "$.a")).contains("this cannot be read as one");
      assertThat(refusal(json(""), "$.a")).contains("this one is empty");
    }
  }

  @Nested
  class Of_a_hostile_document {

    @Test
    void a_page_of_5_MB_is_read_once_for_200_selections() throws Exception {
      StringBuilder html = new StringBuilder("<html><body>");
      for (int i = 0; html.length() < 5_000_000; i++) {
        html.append(
            "<div class=c%d><p>some text of some length, number %d</p></div>".formatted(i, i));
      }
      SelectableDocument document = page(html.toString());
      for (int i = 0; i < 200; i++) {
        assertThat(document.select(Selection.parse(".c" + i)).count()).isOne();
      }
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "* * * * * * * * * * z",
          "div div div div div div div div b:contains(zzz) div",
          "div:contains(zzz) div:contains(yyy) z",
          "div:contains(zzz):contains(yyy):contains(xxx)",
          "div:nth-last-of-type(3) z:nth-last-of-type(3)",
          "div:not(:nth-last-of-type(3)) + z",
          "div:has(z)",
          "div:has(div > div div z) z",
          "div ~ z",
        })
    void a_selector_that_takes_long_ends_or_is_stopped(String selector) {
      String end = "a".repeat(1_000_000) + "<z></z>".repeat(40_000) + "<i>";
      SelectableDocument deep = page("<div>".repeat(200) + end);
      SelectableDocument wide = page("<div>a</div>".repeat(100_000) + end);
      for (SelectableDocument document : List.of(deep, wide)) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        quietly(document, selector);
        long before = threads.getCurrentThreadCpuTime();
        quietly(document, selector);
        assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - before))
            .isLessThan(SelectableDocument.MAX_TIME.multipliedBy(20));
      }
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "div ~ div ~ z | one ~ is offered, and no condition with a colon beside it (character 11)",
          "div:nth-of-type(2) ~ z | one ~ is offered",
          "div:has(a):has(b) | one :has() is offered (character 11)",
          "div:has(a:contains(b)) | within :has() only names, classes and attributes are offered",
          "div:has(a ~ b) | within :has() only names, classes and attributes are offered",
        })
    void a_selector_whose_conditions_multiply_is_refused(String selector, String reason) {
      assertThat(refusal(page(PAGE), selector)).contains(reason);
    }

    @Test
    void a_page_that_nests_deep_is_refused() {
      assertThat(refusal(page("<div>".repeat(20_000) + "a"), "div"))
          .isEqualTo("the page nests elements more than 256 deep");
    }

    @Test
    void a_long_document_is_refused() {
      assertThat(refusal(page("a".repeat(5_300_000)), "p"))
          .isEqualTo("parts of a document of more than 5,242,880 bytes are not offered");
    }

    @Test
    void a_short_page_with_millions_of_elements_is_not_read_to_its_end() {
      StringBuilder html = new StringBuilder("<p>");
      for (int i = 0; i < 100; i++) {
        html.append("<b id=").append(i).append('>');
      }
      html.append("<p>a".repeat(100_000));
      assertThat(refusal(page(html.toString()), "z"))
          .isEqualTo("the page has more than 200,000 elements");
    }

    @Test
    void a_part_that_is_too_long_is_refused() {
      String long_ = "<p>" + "a".repeat(1_100_000);
      assertThat(refusal(page(long_), "p")).contains("selects more than 1,048,576 characters");
      assertThat(refusal(page("<div>".repeat(200) + "a".repeat(9_000)), "div"))
          .contains("selects more than 1,048,576 characters");
    }

    @Test
    void a_JSON_of_depth_10_000_is_refused() {
      String deep = "[".repeat(10_000) + "]".repeat(10_000);
      assertThat(refusal(json(deep), "$[0]")).contains("nesting depth (101)");
    }

    @Test
    void a_path_that_multiplies_is_stopped() {
      String wide = "[" + "[[1,2],[3,4]],".repeat(20_000) + "0]";
      assertThat(refusal(json(wide), "$..*..*..*..*..*..*..*..x"))
          .containsAnyOf("takes too long", "has nothing");
    }
  }
}
