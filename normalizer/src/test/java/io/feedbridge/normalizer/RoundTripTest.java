package io.feedbridge.normalizer;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is written is read back as what it was written from. */
class RoundTripTest {
  private static final Instant FIRST_SEEN = Instant.parse("2026-04-01T00:00:00Z");

  @Test
  void atom_is_read_back_as_an_equal_model() throws FeedParseException {
    SoftAssertions softly = new SoftAssertions();
    for (Corpus.Document document : Corpus.withFixtures()) {
      Feed feed = document.feed();
      Feed again = Corpus.parse(SuperfeedrAtom.write(feed, Status.of("urn:f"), FIRST_SEEN));
      Feed expected = AsAtom.feed(feed);
      softly
          .assertThat(AsAtom.known(again).withEntries(List.of()))
          .as(document.name())
          .isEqualTo(expected.withEntries(List.of()));
      softly
          .assertThat(again.entries().stream().map(AsAtom::sorted).toList())
          .as(document.name())
          .isEqualTo(expected.entries());
    }
    softly.assertAll();
  }

  @Test
  void RSS_is_read_back_as_an_equal_model_in_the_fields_that_RSS_has() throws FeedParseException {
    SoftAssertions softly = new SoftAssertions();
    for (Corpus.Document document : Corpus.withFixtures()) {
      Feed feed = document.feed();
      Feed again = Corpus.parse(RssWriter.write(feed, PushOffer.of(feed)));
      Feed expected = AsRss.feed(AsRss.withPage(feed));
      softly
          .assertThat(AsRss.feed(again).withEntries(List.of()))
          .as(document.name())
          .isEqualTo(expected.withEntries(List.of()));
      softly
          .assertThat(AsRss.feed(again).entries())
          .as(document.name())
          .isEqualTo(expected.entries());
    }
    softly.assertAll();
  }

  /** A model as it is after its way through Atom: what differs, and why. */
  private static final class AsAtom {
    static Feed feed(Feed feed) {
      List<Entry> entries = new ArrayList<>();
      Instant newest = null;
      for (Entry entry : feed.entries()) {
        Instant date = entry.updated() == null ? entry.published() : entry.updated();
        newest = date != null && (newest == null || date.isAfter(newest)) ? date : newest;
        entries.add(entry(entry, feed.language()));
      }
      Instant updated = feed.updated() == null ? newest : feed.updated();
      Feed known =
          new Feed(
              atomId(feed.id()),
              // Text is trimmed wherever it is read
              feed.title(),
              feed.subtitle(),
              // RFC 4287 §4.1.1 requires it
              updated == null ? FIRST_SEEN : updated,
              tag(feed.language()),
              links(feed.links()),
              authors(feed.authors()),
              entries,
              feed.hints(),
              List.of(),
              feed.categories(),
              authors(feed.contributors()),
              identified(feed.id(), feed.extensions(), true),
              feed.removals());
      return known(known);
    }

    /** Atom has no element for any hint but the links; what was repaired is not in need of it. */
    static Feed known(Feed feed) {
      Hints hints = feed.hints();
      return new Feed(
          feed.id(),
          feed.title(),
          feed.subtitle(),
          feed.updated(),
          feed.language(),
          feed.links(),
          feed.authors(),
          feed.entries(),
          new Hints(
              null, List.of(), List.of(), null, null, hints.hubs(), hints.self(), List.of(), null),
          List.of(),
          feed.categories(),
          feed.contributors(),
          feed.extensions().stream().sorted(Comparator.comparing(Extension::toString)).toList(),
          feed.removals());
    }

    /** RFC 4287 §4.2.6: an id is an IRI, beside which the source's own stands. */
    private static @Nullable String atomId(@Nullable String id) {
      return id == null ? null : AtomIds.of(id);
    }

    private static List<Extension> identified(
        @Nullable String id, List<Extension> extensions, boolean feed) {
      List<Extension> all = new ArrayList<>();
      if (id != null && !AtomIds.isIri(id)) {
        all.add(Extension.text("dc:identifier", id));
      }
      // An entry has no generator, and extensions of JSON Feed have no place in Atom
      extensions.stream()
          .filter(one -> !one.prefix().equals("json"))
          .filter(one -> feed || !one.name().equals("atom:generator"))
          .forEach(all::add);
      all.sort(Comparator.comparing(Extension::toString));
      return all;
    }

