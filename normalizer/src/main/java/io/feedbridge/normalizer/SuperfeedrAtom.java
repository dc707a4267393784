package io.feedbridge.normalizer;

import com.ctc.wstx.stax.WstxOutputFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
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
  static final String ATOM = "http://www.w3.org/2005/Atom";
  static final String STATUS = "http://superfeedr.com/xmpp-pubsub-ext";
  static final String GEORSS = "http://www.georss.org/georss";
  static final String ACTIVITY = "http://activitystrea.ms/spec/1.0/";
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

  /** The same, as it is made; {@code out} is flushed and left open. */
  public static void write(Feed feed, Status status, Instant firstSeen, OutputStream out)
      throws IOException {
    try {
      XMLStreamWriter writer = XML.createXMLStreamWriter(out, "UTF-8");
      new Writer(writer).document(feed, status, firstSeen);
      writer.close();
    } catch (XMLStreamException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e);
    }
  }

  private record Writer(XMLStreamWriter xml) {

    void document(Feed feed, Status status, Instant firstSeen) throws XMLStreamException {
      xml.writeStartDocument("UTF-8", "1.0");
      xml.writeStartElement("", "feed", ATOM);
      xml.writeDefaultNamespace(ATOM);
      xml.writeNamespace("geo", GEORSS);
      xml.writeNamespace("as", ACTIVITY);
      language(feed.language());
      status(status);
      text("id", feed.id() == null ? status.feed() : feed.id());
      required("title", feed.title() == null ? status.title() : feed.title());
      text("subtitle", feed.subtitle());
      date("updated", feed.updated() == null ? newest(feed, firstSeen) : feed.updated());
      links(feed.links());
      categories(feed.categories());
      authors(feed.authors());
      for (Entry entry : feed.entries()) {
        entry(entry, firstSeen);
      }
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.flush();
    }

    private static Instant newest(Feed feed, Instant firstSeen) {
      Instant newest = null;
      for (Entry entry : feed.entries()) {
        Instant date = entry.updated() == null ? entry.published() : entry.updated();
        newest = date != null && (newest == null || date.isAfter(newest)) ? date : newest;
      }
      return newest == null ? firstSeen : newest;
    }

    void status(Status status) throws XMLStreamException {
      xml.writeStartElement("", "status", STATUS);
      xml.writeDefaultNamespace(STATUS);
      attribute("feed", status.feed());
      text("title", status.title());
      Integer code = status.code();
      if (code != null || status.http() != null) {
        xml.writeStartElement("http");
        attribute("code", code == null ? null : code.toString());
        characters(status.http());
        xml.writeEndElement();
      }
      date("next_fetch", status.nextFetch());
      number("period", status.period());
      date("last_fetch", status.lastFetch());
      date("last_parse", status.lastParse());
      date("last_maintenance_at", status.lastMaintenanceAt());
      number("entries_count_since_last_maintenance", status.entriesCountSinceLastMaintenance());
      number("velocity", status.velocity());
      number("popularity", status.popularity());
      number("bozo_rank", status.bozoRank());
      if (Boolean.TRUE.equals(status.generatedIds())) {
        text("generated_ids", "true");
      }
      xml.writeEndElement();
    }

    private void entry(Entry entry, Instant firstSeen) throws XMLStreamException {
      xml.writeStartElement("entry");
      language(entry.language());
      text("id", entry.id());
      date("published", entry.published());
      Instant updated = entry.updated() == null ? entry.published() : entry.updated();
      date("updated", updated == null ? firstSeen : updated);
      required("title", entry.title());
      content("content", entry.content());
      content("summary", entry.summary());
      GeoPoint geo = entry.geo();
      if (geo != null) {
        xml.writeStartElement("geo", "point", GEORSS);
        characters(geo.latitude() + " " + geo.longitude());
        xml.writeEndElement();
      }
      links(entry.links());
      categories(entry.categories());
      authors(entry.authors());
      activity("verb", entry.verbs());
      for (ActivityObject object : entry.objects()) {
        object(object);
      }
      Source source = entry.source();
      if (source != null) {
        source(source);
      }
      xml.writeEndElement();
    }

    private void object(ActivityObject object) throws XMLStreamException {
      xml.writeStartElement("as", "object", ACTIVITY);
      activity("object-type", object.objectTypes());
      text("id", object.id());
      text("title", object.title());
      date("published", object.published());
      date("updated", object.updated());
      content("content", object.content());
      authors(object.authors());
      categories(object.categories());
      links(object.links());
      xml.writeEndElement();
    }

    private void source(Source source) throws XMLStreamException {
      xml.writeStartElement("source");
      language(source.language());
      Status status = source.status();
      if (status != null) {
        status(status);
      }
      text("id", source.id());
      text("title", source.title());
      text("subtitle", source.subtitle());
      date("updated", source.updated());
      links(source.links());
      authors(source.authors());
      xml.writeEndElement();
    }

    private void authors(List<Author> authors) throws XMLStreamException {
      for (Author author : authors) {
        xml.writeStartElement("author");
        // RFC 4287 §3.2.1: a person has a name
        String name = author.name() == null ? author.title() : author.name();
        required("name", name == null ? author.email() : name);
        text("uri", author.uri());
        text("email", author.email());
        text("id", author.id());
        text("title", author.title());
        activity("object-type", author.objectTypes());
        links(author.links());
        xml.writeEndElement();
      }
    }

    private void links(List<Link> links) throws XMLStreamException {
      for (Link link : links) {
        xml.writeEmptyElement("link");
        attribute("type", link.type());
        attribute("title", link.title());
        xml.writeAttribute("href", XmlChars.legal(link.href()));
        attribute("rel", link.rel());
        Long length = link.length();
        attribute("length", length == null ? null : length.toString());
      }
    }

    private void categories(List<String> categories) throws XMLStreamException {
      for (String category : categories) {
        xml.writeEmptyElement("category");
        attribute("term", category);
      }
    }

    private void activity(String name, List<String> values) throws XMLStreamException {
      for (String value : values) {
        xml.writeStartElement("as", name, ACTIVITY);
        characters(value);
        xml.writeEndElement();
      }
    }

    /**
     * Markup is written escaped, also what was XHTML: the same content (RFC 4287 §4.1.3.3), and
     * none of it can break the document. Inline XML of another kind becomes plain text for that
     * reason.
     */
    private void content(String name, @Nullable Content content) throws XMLStreamException {
      if (content == null) {
        return;
      }
      String type = content.type().toLowerCase(Locale.ROOT);
      boolean html = type.equals(Content.XHTML) || type.equals("application/xhtml+xml");
      boolean summary = name.equals("summary");
      String written =
          html
              ? Content.HTML
              : content.src() == null && (Content.isXml(type) || (summary && type.contains("/")))
                  ? Content.TEXT
                  : type;
      xml.writeStartElement(name);
      xml.writeAttribute("type", XmlChars.legal(written));
      if (content.src() != null && !summary) {
        attribute("src", content.src());
      } else {
        characters(content.value());
      }
      xml.writeEndElement();
    }

    private void language(@Nullable String language) throws XMLStreamException {
      if (language != null) {
        xml.writeAttribute("xml", Vocabulary.XML_NAMESPACE, "lang", XmlChars.legal(language));
      }
    }

    private void required(String name, @Nullable String value) throws XMLStreamException {
      xml.writeStartElement(name);
      characters(value);
      xml.writeEndElement();
    }

    private void text(String name, @Nullable String value) throws XMLStreamException {
      if (value != null && !value.isEmpty()) {
        required(name, value);
      }
    }

    private void date(String name, @Nullable Instant value) throws XMLStreamException {
      text(name, value == null ? null : value.truncatedTo(ChronoUnit.SECONDS).toString());
    }

    private void number(String name, @Nullable Number value) throws XMLStreamException {
      text(name, value == null ? null : value.toString());
    }

    private void attribute(String name, @Nullable String value) throws XMLStreamException {
      if (value != null && !value.isEmpty()) {
        xml.writeAttribute(name, XmlChars.legal(value));
      }
    }

    private void characters(@Nullable String value) throws XMLStreamException {
      if (value != null && !value.isEmpty()) {
        xml.writeCharacters(XmlChars.legal(value));
      }
    }
  }
}
