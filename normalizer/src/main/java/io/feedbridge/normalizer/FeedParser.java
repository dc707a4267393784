package io.feedbridge.normalizer;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jdom2.Element;
import org.jdom2.filter.Filters;
import org.jspecify.annotations.Nullable;

/**
 * Reads a document of any feed format into the model: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, CDF,
 * JSON Feed 1.0 and 1.1, OPML. The document is not trusted: it is bounded by {@link Limits}, and
 * whatever it holds, the outcome is a feed or a {@link FeedParseException}. Thread-safe.
 */
public final class FeedParser {
  private static final Set<String> FEED_ROOTS =
      Set.of("rss", "rdf", "feed", "entry", "channel", "redirect", "opml", Removals.TOMBSTONE);
  private static final String JUNK_BEFORE = "Text before the document was dropped.";

  private final XmlDocument xml = new XmlDocument();
  private final JsonFeedFormat json = new JsonFeedFormat();
  private final List<FeedFormat> formats =
      List.of(
          new Rss2Format(), new Rss1Format(), new AtomFormat(), new CdfFormat(), new OpmlFormat());

  /**
   * The feed in the document.
   *
   * @param contentType the {@code Content-Type} it was served with, for its charset
   * @param base the document's final URL, for relative URLs
   */
  public Feed parse(byte[] body, @Nullable String contentType, URI base) throws FeedParseException {
    return parse(body, Served.at(base, contentType));
  }

  /** The feed in the document, which is not changed. */
  public Feed parse(byte[] body, Served served) throws FeedParseException {
    List<String> repairs = new ArrayList<>();
    return parse(text(body, served, repairs), served, repairs);
  }

  /**
   * The family of the format of a document that was read as a feed; null for a format of no family,
   * and for a document that has to be mended before its format is seen.
   */
  public @Nullable FeedFamily family(byte[] body, Served served) throws FeedParseException {
    return FeedFamily.of(text(body, served, new ArrayList<>()));
  }

  /** The document's characters, the first of which is the first of XML or JSON. */
  String text(byte[] body, Served served, List<String> repairs) throws FeedParseException {
    if (body.length > Limits.MAX_BYTES) {
      throw FeedParseException.tooLarge(
          "The document has " + body.length + " bytes, more than " + Limits.MAX_BYTES + ".");
    }
    return withoutJunk(DocumentText.decode(body, served.contentType(), repairs), repairs);
  }

  /**
   * The feed in a text from {@link #text}.
   *
   * @param repairs the repairs of the document so far; further ones are added
   */
  Feed parse(String text, Served served, List<String> repairs) throws FeedParseException {
    FeedFormat.Context context = new FeedFormat.Context(served, repairs);
    Feed feed = text.charAt(0) == '{' ? json.read(text, context) : readXml(text, repairs, context);
    return EntryIds.generated(feed);
  }

  /**
   * The same of a document that is not to be mended: an exception where it would have to be.
   *
   * @param repairs the repairs of the document so far; not changed
   */
  Feed wellFormed(String text, Served served, List<String> repairs) throws FeedParseException {
    Element root = xml.parse(text).getRootElement();
    return EntryIds.generated(read(root, new FeedFormat.Context(served, new ArrayList<>(repairs))));
  }

  /** An exception where the document is not well-formed or goes beyond a bound. */
  void check(String text) throws FeedParseException {
    xml.check(text);
  }

  private Feed readXml(String text, List<String> repairs, FeedFormat.Context context)
      throws FeedParseException {
    Element root = tree(text, repairs);
    Feed feed = read(root, context);
    if (feed.entries().isEmpty() && repairs.isEmpty() && hasItems(root)) {
      repairs.add("The document has items, none of which stands where items are read.");
      return read(root, context);
    }
    return feed;
  }

  private static boolean hasItems(Element root) {
    for (Element element : root.getDescendants(Filters.element())) {
      if (FeedTags.isEntry(element.getName())) {
        return true;
      }
    }
    return false;
  }

  private Feed read(Element root, FeedFormat.Context context) throws FeedParseException {
    for (FeedFormat format : formats) {
      if (format.reads(root)) {
        return format.read(root, context);
      }
    }
    if (root.getName().equals("redirect")) {
      String to = Vocabulary.RSS.text(root, "newLocation");
      throw FeedParseException.moved(to == null ? null : Urls.resolve(context.base(), to));
    }
    throw FeedParseException.notAFeed(
        "The document is XML with the root \"" + abbreviated(root.getName()) + "\", not a feed.");
  }

