package io.feedbridge.normalizer;

import com.ctc.wstx.stax.WstxOutputFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/**
 * A feed as RSS 2.0, as it is served to feed readers: the core elements first, and fields without a
 * core element in the namespaces that readers know (content, dc, atom, media, georss, itunes,
 * source, sy). Required elements are always there. RSS 1.0 is written for news of a topic that is
 * RSS 1.0 itself. Thread-safe.
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
    write(RssVersion.TWO, feed, offer, null, out);
  }

  /**
   * The same.
   *
   * @param status written beside the items, whose ids then have the form that they have in the
   *     feed's own document; null for a document of its own
   */
  static void write(
      RssVersion version, Feed feed, PushOffer offer, @Nullable Status status, OutputStream out)
      throws IOException {
    try {
      XMLStreamWriter xml = XML.createXMLStreamWriter(out, "UTF-8");
      xml.writeStartDocument("UTF-8", "1.0");
      root(xml, version);
      for (RssNamespace namespace : RssNamespace.values()) {
        xml.writeNamespace(namespace.prefix(), namespace.uri());
      }
      new ExtensionXml(xml).declare(feed);
      RssChannelWriter channel = new RssChannelWriter(xml, version);
      channel.write(feed, offer);
      if (status != null) {
        new StatusElement(xml).write(status);
      }
      if (version == RssVersion.ONE) {
        channel.items(feed.entries());
        xml.writeEndElement();
        channel.pictureBeside(feed, offer);
      }
      RssItemWriter items = new RssItemWriter(xml, version, feed.language(), status != null);
      for (Entry entry : feed.entries()) {
        items.write(entry);
      }
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e);
    }
  }

  private static void root(XMLStreamWriter xml, RssVersion version) throws XMLStreamException {
    if (version == RssVersion.ONE) {
      xml.writeStartElement(Vocabulary.RDF.prefix(), "RDF", Vocabulary.RDF.uri());
      xml.writeNamespace(Vocabulary.RDF.prefix(), Vocabulary.RDF.uri());
      xml.writeDefaultNamespace(version.namespace());
    } else {
      xml.writeStartElement("", "rss", "");
      xml.writeAttribute("version", "2.0");
    }
  }
}
