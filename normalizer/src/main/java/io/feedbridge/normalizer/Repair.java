package io.feedbridge.normalizer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a forgiving reader does to XML that is not well-formed, tried only after a strict reading
 * failed: most documents need none of it. A pass over the document, in time linear to its length,
 * writes what it reads as well-formed XML: prefixes declared, references that XML knows. Only where
 * the tags are not in balance another pass brings them there, by the habits of HTML; of a document
 * that is cut off it keeps the whole entries before the cut.
 */
final class Repair {
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

  /** Elements of HTML that never have an end tag, less those that are elements of feeds too. */
  private static final Set<String> VOID =
      Set.of("area", "br", "col", "embed", "hr", "img", "input", "param", "wbr");

  /** Elements of HTML that end where the next of their kind begins. */
  private static final Set<String> UNCLOSED =
      Set.of("p", "li", "td", "th", "tr", "dt", "dd", "option");

  /** End tags of HTML that stand in text without having been opened mean nothing. */
  private static final Set<String> INLINE =
      Set.of(
          "a",
          "b",
          "blockquote",
          "center",
          "code",
          "div",
          "em",
          "font",
          "h1",
          "h2",
          "h3",
          "h4",
          "i",
          "ol",
          "pre",
          "small",
          "span",
          "strong",
          "table",
          "tbody",
          "tt",
          "u",
          "ul");

  /** What holds entries: it is closed where the document breaks off. */
  private static final Set<String> CONTAINERS = Set.of("rss", "rdf", "channel", "feed", "items");

  private static final Set<String> ENTRIES = Set.of("item", "entry");

  private final String xml;
  private final StringBuilder out;
  private final Set<String> notes = new TreeSet<>();
  private final References references = new References();
  private final Deque<Open> open = new ArrayDeque<>();
  private final Map<String, Integer> bound = new HashMap<>(Map.of("xml", 1, "xmlns", 1));
  private final Set<String> declared = new TreeSet<>();
  private final int lastCommentEnd;
  private int wholeEntries;
  private final boolean balancing;
  private boolean unbalanced;
  private boolean done;

  /** An element whose end tag is to come. */
  private static final class Open {
    private final String name;
    private final int start;
    private final List<String> prefixes;
    private boolean hasChildren;

    Open(String name, int start, List<String> prefixes) {
      this.name = name;
      this.start = start;
      this.prefixes = prefixes;
    }

    String localName() {
      return name.substring(name.indexOf(':') + 1).toLowerCase(Locale.ROOT);
    }
  }

  private Repair(String xml, boolean balancing) {
    this.xml = xml;
    this.balancing = balancing;
    out = new StringBuilder(xml.length() + 64);
    lastCommentEnd = xml.lastIndexOf("-->");
  }

  /**
   * The document with what can be mended mended; each kind of mending is noted once.
   *
   * @throws FeedParseException if it is cut off before any entry is whole
   */
  static String mend(String xml, List<String> repairs) throws FeedParseException {
    String legal = XmlChars.legal(xml);
    Repair repair = new Repair(legal, false);
    if (!repair.document()) {
      repair = new Repair(legal, true);
      repair.document();
    }
    if (legal.length() < xml.length()) {
      repair.notes.add("Characters that XML does not allow were dropped.");
    }
    if (repair.references.anyMended()) {
      repair.notes.add("Undeclared entities and stray ampersands were read as HTML has them.");
    }
    if (!repair.declared.isEmpty()) {
      repair.notes.add(
          "Undeclared namespace prefixes were declared: "
              + String.join(", ", repair.declared)
              + ".");
    }
    repairs.addAll(repair.notes);
    return repair.out.toString();
  }

  /** Whether the tags are in balance. */
  private boolean document() throws FeedParseException {
    int at = Math.max(XmlProlog.root(xml), 0);
    while (at < xml.length() && !done) {
      int markup = xml.indexOf('<', at);
      int textEnd = markup < 0 ? xml.length() : markup;
      text(xml.substring(at, textEnd));
      at = markup < 0 ? textEnd : markup(markup);
    }
    if (done && !xml.substring(at).isBlank()) {
      notes.add("What stands behind the document's last tag was dropped.");
    }
    if (!done && balancing) {
      cutOff();
    }
    return done && !unbalanced;
  }

  private void text(String text) {
    if (!open.isEmpty()) {
      references.append(text.contains("]]>") ? text.replace("]]>", "]]&gt;") : text, out);
    }
  }

