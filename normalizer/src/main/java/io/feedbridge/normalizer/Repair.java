package io.feedbridge.normalizer;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes XML well-formed, as a forgiving reader does. It is tried only after a strict reading
 * failed. A pass over the document, in time linear to its length, writes it as well-formed XML,
 * with declared prefixes and references that XML knows. Where the tags are not in balance, a second
 * pass balances them by the habits of HTML and by the structure of feeds: an entry closes whatever
 * is open in the one before it, or in the feed's head. Of a document that is cut off it keeps the
 * entries before the cut.
 */
final class Repair {
  private static final String UNBALANCED =
      "Tags that do not match one another were closed or passed over.";
  private static final String OPEN_CDATA =
      "CDATA that nothing ends was read up to the end of its element.";
  private static final String DAMAGED_TAGS = "Tags that are damaged were read as they were meant.";

  /** The repairs with which an entry may have lost a part, or have got one of another entry. */
  static final Set<String> OF_STRUCTURE = Set.of(UNBALANCED, OPEN_CDATA, DAMAGED_TAGS);

  private static final String CDATA = "<![CDATA[";
  private static final String CDATA_END = "]]>";

  /** Characters of a damaged {@code <![CDATA[}, up to its second bracket. */
  private static final int MAX_CDATA_MARK = 10;

  private final String xml;
  private final MendedXml out;
  private final Lookahead ahead;
  private final Set<String> notes = new TreeSet<>();
  private final int lastCommentEnd;
  private final boolean balancing;
  private boolean unbalanced;

  private Repair(String xml, boolean balancing) {
    this.xml = xml;
    this.balancing = balancing;
    int root = Math.max(XmlProlog.root(xml), 0);
    out = new MendedXml(xml.length(), new DeclaredEntities(xml.substring(0, root)));
    ahead = new Lookahead(xml);
    lastCommentEnd = xml.lastIndexOf("-->");
  }

  /**
   * The mended document; each kind of mending is noted once.
   *
   * @throws FeedParseException if it is cut off before any entry is whole, or tells which one it is
   */
  static String mend(String xml, List<String> repairs) throws FeedParseException {
    String legal = XmlChars.legal(xml);
    Repair repair = new Repair(legal, false);
    if (!repair.document()) {
      repair = new Repair(legal, true);
      repair.document();
    }
    if (legal.length() < xml.length()) {
      repair.notes.add(XmlChars.DROPPED);
    }
    if (repair.out.anyReferenceMended()) {
      repair.notes.add("Undeclared entities and stray ampersands were read as HTML has them.");
    }
    if (repair.out.anyEntityExpanded()) {
      repair.notes.add("Entities that the DOCTYPE declares were replaced by their text.");
    }
    Set<String> declared = repair.out.declared();
    if (!declared.isEmpty()) {
      repair.notes.add(
          "Undeclared namespace prefixes were declared: " + String.join(", ", declared) + ".");
    }
    if (repair.notes.isEmpty()) {
      repair.notes.add("Text that XML does not allow was read as it was meant.");
    }
    repairs.addAll(repair.notes);
    return repair.out.document();
  }

  /** Whether the tags are in balance. */
  private boolean document() throws FeedParseException {
    int at = Math.max(XmlProlog.root(xml), 0);
    while (at < xml.length() && !isOver()) {
      int markup = xml.indexOf('<', at);
      int textEnd = markup < 0 ? xml.length() : markup;
      out.text(xml.substring(at, textEnd));
      at = markup < 0 ? textEnd : markup(markup);
    }
    if (out.isDone() && isEntryNext(at)) {
      unbalanced();
    } else if (out.isDone() && !xml.substring(at).isBlank()) {
      notes.add("The text behind the document's last tag was dropped.");
    }
    if (!out.isDone() && balancing) {
      notes.add(out.cutOff() ? CutOff.IN_ENTRY : CutOff.BEHIND_ENTRY);
    }
    return out.isDone() && !unbalanced;
  }

  private boolean isOver() {
    return out.isDone() || (unbalanced && !balancing);
  }

  /** Reads the markup that begins with a {@code <}; returns the place behind it. */
  private int markup(int at) throws FeedParseException {
    if (xml.startsWith("<![", at)) {
      return cdata(at);
    }
    if (xml.startsWith("<!--", at)) {
      return lastCommentEnd >= at + 4 ? xml.indexOf("-->", at + 4) + 3 : at + 4;
    }
    if (xml.startsWith("<?", at) || xml.startsWith("<!", at)) {
      return declaration(at);
    }
    LooseTag tag = LooseTag.at(xml, at);
    switch (tag.kind()) {
      case START -> {
        if (balancing && isEndWithoutSlash(tag)) {
          end(tag);
        } else {
          start(tag, at);
        }
      }
      case END -> end(tag);
      case TEXT -> {
        return noTag(tag, at);
      }
      case CUT -> {
        // Of the very last tag nothing but the bracket is missing
        MendedXml.Open top = out.top();
        if (top != null
            && xml.startsWith("</" + top.written(), at)
            && at + 2 + top.written().length() == xml.length()) {
          notes.add("The last tag was closed.");
          out.close();
        }
      }
    }
    return tag.end();
  }

  private int declaration(int at) {
    notes.add("Declarations inside the document were dropped.");
    int end = xml.indexOf('>', at);
    return end < 0 ? xml.length() : end + 1;
  }

