package io.feedbridge.websub.discovery;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.ctc.wstx.api.WstxInputProperties;
import com.ctc.wstx.exc.WstxIOException;
import com.ctc.wstx.stax.WstxInputFactory;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.codehaus.stax2.XMLInputFactory2;
import org.jspecify.annotations.Nullable;

/**
 * Reads the links of an Atom, RSS 2.0 or RSS 1.0 feed itself, up to its first entry, so that
 * nothing after that can spoil them.
 *
 * <p>Prefixes are looked up here instead of by the XML parser, which would stop at the first one
 * that is not declared: many a feed forgets {@code xmlns:atom}.
 */
final class FeedLinks {
  /** The kind of document that the root element names. */
  enum Root {
    FEED,
    HTML,
    OTHER
  }

  private static final int MAX_DEPTH = 200;
  private static final int MAX_ATTRIBUTES = 200;
  private static final List<String> ATOM_NAMESPACES =
      List.of("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#");

  /** Configured once and only read from then on; creating readers from it is thread-safe. */
  private static final XMLInputFactory FACTORY = factory();

  private final URI documentBase;
  private final FoundLinks found;
  private final Map<String, String> namespaces = new HashMap<>();
  private Root root = Root.OTHER;

  private FeedLinks(URI documentBase, FoundLinks found) {
    this.documentBase = documentBase;
    this.found = found;
  }

  /** Never throws: links that stand before an error in the document stay found. */
  static Root read(byte[] body, URI documentBase, FoundLinks found) {
    FeedLinks links = new FeedLinks(documentBase, found);
    int start = startOf(body);
    try {
      links.read(body, start);
    } catch (XMLStreamException e) {
      // The document is ill-formed from there on, which feeds often are; the reader cannot repair
      // it.
    }
    return links.root;
  }

  private void read(byte[] body, int start) throws XMLStreamException {
    try {
      read(FACTORY.createXMLStreamReader(stream(body, start)));
    } catch (WstxIOException e) {
      // Bytes that the declared encoding does not have. Most others agree about ASCII, and this one
      // has a character for every byte.
      read(FACTORY.createXMLStreamReader(stream(body, start), ISO_8859_1.name()));
    }
  }

  private void read(XMLStreamReader xml) throws XMLStreamException {
    int depth = 0;
    boolean inChannel = false;
    URI feedBase = documentBase;
    URI channelBase = documentBase;
    while (xml.hasNext()) {
      int event = xml.next();
      if (event == XMLStreamConstants.END_ELEMENT) {
        depth--;
        inChannel &= depth >= 2;
        if (depth == 0) {
          return;
        }
      }
      if (event != XMLStreamConstants.START_ELEMENT) {
        continue;
      }
      depth++;
      String name = localPart(xml.getLocalName());
      if (depth == 1) {
        root = rootOf(name);
        if (root != Root.FEED) {
          return;
        }
        feedBase = baseOf(xml, documentBase);
        declareNamespaces(xml);
      } else if (depth == 2 && name.equals("channel")) {
        inChannel = true;
        channelBase = baseOf(xml, feedBase);
        declareNamespaces(xml);
      } else if (depth == 2 || (depth == 3 && inChannel)) {
        if (name.equals("entry") || name.equals("item")) {
          return;
        }
        if (name.equals("link")) {
          addLink(xml, depth == 2 ? feedBase : channelBase);
        }
      }
    }
  }

  private static Root rootOf(String name) {
    return switch (name) {
      case "feed", "rss", "RDF" -> Root.FEED;
      case "html", "HTML" -> Root.HTML;
      default -> Root.OTHER;
    };
  }

  private void addLink(XMLStreamReader xml, URI base) {
    String rel = attribute(xml, "rel");
    String href = attribute(xml, "href");
    if (rel != null && href != null && isAtom(xml)) {
      List<String> rels = Arrays.asList(rel.strip().toLowerCase(Locale.ROOT).split("\\s+"));
      found.add(baseOf(xml, base), rels, href);
    }
  }

  /** Without a prefix any link with rel and href is one, as feeds put it in RSS, too. */
  private boolean isAtom(XMLStreamReader xml) {
    String name = xml.getLocalName();
    int colon = name.indexOf(':');
    if (colon < 0) {
      return true;
    }
    String prefix = name.substring(0, colon);
    String here = attribute(xml, "xmlns:" + prefix);
    String namespace = here != null ? here : namespaces.get(prefix);
    return namespace == null
        ? prefix.startsWith("atom") || prefix.equals("a10")
        : ATOM_NAMESPACES.contains(namespace);
  }

  private void declareNamespaces(XMLStreamReader xml) {
    for (int i = 0; i < xml.getAttributeCount(); i++) {
      String name = xml.getAttributeLocalName(i);
      if (name.startsWith("xmlns:")) {
        namespaces.put(name.substring("xmlns:".length()), xml.getAttributeValue(i));
      }
    }
  }

  private static URI baseOf(XMLStreamReader xml, URI outer) {
    String base = attribute(xml, "xml:base");
    return base == null ? outer : HttpReference.resolve(outer, base).orElse(outer);
  }

  private static @Nullable String attribute(XMLStreamReader xml, String name) {
    for (int i = 0; i < xml.getAttributeCount(); i++) {
      if (xml.getAttributeLocalName(i).equals(name)) {
        return xml.getAttributeValue(i);
      }
    }
    return null;
  }

  private static String localPart(String name) {
    return name.substring(name.indexOf(':') + 1);
  }

  /** Many generators put white space before the XML declaration, which no parser accepts. */
  private static int startOf(byte[] body) {
    int start = 0;
    boolean utf8Mark =
        body.length >= 3
            && body[0] == (byte) 0xEF
            && body[1] == (byte) 0xBB
            && body[2] == (byte) 0xBF;
    if (utf8Mark) {
      start = 3;
    }
    while (start < body.length && " \t\r\n".indexOf(body[start]) >= 0) {
      start++;
    }
    return start;
  }

  private static InputStream stream(byte[] body, int start) {
    return new ByteArrayInputStream(body, start, body.length - start);
  }

  private static XMLInputFactory factory() {
    XMLInputFactory factory = new WstxInputFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    // An undeclared entity, such as &nbsp; in a title, becomes an event and no error.
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
    factory.setProperty(XMLInputFactory2.P_LAZY_PARSING, false);
    factory.setProperty(XMLInputFactory2.P_INTERN_NAMES, false);
    factory.setProperty(WstxInputProperties.P_MAX_ELEMENT_DEPTH, MAX_DEPTH);
    factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTES_PER_ELEMENT, MAX_ATTRIBUTES);
    return factory;
  }
}
