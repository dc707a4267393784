package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import io.feedbridge.normalizer.FeedParseException.Kind;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The usual attacks on readers of XML: each ends in bounded time and memory. */
@Timeout(30)
class AttacksTest {
  private static final int MANY = 50_000;

  /** Bytes that are allocated at most for each byte of a document, on top of a fixed sum. */
  private static final long MULTIPLE = 500;

  /** A short document can have as many entries as are read, of 20 kB each. */
  private static final long FIXED = 20_000L * Limits.MAX_ENTRIES;

  private static Outcome parse(byte[] document) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    Feed[] feed = new Feed[1];
    FeedParseException refusal =
        catchThrowableOfType(
            FeedParseException.class,
            () ->
                feed[0] =
                    new FeedParser()
                        .parse(document, Served.at(URI.create("https://x.example/"), null)));
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).isLessThan(FIXED + MULTIPLE * document.length);
    return new Outcome(feed[0], refusal);
  }

  private static Outcome parse(String document) {
    return parse(document.getBytes(StandardCharsets.UTF_8));
  }

  private record Outcome(Feed feed, FeedParseException refusal) {
    Feed read() {
      assertThat(refusal).isNull();
      return feed;
    }
  }

  private static String numbered(String format, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(format.replace("#", Integer.toString(i)));
    }
    return text.toString();
  }

  /** Twice as many names as a document may have, which all have the same hash code. */
  private static List<String> colliding() {
    return colliding(2 * Limits.MAX_NAMES);
  }

  private static List<String> colliding(int count) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      StringBuilder name = new StringBuilder();
      for (int bit = 0; bit < 18; bit++) {
        name.append((i >> bit & 1) == 0 ? "Aa" : "BB");
      }
      names.add(name.toString());
    }
    return names;
  }

  private static Arguments attack(String name, Kind kind, Supplier<String> document) {
    return Arguments.of(name, kind, document);
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        attack("100,000 levels", Kind.TOO_LARGE, () -> Fixtures.channel("<a>".repeat(100_000))),
        attack(
            "100,000 levels of an unbalanced document",
            Kind.BROKEN,
            () -> Fixtures.channel("</x>" + "<a>".repeat(100_000))),
        attack(
            "50,000 attributes",
            Kind.TOO_LARGE,
            () -> Fixtures.channel("<link" + numbered(" a#='x'", MANY) + "/>")),
        attack(
            "50,000 namespaces",
            Kind.TOO_LARGE,
            () -> Fixtures.channel("<link" + numbered(" xmlns:n#='urn:#'", MANY) + "/>")),
        attack(
            "50,000 namespaces, few on each of many levels",
            Kind.TOO_LARGE,
            () ->
                Fixtures.channel(
                    numbered("<a" + numbered(" xmlns:n#='urn:#'", 50) + ">", 90)
                        + "<n1:x/>".repeat(MANY))),
        attack(
            "names of elements with the same hash code",
            Kind.TOO_LARGE,
            () -> Fixtures.channel("<" + String.join("/><", colliding()) + "/>")),
        attack(
            "names of attributes with the same hash code",
            Kind.TOO_LARGE,
            () -> Fixtures.channel("<a " + String.join("=''/><a ", colliding()) + "=''/>")),
        attack(
            "prefixes with the same hash code",
            Kind.TOO_LARGE,
            () ->
                Fixtures.channel(
                    "<a xmlns:" + String.join("='u'/><a xmlns:", colliding()) + "='u'/>")),
        attack(
            "targets of instructions with the same hash code",
            Kind.TOO_LARGE,
            () -> Fixtures.channel("<?" + String.join("?><?", colliding()) + "?>")),
        attack(
            "a text beyond the bound",
            Kind.TOO_LARGE,
            () -> Fixtures.channel("x".repeat(Limits.MAX_TEXT_LENGTH + 1))),
        attack(
            "a CDATA section beyond the bound",
            Kind.TOO_LARGE,
            () ->
                Fixtures.channel(
                    "<description><![CDATA["
                        + "x".repeat(Limits.MAX_TEXT_LENGTH + 1)
                        + "]]></description>")),
        attack(
            "an attribute beyond the bound",
            Kind.TOO_LARGE,
            () ->
                Fixtures.channel(
                    "<link href='" + "x".repeat(Limits.MAX_ATTRIBUTE_LENGTH + 1) + "'/>")),
        attack(
            "more elements than the bound",
            Kind.TOO_LARGE,
            () -> Fixtures.channel("<a/>".repeat(Limits.MAX_ELEMENTS + 1))),
        attack(
            "100,000 levels of JSON",
            Kind.TOO_LARGE,
            () ->
                "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":" + "[".repeat(100_000)),
        attack(
            "a string of JSON beyond the bound",
            Kind.TOO_LARGE,
            () ->
                "{\"version\":\"https://jsonfeed.org/version/1\",\"title\":\""
                    + "x".repeat(Limits.MAX_TEXT_LENGTH + 1)
                    + "\"}"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  void is_refused(String name, Kind kind, Supplier<String> document) {
    FeedParseException refusal = parse(document.get()).refusal();
    assertThat(refusal).isNotNull();
    assertThat(refusal.kind()).isEqualTo(kind);
    assertThat(refusal.getMessage()).endsWith(".").doesNotContain("\n").hasSizeLessThan(400);
  }

  @Test
  void a_text_of_100_MB_is_refused_unread() {
    byte[] large = new byte[100 << 20];
    Arrays.fill(large, (byte) 'x');
    assertThat(parse(large).refusal().kind()).isEqualTo(Kind.TOO_LARGE);
  }

  @Test
  void keys_of_JSON_with_the_same_hash_code_take_no_longer() {
    String keys = String.join("\":1,\"", colliding(MANY));
    Outcome outcome = parse("{\"version\":\"https://jsonfeed.org/version/1\",\"" + keys + "\":1}");
    assertThat(outcome.feed() == null).isEqualTo(outcome.refusal() != null);
  }

  @Nested
  class Entities {
    private static String with(String doctype, String reference) {
      return "<?xml version='1.0'?><!DOCTYPE rss "
          + doctype
          + ">"
          + Fixtures.channel("<description>" + reference + "</description>");
    }

    private static String subtitle(String document) {
      String subtitle = parse(document).read().subtitle();
      return subtitle == null ? "" : subtitle;
    }

    @Test
    void that_multiply_are_not_expanded() {
      String laughs = numbered("<!ENTITY e# '&e-#;&e-#;&e-#;&e-#;&e-#;&e-#;&e-#;&e-#;'>", 50);
      assertThat(subtitle(with("[<!ENTITY e0 'ha'>" + laughs + "]", "&e49;"))).isEqualTo("&e49;");
    }

    @Test
    void that_are_long_are_not_repeated() {
      String text = subtitle(with("[<!ENTITY a '" + "a".repeat(MANY) + "'>]", "&a;".repeat(MANY)));
      assertThat(text).hasSize("&a;".length() * MANY);
    }

    @Test
    void that_are_external_are_not_read(@TempDir Path folder) throws Exception {
      Path secret = Files.writeString(folder.resolve("secret"), "the-secret");
      for (String kind : List.of("SYSTEM", "PUBLIC 'x'")) {
        assertThat(subtitle(with("[<!ENTITY x " + kind + " '" + secret.toUri() + "'>]", "a&x;b")))
            .isEqualTo("a&x;b");
      }
      assertThat(subtitle(with("[<!ENTITY % p SYSTEM '" + secret.toUri() + "'> %p; %p;]", "x")))
          .isEqualTo("x");
    }

    @Test
    void of_an_external_DTD_do_not_exist() {
      assertThat(subtitle(with("SYSTEM 'http://192.0.2.1/rss.dtd'", "&x;"))).isEqualTo("&x;");
    }

    @Test
    void that_are_short_add_a_bounded_text() {
      String text = subtitle(with("[<!ENTITY a '" + "a".repeat(1_000) + "'>]", "&a;".repeat(MANY)));
      assertThat(text).hasSizeLessThan(Limits.MAX_ENTITY_TEXT + "&a;".length() * MANY);
    }

    @Test
    void of_others_do_not_exist_in_another_charset_either() {
      String document =
          with("[<!ENTITY y 'expanded'><!ENTITY x '&y;'>]", "&x;")
              .substring("<?xml version='1.0'?>".length());
      for (String charset : List.of("UTF-16", "UTF-16LE", "UTF-32")) {
        assertThat(parse(document.getBytes(Charset.forName(charset))).read().subtitle())
            .as(charset)
            .isEqualTo("&x;");
      }
    }
  }

  @Nested
  class Inclusion {
    @Test
    void by_XInclude_includes_nothing(@TempDir Path folder) throws Exception {
      Path secret = Files.writeString(folder.resolve("secret"), "the-secret");
      Feed feed =
          parse(
                  Fixtures.channel(
                      "<description>a<i:include xmlns:i='http://www.w3.org/2001/XInclude'"
                          + " parse='text' href='"
                          + secret.toUri()
                          + "'/>b</description>"))
              .read();
      assertThat(feed.subtitle()).doesNotContain("the-secret").startsWith("a").endsWith("b");
    }

    @Test
    void of_a_stylesheet_or_a_schema_does_not_happen() {
      Feed feed =
          parse(
                  "<?xml-stylesheet href='http://192.0.2.1/x.xsl'?><rss"
                      + " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
                      + " xsi:schemaLocation='a http://192.0.2.1/x.xsd'><channel><title>t</title>"
                      + "</channel></rss>")
              .read();
      assertThat(feed.title()).isEqualTo("t");
    }
  }

  /** What a forgiving reader does to a broken document must not cost more than the document. */
  @Nested
  class Repairs {
    private static final int SIZE = Samples.of(128 * 1024);

    /** Of processor time, which other load does not change: a tenth of it is usual. */
    private static final Duration QUADRATIC = Duration.ofMillis(Samples.of(750));

    static Stream<String> broken() {
      return Stream.of(
          "<a b=\"",
          "<a b='",
          "<a \"<b '",
          "<!--",
          "<![CDATA[",
          "<?x ",
          "<!x",
          "</x",
          "</x>",
          "<a x=1 ",
          "<p>",
          "<item>",
          "&nbsp;&",
          "&#146;",
          "<a:b c:d='e'>",
          "<a:b c:d='e'/>",
          "<![CDATA[x]]>&#150;",
          "< ",
          "]]>",
          "\u0085\u0000");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("broken")
    void take_linear_time(String piece) {
      String many = piece.repeat(SIZE / piece.getBytes(StandardCharsets.UTF_8).length);
      for (String document :
          List.of(
              "<rss><channel><item/></x><item><title>" + many,
              "<rss><channel><item/></x><item><title>" + many + "</title></item></channel></rss>",
              "<rss><channel><item/></x>" + many + "</channel></rss>")) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        Outcome outcome = parse(document);
        long took = threads.getCurrentThreadCpuTime() - before;
        assertThat(outcome.feed() == null).isEqualTo(outcome.refusal() != null);
        assertThat(Duration.ofNanos(took)).isLessThan(QUADRATIC);
      }
    }
  }
}
