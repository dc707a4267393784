package io.feedbridge.websub.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** S1: the Link header, after RFC 8288 §3. */
class LinkHeaderTest {
  private static final Link HUB = Link.of("https://hub.example/", "hub");
  private static final Link SELF = Link.of("https://p.example/feed", "self");

  @Nested
  class S1_well_formed {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "<https://hub.example/>; rel=\"hub\", <https://p.example/feed>; rel=\"self\"",
          "<https://hub.example/>;rel=hub,<https://p.example/feed>;rel=self",
          "<https://hub.example/> ; REL = HUB , <https://p.example/feed>\t;\trel=\t\"Self\" ",
          "< https://hub.example/ >; rel=\" hub \",, , <https://p.example/feed>; rel=self,",
          "<https://hub.example/>;;; rel=hub; ;, <https://p.example/feed>; rel=self;",
          "<https://hub.example/>; title*=UTF-8'de'n%c3%a4chstes; rel=hub,"
              + " <https://p.example/feed>; rel*=evil; rel=self",
        })
    void S1_several_links_in_one_header(String value) {
      assertThat(LinkHeader.parse(List.of(value))).containsExactly(HUB, SELF);
    }

    @Test
    void S1_several_headers() {
      assertThat(
              LinkHeader.parse(
                  List.of(
                      "<https://hub.example/>; rel=hub", "", "<https://p.example/feed>; rel=self")))
          .containsExactly(HUB, SELF);
    }

    @Test
    void S1_several_relations_in_one() {
      assertThat(one("<x>; rel=\"self  HUB\thttp://r.example/X\"").rels())
          .containsExactly("self", "hub", "http://r.example/x");
    }

    @Test
    void S1_parameters_in_any_order_and_with_any_quoting() {
      Link link = one("<x>; type=\"a/b\"; title=\"a, \\\"b\\\"; <c>\"; rel=hub; crossorigin; y=z");
      assertThat(link.rels()).containsExactly("hub");
      assertThat(link.params())
          .isEqualTo(Map.of("type", "a/b", "title", "a, \"b\"; <c>", "crossorigin", "", "y", "z"));
    }

    @Test
    void S1_commas_and_semicolons_belong_to_the_url_between_the_brackets() {
      assertThat(one("<http://a.example/?a,b;c=\"d>; rel=hub").target())
          .isEqualTo("http://a.example/?a,b;c=\"d");
    }

    @Test
    void S1_of_a_doubled_parameter_the_first_counts() {
      assertThat(one("<x>; rel=hub; rel=self").rels()).containsExactly("hub");
    }

    @Test
    void S1_a_link_without_relation_is_one_without_relation() {
      assertThat(one("<x>").rels()).isEmpty();
      assertThat(one("<x>; rel").rels()).isEmpty();
      assertThat(one("<x>; rel=\"\"").rels()).isEmpty();
    }

    @Test
    void S1_an_empty_target_is_the_document_itself() {
      assertThat(one("<>; rel=self").target()).isEmpty();
    }

    @Test
    void S1_a_quoted_title_cannot_smuggle_in_a_hub() {
      String value = "<x>; title=\"y>, <http://evil.example/>; rel=\\\"hub\\\"\"; rel=next";
      assertThat(one(value).rels()).containsExactly("next");
    }
  }

  @Nested
  class S1_ill_formed {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "<https://hub.example/>; rel=\"hub, <https://p.example/feed>; rel=self",
          "<https://hub.example/>; rel=\"hub, <https://p.example/feed>; rel=\"self\"",
          "<https://hub.example/>; rel=hub\", <https://p.example/feed>; rel=self\"",
          "<https://hub.example/>; rel='hub', <https://p.example/feed>; rel='self'",
        })
    void S1_unbalanced_quotation_marks_survive(String value) {
      assertThat(LinkHeader.parse(List.of(value))).containsExactly(HUB, SELF);
    }

    @Test
    void S1_an_unbalanced_quotation_mark_ends_with_its_header() {
      assertThat(
              LinkHeader.parse(
                  List.of(
                      "<https://hub.example/>; rel=hub; title=\"x",
                      "<https://p.example/feed>; rel=self")))
          .extracting(Link::target)
          .containsExactly("https://hub.example/", "https://p.example/feed");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<http://cut.example, <https://hub.example/>; rel=hub",
          "http://bare.example; rel=hub, <https://hub.example/>; rel=hub",
          "rel=hub; , <https://hub.example/> junk \"; rel=hub, <http://cut.example",
          "> < <https://hub.example/>; rel = hub",
        })
    void S1_what_is_no_link_is_skipped(String value) {
      assertThat(LinkHeader.parse(List.of(value))).contains(HUB).hasSizeLessThan(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<", ">", ",", ";", "\"", "<>", "<>;", "<>;=", "<>;rel=\"\\"})
    void S1_fragments_do_no_harm(String value) {
      assertThat(LinkHeader.parse(List.of(value))).hasSizeLessThan(2);
    }
  }

  @Nested
  class S1_bounds {
    @Test
    void S1_no_more_than_256_links() {
      assertThat(LinkHeader.parse(List.of("<a>; rel=hub,".repeat(300)))).hasSize(256);
      assertThat(LinkHeader.parse(Collections.nCopies(300, "<a>; rel=hub"))).hasSize(256);
    }

    @Test
    void S1_no_more_than_64_KiB() {
      String half = "<a>; title=" + "x".repeat(32 * 1024 - 11);
      assertThat(LinkHeader.parse(List.of(half, half))).hasSize(2);
      assertThat(LinkHeader.parse(List.of(half, "x", half, "<b>"))).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<a>; rel=\"",
          "\"",
          "\\\"",
          "<",
          ";",
          "<a>;x=\"\\\",\\",
          "<a>;rel=\"a,<",
          "x=\"\\\",;",
          "<>;",
          "=",
          " ",
          "a ; b,"
        })
    void S1_takes_linear_time_for_anything(String piece) {
      String value = "<a>;" + piece.repeat((64 * 1024 - 4) / piece.length());
      Assertions.assertTimeout(
          Duration.ofSeconds(1), () -> assertThat(LinkHeader.parse(List.of(value))).isNotNull());
    }
  }

  @Nested
  class S1_round_trip {
    @Test
    void S1_what_is_written_is_read() {
      Random random = new Random(1);
      String alphabet = "ab ,;=\"\\<>'é\t";
      for (int round = 0; round < 1000; round++) {
        List<Link> links = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
          Map<String, String> params = new LinkedHashMap<>();
          for (int j = random.nextInt(4); j > 0; j--) {
            StringBuilder value = new StringBuilder();
            for (int k = random.nextInt(9); k > 0; k--) {
              value.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            params.put("p" + random.nextInt(9), value.toString());
          }
          String target = "http://a.example/" + random.nextInt() + "?a,b;c=d";
          links.add(new Link(target, List.of("r" + random.nextInt(9), "hub"), params));
        }
        assertThat(LinkHeader.parse(List.of(LinkHeader.format(links)))).isEqualTo(links);
      }
    }
  }

  private static Link one(String value) {
    List<Link> links = LinkHeader.parse(List.of(value));
    assertThat(links).hasSize(1);
    return links.get(0);
  }
}
