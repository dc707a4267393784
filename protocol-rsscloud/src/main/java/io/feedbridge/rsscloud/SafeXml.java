package io.feedbridge.rsscloud;

import com.ctc.wstx.api.WstxInputProperties;
import com.ctc.wstx.stax.WstxInputFactory;
import java.io.ByteArrayInputStream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * XML of strangers, read as a stream: no DTD, no entity but the five of XML, and bounds on whatever
 * can grow. The factory is not changed after its making and may be used by many threads.
 */
final class SafeXml {

  private static final int MAX_DEPTH = 100;
  private static final int MAX_ATTRIBUTES = 100;
  private static final int MAX_ATTRIBUTE_LENGTH = 512 * 1024;
  private static final int MAX_ELEMENTS = 1_000_000;

  private static final XMLInputFactory FACTORY = hardened();

  private SafeXml() {}

  /**
   * Opens a document, or as much of one as the bound allows.
   *
   * @param maxBytes bytes read at most; the rest is as if it were not there
   */
  static XMLStreamReader read(byte[] bytes, int maxBytes) throws XMLStreamException {
    return read(bytes, maxBytes, null);
  }

  /**
   * The same for a document whose charset is known from elsewhere.
   *
   * @param charset null where the document is to say it itself
   */
  static XMLStreamReader read(byte[] bytes, int maxBytes, @Nullable String charset)
      throws XMLStreamException {
    int start = start(bytes);
    int length = Math.min(bytes.length - start, maxBytes);
    ByteArrayInputStream in = new ByteArrayInputStream(bytes, start, length);
    return charset == null
        ? FACTORY.createXMLStreamReader(in)
        : FACTORY.createXMLStreamReader(in, charset);
  }

  /** Blank lines before the XML declaration are ill-formed, and common where PHP writes it. */
  static int start(byte[] bytes) {
    int start = 0;
    while (start < bytes.length && isWhiteSpace(bytes[start])) {
      start++;
    }
    return start;
  }

  private static boolean isWhiteSpace(byte b) {
    return b == ' ' || b == '\t' || b == '\r' || b == '\n';
  }

  private static XMLInputFactory hardened() {
    WstxInputFactory factory = new WstxInputFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    factory.setXMLResolver(
        (publicId, systemId, baseUri, namespace) -> {
          throw new XMLStreamException("external entities are not read");
        });
    // Lazily parsed text reports its errors as unchecked exceptions.
    factory.getConfig().doParseLazily(false);
    factory.setProperty(WstxInputProperties.P_MAX_ELEMENT_DEPTH, MAX_DEPTH);
    factory.setProperty(WstxInputProperties.P_MAX_ELEMENT_COUNT, (long) MAX_ELEMENTS);
    factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTES_PER_ELEMENT, MAX_ATTRIBUTES);
    factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTE_SIZE, MAX_ATTRIBUTE_LENGTH);
    return factory;
  }
}
