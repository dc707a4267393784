package io.feedbridge.normalizer;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The meaning of elements' names where tags do not match one another; all in lower case. */
final class FeedTags {
  /** Elements that entries stand in. */
  private static final Set<String> HOLDERS = Set.of("rss", "rdf", "channel", "feed");

  private static final Set<String> ENTRIES = Set.of("item", "entry");

  /** Where one of these stands, an element of the entry or the head before it is over. */
  private static final List<String> BORDERS = List.of("<item", "</item", "<entry", "</entry");

  /** Elements of feeds and entries that hold text, at most with markup of HTML inside. */
  private static final Set<String> FIELDS =
      Set.of(
          "title",
          "link",
          "description",
          "guid",
          "pubdate",
          "category",
          "comments",
          "enclosure",
          "id",
          "updated",
          "published",
          "modified",
          "issued",
          "created",
          "summary",
          "content",
          "author",
          "language",
          "copyright",
          "rights",
          "managingeditor",
          "webmaster",
          "lastbuilddate",
          "generator",
          "docs",
          "ttl",
          "subtitle",
          "tagline",
          "icon",
          "logo");

  /** Elements with elements of their own. */
  private static final Set<String> GROUPS =
      Set.of("image", "textinput", "skiphours", "skipdays", "contributor", "source", "items");

  private static final Set<String> FIELD_PREFIXES =
      Set.of("dc", "dcterms", "content", "itunes", "media", "sy", "wfw", "slash", "feedburner");

  /** Of these prefixes the elements that have elements of their own. */
  private static final Set<String> NESTED =
      Set.of(
          "itunes:owner",
          "itunes:category",
          "media:group",
          "media:content",
          "media:community",
          "media:embed");

  /**
   * Elements of HTML that never have an end tag, without the ones that are elements of feeds too.
   */
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

  private FeedTags() {}

  static String localName(String name) {
    return name.substring(name.indexOf(':') + 1).toLowerCase(Locale.ROOT);
  }

  static boolean isHolder(String name) {
    return HOLDERS.contains(localName(name));
  }

  /** Whether it is an entry whose prefix is not another vocabulary's. */
  static boolean isEntry(String name) {
    return ENTRIES.contains(name.toLowerCase(Locale.ROOT))
        || name.equals("atom:entry")
        || name.equals("rss:item");
  }

  /** Whether entries stand in it, or it is one. */
  static boolean isStructure(String name) {
    return isHolder(name) || isEntry(name);
  }

  /** Whether it is an element of a feed or entry that may begin only where no other is open. */
  static boolean isField(String name) {
    int colon = name.indexOf(':');
    return colon < 0
        ? FIELDS.contains(name.toLowerCase(Locale.ROOT))
        : FIELD_PREFIXES.contains(name.substring(0, colon).toLowerCase(Locale.ROOT));
  }

  /** Whether feeds and entries know it, as text or as a group of other elements. */
  static boolean isKnown(String name) {
    return isField(name)
        || isStructure(name)
        || name.indexOf(':') > 0
        || GROUPS.contains(name.toLowerCase(Locale.ROOT));
  }

  /** Whether the element may stand in an entry's text. */
  static boolean isHtml(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return VOID.contains(lower) || UNCLOSED.contains(lower) || INLINE.contains(lower);
  }

  static boolean isVoid(String name) {
    return VOID.contains(name.toLowerCase(Locale.ROOT));
  }

  /** Whether the next of its kind closes it. */
  static boolean endsWithNext(String name) {
    return UNCLOSED.contains(name.toLowerCase(Locale.ROOT));
  }

  /**
   * Whether the element has no end tag of its own.
   *
   * @param from a place in the element
   */
  static boolean isLeftOpen(String name, int from, Lookahead ahead) {
    if (!isField(name) || NESTED.contains(name)) {
      return false;
    }
    int end = ahead.next("</" + name, from);
    return end == Lookahead.NOWHERE
        || end > Math.min(ahead.nextOf(from, BORDERS), ahead.next("<" + name, from));
  }
}
