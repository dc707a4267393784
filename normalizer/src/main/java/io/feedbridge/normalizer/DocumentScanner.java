package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import org.codehaus.stax2.XMLStreamReader2;
import org.jspecify.annotations.Nullable;

/**
 * Reads a document only so far that its items can be told apart: where each stands, and what makes
 * its id. It takes the plain form of each format alone. Of any other it is unsure, and gives
 * nothing: two channels, items in more than one place or in one another, ids that stand twice or
 * are not plain text, entries without an id that are not told apart by their links, XML that is not
 * well-formed.
 *
 * <p>An entry depends on its element, on the scope that element stands in (namespaces, {@code
 * xml:base}, {@code xml:lang}) and on the document's base; what else of a document it takes over is
 * no part of its fingerprint.
 */
final class DocumentScanner {
  private static final String RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

  private enum Kind {
    RSS(3, "item"),
    RDF_RSS(2, "item"),
    ATOM(2, "entry");

    /** How deep an item stands; the root stands at 1. */
    final int depth;

    final String item;

    Kind(int depth, String item) {
      this.depth = depth;
      this.item = item;
    }
  }

  /** What was found of an item. */
  private static final class Found {
    final int start;
    int end;
    @Nullable String guid;
    @Nullable String atomId;
    @Nullable String about;
    @Nullable String link;
    int links;
    final List<int[]> dates = new ArrayList<>(1);

    Found(int start) {
      this.start = start;
    }

    String ownId() {
      if (guid != null) {
        return guid;
      }
      String other = atomId == null ? about : atomId;
      return other == null ? "" : other;
    }
  }

  /** Thrown where the document is not of the plain form, and caught in this class. */
  private static final class UnsureException extends Exception {
    private static final long serialVersionUID = 1L;

    UnsureException() {
      super("The document is to be read as a whole.", null, false, false);
    }
  }

  private final String text;
  private final XMLStreamReader2 xml;
  private final List<String> surroundings = new ArrayList<>();
  private final List<Found> items = new ArrayList<>();
  private final Map<String, Vocabulary> vocabularies = new HashMap<>();
  private @Nullable Kind kind;
  private boolean inChannel;
  private boolean channelSeen;
  private @Nullable String home;
  private int homes;
  private @Nullable Found item;
  private int dateStart = -1;

  /** The text of the element that is being read for it, at {@link #readingDepth}. */
  private @Nullable StringBuilder reading;

  private int readingDepth;

  private DocumentScanner(String text, XMLStreamReader2 xml) {
    this.text = text;
    this.xml = xml;
  }

  /** The items of the document; null where only a full reading can tell. */
  static @Nullable DocumentScan scan(XmlDocument documents, String text, Served served) {
    try {
      XMLStreamReader2 xml = documents.reader(text);
      try {
        DocumentScanner scanner = new DocumentScanner(text, xml);
        scanner.surroundings.add(served.base().toString());
        scanner.read();
        return scanner.result();
      } finally {
        xml.close();
      }
    } catch (XMLStreamException | UnsureException | RuntimeException unsure) {
      // Also what the reader throws unchecked on: the full reading says what is wrong
      return null;
    }
  }

  private void read() throws XMLStreamException, UnsureException {
    int depth = 0;
    ReadingBounds bounds = new ReadingBounds();
    while (xml.hasNext()) {
      int event = xml.next();
      bounds.check(xml);
      switch (event) {
        case XMLStreamConstants.START_ELEMENT -> start(++depth);
        case XMLStreamConstants.END_ELEMENT -> end(depth--);
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE -> {
          if (reading != null) {
            reading.append(xml.getText());
          }
        }
        default -> {}
      }
    }
  }

  private void start(int depth) throws XMLStreamException, UnsureException {
    if (reading != null) {
      throw new UnsureException();
    }
    if (item != null) {
      if (kind != null && depth == kind.depth + 1) {
        field(item, depth);
      }
      return;
    }
    if (kind == null) {
      kind = kind();
      surroundings.add(tag());
    } else if (depth <= kind.depth) {
      outside(kind, depth);
    } else if (kind == Kind.RDF_RSS && inChannel && depth == 3) {
      inRdfChannel(depth);
    }
  }

  private Kind kind() throws UnsureException {
    String name = xml.getLocalName();
    String namespace = xml.getNamespaceURI() == null ? "" : xml.getNamespaceURI();
    if (name.equals("rss") && namespace.isEmpty()) {
      return Kind.RSS;
    }
    if (name.equals("RDF") && namespace.equals(RDF)) {
      return Kind.RDF_RSS;
    }
    if (name.equals("feed") && Vocabulary.of(namespace).isAtom()) {
      return Kind.ATOM;
    }
    throw new UnsureException();
  }

