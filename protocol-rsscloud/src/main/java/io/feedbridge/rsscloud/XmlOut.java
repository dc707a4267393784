package io.feedbridge.rsscloud;

import com.ctc.wstx.stax.WstxOutputFactory;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.codehaus.stax2.XMLStreamWriter2;

/**
 * Writes small documents to memory, in UTF-8. The factory is not changed after its making and may
 * be used by many threads.
 */
final class XmlOut {

  private static final XMLOutputFactory FACTORY = factory();

  private static final XMLOutputFactory COPIES = new WstxOutputFactory();

  private final XMLStreamWriter writer;

  private XmlOut(XMLStreamWriter writer) {
    this.writer = writer;
  }

  /** The content of a document. */
  interface Content {
    void writeTo(XmlOut out) throws XMLStreamException;
  }

  static byte[] document(Content content) {
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter writer = FACTORY.createXMLStreamWriter(text);
      writer.writeStartDocument("UTF-8", "1.0");
      content.writeTo(new XmlOut(writer));
      writer.writeEndDocument();
      writer.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("writing to memory failed", e);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Names with prefixes are written as they are: the caller declares each prefix by an attribute.
   */
  private static XMLOutputFactory factory() {
    WstxOutputFactory factory = new WstxOutputFactory();
    factory.getConfig().enableAutomaticEmptyElements(false);
    factory.getConfig().doSupportNamespaces(false);
    return factory;
  }

  /** A writer for copies of others' documents, namespaces and all, in UTF-8. */
  static XMLStreamWriter2 copier(OutputStream out) throws XMLStreamException {
    return (XMLStreamWriter2) COPIES.createXMLStreamWriter(out, "UTF-8");
  }

  /** Begins an element. */
  void start(String name) throws XMLStreamException {
    writer.writeStartElement(name);
  }

  /** Adds an attribute to the element that has just begun. */
  void attribute(String name, String value) throws XMLStreamException {
    writer.writeAttribute(name, XmlText.sendable(value));
  }

  /** Writes text into the element that is open. */
  void text(String text) throws XMLStreamException {
    writer.writeCharacters(XmlText.sendable(text));
  }

  /** Writes an element of text alone. */
  void text(String name, String text) throws XMLStreamException {
    start(name);
    text(text);
    end();
  }

  /** Ends the element that is open. */
  void end() throws XMLStreamException {
    writer.writeEndElement();
  }
}