  /** Reads what begins with a {@code <}; gives where to go on. */
  private int markup(int at) throws FeedParseException {
    if (xml.startsWith("<![CDATA[", at)) {
      int end = xml.indexOf("]]>", at);
      if (end >= 0) {
        out.append(xml, at, end + 3);
      }
      return end < 0 ? xml.length() : end + 3;
    }
    if (xml.startsWith("<!--", at)) {
      return lastCommentEnd >= at + 4 ? xml.indexOf("-->", at + 4) + 3 : at + 4;
    }
    if (xml.startsWith("<?", at) || xml.startsWith("<!", at)) {
      notes.add("Declarations inside the document were dropped.");
      return behind(">", at);
    }
    LooseTag tag = LooseTag.at(xml, at);
    switch (tag.kind()) {
      case START -> start(tag);
      case END -> end(tag);
      case TEXT -> {
        notes.add("Angle brackets that are no tags were read as text.");
        text(xml.substring(at, tag.end()).replace("<", "&lt;"));
      }
      case CUT -> {
        // Of the very last tag nothing but the bracket is missing
        if (!open.isEmpty()
            && xml.startsWith("</" + open.getFirst().name, at)
            && at + 2 + open.getFirst().name.length() == xml.length()) {
          notes.add("The last tag was closed.");
          close();
        }
      }
    }
    return tag.end();
  }

  private int behind(String end, int from) {
    int at = xml.indexOf(end, from);
    return at < 0 ? xml.length() : at + end.length();
  }

  private void start(LooseTag tag) throws FeedParseException {
    String lower = tag.name().toLowerCase(Locale.ROOT);
    Open top = open.peek();
    if (balancing && top != null && UNCLOSED.contains(lower) && top.name.equalsIgnoreCase(lower)) {
      close();
    } else if (balancing && ENTRIES.contains(lower) && openedDepth(tag.name()) >= 0) {
      unbalanced();
      closeThrough(tag.name());
    }
    top = open.peek();
    if (top != null) {
      top.hasChildren = true;
    }
    if (open.size() > Limits.MAX_DEPTH) {
      throw FeedParseException.tooLarge("The document has too many tags that nothing closes.");
    }
    Open opened = new Open(tag.name(), out.length(), bind(tag.attributes().keySet()));
    out.append('<').append(tag.name());
    declare(tag.name());
    tag.attributes().forEach(this::attribute);
    out.append('>');
    open.push(opened);
    if (tag.empty() || (balancing && VOID.contains(lower))) {
      close();
    }
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

  /** Declares a prefix that is used and nowhere declared, as what it is known for. */
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

  private void end(LooseTag tag) {
    Open top = open.peek();
    if (top == null || top.name.equals(tag.name())) {
      close();
      return;
    }
    unbalanced();
    if (!balancing) {
      done = true;
      return;
    }
    String lower = tag.name().toLowerCase(Locale.ROOT);
    if (openedDepth(tag.name()) >= 0) {
      closeThrough(tag.name());
    } else if (!INLINE.contains(lower)
        && !UNCLOSED.contains(lower)
        && !VOID.contains(lower)
        && !top.hasChildren
        && !endsNext(top.name, tag.end())) {
      // A misspelt end tag: what stands behind it is no part of the element
      close();
    }
  }

  /** Whether the next tag closes the element of this name. */
  private boolean endsNext(String name, int from) {
    int next = xml.indexOf('<', from);
    return next >= 0 && xml.startsWith("</" + name, next);
  }

  private void unbalanced() {
    unbalanced = true;
    notes.add("Tags that do not match one another were closed or passed over.");
  }

  private int openedDepth(String name) {
    int depth = 0;
    for (Open element : open) {
      if (element.name.equalsIgnoreCase(name)) {
        return depth;
      }
      depth++;
    }
    return -1;
  }

  private void closeThrough(String name) {
    for (int depth = openedDepth(name); depth >= 0; depth--) {
      close();
    }
  }

  private void close() {
    Open element = open.poll();
    if (element != null) {
      out.append("</").append(element.name).append('>');
      element.prefixes.forEach(prefix -> bound.merge(prefix, -1, Integer::sum));
      wholeEntries += ENTRIES.contains(element.localName()) ? 1 : 0;
      done = open.isEmpty();
    }
  }

  /** Drops the outermost element that the document breaks off in, and closes what is around it. */
  private void cutOff() throws FeedParseException {
    Deque<Open> whole = new ArrayDeque<>();
    while (!open.isEmpty() && CONTAINERS.contains(open.getLast().localName())) {
      whole.push(open.removeLast());
    }
    if (wholeEntries == 0) {
      throw FeedParseException.broken("The document is cut off before any entry is whole.", null);
    }
    notes.add("The document is cut off: what stands whole before the cut was read.");
    if (!open.isEmpty()) {
      out.setLength(open.getLast().start);
    }
    open.clear();
    open.addAll(whole);
    while (!open.isEmpty()) {
      close();
    }
  }
}
