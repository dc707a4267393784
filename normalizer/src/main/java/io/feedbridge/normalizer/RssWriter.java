package io.feedbridge.normalizer;

import com.ctc.wstx.stax.WstxOutputFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * A feed as RSS 2.0, as it is served to feed readers: the core elements first, and what they have
 * no room for in the namespaces that readers know (content, dc, atom, media, georss, itunes,
 * source, sy). What the specification requires is always there. Thread-safe.
 */
public final class RssWriter {
  private static final XMLOutputFactory XML = new WstxOutputFactory();

  private RssWriter() {}

  /**
   * The feed as one document in UTF-8.
   *
   * @param offer how the document says that it can be followed, in place of the feed's own self and
   *     hub links and clouds
   */
  public static byte[] write(Feed feed, PushOffer offer) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      write(feed, offer, out);
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
    return out.toByteArray();
  }

  /** The same, as it is made; {@code out} is flushed and left open. */
  public static void write(Feed feed, PushOffer offer, OutputStream out) throws IOException {
    try {
      XMLStreamWriter xml = XML.createXMLStreamWriter(out, "UTF-8");
      xml.writeStartDocument("UTF-8", "1.0");
      xml.writeStartElement("", "rss", "");
      xml.writeAttribute("version", "2.0");
      for (RssNamespace namespace : RssNamespace.values()) {
        xml.writeNamespace(namespace.prefix(), namespace.uri());
      }
      xml.writeStartElement("", "channel", "");
      new RssChannelWriter(xml).write(feed, offer);
      RssItemWriter items = new RssItemWriter(xml, feed.language());
      for (Entry entry : feed.entries()) {
        items.write(entry);
      }
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e);
    }
  }
}
