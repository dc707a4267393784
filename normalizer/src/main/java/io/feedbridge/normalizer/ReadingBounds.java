package io.feedbridge.normalizer;

import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * The bounds of {@link Limits} that the XML reader does not keep by itself, checked event by event.
 *
 * <p>The XML reader keeps names in a table, and compares names with the same hash code one by one.
 * Without a bound on names a document of some megabytes takes minutes. Not thread-safe.
 */
final class ReadingBounds {
  private final NameCount names = new NameCount();
  private int namespaces;

  /**
   * Checks the event that the reader stands at; to be called at each one.
   *
   * @throws XMLStreamException with a message that {@link XmlDocument} knows as that of a bound
   */
  void check(XMLStreamReader reader) throws XMLStreamException {
    switch (reader.getEventType()) {
      case XMLStreamConstants.START_ELEMENT -> {
        namespaces += reader.getNamespaceCount();
        require(namespaces <= Limits.MAX_NAMESPACES, "Namespaces", Limits.MAX_NAMESPACES, reader);
        names(reader);
      }
      case XMLStreamConstants.END_ELEMENT -> namespaces -= reader.getNamespaceCount();
      case XMLStreamConstants.PROCESSING_INSTRUCTION ->
          require(names.admits(reader.getPITarget()), "Names", Limits.MAX_NAMES, reader);
      case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA ->
          require(
              reader.getTextLength() <= Limits.MAX_TEXT_LENGTH,
              "Text length",
              Limits.MAX_TEXT_LENGTH,
              reader);
      default -> {}
    }
  }

  private void names(XMLStreamReader reader) throws XMLStreamException {
    boolean admitted = names.admits(reader.getLocalName());
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      admitted &= names.admits(reader.getAttributeLocalName(i));
    }
    for (int i = 0; i < reader.getNamespaceCount(); i++) {
      String prefix = reader.getNamespacePrefix(i);
      admitted &= prefix == null || names.admits(prefix);
    }
    require(admitted, "Names", Limits.MAX_NAMES, reader);
  }

  private static void require(boolean within, String what, int bound, XMLStreamReader reader)
      throws XMLStreamException {
    if (!within) {
      throw new XMLStreamException(what + " limit (" + bound + ") exceeded", reader.getLocation());
    }
  }
}