    static Entry sorted(Entry entry) {
      List<Extension> extensions = new ArrayList<>(entry.extensions());
      extensions.sort(Comparator.comparing(Extension::toString));
      return entry.extended(entry.contributors(), entry.targets(), extensions);
    }

    private static Entry entry(Entry entry, @Nullable String feedLanguage) {
      Instant updated = entry.updated() == null ? entry.published() : entry.updated();
      Source source = entry.source();
      String language = tag(entry.language());
      return new Entry(
          entry.id(),
          // Written, a generated id is an id
          false,
          entry.title(),
          entry.published(),
          updated == null ? FIRST_SEEN : updated,
          content(required(entry), false),
          content(requiredSummary(entry), true),
          links(entry.links()),
          entry.categories(),
          authors(entry.authors()),
          entry.geo(),
          entry.verbs(),
          objects(entry.objects()),
          // That none is known where the feed has one is nothing that the grammar lets be said
          language == null ? tag(feedLanguage) : language,
          source == null
              ? null
              : new Source(
                  atomId(source.id()),
                  source.title(),
                  source.subtitle(),
                  source.updated(),
                  tag(source.language()),
                  links(source.links()),
                  authors(source.authors()),
                  null,
                  source.categories()),
          null,
          authors(entry.contributors()),
          objects(entry.targets()),
          identified(null, entry.extensions(), false));
    }

    /** RFC 4287 §4.1.2: an entry has a summary where its content is elsewhere or binary. */
    private static @Nullable Content requiredSummary(Entry entry) {
      Content content = entry.content();
      boolean needed = content != null && (content.src() != null || content.carriesBase64());
      return entry.summary() == null && needed ? Content.text("") : entry.summary();
    }

    /** RFC 4287 §4.1.2: an entry has a content or a page. */
    private static @Nullable Content required(Entry entry) {
      Content summary = entry.summary();
      return entry.content() != null || entry.permalink() != null
          ? entry.content()
          : summary == null ? Content.text("") : summary;
    }

    private static List<ActivityObject> objects(List<ActivityObject> objects) {
      return objects.stream()
          .map(
              object ->
                  new ActivityObject(
                      object.objectTypes(),
                      object.id(),
                      object.title(),
                      object.published(),
                      object.updated(),
                      content(object.content(), false),
                      authors(object.authors()),
                      object.categories(),
                      links(object.links())))
          .toList();
    }

    /** XHTML is written as HTML, other XML as text; content that is elsewhere is empty here. */
    private static @Nullable Content content(@Nullable Content content, boolean summary) {
      if (content == null) {
        return null;
      }
      String type = content.type().toLowerCase(Locale.ROOT);
      boolean html = type.contains("html");
      if (content.src() != null && !summary) {
        String at = html ? Content.HTML : type.contains("/") ? type : Content.TEXT;
        return new Content(at, "", content.src());
      }
      if (html) {
        return new Content(Content.HTML, content.value(), null, content.base());
      }
      if (!type.contains("/") || Content.isXml(type) || type.equals("text/plain")) {
        return Content.text(content.value());
      }
      return summary
          ? Content.text(Objects.requireNonNullElse(content.asText(), ""))
          : new Content(type, content.value(), null);
    }

    /** RFC 4287 §3.2.1 requires a name; §3.2.3 has it that a mail address looks like one. */
    private static List<Author> authors(List<Author> authors) {
      return authors.stream()
          .map(
              author -> {
                String name = author.name() == null ? author.title() : author.name();
                String mail = author.email();
                return new Author(
                    name == null ? mail : name,
                    mail != null && mail.matches("(?s).+@.+") ? mail : null,
                    author.uri(),
                    author.id(),
                    author.title(),
                    author.objectTypes(),
                    links(author.links()));
              })
          .toList();
    }

    /** RFC 4287 §4.2.7.3: a type is a media type. */
    private static List<Link> links(List<Link> links) {
      return links.stream()
          .map(
              link ->
                  new Link(
                      link.rel(),
                      link.href(),
                      link.type() != null && link.type().matches("(?s).+/.+") ? link.type() : null,
                      link.title(),
                      link.length(),
                      link.details()))
          .toList();
    }

