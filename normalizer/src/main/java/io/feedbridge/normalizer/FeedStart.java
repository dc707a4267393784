package io.feedbridge.normalizer;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a feed begins in a text that begins with something else: a warning of PHP, a comment, a
 * root whose tag is damaged. Only a text that is not well-formed is searched, in time linear to its
 * length.
 */
final class FeedStart {
  private static final Pattern NAMESPACE =
      Pattern.compile(
          "\\sxmlns:[A-Za-z][\\w.-]{0,40}\\s*=\\s*(?:\"[^\"<]{1,500}\"|'[^'<]{1,500}')");
  private static final Pattern TAG =
      Pattern.compile(
          "<(?:[A-Za-z][\\w.-]{0,40}:)?(rss|rdf|feed|channel|item|entry)(?=[\\s/>])",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern PAGE_END =
      Pattern.compile("</html\\s{0,100}>", Pattern.CASE_INSENSITIVE);
  private static final Pattern ROOT_END =
      Pattern.compile(
          "</(?:[A-Za-z][\\w.-]{0,40}:)?(?:rss|rdf|feed|channel)(?=[\\s>])",
          Pattern.CASE_INSENSITIVE);
  private static final int MAX_NAMESPACES = 50;

  private final String text;
  private int root = -1;
  private int channel = -1;
  private int item = -1;
  private int entry = -1;

  private FeedStart(String text, int from) {
    this.text = text;
    int lastCommentEnd = text.lastIndexOf("-->");
    int at = text.indexOf('<', from);
    while (at >= 0 && root < 0) {
      int next = at + 1;
      if (text.startsWith("<!--", at) && lastCommentEnd >= at + 4) {
        next = text.indexOf("-->", at + 4) + 3;
      } else {
        note(at);
      }
      at = text.indexOf('<', next);
    }
  }

  /**
   * The document from the first element on that starts a feed; null where there is none. Where the
   * feed's root is missing, another one is put in its place.
   */
  static @Nullable String document(String text) {
    if (!XmlProlog.rootName(text).equalsIgnoreCase("html")) {
      return new FeedStart(text, 0).document();
    }
    // A page with a feed in it is a page; a page before a feed is an error of the server's, also
    // the beginning of one
    Matcher end = PAGE_END.matcher(text);
    if (end.find()) {
      return new FeedStart(text, end.end()).document();
    }
    int root = new FeedStart(text, 0).root;
    return root < 0 ? null : text.substring(root);
  }

  private @Nullable String document() {
    if (root >= 0) {
      return text.substring(root);
    }
    if (channel >= 0) {
      return "<rss" + namespaces(channel) + ">" + text.substring(channel);
    }
    boolean known = FeedTags.isEntry(XmlProlog.rootName(text)) || endsFeed(text);
    if (item >= 0 && (known || hasAny("<link>", "<guid", "<pubDate>"))) {
      return "<rss" + namespaces(item) + "><channel>" + text.substring(body(item));
    }
    return entry >= 0 && (known || hasAny("<id>", "<updated>", "<link "))
        ? "<feed xmlns=\""
            + AtomElements.ATOM
            + '"'
            + namespaces(entry)
            + ">"
            + text.substring(body(entry))
        : null;
  }

  /** Whether a feed's end tag stands in the text, of which the root's own tag is damaged. */
  static boolean endsFeed(String text) {
    return ROOT_END.matcher(text).find();
  }

  /** Whether the first element's tag declares a namespace. */
  static boolean declaresNamespace(String text) {
    int root = XmlProlog.root(text);
    return root >= 0 && text.substring(root, text.indexOf('>', root) + 1).contains("xmlns");
  }

  private void note(int at) {
    Matcher tag = TAG.matcher(text).region(at, text.length());
    if (!tag.lookingAt()) {
      return;
    }
    switch (tag.group(1).toLowerCase(Locale.ROOT)) {
      case "rss", "rdf", "feed" -> root = at;
      case "channel" -> channel = channel < 0 ? at : channel;
      case "item" -> item = item < 0 ? at : item;
      case "entry" -> entry = entry < 0 ? at : entry;
      default -> {}
    }
  }

  private boolean hasAny(String... marks) {
    for (String mark : marks) {
      if (text.contains(mark)) {
        return true;
      }
    }
    return false;
  }

  /** Behind a damaged root, so that the feed's own fields before its entries are kept. */
  private int body(int first) {
    int damaged = Math.max(XmlProlog.root(text), 0);
    if (damaged < first && FeedTags.isKnown(XmlProlog.rootName(text))) {
      return damaged;
    }
    int end = text.indexOf('>', damaged);
    return damaged < first && end >= 0 && end < first ? end + 1 : first;
  }

  /** The namespaces that are declared before {@code end}, each once. */
  private String namespaces(int end) {
    StringBuilder declared = new StringBuilder();
    Matcher namespace = NAMESPACE.matcher(text).region(0, end);
    for (int i = 0; i < MAX_NAMESPACES && namespace.find(); i++) {
      declared.append(namespace.group());
    }
    return declared.toString();
  }
}