  private Element tree(String text, List<String> repairs) throws FeedParseException {
    if (rootName(text).equals("html") && FeedStart.document(text) == null) {
      throw FeedParseException.notAFeed("The document is an HTML page, not a feed.");
    }
    try {
      return xml.parse(text).getRootElement();
    } catch (FeedParseException strict) {
      if (strict.kind() != FeedParseException.Kind.BROKEN) {
        throw strict;
      }
      boolean begins = beginsFeed(text);
      String document = begins ? text : FeedStart.document(text);
      if (document == null) {
        throw FeedParseException.notAFeed("The document is neither well-formed XML nor a feed.");
      }
      if (!begins) {
        repairs.add(JUNK_BEFORE);
      }
      try {
        return mended(document, begins, repairs);
      } catch (FeedParseException beyondRepair) {
        // The position in the document as it was served is the one its author can find
        strict.addSuppressed(beyondRepair);
        throw strict;
      }
    }
  }

  /**
   * The tree of a document that is not well-formed.
   *
   * @param known whether that is known of it, rather than of a text around it
   */
  private Element mended(String document, boolean known, List<String> repairs)
      throws FeedParseException {
    if (!known) {
      try {
        return xml.parse(document).getRootElement();
      } catch (FeedParseException broken) {
        // Mended below
      }
    }
    List<String> mendings = new ArrayList<>();
    Element mended = xml.parse(Repair.mend(document, mendings)).getRootElement();
    repairs.addAll(mendings);
    return mended;
  }

  /** Whether the first element can be a feed's root, rather than a part of one without a root. */
  private static boolean beginsFeed(String text) {
    String root = rootName(text);
    return switch (root) {
      case "channel" -> text.lastIndexOf("<item") < text.lastIndexOf("</channel>");
      case "entry" ->
          text.indexOf("<entry", text.indexOf("</entry>")) < 0
              && FeedStart.declaresNamespace(text)
              && !FeedStart.endsFeed(text);
      default -> FEED_ROOTS.contains(root);
    };
  }

  private static String rootName(String text) {
    return XmlProlog.rootName(text).toLowerCase(Locale.ROOT);
  }

  private static String withoutJunk(String text, List<String> repairs) throws FeedParseException {
    String stripped = withoutControlsBefore(withoutSpaceAround(text), repairs);
    if (stripped.isEmpty()) {
      throw FeedParseException.notAFeed("The document is empty.");
    }
    char first = stripped.charAt(0);
    if (first == '<' || first == '{') {
      if (first == '<' && text.charAt(0) != '<' && stripped.startsWith("<?xml")) {
        repairs.add("White space before the XML declaration was dropped.");
      }
      return stripped;
    }
    int markup = stripped.indexOf('<');
    if (markup > 0 && stripped.startsWith("<?xml", markup)) {
      repairs.add(JUNK_BEFORE);
      return stripped.substring(markup);
    }
    String document = FeedStart.document(stripped);
    document = document == null ? JsonFeedFormat.document(stripped) : document;
    if (document == null) {
      throw FeedParseException.notAFeed("The document is neither XML nor JSON.");
    }
    repairs.add(JUNK_BEFORE);
    return document;
  }

  /** Control characters before a document mean nothing, and its prolog is kept. */
  private static String withoutControlsBefore(String text, List<String> repairs) {
    int at = 0;
    while (at < text.length() && isNothing(text.charAt(at))) {
      at++;
    }
    if (at > 0) {
      boolean legal = XmlChars.legal(text.substring(0, at)).length() == at;
      repairs.add(legal ? JUNK_BEFORE : XmlChars.DROPPED);
    }
    return text.substring(at);
  }

  private static boolean isNothing(char c) {
    return Character.isISOControl(c) || c == ' ' || c == '\uFEFF';
  }

  /**
   * White space behind a document stays there, as XML and JSON allow, so that most documents need
   * no copy.
   */
  private static String withoutSpaceAround(String text) {
    int end = text.length();
    while (end > 0 && " \t\r\n".indexOf(text.charAt(end - 1)) >= 0) {
      end--;
    }
    boolean ends = end > 0 && (text.charAt(end - 1) == '>' || text.charAt(end - 1) == '}');
    return ends ? text.stripLeading() : text.strip();
  }

  private static String abbreviated(String name) {
    return name.length() <= 40 ? name : name.substring(0, 40) + "…";
  }
}