  /** Reads CDATA. Without its end it ends with the element that it is in. */
  private int cdata(int at) {
    int from = at + CDATA.length();
    if (!xml.startsWith(CDATA, at)) {
      int bracket = xml.indexOf('[', at + 3);
      if (bracket < 0 || bracket > at + MAX_CDATA_MARK) {
        return declaration(at);
      }
      notes.add("CDATA whose mark is damaged was read as CDATA.");
      from = bracket + 1;
    }
    int end = ahead.next(CDATA_END, from);
    int next = ahead.next(CDATA, from);
    MendedXml.Open top = out.top();
    if (top != null && (end == Lookahead.NOWHERE || next < end)) {
      int close = ahead.next("</" + top.written(), from);
      if (close < Math.min(end, next)) {
        notes.add(OPEN_CDATA);
        out.cdata(xml.substring(from, close));
        return close;
      }
    }
    if (end == Lookahead.NOWHERE) {
      return xml.length();
    }
    out.cdata(xml.substring(from, end));
    return end + CDATA_END.length();
  }

  /**
   * Reads markup that looks like a tag and is none. It is text, except in places where text means
   * nothing: there it is a tag with a damaged name, or without its last bracket.
   */
  private int noTag(LooseTag tag, int at) throws FeedParseException {
    MendedXml.Open top = out.top();
    if (top == null) {
      // The root's own tag is damaged
      unbalanced();
    }
    boolean between = top == null || FeedTags.isStructure(top.name());
    if (balancing && !tag.name().isEmpty() && (between || FeedTags.isEntry(tag.name()))) {
      notes.add(DAMAGED_TAGS);
      if (xml.startsWith("</", at)) {
        end(tag);
      } else {
        start(tag, at);
      }
      return tag.end();
    }
    notes.add("Angle brackets that are no tags were read as text.");
    out.text(xml.substring(at, tag.end()).replace("<", "&lt;"));
    return tag.end();
  }

  private void start(LooseTag tag, int at) throws FeedParseException {
    if (balancing) {
      makeRoom(tag.name(), at);
    }
    out.start(tag);
    if (tag.empty() || (balancing && FeedTags.isVoid(tag.name()))) {
      out.close();
    }
  }

  /**
   * Whether the tag starts a holder of entries inside the same one: then it was meant as the end
   * tag.
   */
  private boolean isEndWithoutSlash(LooseTag tag) {
    return FeedTags.isHolder(tag.name())
        && tag.attributes().isEmpty()
        && out.depth(tag.name()) >= 0;
  }

  /** Closes the elements that an element of this name cannot stand in. */
  private void makeRoom(String name, int at) {
    MendedXml.Open top = out.top();
    if (top != null && FeedTags.endsWithNext(name) && top.name().equalsIgnoreCase(name)) {
      out.close();
    } else if (FeedTags.isEntry(name)) {
      closeAbove(open -> FeedTags.isHolder(open.name()));
    } else if (FeedTags.isField(name)) {
      MendedXml.Open field = outermostLeftOpen(at);
      if (field != null) {
        closeAbove(open -> open == field);
        out.close();
      }
    }
  }

  private void closeAbove(Predicate<MendedXml.Open> bottom) {
    for (MendedXml.Open top = out.top(); top != null && !bottom.test(top); top = out.top()) {
      unbalanced();
      out.close();
    }
  }

  /** Of the fields that are open in an entry or head the outermost one that has no end tag. */
  private MendedXml.@Nullable Open outermostLeftOpen(int at) {
    MendedXml.Open found = null;
    for (MendedXml.Open open : out.open()) {
      if (FeedTags.isStructure(open.name())) {
        return found;
      }
      if (FeedTags.isLeftOpen(open.written(), at, ahead)) {
        found = open;
      }
    }
    return found;
  }

  private void end(LooseTag tag) {
    MendedXml.Open top = out.top();
    if (balancing && out.isRoot(tag.name()) && isEntryNext(tag.end())) {
      // The feed goes on behind the end of its root
      closeAbove(out::isRoot);
      unbalanced();
      return;
    }
    if (top == null || top.written().equals(tag.name())) {
      out.close();
      return;
    }
    unbalanced();
    if (!balancing) {
      return;
    }
    int depth = out.depth(tag.name());
    if (depth >= 0) {
      out.close(depth + 1);
    } else if (FeedTags.isHolder(tag.name()) && xml.substring(tag.end()).isBlank()) {
      // The end of a root whose own tag was damaged
      closeAbove(open -> false);
    } else if (isMisspelt(top, tag.name())) {
      out.rename(tag.name());
      out.close();
    } else if (!FeedTags.isHtml(tag.name())
        && !FeedTags.isStructure(tag.name())
        && !FeedTags.isStructure(top.name())
        && !top.hasChildren()
        && !endsNext(top.written(), tag.end())) {
      // A misspelt end tag: the text behind it is no part of the element
      out.close();
    }
  }

  /** Whether the innermost element is that of the end tag, under a name that no format knows. */
  private boolean isMisspelt(MendedXml.Open top, String name) {
    boolean known = FeedTags.isEntry(name) || (FeedTags.isField(name) && name.indexOf(':') < 0);
    return known
        && !FeedTags.isKnown(top.name())
        && !FeedTags.isHtml(top.name())
        && out.isInStructure();
  }

  /** Whether the next tag closes the element of this name. */
  private boolean endsNext(String name, int from) {
    int next = xml.indexOf('<', from);
    return next >= 0 && xml.startsWith("</" + name, next);
  }

  /** Whether the next thing in the document is an entry. */
  private boolean isEntryNext(int from) {
    int at = from;
    while (at < xml.length() && XmlChars.isSpace(xml.charAt(at))) {
      at++;
    }
    return at < xml.length()
        && xml.charAt(at) == '<'
        && FeedTags.isEntry(LooseTag.at(xml, at).name());
  }

  private void unbalanced() {
    unbalanced = true;
    notes.add(UNBALANCED);
  }
}