    /** RFC 4287 §2: a language is a language tag. */
    private static @Nullable String tag(@Nullable String language) {
      String tag = language == null ? "" : language.trim().replace('_', '-');
      return tag.matches("[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*") ? tag : null;
    }
  }

  /** The part of a model that RSS 2.0 has room for, in the way that it says it. */
  private static final class AsRss {
    static Feed feed(Feed feed) {
      return new Feed(
          feed.id(),
          feed.title(),
          feed.subtitle(),
          seconds(feed.updated()),
          feed.language(),
          links(feed.links()),
          authors(feed.authors()),
          feed.entries().stream().map(entry -> entry(entry, feed.language())).toList(),
          hints(feed.hints()),
          List.of(),
          feed.categories());
    }

    /** A channel has a link: without a site of its own, to the feed itself. */
    static Feed withPage(Feed feed) {
      String self = feed.hints().self();
      String page = self == null ? feed.id() : self;
      if (feed.permalink() != null || page == null || !Urls.isHttp(page)) {
        return feed;
      }
      List<Link> links = new ArrayList<>(feed.links());
      links.add(Link.of(Link.ALTERNATE, page, null));
      return PushOffer.of(feed).on(feed, links);
    }

    /** A channel has one cloud. */
    private static Hints hints(Hints hints) {
      return new Hints(
          hints.ttl(),
          hints.skipHours(),
          hints.skipDays(),
          hints.updatePeriod(),
          hints.updateBase(),
          hints.hubs(),
          hints.self(),
          hints.clouds().isEmpty() ? List.of() : List.of(hints.clouds().get(0)),
          hints.sourceCloud());
    }

    private static Entry entry(Entry entry, @Nullable String feedLanguage) {
      Instant published = entry.published() == null ? entry.updated() : entry.published();
      Source source = entry.source();
      return new Entry(
          entry.id(),
          false,
          entry.title(),
          // RFC 822 has no fractions of seconds, and every item gets a date
          seconds(published),
          entry.updated(),
          html(resolved(entry.content())),
          html(resolved(asSummary(entry.summary()))),
          links(entry.links()),
          entry.categories(),
          authors(entry.authorsWithin(List.of())),
          entry.geo(),
          entry.verbs(),
          AsAtom.objects(entry.objects()),
          entry.language() == null ? feedLanguage : entry.language(),
          source == null
              ? null
              : new Source(
                  source.id(), source.title(), null, null, null, List.of(), List.of(), null));
    }

    /** RSS has no base for content. */
    private static @Nullable Content resolved(@Nullable Content content) {
      return content == null || content.base() == null
          ? content
          : new Content(content.type(), Objects.requireNonNull(content.absolute()), content.src());
    }

    private static @Nullable Instant seconds(@Nullable Instant time) {
      return time == null ? null : time.truncatedTo(ChronoUnit.SECONDS);
    }

    /** A summary has no media types, in RSS as in Atom. */
    private static @Nullable Content asSummary(@Nullable Content summary) {
      return summary == null || summary.src() != null ? summary : AsAtom.content(summary, true);
    }

    /** Both texts of an item are HTML. */
    private static @Nullable Content html(@Nullable Content content) {
      if (content == null || (content.value().isBlank() && content.src() == null)) {
        return null;
      }
      Content atom = Objects.requireNonNull(AsAtom.content(content, false));
      boolean text = atom.type().equals(Content.TEXT) && atom.src() == null;
      return text && !content.type().contains("/")
          ? Content.html(
              content.value().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
          : atom;
    }

    /** Names, and the mail address of who is alone. */
    private static List<Author> authors(List<Author> authors) {
      LinkedHashSet<Author> named = new LinkedHashSet<>();
      for (Author author : authors) {
        String name = RssItemWriter.name(author);
        if (name != null) {
          named.add(Author.named(name));
        }
      }
      return List.copyOf(named);
    }

    /** Which links there are; most have no room for more in RSS. */
    private static List<Link> links(List<Link> links) {
      LinkedHashSet<String> seen = new LinkedHashSet<>();
      return links.stream()
          .map(link -> Link.of(link.rel(), link.href(), null))
          .filter(link -> seen.add(link.rel() + " " + link.href()))
          .sorted(Comparator.comparing(Link::toString))
          .toList();
    }
  }
}
