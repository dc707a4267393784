package io.feedbridge.normalizer;

import com.ctc.wstx.stax.WstxInputFactory;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * What holds of the scan by tags ({@link DocumentScanner}, {@link XmlTags}), whatever the bytes: it
 * finds what a full reading finds, of a document, of the same with an edit, and of the first one
 * again; and of a well-formed document it gives just the tags. The profile {@code fuzz} looks for
 * documents of which it does not hold; {@link FuzzCorpusTest} replays those found.
 */
public final class ScanFuzz {
  private static final FeedParser PARSER = new FeedParser();
  private static final Served SERVED = Served.at(URI.create("https://fuzz.example/feed"), null);
  private static final int MAX_EDIT = 16;

  private ScanFuzz() {}

  /** Is called by Jazzer with each document that it makes up. */
  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length < 2) {
      return;
    }
    ScanAgreement feed = new ScanAgreement(SERVED);
    feed.agree(data);
    feed.agree(data);
    feed.agree(edited(data));
    feed.agree(data);
    tags(data);
  }

  /**
   * Some bytes dropped or doubled, by a hash of the document, so that seeds are plain documents.
   */
  private static byte[] edited(byte[] document) {
    int hash = Arrays.hashCode(document);
    int at = Math.floorMod(hash, document.length);
    int length = Math.min(1 + (hash >>> 24) % MAX_EDIT, document.length - at);
    boolean dropped = (hash & 1 << 20) == 0;
    ByteArrayOutputStream out = new ByteArrayOutputStream(document.length + length);
    out.write(document, 0, dropped ? at : at + length);
    out.write(document, dropped ? at + length : at, document.length - at - (dropped ? length : 0));
    return out.toByteArray();
  }

  private static void tags(byte[] document) {
    List<String> expected;
    String text;
    try {
      text = PARSER.text(document, SERVED, new ArrayList<>());
      PARSER.check(text);
      expected = expected(text);
    } catch (FeedParseException | XMLStreamException notWellFormed) {
      return;
    }
    List<String> found = new ArrayList<>();
    try {
      XmlTags tags = new XmlTags(text);
      while (tags.next()) {
        if (!tags.isClosing()) {
          found.add(tags.prefix() + ":" + tags.localName() + " " + tags.attributeCount());
        }
        if (tags.isClosing() || tags.isEmpty()) {
          found.add("/");
        }
      }
    } catch (UnsureException unsure) {
      return;
    }
    if (!found.equals(expected)) {
      throw new AssertionError("The tags are " + found + " and not " + expected + ".");
    }
  }

  private static List<String> expected(String text) throws XMLStreamException {
    XMLInputFactory factory = new WstxInputFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(text));
    List<String> tags = new ArrayList<>();
    while (reader.hasNext()) {
      int event = reader.next();
      if (event == XMLStreamConstants.START_ELEMENT) {
        int attributes = reader.getAttributeCount() + reader.getNamespaceCount();
        String prefix = reader.getPrefix() == null ? "" : reader.getPrefix();
        tags.add(prefix + ":" + reader.getLocalName() + " " + attributes);
      } else if (event == XMLStreamConstants.END_ELEMENT) {
        tags.add("/");
      }
    }
    return tags;
  }
}
