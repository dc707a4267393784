package io.feedbridge.normalizer;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/** One item for each entry. */
final class RssItemWriter {
  private final XMLStreamWriter xml;
  private final RssVersion version;
  private final @Nullable String feedLanguage;
  private final boolean keepsIdForm;
  private final XmlOut rss;
  private final XmlOut dc;
  private final XmlOut atom;
  private final XmlOut media;
  private final AtomElements elements;

  /**
   * @param keepsIdForm whether an id that stood in an {@code atom:id} stands there again, and not
   *     in a {@code guid}
   */
  RssItemWriter(
      XMLStreamWriter xml, RssVersion version, @Nullable String feedLanguage, boolean keepsIdForm) {
    this.keepsIdForm = keepsIdForm;
    this.xml = xml;
    this.version = version;
    this.feedLanguage = feedLanguage;
    rss = version.to(xml);
    dc = RssNamespace.DC.to(xml);
    media = RssNamespace.MEDIA.to(xml);
    elements = new AtomElements(xml, RssNamespace.ATOM.prefix());
    atom = elements.out();
  }

  void write(Entry entry) throws XMLStreamException {
    String page = entry.permalink();
    Instant date = entry.published() == null ? entry.updated() : entry.published();
    rss.start("item");
    if (version == RssVersion.ONE) {
      about(entry.id());
    }
    rss.text("title", entry.title());
    rss.text("link", page);
    if (version == RssVersion.TWO) {
      guid(entry, page);
    }
    texts(entry);
    if (version == RssVersion.ONE) {
      dc.date("date", date);
    } else {
      rss.text("pubDate", RssChannelWriter.date(date));
    }
    atom.date("updated", entry.updated());
    authors(entry.authorsWithin(List.of()));
    elements.contributors(entry.contributors());
    for (String category : entry.categories()) {
      category(version, xml, elements, category, entry.extensions());
    }
    links(entry, page);
    GeoPoint geo = entry.geo();
    if (geo != null) {
      RssNamespace.GEORSS.to(xml).text("point", geo.simple());
    }
    if (!Objects.equals(entry.language(), feedLanguage)) {
      dc.text("language", entry.language());
    }
    elements.activities(entry);
    source(entry.source());
    dc.text("rights", Extension.textOf(entry.extensions(), "atom:rights"));
    elements.extensions(entry.extensions());
    rss.end();
  }

  /**
   * A category with its scheme; a label stands in Atom's, which RSS 2.0 has none for, and RSS 1.0
   * has Dublin Core's subjects, which have neither.
   */
  static void category(
      RssVersion version,
      XMLStreamWriter xml,
      AtomElements elements,
      String term,
      List<Extension> extensions)
      throws XMLStreamException {
    Extension details = null;
    for (Extension extension : extensions) {
      if (extension.name().equals("atom:category")
          && term.equals(extension.attributes().get("term"))) {
        details = extension;
        break;
      }
    }
    boolean module = version == RssVersion.ONE;
    if (module) {
      RssNamespace.DC.to(xml).text("subject", term);
    } else {
      XmlOut rss = version.to(xml);
      rss.start("category");
      rss.attribute("domain", details == null ? null : details.attributes().get("scheme"));
      rss.characters(term);
      rss.end();
    }
    if (details != null && (module || details.attributes().containsKey("label"))) {
      elements.category(details);
    }
  }

  /** An id that stands elsewhere in an item of RSS 1.0 is its name all the same. */
  private void about(String id) throws XMLStreamException {
    if (!id.isEmpty()) {
      xml.writeAttribute(
          Vocabulary.RDF.prefix(), Vocabulary.RDF.uri(), "about", XmlChars.legal(id));
    }
  }

  private void guid(Entry entry, @Nullable String page) throws XMLStreamException {
    IdForm form = entry.idForm();
    if (keepsIdForm && form == IdForm.ATOM_ID) {
      atom.text("id", entry.id());
    } else if (!entry.id().isEmpty()) {
      boolean permalink =
          form == IdForm.PERMALINK || (form != IdForm.GUID && entry.id().equals(page));
      rss.start("guid");
      rss.attribute("isPermaLink", Boolean.toString(permalink));
      rss.characters(entry.id());
      rss.end();
    }
  }

  /** RSS 2.0 requires a title or a description; both of its texts are HTML. */
  private void texts(Entry entry) throws XMLStreamException {
    String summary = summary(entry.summary());
    Content content = entry.content();
    String encoded = html(content);
    if (summary != null || (entry.title() == null && encoded == null)) {
      rss.required("description", summary);
    }
    if (encoded != null) {
      RssNamespace.CONTENT.to(xml).text("encoded", encoded);
    } else if (content != null && (content.src() != null || !content.value().isEmpty())) {
      elements.content("content", content);
    }
  }

