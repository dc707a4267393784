package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the place and the id of each item of a document, and reads no more of it. It takes the
 * plain form of each format alone. It is unsure about any other form, and gives nothing: two
 * channels, items in more than one place or in one another, ids that stand twice or are not plain
 * text, entries without an id that are not told apart by their links.
 *
 * <p>It does not check that the document is well-formed, and its result for another document means
 * nothing. A caller that leaves out items knows that each is well-formed in its place, and must
 * read the rest to find out whether the rest is.
 *
 * <p>An entry depends on its element, on the scope that element stands in (namespaces, {@code
 * xml:base}, {@code xml:lang}) and on the document's base; other parts of a document that it takes
 * over are no part of its fingerprint.
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

  /** The findings about one item. */
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

  private final String text;
  private final XmlTags tags;
  private final List<String> surroundings = new ArrayList<>();
  private final List<Found> items = new ArrayList<>();
  private final Map<String, Vocabulary> vocabularies = new HashMap<>();

  /** The namespaces in force at each depth, as deep as names mean something, by their prefixes. */
  private final List<Map<String, String>> scopes = new ArrayList<>();

  private @Nullable Kind kind;
  private boolean inChannel;
  private boolean channelSeen;
  private @Nullable String home;
  private int homes;
  private @Nullable Found item;

  /** The element that is being read for its text, at {@link #readingDepth}; null for none. */
  private @Nullable String reading;

  private int readingDepth;
  private int readingFrom;

  /** Where the text of the {@code pubDate} begins that is passed over; negative for none. */
  private int dateFrom = -1;

  private DocumentScanner(String text, Served served) throws UnsureException {
    this.text = text;
    tags = new XmlTags(text);
    surroundings.add(served.base().toString());
    scopes.add(Map.of());
  }

  /** The items of the document, if it is well-formed; null where only a full reading can tell. */
  static @Nullable DocumentScan scan(String text, Served served) {
    try {
      DocumentScanner scanner = new DocumentScanner(text, served);
      scanner.read();
      return scanner.result();
    } catch (UnsureException unsure) {
      return null;
    }
  }

  private void read() throws UnsureException {
    int depth = 0;
    while (tags.next()) {
      if (!tags.isClosing()) {
        start(++depth);
      }
      if (tags.isClosing() || tags.isEmpty()) {
        end(depth--);
      }
      require(depth >= 0 && depth <= Limits.MAX_DEPTH);
    }
    require(depth == 0);
  }

  private static void require(boolean plain) throws UnsureException {
    if (!plain) {
      throw new UnsureException();
    }
  }

  private void start(int depth) throws UnsureException {
    require(reading == null);
    if (kind != null && depth > kind.depth + 1) {
      return;
    }
    enter(depth);
    if (item != null) {
      if (kind != null && depth == kind.depth + 1) {
        field(item, depth);
      }
    } else if (kind == null) {
      kind = kind();
      surroundings.add(tag());
    } else if (depth <= kind.depth) {
      outside(kind, depth);
    } else if (kind == Kind.RDF_RSS && inChannel && depth == 3) {
      inRdfChannel(depth);
    }
  }

  private void enter(int depth) throws UnsureException {
    while (scopes.size() > depth) {
      scopes.remove(scopes.size() - 1);
    }
    Map<String, String> around = scopes.get(depth - 1);
    scopes.add(tags.isDeclaring() ? scope(around) : around);
  }

  private Map<String, String> scope(Map<String, String> around) throws UnsureException {
    Map<String, String> scope = new HashMap<>(around);
    for (int i = 0; i < tags.attributeCount(); i++) {
      String name = tags.attributeName(i);
      if (name.equals("xmlns")) {
        scope.put("", tags.attributeValue(i));
      } else if (name.startsWith("xmlns:")) {
        scope.put(name.substring("xmlns:".length()), tags.attributeValue(i));
      }
    }
    return scope;
  }

  private Kind kind() throws UnsureException {
    String name = tags.localName();
    String namespace = namespace();
    if (name.equals("rss") && namespace.isEmpty()) {
      return Kind.RSS;
    }
    if (name.equals("RDF") && namespace.equals(RDF)) {
      return Kind.RDF_RSS;
    }
    require(name.equals("feed") && Vocabulary.of(namespace).isAtom());
    return Kind.ATOM;
  }

  /** An element of the feed itself, or an item. */
  private void outside(Kind of, int depth) throws UnsureException {
    String name = tags.localName();
    boolean atom = of == Kind.ATOM;
    if (name.equalsIgnoreCase(of.item) && (atom || vocabulary() == Vocabulary.RSS)) {
      require(name.equals(of.item) && (!atom || vocabulary().isAtom()));
      require(depth == of.depth && (of != Kind.RSS || inChannel));
      item = new Found(tags.start());
      about(item);
    } else if (!atom && depth == 2 && name.equalsIgnoreCase("channel")) {
      require(!channelSeen && vocabulary() == Vocabulary.RSS);
      channelSeen = true;
      inChannel = true;
      surroundings.add(tag());
    } else if (of == Kind.RSS && inChannel && depth == 3) {
      link(name, depth);
    }
  }

  private void inRdfChannel(int depth) throws UnsureException {
    String name = tags.localName();
    require(!name.equalsIgnoreCase("item") || vocabulary() != Vocabulary.RSS);
    link(name, depth);
  }

  private void link(String name, int depth) throws UnsureException {
    if (name.equalsIgnoreCase("link") && vocabulary() == Vocabulary.RSS) {
      homes++;
      read(name, depth);
    }
  }

  private void about(Found found) throws UnsureException {
    for (int i = 0; i < tags.attributeCount(); i++) {
      String name = tags.attributeName(i);
      if (name.equals("about") || (name.endsWith(":about") && !name.startsWith("xmlns:"))) {
        found.about = tags.attributeValue(i);
      }
    }
  }

  /** An element of an item. */
  private void field(Found found, int depth) throws UnsureException {
    String name = tags.localName();
    switch (name) {
      case "guid" -> {
        if (kind != Kind.ATOM && vocabulary() == Vocabulary.RSS) {
          require(found.guid == null);
          read(name, depth);
        }
      }
      case "id" -> {
        if (vocabulary().isAtom()) {
          require(found.atomId == null);
          read(name, depth);
        }
      }
      case "link" -> {
        if (kind != Kind.ATOM && vocabulary() == Vocabulary.RSS) {
          found.links++;
          read(name, depth);
        }
      }
      case "item", "entry" -> throw new UnsureException();
      case "pubDate" -> {
        if (vocabulary() == Vocabulary.RSS) {
          dateFrom = tags.end();
        }
      }
      default -> {}
    }
  }

  private void read(String name, int depth) {
    reading = name;
    readingDepth = depth;
    readingFrom = tags.end();
  }

  private void end(int depth) throws UnsureException {
    // An empty element ends where it begins
    int to = tags.isClosing() ? tags.start() : tags.end();
    if (reading != null && depth == readingDepth) {
      took(reading, tags.text(readingFrom, to));
      reading = null;
    }
    if (kind == null || depth > kind.depth + 1) {
      return;
    }
    if (item == null) {
      inChannel &= depth != 2;
    } else if (depth == kind.depth) {
      item.end = tags.end();
      items.add(item);
      item = null;
    } else if (dateFrom >= 0) {
      // Otherwise it stays a part of the source, so that its errors are found
      if (isPlain(dateFrom, to)) {
        item.dates.add(new int[] {dateFrom, to});
      }
      dateFrom = -1;
    }
  }

  /** Whether there are only characters that are well-formed by themselves wherever text may be. */
  private boolean isPlain(int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '<' || c == '>' || c == '&') {
        return false;
      }
    }
    return true;
  }

  private void took(String name, String value) {
    if (item == null) {
      home = value;
      return;
    }
    String present = value.isEmpty() ? null : value;
    switch (name) {
      case "guid" -> item.guid = present;
      case "id" -> item.atomId = present;
      default -> item.link = present;
    }
  }

  private DocumentScan result() throws UnsureException {
    require(items.size() <= Limits.MAX_ENTRIES && (kind == Kind.ATOM || channelSeen));
    Set<String> ids = new HashSet<>();
    List<DocumentScan.Item> scanned = new ArrayList<>(items.size());
    for (Found found : items) {
      String own = found.ownId();
      // The id that counts may stand in another element.
      require(!AtomIds.isMade(own));
      boolean generated = own.isEmpty();
      String id = generated ? generated(found) : own;
      require(ids.add(id));
      // When it was published is no part of a fingerprint, and many feeds write the time of the
      // fetch there; only of an entry without an id it may make the id
      List<int[]> passedOver = generated ? List.of() : found.dates;
      scanned.add(new DocumentScan.Item(id, generated, found.start, found.end, passedOver));
    }
    return new DocumentScan(text, surroundings, scanned);
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

  private Vocabulary vocabulary() throws UnsureException {
    return vocabularies.computeIfAbsent(namespace(), Vocabulary::of);
  }

  /** Of the element that begins. */
  private String namespace() throws UnsureException {
    String prefix = tags.prefix();
    String namespace = scopes.get(scopes.size() - 1).get(prefix);
    require(namespace != null || prefix.isEmpty());
    return namespace == null ? "" : namespace;
  }

  /** The start tag as it stands in the document. */
  private String tag() {
    return text.substring(tags.start(), tags.end());
  }
}
