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
 * The Atom of the Superfeedr schema: its elements in the order of its examples, with what RFC 4287
 * requires (id, title and updated of feed and entries), unknown values left out, characters that
 * XML cannot hold dropped. Thread-safe.
 */
public final class SuperfeedrAtom {
  static final String STATUS = "http://superfeedr.com/xmpp-pubsub-ext";
  private static final XMLOutputFactory XML = new WstxOutputFactory();

  private SuperfeedrAtom() {}

  /**
   * The feed and its status as one document in UTF-8; a feed without entries gives a document with
   * the status and what the feed says of itself.
   *
   * @param firstSeen {@code updated} of feed and entries that have no date at all: when they were
   *     first seen
   */
  public static byte[] write(Feed feed, Status status, Instant firstSeen) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      write(feed, status, firstSeen, out);
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
      XMLStreamWriter writer = XML.createXMLStreamWriter(out, "UTF-8");
      new Writer(writer)
          .document(
              offer.on(feed), null, offer.sourceCloud(), firstSeen.truncatedTo(ChronoUnit.SECONDS));
      writer.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("Memory does not fail.", e);
    }
    return out.toByteArray();
  }

  /** The same, as it is made; {@code out} is flushed and left open. */
  public static void write(Feed feed, Status status, Instant firstSeen, OutputStream out)
      throws IOException {
    try {
      XMLStreamWriter writer = XML.createXMLStreamWriter(out, "UTF-8");
      new Writer(writer).document(feed, status, null, firstSeen.truncatedTo(ChronoUnit.SECONDS));
      writer.close();
    } catch (XMLStreamException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e);
    }
  }

  private static final class Writer {
    private final XMLStreamWriter xml;
    private final XmlOut atom;
    private final AtomElements elements;

    Writer(XMLStreamWriter xml) {
      this.xml = xml;
      elements = new AtomElements(xml, "");
      atom = elements.out();
    }

    void document(Feed feed, @Nullable Status status, @Nullable String cloud, Instant firstSeen)
        throws XMLStreamException {
      xml.writeStartDocument("UTF-8", "1.0");
      atom.start("feed");
      xml.writeDefaultNamespace(AtomElements.ATOM);
      xml.writeNamespace("geo", AtomElements.GEORSS);
      xml.writeNamespace("as", AtomElements.ACTIVITY);
      elements.language(feed.language());
      if (status != null) {
        status(status);
      }
      atom.text("id", feed.id() == null && status != null ? status.feed() : feed.id());
      atom.required(
          "title", feed.title() == null && status != null ? status.title() : feed.title());
      atom.text("subtitle", feed.subtitle());
      atom.date("updated", feed.updated() == null ? newest(feed, firstSeen) : feed.updated());
      elements.links(feed.links());
      if (cloud != null) {
        cloud(cloud);
      }
      elements.categories(feed.categories());
      elements.authors(feed.authors());
      for (Entry entry : feed.entries()) {
        entry(entry, firstSeen);
      }
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

    /** The gateway's own times are told in seconds; those of a document as it has them. */
    private static @Nullable Instant seconds(@Nullable Instant time) {
      return time == null ? null : time.truncatedTo(ChronoUnit.SECONDS);
    }

    void status(Status status) throws XMLStreamException {
      XmlOut out = new XmlOut(xml, "", STATUS);
      out.start("status");
      xml.writeDefaultNamespace(STATUS);
      out.attribute("feed", status.feed());
      out.text("title", status.title());
      Integer code = status.code();
      if (code != null || status.http() != null) {
        out.start("http");
        out.attribute("code", code == null ? null : code.toString());
        out.characters(status.http());
        out.end();
      }
      out.date("next_fetch", seconds(status.nextFetch()));
      out.number("period", status.period());
      out.date("last_fetch", seconds(status.lastFetch()));
      out.date("last_parse", seconds(status.lastParse()));
      out.date("last_maintenance_at", seconds(status.lastMaintenanceAt()));
      out.number("entries_count_since_last_maintenance", status.entriesCountSinceLastMaintenance());
      out.number("velocity", status.velocity());
      out.number("popularity", status.popularity());
      out.number("bozo_rank", status.bozoRank());
      if (Boolean.TRUE.equals(status.generatedIds())) {
        out.text("generated_ids", "true");
      }
      out.end();
    }

    private void entry(Entry entry, Instant firstSeen) throws XMLStreamException {
      atom.start("entry");
      elements.language(entry.language());
      atom.text("id", entry.id());
      atom.date("published", entry.published());
      Instant updated = entry.updated() == null ? entry.published() : entry.updated();
      atom.date("updated", updated == null ? firstSeen : updated);
      atom.required("title", entry.title());
      elements.content("content", entry.content());
      elements.content("summary", entry.summary());
      GeoPoint geo = entry.geo();
      if (geo != null) {
        new XmlOut(xml, "geo", AtomElements.GEORSS).text("point", geo.simple());
      }
      elements.links(entry.links());
      elements.categories(entry.categories());
      elements.authors(entry.authors());
      elements.activities(entry);
      Source source = entry.source();
      if (source != null) {
        elements.source(source, this::status);
      }
      xml.writeEndElement();
    }
  }
}
