package io.feedbridge.normalizer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The well-formed document that {@link Repair} writes: the elements that are open in it, and the
 * prefixes that are declared where it stands. Not thread-safe.
 */
final class MendedXml {
  private static final Map<String, String> KNOWN =
      Map.ofEntries(
          Map.entry("atom", Vocabulary.ATOM.namespace().getURI()),
          Map.entry("content", Vocabulary.CONTENT.namespace().getURI()),
          Map.entry("dc", Vocabulary.DC.namespace().getURI()),
          Map.entry("dcterms", Vocabulary.DCTERMS.namespace().getURI()),
          Map.entry("itunes", Vocabulary.ITUNES.namespace().getURI()),
          Map.entry("media", Vocabulary.MEDIA.namespace().getURI()),
          Map.entry("georss", Vocabulary.GEORSS.namespace().getURI()),
          Map.entry("sy", Vocabulary.SYNDICATION.namespace().getURI()),
          Map.entry("wfw", Vocabulary.WFW.namespace().getURI()),
          Map.entry("source", Vocabulary.SOURCE.namespace().getURI()),
          Map.entry("rdf", Vocabulary.RDF.namespace().getURI()));

  /** The element that holds the items of a channel in RSS 1.0. */
  private static final String ITEMS = "items";

  private final StringBuilder out;
  private final References references;
  private final Deque<Open> open = new ArrayDeque<>();
  private final Map<String, Integer> bound = new HashMap<>(Map.of("xml", 1, "xmlns", 1));
  private final Set<String> declared = new TreeSet<>();
  private int wholeEntries;
  private boolean begun;

  /** An element whose end tag is to come. */
  static final class Open {
    private final String written;
    private String name;
    private final int start;
    private int textFrom;
    private final List<String> prefixes;
    private boolean hasChildren;
    private boolean told;

    Open(String written, String name, int start, List<String> prefixes) {
      this.written = written;
      this.name = name;
      this.start = start;
      this.prefixes = prefixes;
    }

    /** The name as its start tag has it. */
    String written() {
      return written;
    }

    String name() {
      return name;
    }

    boolean hasChildren() {
      return hasChildren;
    }
  }

