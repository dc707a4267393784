package io.feedbridge.normalizer;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parts of the model that Atom and the schema's additions to it have elements for, in
 * the order of the schema's examples, in an Atom document or as an extension of another format.
 * Values that RFC 4287's grammar does not allow are left out, or written in the nearest form that
 * it allows.
 */
final class AtomElements {
  static final String ATOM = "http://www.w3.org/2005/Atom";
  static final String GEORSS = "http://www.georss.org/georss";
  static final String ACTIVITY = "http://activitystrea.ms/spec/1.0/";

  private static final Pattern LANGUAGE = Pattern.compile("[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*");
  private static final Pattern MEDIA_TYPE = Pattern.compile("(?s).+/.+");
  private static final Pattern MAIL = Pattern.compile("(?s).+@.+");

  private final XMLStreamWriter xml;
  private final XmlOut atom;
  private final XmlOut activity;
  private final ExtensionXml extensions;

  /**
   * @param prefix of Atom's elements, empty for the default namespace; that of ActivityStreams is
   *     {@code as}. Both are bound by the caller
   */
  AtomElements(XMLStreamWriter xml, String prefix) {
    this.xml = xml;
    atom = new XmlOut(xml, prefix, ATOM);
    activity = new XmlOut(xml, "as", ACTIVITY);
    extensions = new ExtensionXml(xml);
  }

  void source(Source source, StatusWriter status) throws XMLStreamException {
    atom.start("source");
    language(source.language());
    Status record = source.status();
    if (record != null) {
      status.write(record);
    }
    id(source.id());
    atom.text("title", source.title());
    atom.text("subtitle", source.subtitle());
    atom.date("updated", source.updated());
    links(source.links());
    categories(source.categories());
    authors(source.authors());
    atom.end();
  }

  /** The id as Atom wants it, and beside it the source's own where that is no IRI. */
  void id(@Nullable String id) throws XMLStreamException {
    String iri = id == null ? null : AtomIds.of(id);
    atom.text("id", iri);
    if (id != null && !id.equals(iri)) {
      extensions.write(List.of(Extension.text("dc:identifier", id)));
    }
  }

  /** The removals as tombstones; the prefix {@code at} is bound by the caller. */
  void removals(List<Removal> removals, StatusWriter status) throws XMLStreamException {
    XmlOut tombstones = new XmlOut(xml, "at", Vocabulary.TOMBSTONES.uri());
    for (Removal removal : removals) {
      String iri = AtomIds.of(removal.id());
      tombstones.start(Removals.TOMBSTONE);
      tombstones.attribute("ref", iri);
      tombstones.attribute("when", removal.when().toString());
      if (!iri.equals(removal.id())) {
        extensions.write(List.of(Extension.text("dc:identifier", removal.id())));
      }
      Source source = removal.source();
      if (source != null) {
        source(source, status);
      }
      tombstones.end();
    }
  }

  /** Writes the status of a feed, where a document has room for it. */
  interface StatusWriter {
    void write(Status status) throws XMLStreamException;
  }

  void authors(List<Author> authors) throws XMLStreamException {
    for (Author author : authors) {
      author(author);
    }
  }

  void author(Author author) throws XMLStreamException {
    person("author", author);
  }

  void contributors(List<Author> contributors) throws XMLStreamException {
    for (Author contributor : contributors) {
      person("contributor", contributor);
    }
  }

  private void person(String role, Author author) throws XMLStreamException {
    atom.start(role);
    // RFC 4287 §3.2.1: a person has a name
    String name = author.name() == null ? author.title() : author.name();
    atom.required("name", name == null ? author.email() : name);
    atom.text("uri", author.uri());
    String email = author.email();
    atom.text("email", email != null && MAIL.matcher(email).matches() ? email : null);
    atom.text("id", author.id());
    atom.text("title", author.title());
    activity("object-type", author.objectTypes());
    links(author.links());
    atom.end();
  }

  void links(List<Link> links) throws XMLStreamException {
    for (Link link : links) {
      link(link);
      extensions.details(link);
    }
  }

  void link(Link link) throws XMLStreamException {
    atom.empty("link");
    String type = link.type();
    atom.attribute("type", type != null && MEDIA_TYPE.matcher(type).matches() ? type : null);
    atom.attribute("title", link.title());
    xml.writeAttribute("href", XmlChars.legal(link.href()));
    atom.attribute("rel", link.rel());
    Long length = link.length();
    atom.attribute("length", length == null ? null : length.toString());
    Extension details = link.details();
    if (details != null && details.name().equals("atom:link")) {
      more(details);
    }
  }

  private void more(Extension details) throws XMLStreamException {
    atom.attribute("hreflang", language(details.attributes().get("hreflang"), LANGUAGE));
    boolean declared = false;
    for (Map.Entry<String, String> attribute : details.attributes().entrySet()) {
      String name = attribute.getKey();
      if (name.startsWith("thr:")) {
        if (!declared) {
          xml.writeNamespace("thr", Vocabulary.THR.uri());
          declared = true;
        }
        xml.writeAttribute(
            "thr",
            Vocabulary.THR.uri(),
            name.substring("thr:".length()),
            XmlChars.legal(attribute.getValue()));
      }
    }
  }

