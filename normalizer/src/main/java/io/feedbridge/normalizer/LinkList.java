package io.feedbridge.normalizer;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/** Collects the links of one thing: each relation to an address once, resolved, bounded. */
final class LinkList {
  private static final String IANA = "http://www.iana.org/assignments/relation/";

  private final URI base;
  private final Map<String, Link> links = new LinkedHashMap<>();

  LinkList(URI base) {
    this.base = base;
  }

  /** A link whose address stands in {@code scope}, the element that gives it its base. */
  void add(
      Element scope,
      String rel,
      @Nullable String href,
      @Nullable String type,
      @Nullable String title,
      @Nullable String length,
      @Nullable Extension details) {
    if (href == null || href.isBlank() || links.size() >= Limits.MAX_VALUES) {
      return;
    }
    String address = Urls.resolve(Urls.base(scope, base), href);
    Link link = new Link(rel, address, type, title, length(length), details);
    links.merge(rel + " " + address, link, LinkList::completed);
  }

  /** The first of two links to one address, completed by the second. */
  private static Link completed(Link first, Link second) {
    return new Link(
        first.rel(),
        first.href(),
        first.type() == null ? second.type() : first.type(),
        // The title is a part of fingerprints, which must not change
        first.title(),
        first.length() == null ? second.length() : first.length(),
        first.details() == null ? second.details() : first.details());
  }

  /** A link of which the document says no more. */
  void add(
      Element scope,
      String rel,
      @Nullable String href,
      @Nullable String type,
      @Nullable String title,
      @Nullable String length) {
    add(scope, rel, href, type, title, length, null);
  }

  void add(Element scope, String rel, @Nullable String href, @Nullable String type) {
    add(scope, rel, href, type, null, null);
  }

  /** An Atom link element, in whatever format it stands. */
  void addAtom(Element link) {
    String rel = Vocabulary.attribute(link, "rel");
    String name =
        rel == null ? Link.ALTERNATE : rel.startsWith(IANA) ? rel.substring(IANA.length()) : rel;
    String href = Vocabulary.attribute(link, "href");
    add(
        link,
        name,
        href == null ? Vocabulary.textOf(link) : href,
        Vocabulary.attribute(link, "type"),
        Vocabulary.attribute(link, "title"),
        Vocabulary.attribute(link, "length"),
        ExtensionReader.link(link));
  }

  /** The base of addresses in an element without a base of its own. */
  URI base() {
    return base;
  }

  /** Whether there is such a link already. */
  boolean hasAddress(Element scope, String rel, String href) {
    return links.containsKey(rel + " " + Urls.resolve(Urls.base(scope, base), href));
  }

  boolean has(String rel) {
    return first(rel) != null;
  }

  @Nullable String first(String rel) {
    for (Link link : links.values()) {
      if (link.rel().equals(rel)) {
        return link.href();
      }
    }
    return null;
  }

  List<Link> links() {
    return List.copyOf(links.values());
  }

  private static @Nullable Long length(@Nullable String digits) {
    try {
      long length = digits == null ? -1 : Long.parseLong(digits.trim());
      return length < 0 ? null : length;
    } catch (NumberFormatException unknown) {
      return null;
    }
  }
}
