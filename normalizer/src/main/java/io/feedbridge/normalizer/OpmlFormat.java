package io.feedbridge.normalizer;

import static io.feedbridge.normalizer.Vocabulary.attribute;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/**
 * OPML 1.0 and 2.0 subscription lists: each feed of the list, and each list that it includes, is an
 * entry. The entry's id is the feed's URL; its links name the feed ({@code self}) or the included
 * list ({@code include}), and the page of the feed ({@code alternate}); its categories are the
 * folders that it stands in, and its own.
 */
final class OpmlFormat implements FeedFormat {

  @Override
  public boolean reads(Element root) {
    return Vocabulary.RSS.is(root, "opml");
  }

  @Override
  public Feed read(Element root, Context context) throws FeedParseException {
    // A part of a list would say that the rest of its feeds left it.
    if (context.repairs().stream().anyMatch(Repair.OF_STRUCTURE::contains)) {
      throw FeedParseException.broken("The list is damaged, and feeds of it may be missing.", null);
    }
    Element head = Vocabulary.RSS.child(root, "head");
    Element body = Vocabulary.RSS.child(root, "body");
    if (body == null) {
      throw FeedParseException.notAFeed("The document is OPML without a body, not a list.");
    }
    List<Entry> entries = new ArrayList<>();
    outlines(body, List.of(), entries, context);
    if (entries.size() >= Limits.MAX_ENTRIES) {
      context.repairs().add("Of the list the first " + Limits.MAX_ENTRIES + " feeds were read.");
    }
    Hints hints = head == null ? Hints.NONE : SyndicationHints.of(head, List.of());
    return new Feed(
        context.address(),
        head == null ? null : Vocabulary.RSS.text(head, "title"),
        head == null ? null : Vocabulary.RSS.text(head, "description"),
        head == null ? null : Dates.parse(Vocabulary.RSS.text(head, "dateModified")),
        null,
        List.of(),
        List.of(),
        entries,
        hints,
        context.repairs());
  }

  private static void outlines(
      Element parent, List<String> folders, List<Entry> into, Context context) {
    for (Element outline : parent.getChildren()) {
      if (!Vocabulary.RSS.is(outline, "outline")) {
        continue;
      }
      if (into.size() >= Limits.MAX_ENTRIES) {
        return;
      }
      Entry entry = entry(outline, folders, context.base());
      if (entry != null) {
        into.add(entry);
      }
      String folder = entry == null ? title(outline) : null;
      outlines(outline, folder == null ? folders : plus(folders, folder), into, context);
    }
  }

  private static @Nullable Entry entry(Element outline, List<String> folders, URI base) {
    boolean includes = includes(outline);
    String address = attribute(outline, includes ? "url" : "xmlUrl");
    if (address == null) {
      return null;
    }
    LinkList links = new LinkList(base);
    links.add(outline, Link.ALTERNATE, attribute(outline, "htmlUrl"), "text/html");
    links.add(outline, includes ? Link.INCLUDE : Link.SELF, address, null);
    List<String> categories = new ArrayList<>(folders);
    String own = attribute(outline, "category");
    for (String category : own == null ? new String[0] : own.split(",", Limits.MAX_VALUES)) {
      if (!category.isBlank() && !categories.contains(category.trim())) {
        categories.add(category.trim());
      }
    }
    String description = attribute(outline, "description");
    return new Entry(
        Urls.resolve(base, address),
        false,
        title(outline),
        null,
        null,
        null,
        description == null ? null : Content.text(description),
        links.links(),
        categories,
        List.of(),
        null,
        List.of(),
        List.of(),
        attribute(outline, "language"),
        null);
  }

  /** OPML 2.0: an include is a list, and so is a link to an address that ends like one. */
  private static boolean includes(Element outline) {
    String type = attribute(outline, "type");
    String url = attribute(outline, "url");
    return url != null
        && type != null
        && (type.equalsIgnoreCase("include")
            || (type.equalsIgnoreCase("link") && url.endsWith(".opml")));
  }

  private static @Nullable String title(Element outline) {
    String text = attribute(outline, "text");
    return text == null ? attribute(outline, "title") : text;
  }

  private static List<String> plus(List<String> folders, String folder) {
    List<String> more = new ArrayList<>(folders);
    if (!more.contains(folder)) {
      more.add(folder);
    }
    return more;
  }
}
