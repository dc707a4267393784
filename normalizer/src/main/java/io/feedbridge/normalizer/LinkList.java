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
      @Nullable String length) {
    if (href == null || href.isBlank() || links.size() >= Limits.MAX_VALUES) {
      return;
    }
    String address = Urls.resolve(Urls.base(scope, base), href);
    Link link = new Link(rel, address, type, title, length(length));
    links.putIfAbsent(rel + " " + address, link);
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
        Vocabulary.attribute(link, "length"));
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
