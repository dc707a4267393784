package io.feedbridge.normalizer;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parts of the model that Atom and the schema's additions to it have elements for, in
 * the order of the schema's examples, in an Atom document or as an extension of another format.
 * What RFC 4287's grammar does not allow is left out, or written in the nearest form that it does.
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

  /**
   * @param prefix of Atom's elements, empty for the default namespace; that of ActivityStreams is
   *     {@code as}. Both are bound by the caller
   */
  AtomElements(XMLStreamWriter xml, String prefix) {
    this.xml = xml;
    atom = new XmlOut(xml, prefix, ATOM);
    activity = new XmlOut(xml, "as", ACTIVITY);
  }

  void source(Source source, StatusWriter status) throws XMLStreamException {
    atom.start("source");
    language(source.language());
    Status record = source.status();
    if (record != null) {
      status.write(record);
    }
    atom.text("id", source.id());
    atom.text("title", source.title());
    atom.text("subtitle", source.subtitle());
    atom.date("updated", source.updated());
    links(source.links());
    categories(source.categories());
    authors(source.authors());
    atom.end();
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
    atom.start("author");
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
  }

  void categories(List<String> categories) throws XMLStreamException {
    for (String category : categories) {
      atom.empty("category");
      atom.attribute("term", category);
    }
  }

  void activities(Entry entry) throws XMLStreamException {
    activity("verb", entry.verbs());
    for (ActivityObject object : entry.objects()) {
      object(object);
    }
  }

  private void activity(String name, List<String> values) throws XMLStreamException {
    for (String value : values) {
      activity.required(name, value);
    }
  }

  private void object(ActivityObject object) throws XMLStreamException {
    activity.start("object");
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
   * Markup is written escaped, also what was XHTML: the same content (RFC 4287 §4.1.3.3), and none
   * of it can break the document. Inline XML of another kind becomes plain text for that reason.
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

  /** {@code xml:lang} of the element that was just started; what is no language tag is left out. */
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
