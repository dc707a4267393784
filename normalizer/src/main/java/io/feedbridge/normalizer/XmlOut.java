package io.feedbridge.normalizer;

import java.time.Instant;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes elements of one vocabulary: absent values are left out, and characters that XML cannot
 * hold are dropped.
 *
 * @param prefix empty for the default namespace
 */
record XmlOut(XMLStreamWriter xml, String prefix, String namespace) {

  void start(String name) throws XMLStreamException {
    xml.writeStartElement(prefix, name, namespace);
  }

  void end() throws XMLStreamException {
    xml.writeEndElement();
  }

  void empty(String name) throws XMLStreamException {
    xml.writeEmptyElement(prefix, name, namespace);
  }

  /** The element in any case, empty for an absent value. */
  void required(String name, @Nullable String value) throws XMLStreamException {
    start(name);
    characters(value);
    end();
  }

  void text(String name, @Nullable String value) throws XMLStreamException {
    if (value != null && !value.isEmpty()) {
      required(name, value);
    }
  }

  /** An instant as RFC 3339 has it, in UTC. */
  void date(String name, @Nullable Instant value) throws XMLStreamException {
    text(name, value == null ? null : value.toString());
  }

  void number(String name, @Nullable Number value) throws XMLStreamException {
    text(name, value == null ? null : value.toString());
  }

  void attribute(String name, @Nullable String value) throws XMLStreamException {
    if (value != null && !value.isEmpty()) {
      xml.writeAttribute(name, XmlChars.legal(value));
    }
  }

  void characters(@Nullable String value) throws XMLStreamException {
    if (value != null && !value.isEmpty()) {
      xml.writeCharacters(XmlChars.legal(value));
    }
  }
}
