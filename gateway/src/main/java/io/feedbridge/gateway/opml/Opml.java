package io.feedbridge.gateway.opml;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/** OPML 1.0 and 2.0 subscription lists. No DTD and no entity outside of the document is read. */
public final class Opml {

  /** Feeds that one document may list. */
  public static final int MAX_FEEDS = 20_000;

  /** Bytes of a document. */
  public static final int MAX_BYTES = 8 << 20;

  /** Characters of a title that are kept. */
  private static final int MAX_TITLE = 500;

  /** Outlines within one another; lists have two or three. */
  private static final int MAX_DEPTH = 100;

  private static final Pattern LONE_AMPERSAND =
      Pattern.compile("&(?!(?:[a-zA-Z][a-zA-Z0-9]*|#[0-9]+|#x[0-9a-fA-F]+);)");

  private Opml() {}

  /**
   * The outlines of a list that name a feed or have none within them, in its order. Folders are
   * left out. An ampersand that begins no entity stands for itself, since many lists have URLs with
   * such.
   *
   * @throws BadOpmlException if it is no OPML, cannot be read or has too many feeds
   */
  public static List<Outline> read(byte[] document) throws BadOpmlException {
    try {
      return outlines(reader(document));
    } catch (XMLStreamException e) {
      byte[] escaped = withoutLoneAmpersands(document);
      if (escaped.length > document.length) {
        return read(escaped);
      }
      throw new BadOpmlException(
          "the document is not well-formed XML, line %d, column %d"
              .formatted(e.getLocation().getLineNumber(), e.getLocation().getColumnNumber()));
    }
  }

  /** By bytes, which holds in each encoding that has ASCII in it. */
  private static byte[] withoutLoneAmpersands(byte[] document) {
    String text = new String(document, StandardCharsets.ISO_8859_1);
    return LONE_AMPERSAND.matcher(text).replaceAll("&amp;").getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Whether a document is OPML, by its root element; the rest of it is not looked at. */
  public static boolean isOne(byte[] document) {
    try {
      XMLStreamReader reader = reader(document);
      while (reader.hasNext()) {
        if (reader.next() == XMLStreamConstants.START_ELEMENT) {
          return reader.getLocalName().equals("opml");
        }
      }
    } catch (XMLStreamException notXml) {
      // Neither is it OPML.
    }
    return false;
  }

  private static XMLStreamReader reader(byte[] document) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    return factory.createXMLStreamReader(new ByteArrayInputStream(document));
  }

  private static List<Outline> outlines(XMLStreamReader reader)
      throws XMLStreamException, BadOpmlException {
    List<Outline> outlines = new ArrayList<>();
    Outline leaf = null;
    int depth = 0;
    while (reader.hasNext()) {
      int event = reader.next();
      if (event == XMLStreamConstants.END_ELEMENT) {
        depth--;
        if (leaf != null) {
          outlines.add(leaf);
        }
        leaf = null;
      }
      if (event != XMLStreamConstants.START_ELEMENT) {
        continue;
      }
      depth++;
      leaf = null;
      if (depth == 1 && !reader.getLocalName().equals("opml")) {
        throw new BadOpmlException("the document is not OPML but " + reader.getLocalName());
      }
      if (depth > MAX_DEPTH) {
        throw new BadOpmlException("its outlines are more than %d deep".formatted(MAX_DEPTH));
      }
      if (reader.getLocalName().equals("outline")) {
        String url = attribute(reader, "xmlUrl");
        Outline outline =
            new Outline(
                url == null ? "" : url, title(reader), reader.getLocation().getLineNumber());
        if (url == null) {
          leaf = outline;
        } else {
          outlines.add(outline);
        }
      }
      if (outlines.size() > MAX_FEEDS) {
        throw new BadOpmlException("it lists more than %,d feeds".formatted(MAX_FEEDS));
      }
    }
    return outlines;
  }

  private static String title(XMLStreamReader reader) {
    String text = attribute(reader, "text");
    String title = text == null ? attribute(reader, "title") : text;
    return title == null ? "" : title.substring(0, Math.min(title.length(), MAX_TITLE));
  }

  /** Of whatever case: {@code xmlurl} is not rare. */
  private static @Nullable String attribute(XMLStreamReader reader, String name) {
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      if (reader.getAttributeLocalName(i).equalsIgnoreCase(name)
          && !reader.getAttributeValue(i).isBlank()) {
        return reader.getAttributeValue(i).strip();
      }
    }
    return null;
  }

  /** A list of these feeds. */
  public static byte[] write(String title, List<Outline> outlines) {
    return write(title, outlines, null);
  }

  /**
   * A list of these feeds.
   *
   * @param cloud the URL to register at for its changes; null for none
   */
  public static byte[] write(String title, List<Outline> outlines, @Nullable String cloud) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      XMLStreamWriter writer =
          XMLOutputFactory.newDefaultFactory()
              .createXMLStreamWriter(out, StandardCharsets.UTF_8.name());
      writer.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
      writer.writeStartElement("opml");
      writer.writeAttribute("version", "2.0");
      writer.writeStartElement("head");
      writer.writeStartElement("title");
      writer.writeCharacters(visible(title));
      writer.writeEndElement();
      if (cloud != null) {
        writer.writeStartElement("source:cloud");
        writer.writeNamespace("source", "https://source.scripting.com/");
        writer.writeCharacters(cloud);
        writer.writeEndElement();
      }
      writer.writeEndElement();
      writer.writeStartElement("body");
      for (Outline outline : outlines) {
        writer.writeCharacters("\n  ");
        writer.writeEmptyElement("outline");
        writer.writeAttribute("type", "rss");
        writer.writeAttribute(
            "text", visible(outline.title().isEmpty() ? outline.url() : outline.title()));
        writer.writeAttribute("xmlUrl", visible(outline.url()));
      }
      writer.writeCharacters("\n");
      writer.writeEndDocument();
      writer.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("writing to memory does not fail", e);
    }
    return out.toByteArray();
  }

  /** XML has no place for control characters. */
  private static String visible(String text) {
    return text.replaceAll("[\\p{Cntrl}\\uFFFE\\uFFFF\\p{Cs}]", " ");
  }
}
