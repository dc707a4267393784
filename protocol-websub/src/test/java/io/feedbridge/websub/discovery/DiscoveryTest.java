package io.feedbridge.websub.discovery;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiscoveryTest {
  private static final URI FINAL_URL = URI.create("http://p.example/blog/feed.xml");
  private static final URI HUB = URI.create("https://hub.example/");
  private static final URI SELF = URI.create("http://p.example/feed");
  private static final String LINKS =
      "<link rel='hub' href='https://hub.example/'/><link rel='self' href='/feed'/>";
  private static final String ATOM_LINKS =
      LINKS.replace("<link ", "<atom:link xmlns:atom='http://www.w3.org/2005/Atom' ");

  private static Discovered discover(String body) {
    return discover(List.of(), null, body);
  }

  private static Discovered discover(
      List<String> headers, @Nullable String contentType, String body) {
    return Discovery.discover(FINAL_URL, headers, contentType, body.getBytes(UTF_8));
  }

  private static void assertFound(Discovered found) {
    assertThat(found).isEqualTo(new Discovered(List.of(HUB), Optional.of(SELF), List.of()));
  }

  private static void assertNothing(Discovered found) {
    assertThat(found).isEqualTo(new Discovered(List.of(), Optional.empty(), List.of()));
  }

  @Nested
  class S1_the_order {
    @Test
    void S1_headers_win_over_the_content() {
      Discovered found =
          discover(
              List.of("<https://first.example/>; rel=hub", "</topic>; rel=self"),
              "application/atom+xml",
              "<feed>" + LINKS + "</feed>");
      assertThat(found.hubs()).containsExactly(URI.create("https://first.example/"));
      assertThat(found.self()).contains(URI.create("http://p.example/topic"));
    }

    @Test
    void S1_what_the_headers_lack_comes_from_the_content() {
      Discovered found =
          discover(
              List.of("<https://first.example/>; rel=hub"), null, "<feed>" + LINKS + "</feed>");
      assertThat(found.hubs()).containsExactly(URI.create("https://first.example/"));
      assertThat(found.self()).contains(SELF);
    }

    @Test
    void the_guard_of_the_header_wins_over_the_guard_of_the_content() {
      String own = "<feed><link rel='validate' href='/own'/></feed>";
      assertThat(discover(own).guard()).contains(URI.create("http://p.example/own"));
      assertThat(discover(List.of("</guard>; rel=validate"), null, own).guard())
          .contains(URI.create("http://p.example/guard"));
      assertThat(discover("<feed>" + LINKS + "</feed>").guard()).isEmpty();
    }

    @Test
    void S1_hubs_are_many_and_self_is_the_first() {
      Discovered found =
          discover(
              List.of(
                  "<https://a.example/>; rel=hub, <https://b.example/>; rel=\"hub\"",
                  "<https://a.example/>; rel=hub, <one>; rel=self, <two>; rel=self"),
              null,
              "");
      assertThat(found.hubs())
          .containsExactly(URI.create("https://a.example/"), URI.create("https://b.example/"));
      assertThat(found.self()).contains(URI.create("http://p.example/blog/one"));
    }

    @Test
    void S1_without_self_the_final_url_is_the_topic() {
      assertThat(discover("<feed/>").topic(FINAL_URL)).isEqualTo(FINAL_URL);
      assertThat(discover("<feed>" + LINKS + "</feed>").topic(FINAL_URL)).isEqualTo(SELF);
    }

    @Test
    void S1_a_header_about_another_resource_does_not_count() {
      assertNothing(
          discover(List.of("<https://hub.example/>; rel=hub; anchor=\"/other\""), null, ""));
      assertThat(discover(List.of("<https://hub.example/>; rel=hub; anchor=\"\""), null, "").hubs())
          .containsExactly(HUB);
    }

    @Test
    void S1_only_web_addresses_count() {
      assertNothing(
          discover(
              List.of("<file:///x>; rel=hub", "<javascript:x>; rel=self"),
              null,
              "<feed><link rel='hub' href='ftp://x/'/><link rel='self' href='data:,x'/></feed>"));
    }

    @Test
    void S1_hubs_have_a_bound() {
      StringBuilder feed = new StringBuilder("<feed>");
      for (int i = 0; i < 100; i++) {
        feed.append("<link rel='hub' href='http://h.example/").append(i).append("'/>");
      }
      assertThat(discover(feed + "</feed>").hubs()).hasSize(20);
    }
  }

  @Nested
  class S1_feeds {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "<feed xmlns='http://www.w3.org/2005/Atom'>%s</feed>",
          "<feed>%s</feed>",
          "<rss version='2.0'><channel>%s</channel></rss>",
          "<rss><channel><link>http://p.example/</link><title/>%s<item/></channel></rss>",
          "<rdf:RDF xmlns='http://purl.org/rss/1.0/'><channel>%s</channel><item/></rdf:RDF>",
          "\ufeff \n<?xml version='1.0'?><!-- x --><!DOCTYPE rss SYSTEM 'x'><rss><channel>%s",
        })
    void S1_links_at_feed_level_of_every_kind_of_feed(String feed) {
      assertFound(discover(feed.formatted(LINKS)));
      assertFound(discover(feed.formatted(ATOM_LINKS)));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<a:feed xmlns:a='http://www.w3.org/2005/Atom'>%s</a:feed>",
          "<rss xmlns:a='http://www.w3.org/2005/Atom'><channel>%s</channel></rss>",
          "<rss><channel xmlns:a='http://www.w3.org/2005/Atom'>%s</channel></rss>",
        })
    void S1_a_prefix_may_be_declared_anywhere_above(String feed) {
      assertFound(discover(feed.formatted(LINKS.replace("<link", "<a:link"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"atom", "atom10", "a10"})
    void S1_the_usual_prefixes_may_be_left_undeclared(String prefix) {
      String links = LINKS.replace("<link", "<" + prefix + ":link");
      assertFound(discover("<rss><channel>" + links + "</channel></rss>"));
    }

    @Test
    void S1_a_link_of_another_vocabulary_is_no_hub() {
      String links = LINKS.replace("<link", "<x:link");
      assertNothing(discover("<rss xmlns:x='urn:x'><channel>" + links + "</channel></rss>"));
      String atom = LINKS.replace("<link", "<atom:link");
      assertNothing(discover("<rss xmlns:atom='urn:x'><channel>" + atom + "</channel></rss>"));
    }

    @Test
    void S1_several_relations_in_one_link() {
      assertThat(discover("<feed><link rel='x HUB' href='https://hub.example/'/></feed>").hubs())
          .containsExactly(HUB);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<feed><entry>%s</entry></feed>",
          "<feed><entry/>%s</feed>",
          "<rss><channel><item>%s</item></channel></rss>",
          "<rss><channel><item/>%s</channel></rss>",
          "<rdf:RDF><item>%s</item></rdf:RDF>",
          "<feed><author>%s</author></feed>",
          "<rss><channel><image>%s</image></channel></rss>",
          "<feed></feed>%s",
          "<feed><!-- %s --></feed>",
          "<feed><title><![CDATA[%s]]></title></feed>",
          "<opml>%s</opml>",
        })
    void S1_links_elsewhere_do_not_count(String document) {
      assertNothing(discover(document.formatted(LINKS)));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<entry><title>AT&T</title></entry></feed>",
          "<entry></feed>",
          "<entry/><<<",
          "<entry/>\0\ud800",
          "<title>AT&T</title></feed>",
          "</wrong>",
          "<link rel='hub'"
        })
    void S1_an_ill_formed_rest_spoils_nothing(String rest) {
      assertFound(discover("<feed>" + LINKS + rest));
    }

    @Test
    void S1_an_entity_nobody_declared_spoils_nothing() {
      assertFound(discover("<feed><title>a&nbsp;b</title>" + LINKS + "</feed>"));
    }

    @Test
    void S1_xml_base_is_honoured_at_every_level() {
      assertThat(
              discover(
                  "<feed xml:base='http://b.example/x/'><link rel='self' href='y'/>"
                      + "<link xml:base='/h/' rel='hub' href='hub'/></feed>"))
          .satisfies(
              d -> assertThat(d.self()).contains(URI.create("http://b.example/x/y")),
              d -> assertThat(d.hubs()).containsExactly(URI.create("http://b.example/h/hub")));
      assertThat(
              discover(
                      "<rss xml:base='http://b.example/'><channel xml:base='c/'>"
                          + "<link rel='self' href='y'/></channel></rss>")
                  .self())
          .contains(URI.create("http://b.example/c/y"));
    }

    @Test
    void S1_the_encoding_is_that_of_the_document() {
      String feed = "<feed><title>é</title>" + LINKS + "</feed>";
      String latin = "<?xml version='1.0' encoding='ISO-8859-1'?>" + feed;
      assertFound(
          Discovery.discover(
              FINAL_URL, List.of(), "text/xml; charset=utf-8", latin.getBytes(ISO_8859_1)));
      assertFound(Discovery.discover(FINAL_URL, List.of(), null, feed.getBytes(UTF_16)));
    }

    @Test
    void S1_a_wrong_encoding_spoils_nothing() {
      String feed =
          "<rss xmlns:a='http://www.w3.org/2005/Atom'><channel><title>é</title>"
              + LINKS.replace("<link", "<a:link");
      assertFound(Discovery.discover(FINAL_URL, List.of(), null, feed.getBytes(ISO_8859_1)));
      String strange = "<?xml version='1.0' encoding='x-nothing'?>" + feed;
      assertFound(Discovery.discover(FINAL_URL, List.of(), null, strange.getBytes(UTF_8)));
    }

    @Test
    void S1_a_feed_labelled_as_a_page_is_a_feed() {
      assertFound(discover(List.of(), "text/html; charset=utf-8", "<feed>" + LINKS + "</feed>"));
    }

    @Test
    void S1_entities_are_not_expanded() {
      String bomb =
          "<!DOCTYPE feed [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
              + "<!ENTITY h SYSTEM 'file:///etc/passwd'>]><feed><title>&b;&h;</title>";
      assertFound(discover(bomb + LINKS + "</feed>"));
      assertThat(discover(bomb + "<link rel='hub' href='http://h.example/&h;'/></feed>").hubs())
          .containsExactly(URI.create("http://h.example/"));
    }

    @Test
    void S1_depth_has_a_bound() {
      assertThat(discover("<feed>" + "<a>".repeat(100_000) + LINKS).hubs()).isEmpty();
    }
  }

  @Nested
  class S1_pages {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "<!DOCTYPE html><html><head><title>x</title>%s</head><body></body></html>",
          "<!doctype html><meta charset=utf-8>%s<p>text",
          "<html xmlns='http://www.w3.org/1999/xhtml'><head>%s</head></html>",
        })
    void S1_links_in_the_head(String page) {
      assertFound(discover(page.formatted(LINKS)));
      assertFound(discover(page.formatted(LINKS.replace("/>", ">").replace("'", ""))));
    }

    @Test
    void S1_a_page_without_a_doctype_is_one_by_its_content_type() {
      assertFound(discover(List.of(), "Text/HTML", "<title>x</title>" + LINKS));
      assertNothing(discover(List.of(), "text/plain", "<title>x</title>" + LINKS));
    }

    @Test
    void S1_links_in_the_body_do_not_count() {
      assertNothing(discover("<!DOCTYPE html><html><body><p>comment " + LINKS + "</body></html>"));
      assertNothing(discover("<!DOCTYPE html><head><div></div>" + LINKS + "</head>"));
    }

    @Test
    void S1_only_the_start_of_a_page_is_read() {
      String page = "<!DOCTYPE html><head><style>%s</style>" + LINKS;
      assertFound(discover(page.formatted("x".repeat(500 * 1024))));
      assertNothing(discover(page.formatted("x".repeat(600 * 1024))));
    }

    @Test
    void S1_the_base_element_is_honoured() {
      String page = "<!DOCTYPE html><base href='/b/'><link rel='self' href='x'>";
      assertThat(discover(page).self()).contains(URI.create("http://p.example/b/x"));
    }
  }

  @Nested
  class S2_pages_lead_to_feeds {
    @Test
    void S2_alternates_of_the_three_types_in_order() {
      String page =
          "<!DOCTYPE html><head>"
              + "<link rel=alternate type='application/rss+xml' href=rss title=' All posts '>"
              + "<link rel='ALTERNATE home' type='Application/Atom+XML; charset=utf-8' href=/atom>"
              + "<link rel=alternate type=application/feed+json href=//j.example/feed.json>"
              + "<link rel=alternate type=application/json href=/wp-json>"
              + "<link rel=alternate hreflang=de href=/de>"
              + "<link rel=stylesheet type=application/rss+xml href=/css>"
              + "<link rel=alternate type='application/rss+xml' href=javascript:x>"
              + "<link rel=alternate type='application/rss+xml' href=rss title=again>";
      assertThat(discover(page).alternates())
          .containsExactly(
              new FeedAlternate(
                  URI.create("http://p.example/blog/rss"), "application/rss+xml", "All posts"),
              new FeedAlternate(URI.create("http://p.example/atom"), "application/atom+xml", ""),
              new FeedAlternate(
                  URI.create("http://j.example/feed.json"), "application/feed+json", ""));
    }

    @Test
    void S2_a_header_may_name_the_feed_as_well() {
      assertThat(
              discover(
                      List.of("<rss>; rel=alternate; type=\"application/rss+xml\"; title=News"),
                      "text/html",
                      "<link rel=alternate type=application/rss+xml href=rss>"
                          + "<link rel=alternate type=application/atom+xml href=atom>")
                  .alternates())
          .extracting(FeedAlternate::title, a -> a.url().getPath())
          .containsExactly(tuple("News", "/blog/rss"), tuple("", "/blog/atom"));
    }
  }

  @Nested
  class S1_hostile_content {
    @ParameterizedTest
    @ValueSource(
        strings = {"", " ", "{\"hubs\":[]}", "\0\0\0\0", "<", "<?xml", "<!DOCTYPE", "\ufeff"})
    void S1_no_content_is_nothing(String body) {
      assertNothing(discover(body));
      assertNothing(discover(List.of(), "text/html; charset=\"no such\u0000thing\"", body));
      assertNothing(discover(List.of(), "application/rss+xml", body));
    }

    @Test
    void S1_no_content_breaks_it() {
      Random random = new Random(1);
      List<byte[]> seeds =
          List.of(
              ("<?xml version='1.0' encoding='UTF-8'?><rss xmlns:a='http://www.w3.org/2005/Atom'>"
                      + "<channel><title>é&amp;&#x41;<![CDATA[x]]></title>"
                      + ATOM_LINKS
                      + "<item/></channel></rss>")
                  .getBytes(UTF_8),
              ("<!DOCTYPE html><html><head><meta charset='utf-8'><base href='/'>"
                      + LINKS
                      + "<title>é</title></head><body><table><p></table></html>")
                  .getBytes(UTF_8),
              ("<?xml version='1.0'?><feed>" + LINKS + "</feed>").getBytes(UTF_16));
      int found = 0;
      for (int round = 0; round < 3000; round++) {
        byte[] seed = seeds.get(round % seeds.size());
        byte[] body = Arrays.copyOf(seed, seed.length - random.nextInt(seed.length / 4));
        for (int i = random.nextInt(6); i > 0; i--) {
          body[random.nextInt(body.length)] = (byte) random.nextInt(256);
        }
        String type =
            random.nextBoolean() ? "text/html; charset=" + (char) random.nextInt(128) : null;
        found += Discovery.discover(FINAL_URL, List.of(), type, body).hubs().size();
      }
      assertThat(found).isGreaterThan(300);
    }
  }
}
