package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class AtomMappingTest {
  private final Feed feed = Fixtures.feed("atom.xml");
  private final Entry entry = feed.entries().get(0);

  private static Entry atomEntry(String elements) throws FeedParseException {
    return Fixtures.parse(
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry>" + elements + "</entry></feed>")
        .entries()
        .get(0);
  }

  @Nested
  class FeedLevel {
    @Test
    void id_updated_and_language_are_the_feeds() {
      assertThat(feed.id()).isEqualTo("tag:atoms.example,2026:feed");
      assertThat(feed.updated()).isEqualTo(Instant.parse("2026-03-01T12:00:00.5Z"));
      assertThat(feed.language()).isEqualTo("de");
      assertThat(feed.categories()).containsExactly("physics");
    }

    @Test
    void an_html_title_is_given_as_the_text_a_reader_sees() {
      assertThat(feed.title()).isEqualTo("Atoms & co");
      assertThat(feed.subtitle()).isEqualTo("Small things");
    }

    @Test
    void what_only_looks_like_a_tag_stays_in_a_title() {
      assertThat(HtmlText.plain("1 < 2 <b>bold</b> a<b <!-- c --> &eacute;&#233;&bogus; &amp;lt;"))
          .isEqualTo("1 < 2 bold a<b  éé&bogus; &lt;");
      assertThat(HtmlText.plain("<!-- open <i")).isEqualTo("<!-- open <i");
    }

    @Test
    void every_link_is_kept_and_resolved_against_xml_base() {
      assertThat(feed.links())
          .containsExactly(
              Link.of("self", "https://atoms.example/blog/feed.atom", "application/atom+xml"),
              Link.of("alternate", "https://atoms.example/blog/", "text/html"),
              Link.of("hub", "https://hub.example/", null),
              Link.of("picture", "https://atoms.example/blog/logo.png", null));
    }
  }

  @Nested
  class EntryLevel {
    @Test
    void dates_id_and_categories() {
      assertThat(entry.id()).isEqualTo("tag:atoms.example,2026:1");
      assertThat(entry.published()).isEqualTo(Instant.parse("2026-03-01T10:00:00Z"));
      assertThat(entry.updated()).isEqualTo(Instant.parse("2026-03-01T11:00:00Z"));
      assertThat(entry.categories()).containsExactly("Things", "Picture");
      assertThat(entry.geo()).isEqualTo(new GeoPoint(47.597553, -122.15925));
    }

    @Test
    void nested_xml_bases_add_up() {
      assertThat(entry.links())
          .contains(
              new Link("alternate", "https://atoms.example/blog/2026/one.html", null, "One", null),
              new Link(
                  "enclosure", "https://atoms.example/blog/2026/one.mp3", "audio/mpeg", null, 77L));
    }

    @Test
    void xhtml_content_is_the_markup_within_the_div() {
      assertThat(entry.content())
          .isEqualTo(new Content("xhtml", "<p>Hi <br />there<em></em></p>", null));
    }

    @Test
    void text_html_src_xml_and_base64_content_are_told_apart() throws FeedParseException {
      assertThat(atomEntry("<content>1 &lt; 2</content>").content())
          .isEqualTo(Content.text("1 < 2"));
      assertThat(atomEntry("<content type='html'>&lt;b&gt;x</content>").content())
          .isEqualTo(Content.html("<b>x"));
      assertThat(atomEntry("<content type='video/mp4' src='http://x.example/v'/>").content())
          .isEqualTo(new Content("video/mp4", "", "http://x.example/v"));
      assertThat(
              atomEntry(
                      "<content type='image/svg+xml'><svg xmlns='http://www.w3.org/2000/svg'/>"
                          + "</content>")
                  .content())
          .isEqualTo(
              new Content("image/svg+xml", "<svg xmlns=\"http://www.w3.org/2000/svg\" />", null));
      Content binary = Objects.requireNonNull(feed.entries().get(1).content());
      assertThat(binary.value()).isEqualTo("aGVsbG8=");
      assertThat(binary.asText()).isEqualTo("hello");
    }

    @Test
    void an_author_has_id_title_links_and_object_types() {
      Author author = entry.authors().get(0);
      assertThat(author.name()).isEqualTo("First");
      assertThat(author.email()).isEqualTo("first@atoms.example");
      assertThat(author.uri()).isEqualTo("https://atoms.example/first");
      assertThat(author.id()).isEqualTo("id-first");
      assertThat(author.title()).isEqualTo("The First");
      assertThat(author.objectTypes())
          .containsExactly(
              "http://activitystrea.ms/schema/1.0/person",
              "http://activitystrea.ms/schema/1.0/dude");
      assertThat(author.links()).extracting(Link::rel).containsExactly("picture", "alternate");
      assertThat(entry.authors()).hasSize(2);
    }

    @Test
    void an_activity_has_verbs_and_objects() {
      assertThat(entry.verbs()).hasSize(2);
      ActivityObject object = entry.objects().get(0);
      assertThat(object.id()).isEqualTo("object-id");
      assertThat(object.title()).isEqualTo("The object");
      assertThat(object.content()).isEqualTo(Content.text("hello world"));
      assertThat(object.published()).isEqualTo(Instant.parse("2026-02-20T13:00:40Z"));
      assertThat(object.authors()).extracting(Author::name).containsExactly("Second");
      assertThat(object.links()).hasSize(1);
    }

    @Test
    void xml_lang_is_the_entrys_own_or_inherited() {
      assertThat(feed.entries()).extracting(Entry::language).containsExactly("en", "de");
    }

    @Test
    void bases_and_languages_are_inherited_from_each_element_around() throws FeedParseException {
      Feed based =
          Fixtures.parse(
              "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='https://a.example/x/'"
                  + " xml:lang='en'><link href='..'/><entry xml:base='y/' xml:lang=''>"
                  + "<link href='z' xml:base='w/'/>"
                  + "<author><name>A</name><uri xml:base='/p/'>q</uri></author></entry>"
                  + "<entry><content xml:lang='fr_FR'>x</content></entry></feed>");
      assertThat(based.permalink()).isEqualTo("https://a.example/");
      Entry first = based.entries().get(0);
      assertThat(first.permalink()).isEqualTo("https://a.example/x/y/w/z");
      assertThat(first.authors().get(0).uri()).isEqualTo("https://a.example/p/q");
      assertThat(first.language()).isNull();
      assertThat(based.entries().get(1).language()).isEqualTo("fr-FR");
    }

    @Test
    void atom_source_is_read_in_full() {
      assertThat(entry.source())
          .isEqualTo(
              new Source(
                  "tag:origin.example,2026:feed",
                  "Origin",
                  "Where it began",
                  Instant.parse("2026-03-01T09:00:00Z"),
                  "nl",
                  List.of(Link.of("alternate", "https://origin.example/", null)),
                  List.of(Author.named("Orrin")),
                  null,
                  List.of("origins")));
    }
  }

  @Nested
  class Versions {
    @Test
    void Atom_0_3_has_tagline_issued_modified_url_and_modes() {
      Feed old = Fixtures.feed("atom03.xml");
      Entry first = old.entries().get(0);
      assertThat(old.subtitle()).isEqualTo("From before");
      assertThat(old.updated()).isEqualTo(Instant.parse("2004-05-01T00:00:00Z"));
      assertThat(old.authors())
          .containsExactly(Author.of("Elder", null, "http://old.example/elder"));
      assertThat(first.title()).isEqualTo("A < B");
      assertThat(first.published()).isEqualTo(Instant.parse("2004-04-30T08:00:00Z"));
      assertThat(first.updated()).isEqualTo(Instant.parse("2004-04-30T09:00:00Z"));
      assertThat(first.content()).isEqualTo(Content.html("<b>bold</b>"));
    }

    @Test
    void a_lone_entry_is_a_feed_of_one() throws FeedParseException {
      Feed alone =
          Fixtures.parse(
              "<entry xmlns='http://www.w3.org/2005/Atom'><id>urn:x</id><title>T</title></entry>");
      assertThat(alone.id()).isEqualTo(Fixtures.BASE.toString());
      assertThat(alone.entries()).extracting(Entry::id).containsExactly("urn:x");
    }

    @Test
    void a_feed_in_an_odd_namespace_or_none_is_Atom() throws FeedParseException {
      for (String namespace : List.of("", "http://odd.example/")) {
        Feed odd =
            Fixtures.parse(
                "<feed xmlns='" + namespace + "'><title>T</title><entry><id>1</id></entry></feed>");
        assertThat(odd.title()).isEqualTo("T");
        assertThat(odd.entries()).extracting(Entry::id).containsExactly("1");
      }
    }
  }
}