  /** A summary of another kind is text for a reader all the same. */
  private static @Nullable String summary(@Nullable Content summary) {
    String html = html(summary);
    String text = html != null || summary == null ? null : summary.asText();
    return text == null || text.isBlank() ? html : escaped(text);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** The text as HTML; null for content that is none: binary, of another kind, or at an address. */
  private static @Nullable String html(@Nullable Content content) {
    if (content == null || content.src() != null || content.value().isBlank()) {
      return null;
    }
    return switch (content.type().toLowerCase(Locale.ROOT)) {
      case Content.HTML, Content.XHTML, "text/html", "application/xhtml+xml" -> content.absolute();
      case Content.TEXT, "text/plain" -> escaped(content.value());
      default -> null;
    };
  }

  /** RSS has one author with a mail address, Dublin Core has any number of names. */
  private void authors(List<Author> authors) throws XMLStreamException {
    boolean mail =
        version == RssVersion.TWO && authors.size() == 1 && authors.get(0).email() != null;
    boolean more = false;
    for (Author author : authors) {
      if (mail) {
        rss.text("author", mail(author));
      } else {
        dc.text("creator", name(author));
      }
      more |=
          author.uri() != null
              || author.id() != null
              || !author.links().isEmpty()
              || (author.email() != null && !mail);
    }
    if (more) {
      elements.authors(authors);
    }
  }

  static @Nullable String name(Author author) {
    if (author.name() != null || author.title() != null) {
      return author.name() == null ? author.title() : author.name();
    }
    return author.email() == null ? author.uri() : author.email();
  }

  /** {@code mail (Name)}, as RSS 2.0 has it. */
  static @Nullable String mail(Author author) {
    String name = author.name();
    return name == null ? author.email() : author.email() + " (" + name + ")";
  }

  private void links(Entry entry, @Nullable String page) throws XMLStreamException {
    // RSS 1.0 has no such elements
    boolean enclosed = version == RssVersion.ONE;
    boolean commented = version == RssVersion.ONE;
    for (Link link : entry.links()) {
      switch (link.rel()) {
        case Link.ENCLOSURE -> {
          boolean first = !enclosed && link.type() != null;
          enclosed |= first;
          enclosure(link, first);
        }
        case Link.PICTURE -> {
          if (isMedia(link)) {
            new ExtensionXml(xml).details(link);
          } else {
            media.empty("thumbnail");
            media.attribute("url", link.href());
          }
          if (link.title() != null || link.type() != null) {
            elements.link(link);
          }
        }
        case Link.REPLIES -> {
          boolean first = !commented && "text/html".equals(link.type()) && link.title() == null;
          commented |= first;
          replies(link, first);
        }
        default -> {
          if (!isPage(link, page)) {
            elements.link(link);
          }
        }
      }
    }
  }

  /** RSS 2.0 has room for one enclosure, whose type and length are required. */
  private void enclosure(Link link, boolean first) throws XMLStreamException {
    Long length = link.length();
    if (first) {
      rss.empty("enclosure");
      rss.attribute("url", link.href());
      rss.attribute("length", length == null ? "0" : length.toString());
      rss.attribute("type", link.type());
      new ExtensionXml(xml).details(link);
      return;
    }
    if (isMedia(link)) {
      new ExtensionXml(xml).details(link);
      return;
    }
    media.start("content");
    media.attribute("url", link.href());
    media.attribute("type", link.type());
    media.attribute("fileSize", length == null ? null : length.toString());
    media.text("title", link.title());
    media.end();
  }

  private static boolean isMedia(Link link) {
    Extension details = link.details();
    return details != null && details.prefix().equals(RssNamespace.MEDIA.prefix());
  }

  private void replies(Link link, boolean page) throws XMLStreamException {
    if (page) {
      rss.text("comments", link.href());
    } else if ("application/rss+xml".equals(link.type()) && link.title() == null) {
      RssNamespace.WFW.to(xml).text("commentRss", link.href());
    } else {
      elements.link(link);
    }
  }

  /** Whether the link is the one that RSS writes as {@code link}, without type and title. */
  static boolean isPage(Link link, @Nullable String page) {
    return link.rel().equals(Link.ALTERNATE) && link.href().equals(page);
  }

  static boolean isEpisode(Entry entry) {
    for (Link link : entry.links()) {
      String type = link.type();
      if (link.rel().equals(Link.ENCLOSURE)
          && type != null
          && (type.startsWith("audio/") || type.startsWith("video/"))) {
        return true;
      }
    }
    return false;
  }

  /** RSS 2.0 has the source's address and title, Atom its other fields. */
  private void source(@Nullable Source source) throws XMLStreamException {
    if (source == null) {
      return;
    }
    String address = version == RssVersion.TWO ? address(source) : null;
    if (address != null) {
      rss.start("source");
      rss.attribute("url", address);
      rss.characters(source.title());
      rss.end();
    }
    Link self = Link.of(Link.SELF, address == null ? "" : address, "application/rss+xml");
    Source told =
        new Source(
            address, source.title(), null, null, null, List.of(self), List.of(), source.status());
    if (!told.equals(source)) {
      elements.source(source, status -> {});
    }
  }

  private static @Nullable String address(Source source) {
    for (Link link : source.links()) {
      if (link.rel().equals(Link.SELF)) {
        return link.href();
      }
    }
    String id = source.id();
    return id != null && Urls.isHttp(id) ? id : null;
  }
}