  /** An element of the feed itself, or an item. */
  private void outside(Kind of, int depth) throws XMLStreamException, UnsureException {
    String name = xml.getLocalName();
    boolean atom = of == Kind.ATOM;
    if (name.equalsIgnoreCase(of.item) && (atom || vocabulary() == Vocabulary.RSS)) {
      boolean plain = name.equals(of.item) && (!atom || vocabulary().isAtom());
      if (!plain || depth != of.depth || (of == Kind.RSS && !inChannel)) {
        throw new UnsureException();
      }
      item = new Found((int) xml.getLocationInfo().getStartingCharOffset());
      about(item);
    } else if (!atom && depth == 2 && name.equalsIgnoreCase("channel")) {
      if (channelSeen || vocabulary() != Vocabulary.RSS) {
        throw new UnsureException();
      }
      channelSeen = true;
      inChannel = true;
      surroundings.add(tag());
    } else if (of == Kind.RSS && inChannel && depth == 3) {
      link(name, depth);
    }
  }

  private void inRdfChannel(int depth) throws UnsureException {
    String name = xml.getLocalName();
    if (name.equalsIgnoreCase("item") && vocabulary() == Vocabulary.RSS) {
      throw new UnsureException();
    }
    link(name, depth);
  }

  private void link(String name, int depth) {
    if (name.equalsIgnoreCase("link") && vocabulary() == Vocabulary.RSS) {
      homes++;
      read(depth);
    }
  }

  private void about(Found found) {
    for (int i = 0; i < xml.getAttributeCount(); i++) {
      if (xml.getAttributeLocalName(i).equals("about")) {
        found.about = xml.getAttributeValue(i).trim();
      }
    }
  }

  /** An element of an item. */
  private void field(Found found, int depth) throws XMLStreamException, UnsureException {
    switch (xml.getLocalName()) {
      case "guid" -> {
        if (kind != Kind.ATOM && vocabulary() == Vocabulary.RSS) {
          once(found.guid);
          read(depth);
        }
      }
      case "id" -> {
        if (vocabulary().isAtom()) {
          once(found.atomId);
          read(depth);
        }
      }
      case "link" -> {
        if (kind != Kind.ATOM && vocabulary() == Vocabulary.RSS) {
          found.links++;
          read(depth);
        }
      }
      case "item" -> throw new UnsureException();
      case "pubDate" -> {
        if (vocabulary() == Vocabulary.RSS) {
          dateStart = (int) xml.getLocationInfo().getStartingCharOffset();
        }
      }
      default -> {}
    }
  }

  private static void once(@Nullable String earlier) throws UnsureException {
    if (earlier != null) {
      throw new UnsureException();
    }
  }

  private void read(int depth) {
    reading = new StringBuilder();
    readingDepth = depth;
  }

  private void end(int depth) throws XMLStreamException {
    if (reading != null && depth == readingDepth) {
      took(reading.toString().trim());
      reading = null;
    }
    if (kind == null || depth > kind.depth + 1) {
      return;
    }
    if (item == null) {
      inChannel &= depth != 2;
    } else if (depth == kind.depth) {
      item.end = (int) xml.getLocationInfo().getEndingCharOffset();
      items.add(item);
      item = null;
    } else if (dateStart >= 0 && depth == kind.depth + 1) {
      int[] range = {dateStart, (int) xml.getLocationInfo().getStartingCharOffset()};
      item.dates.add(range);
      dateStart = -1;
    }
  }

  private void took(String value) {
    if (item == null) {
      home = value;
      return;
    }
    String present = value.isEmpty() ? null : value;
    switch (xml.getLocalName()) {
      case "guid" -> item.guid = present;
      case "id" -> item.atomId = present;
      default -> item.link = present;
    }
  }

  private DocumentScan result() throws UnsureException {
    if (items.size() > Limits.MAX_ENTRIES || (kind != Kind.ATOM && !channelSeen)) {
      throw new UnsureException();
    }
    SourceHash hash = new SourceHash(text, surroundings);
    Set<String> ids = new HashSet<>();
    List<DocumentScan.Item> scanned = new ArrayList<>(items.size());
    for (Found found : items) {
      String own = found.ownId();
      String id = own.isEmpty() ? generated(found) : own;
      boolean whole =
          text.charAt(found.start) == '<' && text.charAt(found.end - 1) == '>' && ids.add(id);
      if (!whole) {
        throw new UnsureException();
      }
      // When it was published is no part of a fingerprint, and many feeds write the time of the
      // fetch there; only of an entry without an id it may make the id
      List<int[]> without = own.isEmpty() ? List.of() : found.dates;
      String source = hash.of(found.start, found.end, without);
      scanned.add(new DocumentScan.Item(id, own.isEmpty(), source, found.start, found.end));
    }
    return new DocumentScan(text, scanned);
  }

  /** An id of the link: where the entry has just one, that is not the site's. */
  private String generated(Found found) throws UnsureException {
    String link = found.link;
    boolean plain = found.links == 1 && homes == 1 && home != null && Urls.isHttp(home);
    if (link == null || !plain || !Urls.isHttp(link) || link.equals(home)) {
      throw new UnsureException();
    }
    return EntryIds.ofLink(link);
  }

  private Vocabulary vocabulary() {
    String namespace = xml.getNamespaceURI();
    return vocabularies.computeIfAbsent(namespace == null ? "" : namespace, Vocabulary::of);
  }

  /** The start tag as it stands in the document. */
  private String tag() throws XMLStreamException {
    int start = (int) xml.getLocationInfo().getStartingCharOffset();
    int end = (int) xml.getLocationInfo().getEndingCharOffset();
    return text.substring(start, end);
  }
}
