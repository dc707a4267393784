package io.feedbridge.normalizer;

import com.ctc.wstx.api.WstxInputProperties;
import com.ctc.wstx.stax.WstxInputFactory;
import java.io.StringReader;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.util.StreamReaderDelegate;
import org.jdom2.Document;
import org.jdom2.JDOMException;
import org.jdom2.UncheckedJDOMFactory;
import org.jdom2.input.StAXStreamBuilder;

/**
 * XML as a tree, within {@link Limits}. There is no DTD and no external entity: a DOCTYPE is passed
 * over unread, so that what it declares does not exist. Thread-safe.
 */
final class XmlDocument {
  private final XMLInputFactory factory = hardened();

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
    return factory;
  }

  /** The tree of the document, without comments, processing instructions and DOCTYPE. */
  Document parse(String xml) throws FeedParseException {
    try {
      XMLStreamReader reader =
          new OnlyElements(factory.createXMLStreamReader(new StringReader(xml)));
      try {
        StAXStreamBuilder builder = new StAXStreamBuilder();
        // The reader has checked every name and character already
        builder.setFactory(new UncheckedJDOMFactory());
        return builder.build(reader);
      } finally {
        reader.close();
      }
    } catch (XMLStreamException e) {
      throw illFormed(e);
    } catch (JDOMException e) {
      throw e.getCause() instanceof XMLStreamException cause
          ? illFormed(cause)
          : FeedParseException.broken("The document cannot be read as XML.", e);
    } catch (RuntimeException e) {
      throw FeedParseException.broken("The document cannot be read as XML.", e);
    }
  }

  private static FeedParseException illFormed(XMLStreamException e) {
    Location location = e.getLocation();
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

  /** Passes on elements and text alone, and counts what Woodstox does not. */
  private static final class OnlyElements extends StreamReaderDelegate {
    OnlyElements(XMLStreamReader reader) {
      super(reader);
    }

    @Override
    public int next() throws XMLStreamException {
      int event = super.next();
      while (event == XMLStreamConstants.DTD
          || event == XMLStreamConstants.COMMENT
          || event == XMLStreamConstants.PROCESSING_INSTRUCTION) {
        event = super.next();
      }
      if (event == XMLStreamConstants.START_ELEMENT
          && getNamespaceCount() > Limits.MAX_NAMESPACES) {
        throw new XMLStreamException(
            "Maximum namespace declarations limit (" + Limits.MAX_NAMESPACES + ") exceeded",
            getLocation());
      }
      return event;
    }
  }
}
