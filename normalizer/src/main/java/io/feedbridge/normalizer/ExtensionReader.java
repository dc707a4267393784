package io.feedbridge.normalizer;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdom2.Attribute;
import org.jdom2.Element;
import org.jdom2.Namespace;
import org.jspecify.annotations.Nullable;

/**
 * Reads as {@link Extension}s the elements of a feed or an entry that the model has no field for.
 * Elements that have become a field are passed over, and so are texts that a field holds already.
 */
final class ExtensionReader {
  private static final Set<String> DUBLIN_CORE =
      Set.of(
          "identifier", "publisher", "rights", "type", "format", "source", "relation", "coverage");
  private static final Set<String> ADDRESSES =
      Set.of("href", "url", "uri", "src", "img", "image", "icon");

  /** Elements that often repeat a field, and would double it in the log. */
  private static final Set<String> DOUBLED =
      Set.of(
          "itunes:author",
          "itunes:title",
          "itunes:subtitle",
          "itunes:summary",
          "media:title",
          "media:description");

  /** Attributes of a {@code media:content} that a link has fields for. */
  private static final Set<String> LINK_FIELDS = Set.of("url", "type", "fileSize");

  private final URI base;
  private final Set<String> told = new HashSet<>();
  private final List<Extension> found = new ArrayList<>();
  private int elements;

  /**
   * @param told texts that the model's fields hold
   */
  private ExtensionReader(URI base, List<@Nullable String> told) {
    this.base = base;
    for (String text : told) {
      if (text != null) {
        this.told.add(text.trim());
      }
    }
  }

  /** The extensions of a feed. */
  static List<Extension> of(Element element, URI base, Feed feed) {
    return new ExtensionReader(base, told(feed.title(), feed.subtitle(), feed.authors()))
        .read(element);
  }

  /** The extensions of an entry. */
  static List<Extension> of(Element element, URI base, Entry entry) {
    List<@Nullable String> told = told(entry.title(), null, entry.authors());
    told.add(entry.summary() == null ? null : entry.summary().value());
    told.add(entry.content() == null ? null : entry.content().value());
    return new ExtensionReader(base, told).read(element);
  }

  private static List<@Nullable String> told(
      @Nullable String title, @Nullable String subtitle, List<Author> authors) {
    List<@Nullable String> told = new ArrayList<>();
    told.add(title);
    told.add(subtitle);
    for (Author author : authors) {
      told.add(author.name());
      told.add(author.email());
    }
    return told;
  }

  /** The contributors of a feed or an entry. */
  static List<Author> contributors(Element element, URI base) {
    List<Author> contributors = People.atom(element, "contributor", base);
    return contributors.isEmpty()
        ? People.lines(Vocabulary.DC.children(element, "contributor"))
        : contributors;
  }

  /**
   * The attributes and elements of a {@code media:content} or {@code media:thumbnail} beside its
   * link's fields.
   */
  static @Nullable Extension media(Element element, URI base) {
    ExtensionReader reader = new ExtensionReader(base, List.of());
    Map<String, String> attributes = reader.attributes(element);
    attributes.keySet().removeAll(LINK_FIELDS);
    List<Extension> children = new ArrayList<>();
    for (Element child : element.getChildren()) {
      if (Vocabulary.of(child) == Vocabulary.MEDIA && isDetail(child.getName())) {
        reader.add(child, children);
      }
    }
    return attributes.isEmpty() && children.isEmpty()
        ? null
        : new Extension("media:" + element.getName(), attributes, null, children);
  }

  private static boolean isDetail(String name) {
    return switch (name) {
      case "content", "thumbnail", "title", "category", "group" -> false;
      default -> true;
    };
  }

  /** The attributes of an Atom link beside its link's fields. */
  static @Nullable Extension link(Element link) {
    Map<String, String> attributes = new LinkedHashMap<>();
    for (Attribute attribute : link.getAttributes()) {
      Namespace namespace = attribute.getNamespace();
      boolean thread = namespace.getURI().equals(Vocabulary.THR.uri());
      if (thread || (namespace.getURI().isEmpty() && attribute.getName().equals("hreflang"))) {
        attributes.put((thread ? "thr:" : "") + attribute.getName(), attribute.getValue().trim());
      }
    }
    return attributes.isEmpty() ? null : new Extension("atom:link", attributes, null, List.of());
  }

