package io.feedbridge.normalizer;

import com.ctc.wstx.stax.WstxOutputFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/**
 * The Atom of the Superfeedr schema: its elements in the order of its examples, with the elements
 * that RFC 4287 requires (id, title and updated of feed and entries), unknown values left out,
 * characters that XML cannot hold dropped. Thread-safe.
 */
public final class SuperfeedrAtom {
  private static final Content EMPTY = Content.text("");
  private static final XMLOutputFactory XML = new WstxOutputFactory();

  private SuperfeedrAtom() {}

  /**
   * The feed and its status as one document in UTF-8; a feed without entries gives a document with
   * the status and the feed's own fields.
   *
   * @param firstSeen {@code updated} of feed and entries that have no date at all: when they were
   *     first seen
   */
  public static byte[] write(Feed feed, Status status, Instant firstSeen) {
    return write(feed, status, firstSeen, false);
  }

  /**
   * The same.
   *
   * @param digest whether the document is marked as a digest
   */
  public static byte[] write(Feed feed, Status status, Instant firstSeen, boolean digest) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      write(feed, status, null, firstSeen, digest, out);
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
    return out.toByteArray();
  }

  /**
   * The feed alone, for readers that know nothing of the schema, as one document in UTF-8.
   *
   * @param offer how the document says that it can be followed, in place of the feed's own self and
   *     hub links and clouds; of clouds Atom has room for the {@code source:cloud} alone
   * @param firstSeen as with the status
   */
  public static byte[] write(Feed feed, PushOffer offer, Instant firstSeen) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      write(feed, offer, firstSeen, out);
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
    return out.toByteArray();
  }

  /** The feed alone, as it is made; {@code out} is flushed and left open. */
  public static void write(Feed feed, PushOffer offer, Instant firstSeen, OutputStream out)
      throws IOException {
    write(offer.on(feed), null, offer.sourceCloud(), firstSeen, false, out);
  }

  /** The feed and its status, as they are made; {@code out} is flushed and left open. */
  public static void write(Feed feed, Status status, Instant firstSeen, OutputStream out)
      throws IOException {
    write(feed, status, null, firstSeen, false, out);
  }

  private static void write(
      Feed feed,
      @Nullable Status status,
      @Nullable String cloud,
      Instant firstSeen,
      boolean digest,
      OutputStream out)
      throws IOException {
    try {
      XMLStreamWriter writer = XML.createXMLStreamWriter(out, "UTF-8");
      new Writer(writer)
          .document(feed, status, cloud, firstSeen.truncatedTo(ChronoUnit.SECONDS), digest);
      writer.close();
    } catch (XMLStreamException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e);
    }
  }

  private static final class Writer {
    private final XMLStreamWriter xml;
    private final XmlOut atom;
    private final AtomElements elements;
    private final StatusElement status;

    Writer(XMLStreamWriter xml) {
      this.xml = xml;
      elements = new AtomElements(xml, "");
      atom = elements.out();
      status = new StatusElement(xml);
    }

    void document(
        Feed feed,
        @Nullable Status status,
        @Nullable String cloud,
        Instant firstSeen,
        boolean digest)
        throws XMLStreamException {
      xml.writeStartDocument("UTF-8", "1.0");
      atom.start("feed");
      xml.writeDefaultNamespace(AtomElements.ATOM);
      xml.writeNamespace("geo", AtomElements.GEORSS);
      xml.writeNamespace("as", AtomElements.ACTIVITY);
      if (digest) {
        xml.writeNamespace("sf", StatusElement.NAMESPACE);
        xml.writeAttribute("sf", StatusElement.NAMESPACE, "digest", "true");
      }
      if (!feed.removals().isEmpty()) {
        xml.writeNamespace("at", Vocabulary.TOMBSTONES.uri());
      }
      new ExtensionXml(xml).declare(feed);
      elements.language(feed.language());
      if (status != null) {
        this.status.write(status);
      }
      elements.id(feed.id() == null && status != null ? status.feed() : feed.id());
      atom.required(
          "title", feed.title() == null && status != null ? status.title() : feed.title());
      atom.text("subtitle", feed.subtitle());
      atom.date("updated", feed.updated() == null ? newest(feed, firstSeen) : feed.updated());
      elements.links(feed.links());
      if (cloud != null) {
        cloud(cloud);
      }
      elements.categories(feed.categories(), feed.extensions());
      elements.authors(feed.authors());
      elements.contributors(feed.contributors());
      elements.told(feed.extensions(), true);
      elements.extensions(feed.extensions());
      for (Entry entry : feed.entries()) {
        entry(entry, firstSeen);
      }
      elements.removals(feed.removals(), this.status::write);
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.flush();
    }

    private void cloud(String url) throws XMLStreamException {
      XmlOut source = RssNamespace.SOURCE.to(xml);
      source.start("cloud");
      xml.writeNamespace(source.prefix(), source.namespace());
      source.characters(url);
      source.end();
    }

    private static Instant newest(Feed feed, Instant firstSeen) {
      Instant newest = null;
      for (Entry entry : feed.entries()) {
        Instant date = entry.updated() == null ? entry.published() : entry.updated();
        newest = date != null && (newest == null || date.isAfter(newest)) ? date : newest;
      }
      return newest == null ? firstSeen : newest;
    }

    private void entry(Entry entry, Instant firstSeen) throws XMLStreamException {
      atom.start("entry");
      elements.language(entry.language());
      elements.id(entry.id());
      atom.date("published", entry.published());
      Instant updated = entry.updated() == null ? entry.published() : entry.updated();
      atom.date("updated", updated == null ? firstSeen : updated);
      atom.required("title", entry.title());
      contents(entry);
      GeoPoint geo = entry.geo();
      if (geo != null) {
        new XmlOut(xml, "geo", AtomElements.GEORSS).text("point", geo.simple());
      }
      elements.links(entry.links());
      elements.categories(entry.categories(), entry.extensions());
      elements.authors(entry.authors());
      elements.contributors(entry.contributors());
      elements.told(entry.extensions(), false);
      elements.activities(entry);
      Source source = entry.source();
      if (source != null) {
        elements.source(source, status::write);
      }
      elements.extensions(entry.extensions());
      xml.writeEndElement();
    }

    /**
     * RFC 4287 §4.1.2: an entry has a content or a page, and a summary where its content is
     * elsewhere or binary.
     */
    private void contents(Entry entry) throws XMLStreamException {
      Content content = entry.content();
      Content summary = entry.summary();
      if (content == null && entry.permalink() == null) {
        content = summary == null || summary.src() != null ? EMPTY : summary;
      }
      elements.content("content", content);
      boolean elsewhere = content != null && (content.src() != null || content.carriesBase64());
      elements.content("summary", summary == null && elsewhere ? EMPTY : summary);
    }
  }
}
