package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes {@link Extension}s in the namespaces they were read from. Extensions of Atom and of JSON
 * Feed are passed over: each kind of document has a place of its own for them, or none.
 */
record ExtensionXml(XMLStreamWriter xml) {

  /** Declares on the root the namespaces that a feed's extensions are in. */
  void declare(Feed feed) throws XMLStreamException {
    Set<String> prefixes = new TreeSet<>();
    prefixes(feed.extensions(), prefixes);
    links(feed.links(), prefixes);
    for (Entry entry : feed.entries()) {
      prefixes(entry.extensions(), prefixes);
      links(entry.links(), prefixes);
    }
    for (String prefix : prefixes) {
      Vocabulary vocabulary = Vocabulary.ofPrefix(prefix);
      if (isWritten(vocabulary)) {
        declare(vocabulary);
      }
    }
  }

  private static void prefixes(List<Extension> extensions, Set<String> into) {
    for (Extension extension : extensions) {
      into.add(extension.prefix());
      prefixes(extension.children(), into);
    }
  }

  private static void links(List<Link> links, Set<String> into) {
    for (Link link : links) {
      Extension details = link.details();
      if (details != null) {
        into.add(details.prefix());
      }
    }
  }

  private static boolean isWritten(Vocabulary vocabulary) {
    return vocabulary != Vocabulary.ATOM && vocabulary != Vocabulary.OTHER;
  }

  private void declare(Vocabulary vocabulary) throws XMLStreamException {
    if (!vocabulary.prefix().equals(xml.getPrefix(vocabulary.uri()))) {
      xml.writeNamespace(vocabulary.prefix(), vocabulary.uri());
    }
  }

  void write(List<Extension> extensions) throws XMLStreamException {
    for (Extension extension : extensions) {
      write(extension, Map.of());
    }
  }

  /** One extension, with attributes before its own. */
  void write(Extension extension, Map<String, String> more) throws XMLStreamException {
    Vocabulary vocabulary = Vocabulary.ofPrefix(extension.prefix());
    if (!isWritten(vocabulary)) {
      return;
    }
    XmlOut out = new XmlOut(xml, vocabulary.prefix(), vocabulary.uri());
    boolean empty = extension.text() == null && extension.children().isEmpty();
    if (empty) {
      out.empty(extension.localName());
    } else {
      out.start(extension.localName());
    }
    declare(vocabulary);
    attributes(out, more);
    attributes(out, extension.attributes());
    if (!empty) {
      out.characters(extension.text());
      write(extension.children());
      out.end();
    }
  }

  private static void attributes(XmlOut out, Map<String, String> attributes)
      throws XMLStreamException {
    for (Map.Entry<String, String> attribute : attributes.entrySet()) {
      out.attribute(attribute.getKey(), attribute.getValue());
    }
  }

  /** The details of a link in media RSS: an element beside the link. */
  void details(Link link) throws XMLStreamException {
    Extension details = link.details();
    if (details != null && details.prefix().equals(Vocabulary.MEDIA.prefix())) {
      write(titled(details, link), address(link));
    }
  }

  private static Extension titled(Extension details, Link link) {
    if (link.title() == null || !link.rel().equals(Link.ENCLOSURE)) {
      return details;
    }
    List<Extension> children = new ArrayList<>();
    children.add(Extension.text("media:title", link.title()));
    children.addAll(details.children());
    return new Extension(details.name(), details.attributes(), details.text(), children);
  }

  private static Map<String, String> address(Link link) {
    Map<String, String> attributes = new LinkedHashMap<>();
    attributes.put("url", link.href());
    if (link.rel().equals(Link.ENCLOSURE)) {
      attributes.put("type", link.type() == null ? "" : link.type());
      attributes.put("fileSize", link.length() == null ? "" : link.length().toString());
    }
    return attributes;
  }
}
