package io.feedbridge.normalizer;

import static io.feedbridge.normalizer.Vocabulary.attribute;

import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/**
 * The Channel Definition Format of 1997: a channel of items, and of channels inside it, whose items
 * are the outer one's too. Names are in capitals there, in any case here. A channel with elements
 * that only RSS has is RSS without the element around it.
 */
final class CdfFormat implements FeedFormat {
  private static final List<String> OF_RSS = List.of("link", "description", "pubDate", "guid");

  @Override
  public boolean reads(Element root) {
    return Vocabulary.RSS.is(root, "channel");
  }

  @Override
  public Feed read(Element root, Context context) throws FeedParseException {
    List<Element> items = new ArrayList<>();
    items(root, items);
    boolean rss = isRss(root) || items.stream().anyMatch(CdfFormat::isRss);
    if (rss) {
      context.repairs().add("No rss element stands around the channel.");
      return new RssReader(root, context).read(context.bounded(items));
    }
    String declared = Languages.declared(root);
    String language = declared == null ? context.served().language() : declared;
    List<Entry> entries = new ArrayList<>();
    for (Element item : context.bounded(items)) {
      entries.add(entry(item, language, context));
    }
    List<Link> links = links(root, context);
    Hints hints = SyndicationHints.of(root, links);
    String self = attribute(root, "self");
    return new Feed(
        self == null ? context.address() : Urls.resolve(Urls.base(root, context.base()), self),
        Vocabulary.RSS.text(root, "title"),
        Vocabulary.RSS.text(root, "abstract"),
        Dates.parse(attribute(root, "lastmod")),
        language,
        links,
        List.of(),
        entries,
        hints,
        context.repairs());
  }

  private static boolean isRss(Element element) {
    return OF_RSS.stream().anyMatch(name -> Vocabulary.RSS.child(element, name) != null);
  }

  private static void items(Element channel, List<Element> into) {
    for (Element child : channel.getChildren()) {
      if (Vocabulary.RSS.is(child, "item")) {
        into.add(child);
      } else if (Vocabulary.RSS.is(child, "channel") || Vocabulary.RSS.is(child, "items")) {
        items(child, into);
      }
    }
  }

  private static Entry entry(Element item, @Nullable String language, Context context) {
    String summary = Vocabulary.RSS.text(item, "abstract");
    Instant updated = Dates.parse(attribute(item, "lastmod"));
    return new Entry(
        "",
        true,
        Vocabulary.RSS.text(item, "title"),
        null,
        updated,
        null,
        summary == null ? null : Content.text(summary),
        links(item, context),
        List.of(),
        List.of(),
        null,
        List.of(),
        List.of(),
        Languages.of(item, language),
        null);
  }

  private static List<Link> links(Element element, Context context) {
    LinkList links = new LinkList(base(element, context));
    links.add(element, Link.ALTERNATE, attribute(element, "href"), "text/html");
    for (Element anchor : Vocabulary.RSS.children(element, "a")) {
      links.add(anchor, Link.ALTERNATE, attribute(anchor, "href"), "text/html");
    }
    links.add(element, Link.SELF, attribute(element, "self"), "application/x-cdf");
    for (Element logo : Vocabulary.RSS.children(element, "logo")) {
      links.add(logo, Link.PICTURE, attribute(logo, "href"), null);
    }
    return links.links();
  }

  /** The {@code BASE} of the channels around an element. */
  private static URI base(Element element, Context context) {
    Element parent = element.getParentElement();
    URI around = parent == null ? context.base() : base(parent, context);
    @Nullable String own = attribute(element, "base");
    return own == null ? around : Urls.rebased(around, own);
  }
}