  private List<Extension> read(Element parent) {
    for (Element child : parent.getChildren()) {
      String name = child.getName();
      switch (Vocabulary.of(child)) {
        case PODCAST, PSC, PRISM, SLASH, THR, WEBFEEDS, YT -> add(child, found);
        case ITUNES -> {
          if (!name.equals("category") && !name.equals("keywords")) {
            add(child, found);
          }
        }
        case MEDIA -> media(child);
        case DC -> {
          if (DUBLIN_CORE.contains(name)) {
            add(child, found);
          }
        }
        case FEEDBURNER -> {
          if (name.equals("origEnclosureLink")) {
            add(child, found);
          }
        }
        case ATOM, ATOM_03 -> atom(child);
        case RSS -> rss(child);
        default -> {}
      }
    }
    return found;
  }

  private void media(Element element) {
    if (element.getName().equals("group")) {
      for (Element child : element.getChildren()) {
        if (Vocabulary.of(child) == Vocabulary.MEDIA) {
          media(child);
        }
      }
    } else if (element.getName().equals("title") || isDetail(element.getName())) {
      add(element, found);
    }
  }

  private void atom(Element element) {
    switch (element.getName()) {
      case "rights" -> plain("atom:rights", Atom.plain(element), Map.of());
      case "copyright" -> plain("atom:rights", element.getValue(), Map.of());
      case "generator" -> {
        Map<String, String> said = attributes(element);
        said.computeIfAbsent("uri", any -> said.get("url"));
        plain("atom:generator", element.getValue(), only(said, "uri", "version"));
      }
      case "category" -> {
        Map<String, String> attributes = only(attributes(element), "term", "scheme", "label");
        if (attributes.containsKey("term") && attributes.size() > 1) {
          plain("atom:category", null, attributes);
        }
      }
      default -> {}
    }
  }

  /** The attributes of these names, in the order of the names. */
  private static Map<String, String> only(Map<String, String> attributes, String... names) {
    Map<String, String> some = new LinkedHashMap<>();
    for (String name : names) {
      String value = attributes.get(name);
      if (value != null) {
        some.put(name, value);
      }
    }
    return some;
  }

  private void rss(Element element) {
    switch (element.getName()) {
      case "copyright" -> plain("atom:rights", element.getValue(), Map.of());
      case "generator" -> plain("atom:generator", element.getValue(), Map.of());
      case "category" -> {
        String domain = Vocabulary.attribute(element, "domain");
        String term = Present.text(Markup.textOrMarkup(element).trim());
        if (domain != null && term != null) {
          Map<String, String> attributes = new LinkedHashMap<>();
          attributes.put("term", term);
          attributes.put("scheme", domain);
          plain("atom:category", null, attributes);
        }
      }
      default -> {}
    }
  }

  private void plain(String name, @Nullable String text, Map<String, String> attributes) {
    String trimmed = text == null ? null : Present.text(text.trim());
    if ((trimmed != null || !attributes.isEmpty()) && elements++ < Limits.MAX_VALUES) {
      found.add(new Extension(name, attributes, trimmed, List.of()));
    }
  }

  private void add(Element element, List<Extension> into) {
    if (elements++ >= Limits.MAX_VALUES) {
      return;
    }
    List<Extension> children = new ArrayList<>();
    for (Element child : element.getChildren()) {
      switch (Vocabulary.of(child)) {
        case PODCAST, PSC, PRISM, SLASH, THR, WEBFEEDS, YT, ITUNES, MEDIA -> add(child, children);
        default -> {}
      }
    }
    Map<String, String> attributes = attributes(element);
    String name = Vocabulary.of(element).prefix() + ":" + element.getName();
    String text = element.getText().trim();
    boolean told = DOUBLED.contains(name) && this.told.contains(text);
    if (attributes.isEmpty() && children.isEmpty() && (text.isEmpty() || told)) {
      return;
    }
    into.add(new Extension(name, attributes, told ? null : text, children));
  }

  private Map<String, String> attributes(Element element) {
    Map<String, String> attributes = new LinkedHashMap<>();
    for (Attribute attribute : element.getAttributes()) {
      String value = attribute.getValue().trim();
      if (attribute.getNamespaceURI().isEmpty() && !value.isEmpty()) {
        String name = attribute.getName();
        attributes.put(name, ADDRESSES.contains(name) ? resolved(element, value) : value);
      }
    }
    return attributes;
  }

  private String resolved(Element scope, String address) {
    return Urls.isHttp(address) ? address : Urls.resolve(Urls.base(scope, base), address);
  }
}
