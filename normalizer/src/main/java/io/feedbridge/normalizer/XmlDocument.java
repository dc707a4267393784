package io.feedbridge.normalizer;

import com.ctc.wstx.api.WstxInputProperties;
import com.ctc.wstx.stax.WstxInputFactory;
import java.io.StringReader;
import java.util.Map;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jdom2.Document;
import org.jdom2.Element;
import org.jdom2.JDOMFactory;
import org.jdom2.Namespace;
import org.jdom2.UncheckedJDOMFactory;
import org.jspecify.annotations.Nullable;

/**
 * XML as a tree, within {@link Limits}. There is no DTD and no external entity: a DOCTYPE is passed
 * over unread. A document that refers to its entities is mended ({@link DeclaredEntities}).
 * Thread-safe.
 */
final class XmlDocument {
  /** Namespaces of attributes that mean something in a feed; the others' attributes are dropped. */
  private static final Map<String, Namespace> KEPT =
      Map.of(
          Vocabulary.XML_NAMESPACE,
          Namespace.XML_NAMESPACE,
          "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
          Namespace.getNamespace("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
          Vocabulary.THR.uri(),
          Namespace.getNamespace("thr", Vocabulary.THR.uri()),
          "http://www.w3.org/1999/xlink",
          Namespace.getNamespace("xlink", "http://www.w3.org/1999/xlink"));

  /** On a root whose elements without a prefix are of RSS, which an empty root does not show. */
  private static final Namespace OF_RSS = Namespace.getNamespace("rss", "urn:x-of-rss");

  private final XMLInputFactory factory = hardened();

  /** Without checks of its own: the reader has checked every name and character already. */
  private final JDOMFactory nodes = new UncheckedJDOMFactory();

  private static XMLInputFactory hardened() {
    WstxInputFactory factory = new WstxInputFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    // Otherwise errors in text come late, and unchecked
    factory.getConfig().doParseLazily(false);
    factory.setProperty(WstxInputProperties.P_MAX_ELEMENT_DEPTH, Limits.MAX_DEPTH);
    factory.setProperty(WstxInputProperties.P_MAX_ELEMENT_COUNT, (long) Limits.MAX_ELEMENTS);
    factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTES_PER_ELEMENT, Limits.MAX_ATTRIBUTES);
    factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTE_SIZE, Limits.MAX_ATTRIBUTE_LENGTH);
    factory.setProperty(WstxInputProperties.P_MAX_TEXT_LENGTH, (long) Limits.MAX_TEXT_LENGTH);
    return factory;
  }

  /** The tree of the document, without comments, processing instructions and DOCTYPE. */
  Document parse(String xml) throws FeedParseException {
    return read(xml, reader -> new Document(root(reader)));
  }

  /** Reads the document for its errors alone. */
  void check(String xml) throws FeedParseException {
    read(xml, XmlDocument::checked);
  }

  private static boolean checked(XMLStreamReader reader) throws XMLStreamException {
    ReadingBounds bounds = new ReadingBounds();
    while (reader.hasNext()) {
      reader.next();
      bounds.check(reader);
    }
    return true;
  }

  /** Makes a result of a document while it is read. */
  private interface Reading<T> {
    T of(XMLStreamReader reader) throws XMLStreamException;
  }

  private <T> T read(String xml, Reading<T> reading) throws FeedParseException {
    Location at = null;
    try {
      XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(xml));
      try {
        return reading.of(reader);
      } finally {
        at = reader.getLocation();
        reader.close();
      }
    } catch (XMLStreamException e) {
      // An exceeded bound comes without a place of its own
      throw illFormed(e, e.getLocation() == null ? at : e.getLocation());
    } catch (RuntimeException e) {
      throw FeedParseException.broken("The document cannot be read as XML.", e);
    }
  }

  private static FeedParseException illFormed(XMLStreamException e, @Nullable Location location) {
    int line = location == null ? 0 : location.getLineNumber();
    int column = location == null ? 0 : location.getColumnNumber();
    String message = e.getMessage() == null ? "" : e.getMessage();
    if (message.contains("imit (") || message.contains("imit exceeded")) {
      return FeedParseException.at(
          FeedParseException.Kind.TOO_LARGE,
          line,
          column,
          "The document goes beyond a bound: " + sentence(message),
          e);
    }
    return FeedParseException.at(
        FeedParseException.Kind.BROKEN,
        line,
        column,
        "The document is not well-formed XML: " + sentence(message),
        e);
  }

  /** Woodstox' first line, without the position that follows it and the full stop. */
  private static String sentence(String message) {
    int position = message.indexOf("\n at [");
    String text = (position < 0 ? message : message.substring(0, position)).trim();
    text = text.replaceAll("\\s+", " ");
    return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
  }

  /** Whether the root declares that elements without a prefix are of RSS. */
  static boolean isOfRss(Element root) {
    return root.getAdditionalNamespaces().contains(OF_RSS);
  }

  private Element root(XMLStreamReader reader) throws XMLStreamException {
    Element root = null;
    Element open = null;
    ReadingBounds bounds = new ReadingBounds();
    while (reader.hasNext()) {
      int event = reader.next();
      bounds.check(reader);
      switch (event) {
        case XMLStreamConstants.START_ELEMENT -> {
          Element element = element(reader);
          if (open == null) {
            root = element;
            String plain = reader.getNamespaceURI("");
            if (plain != null && !plain.isEmpty() && Vocabulary.of(plain) == Vocabulary.RSS) {
              root.addNamespaceDeclaration(OF_RSS);
            }
          } else {
            nodes.addContent(open, element);
          }
          open = element;
        }
        case XMLStreamConstants.END_ELEMENT -> open = open == null ? null : open.getParentElement();
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE -> {
          if (open != null) {
            nodes.addContent(open, nodes.text(reader.getText()));
          }
        }
        default -> {}
      }
    }
    if (root == null) {
      throw new XMLStreamException("There is no element", reader.getLocation());
    }
    return root;
  }

  private Element element(XMLStreamReader reader) {
    String own = reader.getNamespaceURI();
    Element element = nodes.element(reader.getLocalName(), Vocabulary.representative(own));
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      String uri = reader.getAttributeNamespace(i);
      boolean plain = uri == null || uri.isEmpty() || uri.equals(own);
      Namespace namespace = plain ? Namespace.NO_NAMESPACE : KEPT.get(uri);
      if (namespace != null) {
        String name = reader.getAttributeLocalName(i);
        nodes.setAttribute(element, nodes.attribute(name, reader.getAttributeValue(i), namespace));
      }
    }
    return element;
  }
}
