package io.feedbridge.normalizer;

import com.rometools.rome.feed.WireFeed;
import com.rometools.rome.feed.rss.Channel;
import com.rometools.rome.io.FeedException;
import com.rometools.rome.io.WireFeedInput;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jdom2.Attribute;
import org.jdom2.Document;
import org.jdom2.Element;
import org.jdom2.Namespace;

/**
 * Rome's reading of a feed's core elements, from a copy of the document in the one form that Rome
 * reads whole: RSS 2.0 or Atom 1.0, without the elements that it throws on (skipHours, skipDays,
 * cloud, odd namespaces and versions, a missing channel), without dates (its parser tries some
 * twenty formats on each) and without extensions (it has them for some formats only). Entry
 * <i>i</i> of its result is element <i>i</i> of {@code entries}, from which all the rest is read.
 */
final class RomeFeeds {
  private static final Namespace ATOM = Vocabulary.ATOM.namespace();
  private static final Namespace CONTENT =
      Namespace.getNamespace("content", "http://purl.org/rss/1.0/modules/content/");
  private static final Set<String> RSS_CHANNEL =
      Set.of("title", "link", "description", "language", "managingEditor", "category");
  private static final Set<String> RSS_ITEM =
      Set.of(
          "title",
          "link",
          "description",
          "author",
          "category",
          "comments",
          "enclosure",
          "guid",
          "source");
  private static final Set<String> ATOM_FEED = Set.of("id", "icon", "logo", "category");
  private static final Set<String> ATOM_ENTRY = Set.of("id", "category");

  private RomeFeeds() {}

  static Channel rss(Element channel, List<Element> items) throws FeedParseException {
    Element copy = new Element("channel");
    for (Element child : channel.getChildren()) {
      String name = canonical(child.getName(), RSS_CHANNEL);
      if (Vocabulary.of(child) == Vocabulary.RSS && !name.isEmpty()) {
        copy.addContent(flat(child, name, Namespace.NO_NAMESPACE));
      }
    }
    for (Element item : items) {
      Element itemCopy = new Element("item");
      for (Element child : item.getChildren()) {
        String name = canonical(child.getName(), RSS_ITEM);
        Vocabulary vocabulary = Vocabulary.of(child);
        if (vocabulary == Vocabulary.RSS && !name.isEmpty()) {
          itemCopy.addContent(flat(child, name, Namespace.NO_NAMESPACE));
        } else if (Vocabulary.CONTENT.is(child, "encoded")) {
          itemCopy.addContent(flat(child, "encoded", CONTENT));
        }
      }
      copy.addContent(itemCopy);
    }
    Element root = new Element("rss").setAttribute("version", "2.0").addContent(copy);
    Channel read = build(root, Channel.class);
    return counted(read, read.getItems().size(), items.size());
  }

  static com.rometools.rome.feed.atom.Feed atom(Element feed, List<Element> entries)
      throws FeedParseException {
    Element root = new Element("feed", ATOM);
    atomChildren(feed, ATOM_FEED, root);
    for (Element entry : entries) {
      Element copy = new Element("entry", ATOM);
      atomChildren(entry, ATOM_ENTRY, copy);
      root.addContent(copy);
    }
    com.rometools.rome.feed.atom.Feed read = build(root, com.rometools.rome.feed.atom.Feed.class);
    return counted(read, read.getEntries().size(), entries.size());
  }

  private static void atomChildren(Element from, Set<String> names, Element to) {
    for (Element child : from.getChildren()) {
      if (Vocabulary.of(child).isAtom() && names.contains(child.getName())) {
        to.addContent(flat(child, child.getName(), ATOM));
      }
    }
  }

  private static String canonical(String name, Set<String> names) {
    if (names.contains(name)) {
      return name;
    }
    for (String candidate : names) {
      if (candidate.equalsIgnoreCase(name)) {
        return candidate;
      }
    }
    return "";
  }

  private static Element flat(Element element, String name, Namespace namespace) {
    Element copy = new Element(name, namespace);
    for (Attribute attribute : element.getAttributes()) {
      if (attribute.getNamespaceURI().isEmpty()) {
        copy.setAttribute(attribute.getName(), attribute.getValue());
      }
    }
    return copy.setText(Markup.textOrMarkup(element));
  }

  private static <T extends WireFeed> T build(Element root, Class<T> kind)
      throws FeedParseException {
    try {
      return kind.cast(new WireFeedInput(false, Locale.US).build(new Document(root)));
    } catch (FeedException | RuntimeException e) {
      throw FeedParseException.broken("The feed has a form that cannot be read: " + e + ".", e);
    }
  }

  private static <T> T counted(T feed, int read, int given) throws FeedParseException {
    if (read != given) {
      throw FeedParseException.broken(
          "Of " + given + " entries only " + read + " could be read.", null);
    }
    return feed;
  }
}