  MendedXml(int length, DeclaredEntities entities) {
    out = new StringBuilder(length + 64);
    references = new References(entities);
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Whether the root is there, and closed. */
  boolean isDone() {
    return begun && open.isEmpty();
  }

  /** The innermost open element. */
  @Nullable Open top() {
    return open.peek();
  }

  /** The open elements, the innermost first. */
  Iterable<Open> open() {
    return open;
  }

  /** Whether it is the name of the document's root, which is open. */
  boolean isRoot(String name) {
    return !open.isEmpty() && open.getLast().written.equals(name);
  }

  boolean isRoot(Open element) {
    return open.getLast() == element;
  }

  /** Whether the innermost element stands in an entry, or in a holder of entries. */
  boolean isInStructure() {
    Iterator<Open> inwards = open.iterator();
    inwards.next();
    return inwards.hasNext() && FeedTags.isStructure(inwards.next().name);
  }

  boolean anyReferenceMended() {
    return references.anyMended();
  }

  boolean anyEntityExpanded() {
    return references.anyExpanded();
  }

  /** The prefixes that had no declaration. */
  Set<String> declared() {
    return declared;
  }

  void text(String text) {
    if (!open.isEmpty()) {
      references.append(text.contains("]]>") ? text.replace("]]>", "]]&gt;") : text, out);
    }
  }

  /** Text that stands for itself and has no end of CDATA in it. */
  void cdata(String text) {
    if (!open.isEmpty()) {
      out.append("<![CDATA[").append(text).append("]]>");
    }
  }

  void start(LooseTag tag) throws FeedParseException {
    Open around = open.peek();
    if (around != null) {
      around.hasChildren = true;
    }
    if (open.size() > Limits.MAX_DEPTH) {
      throw FeedParseException.tooLarge("The document has too many tags that nothing closes.");
    }
    String name = FeedTags.isStructure(tag.name()) ? canonical(tag.name()) : tag.name();
    Open opened = new Open(tag.name(), name, out.length(), bind(tag.attributes().keySet()));
    out.append('<').append(name);
    declare(name);
    tag.attributes().forEach(this::attribute);
    out.append('>');
    opened.textFrom = out.length();
    opened.told = tag.attributes().keySet().stream().anyMatch(MendedXml::isAbout);
    open.push(opened);
    begun = true;
    if (around != null && FeedTags.isEntry(around.name) && name.equals("link")) {
      around.told |= tag.attributes().containsKey("href");
    }
  }

  private static boolean isAbout(String attribute) {
    return FeedTags.localName(attribute).equals("about");
  }

  /** The formats know these names in one case only. */
  private static String canonical(String name) {
    String local = FeedTags.localName(name);
    return name.substring(0, name.indexOf(':') + 1) + (local.equals("rdf") ? "RDF" : local);
  }

  private List<String> bind(Set<String> attributes) {
    List<String> prefixes = new ArrayList<>();
    for (String name : attributes) {
      if (name.startsWith("xmlns:")) {
        prefixes.add(name.substring("xmlns:".length()));
        bound.merge(name.substring("xmlns:".length()), 1, Integer::sum);
      }
    }
    return prefixes;
  }

  /** Declares a prefix that is used and nowhere declared, with its usual namespace. */
  private void declare(String name) {
    int colon = name.indexOf(':');
    String prefix = colon < 0 ? "xml" : name.substring(0, colon);
    if (bound.getOrDefault(prefix, 0) == 0) {
      declared.add(prefix);
      out.append(" xmlns:").append(prefix).append("=\"");
      out.append(KNOWN.getOrDefault(prefix, "urn:x-undeclared:" + prefix)).append('"');
    }
  }

  private void attribute(String name, String value) {
    boolean odd = name.startsWith("xmlns:") && (value.isBlank() || name.startsWith("xmlns:xml"));
    int colon = name.indexOf(':');
    if (odd || (colon > 0 && bound.getOrDefault(name.substring(0, colon), 0) == 0)) {
      return;
    }
    out.append(' ').append(name).append("=\"");
    String quoted = value.replace("\"", "&quot;");
    references.append(quoted.replace("<", "&lt;"), out);
    out.append('"');
  }

  /** Gives the innermost element another name, before anything of it is closed. */
  void rename(String name) {
    Open element = open.element();
    out.replace(element.start + 1, element.start + 1 + element.name.length(), name);
    element.textFrom += name.length() - element.name.length();
    element.name = name;
  }

  /** Closes the innermost element. */
  void close() {
    Open element = open.poll();
    if (element == null) {
      return;
    }
    Open around = open.peek();
    if (around != null) {
      around.told |= out.length() > element.textFrom;
    }
    out.append("</").append(element.name).append('>');
    element.prefixes.forEach(prefix -> bound.merge(prefix, -1, Integer::sum));
    wholeEntries += FeedTags.isEntry(element.name) ? 1 : 0;
  }

  /**
   * How many elements stand in the innermost one of this name; -1 where none of the name is open.
   * Only another entry, or a holder of entries, is looked for beyond the entry that is open.
   */
  int depth(String name) {
    int depth = 0;
    boolean structure = FeedTags.isStructure(name);
    for (Open element : open) {
      if (element.name.equalsIgnoreCase(name)) {
        return depth;
      }
      if (!structure && FeedTags.isStructure(element.name)) {
        return -1;
      }
      depth++;
    }
    return -1;
  }

  /** Closes as many of the innermost elements. */
  void close(int count) {
    for (int i = 0; i < count; i++) {
      close();
    }
  }

  /**
   * Closes the document where it breaks off. The element that it breaks off in is dropped: an entry
   * only where nothing in it is whole.
   *
   * @return whether an entry was kept in part
   */
  boolean cutOff() throws FeedParseException {
    Deque<Open> around = new ArrayDeque<>();
    while (!open.isEmpty() && isAround(open.getLast())) {
      around.push(open.removeLast());
    }
    Open entry = open.peekLast();
    boolean kept = entry != null && FeedTags.isEntry(entry.name) && entry.told;
    if (wholeEntries == 0 && !kept) {
      throw FeedParseException.broken("The document is cut off before any entry is whole.", null);
    }
    if (kept) {
      around.push(open.removeLast());
    }
    if (!open.isEmpty()) {
      out.setLength(open.getLast().start);
    }
    open.clear();
    open.addAll(around);
    close(open.size());
    return kept;
  }

  private static boolean isAround(Open element) {
    return FeedTags.isHolder(element.name) || element.name.equals(ITEMS);
  }

  String document() {
    return out.toString();
  }
}
