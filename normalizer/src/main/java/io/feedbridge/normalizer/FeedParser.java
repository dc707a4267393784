package io.feedbridge.normalizer;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/**
 * Reads a document of any feed format into the model: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON
 * Feed 1.0 and 1.1. The document is not trusted: it is bounded by {@link Limits}, and whatever it
 * holds, the outcome is a feed or a {@link FeedParseException}. Thread-safe.
 */
public final class FeedParser {
  private static final Set<String> FEED_ROOTS = Set.of("rss", "rdf", "feed", "entry", "redirect");
  private static final int MAX_JUNK = 1_000;

  private final XmlDocument xml = new XmlDocument();
  private final JsonFeedFormat json = new JsonFeedFormat();
  private final List<FeedFormat> formats =
      List.of(new Rss2Format(), new Rss1Format(), new AtomFormat());

  /**
   * The feed in the document.
   *
   * @param contentType the {@code Content-Type} it was served with, for its charset
   * @param base the document's {@code Content-Location} or final URL, for relative URLs
   */
  public Feed parse(byte[] body, @Nullable String contentType, URI base) throws FeedParseException {
    if (body.length > Limits.MAX_BYTES) {
      throw FeedParseException.tooLarge(
          "The document has " + body.length + " bytes, more than " + Limits.MAX_BYTES + ".");
    }
    List<String> repairs = new ArrayList<>();
    FeedFormat.Context context = new FeedFormat.Context(base, repairs);
    String text = withoutJunk(DocumentText.decode(body, contentType, repairs), repairs);
    Feed feed =
        text.charAt(0) == '{' ? json.read(text, context) : read(tree(text, repairs), context);
    return EntryIds.generated(feed);
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
    String root = XmlProlog.rootName(text).toLowerCase(Locale.ROOT);
    if (root.equals("html")) {
      throw FeedParseException.notAFeed("The document is an HTML page, not a feed.");
    }
    try {
      return xml.parse(text).getRootElement();
    } catch (FeedParseException strict) {
      if (strict.kind() != FeedParseException.Kind.BROKEN) {
        throw strict;
      }
      if (!FEED_ROOTS.contains(root)) {
        throw FeedParseException.notAFeed("The document is neither well-formed XML nor a feed.");
      }
      List<String> mendings = new ArrayList<>();
      try {
        Element mended = xml.parse(Repair.mend(text, mendings)).getRootElement();
        repairs.addAll(mendings);
        return mended;
      } catch (FeedParseException beyondRepair) {
        // The position in the document as it was served is the one its author can find
        strict.addSuppressed(beyondRepair);
        throw strict;
      }
    }
  }

  private static String withoutJunk(String text, List<String> repairs) throws FeedParseException {
    String stripped = text.strip();
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
    int start = stripped.indexOf('<');
    if (start > 0
        && start < MAX_JUNK
        && FEED_ROOTS.contains(
            XmlProlog.rootName(stripped.substring(start)).toLowerCase(Locale.ROOT))) {
      repairs.add("Text before the document was dropped.");
      return stripped.substring(start);
    }
    throw FeedParseException.notAFeed("The document is neither XML nor JSON.");
  }

  private static String abbreviated(String name) {
    return name.length() <= 40 ? name : name.substring(0, 40) + "…";
  }
}