  private static @Nullable String language(@Nullable String tag, Pattern form) {
    return tag != null && form.matcher(tag).matches() ? tag : null;
  }

  void categories(List<String> categories) throws XMLStreamException {
    categories(categories, List.of());
  }

  /**
   * @param extensions among them the details of categories, under {@code atom:category}
   */
  void categories(List<String> categories, List<Extension> extensions) throws XMLStreamException {
    for (String category : categories) {
      boolean written = false;
      for (Extension extension : extensions) {
        if (extension.name().equals("atom:category")
            && category.equals(extension.attributes().get("term"))) {
          category(extension);
          written = true;
        }
      }
      if (!written) {
        atom.empty("category");
        atom.attribute("term", category);
      }
    }
  }

  void category(Extension category) throws XMLStreamException {
    atom.empty("category");
    for (String name : List.of("term", "scheme", "label")) {
      atom.attribute(name, category.attributes().get(name));
    }
  }

  /** The generator and the rights that a feed or an entry names. */
  void told(List<Extension> told, boolean feed) throws XMLStreamException {
    boolean generated = !feed;
    boolean reserved = false;
    for (Extension extension : told) {
      String text = extension.text();
      if (extension.name().equals("atom:generator") && !generated) {
        generated = true;
        atom.start("generator");
        atom.attribute("uri", extension.attributes().get("uri"));
        atom.attribute("version", extension.attributes().get("version"));
        atom.characters(text);
        atom.end();
      } else if (extension.name().equals("atom:rights") && !reserved) {
        reserved = true;
        atom.text("rights", text);
      }
    }
  }

  /** Extensions in the namespaces they were read from. */
  void extensions(List<Extension> others) throws XMLStreamException {
    extensions.write(others);
  }

  void activities(Entry entry) throws XMLStreamException {
    activity("verb", entry.verbs());
    for (ActivityObject object : entry.objects()) {
      object("object", object);
    }
    for (ActivityObject target : entry.targets()) {
      object("target", target);
    }
  }

  private void activity(String name, List<String> values) throws XMLStreamException {
    for (String value : values) {
      activity.required(name, value);
    }
  }

  private void object(String role, ActivityObject object) throws XMLStreamException {
    activity.start(role);
    activity("object-type", object.objectTypes());
    atom.text("id", object.id());
    atom.text("title", object.title());
    atom.date("published", object.published());
    atom.date("updated", object.updated());
    content("content", object.content());
    authors(object.authors());
    categories(object.categories());
    links(object.links());
    activity.end();
  }

  /**
   * Markup is written escaped, XHTML too: the same content (RFC 4287 §4.1.3.3), and none of it can
   * break the document. Inline XML of another kind becomes plain text for that reason.
   */
  void content(String name, @Nullable Content content) throws XMLStreamException {
    if (content == null) {
      return;
    }
    if (content.src() != null && name.equals("content")) {
      elsewhere(content);
      return;
    }
    String type = content.type().toLowerCase(Locale.ROOT);
    String value = content.value();
    if (isHtml(type)) {
      type = Content.HTML;
    } else if (!type.contains("/") || Content.isXml(type)) {
      type = Content.TEXT;
    } else if (name.equals("summary")) {
      // A summary is a text construct, which has no media types (RFC 4287 §3.1.1)
      type = Content.TEXT;
      value = content.asText();
    }
    atom.start(name);
    xml.writeAttribute("type", XmlChars.legal(type));
    if (content.base() != null && type.equals(Content.HTML)) {
      xml.writeAttribute("xml", Vocabulary.XML_NAMESPACE, "base", content.base());
    }
    atom.characters(value);
    atom.end();
  }

  /** RFC 4287 §4.1.3.2: content at an address has a media type or none, and is empty here. */
  private void elsewhere(Content content) throws XMLStreamException {
    String type = content.type().toLowerCase(Locale.ROOT);
    atom.start("content");
    atom.attribute("type", isHtml(type) ? "text/html" : type.contains("/") ? type : null);
    atom.attribute("src", content.src());
    atom.end();
  }

  private static boolean isHtml(String type) {
    return switch (type) {
      case Content.HTML, Content.XHTML, "text/html", "application/xhtml+xml" -> true;
      default -> false;
    };
  }

  /**
   * {@code xml:lang} of the element that was just started; a text that is no language tag is left
   * out.
   */
  void language(@Nullable String language) throws XMLStreamException {
    String tag = language == null ? "" : language.trim().replace('_', '-');
    if (LANGUAGE.matcher(tag).matches()) {
      xml.writeAttribute("xml", Vocabulary.XML_NAMESPACE, "lang", tag);
    }
  }

  /** For the elements that each kind of document has in an order of its own. */
  XmlOut out() {
    return atom;
  }
}
