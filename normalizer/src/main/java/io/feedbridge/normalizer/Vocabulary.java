package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdom2.Attribute;
import org.jdom2.Element;
import org.jdom2.Namespace;
import org.jdom2.filter.Filters;
import org.jspecify.annotations.Nullable;

/** The namespaces a feed's elements are known from, each in all the spellings that are in use. */
enum Vocabulary {
  RSS(""),
  ATOM("http://www.w3.org/2005/Atom"),
  ATOM_03("http://purl.org/atom/ns#"),
  RDF("http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
  CONTENT("http://purl.org/rss/1.0/modules/content/"),
  DC("http://purl.org/dc/elements/1.1/"),
  DCTERMS("http://purl.org/dc/terms/"),
  ITUNES("http://www.itunes.com/dtds/podcast-1.0.dtd"),
  MEDIA("http://search.yahoo.com/mrss/"),
  GEORSS("http://www.georss.org/georss"),
  GML("http://www.opengis.net/gml"),
  GEO("http://www.w3.org/2003/01/geo/wgs84_pos#"),
  ACTIVITY("http://activitystrea.ms/spec/1.0/"),
  SYNDICATION("http://purl.org/rss/1.0/modules/syndication/"),
  WFW("http://wellformedweb.org/CommentAPI/"),
  SOURCE("http://source.scripting.com/"),
  PODCAST("https://podcastindex.org/namespace/1.0"),
  PSC("http://podlove.org/simple-chapters"),
  PRISM("http://prismstandard.org/namespaces/basic/2.0/"),
  SLASH("http://purl.org/rss/1.0/modules/slash/"),
  THR("http://purl.org/syndication/thread/1.0"),
  FEEDBURNER("http://rssnamespace.org/feedburner/ext/1.0"),
  WEBFEEDS("http://webfeeds.org/rss/1.0"),
  YT("http://www.youtube.com/xml/schemas/2015"),
  GD("http://schemas.google.com/g/2005"),
  TOMBSTONES("http://purl.org/atompub/tombstones/1.0"),
  XHTML("http://www.w3.org/1999/xhtml"),
  SVG("http://www.w3.org/2000/svg"),
  MATHML("http://www.w3.org/1998/Math/MathML"),
  OTHER("urn:x-other");

  private static final int OTHERS = 64;

  /**
   * Keyed in lower case without scheme, {@code www.} and trailing slash or hash: that is where
   * feeds err.
   */
  private static final Map<String, Vocabulary> BY_NAME =
      Map.ofEntries(
          Map.entry("", RSS),
          Map.entry("purl.org/rss/1.0", RSS),
          Map.entry("purl.org/net/rss1.1", RSS),
          Map.entry("my.netscape.com/rdf/simple/0.9", RSS),
          Map.entry("my.netscape.com/publish/formats/rss-0.91.dtd", RSS),
          Map.entry("channel.netscape.com/rdf/simple/0.9", RSS),
          Map.entry("backend.userland.com/rss", RSS),
          Map.entry("backend.userland.com/rss091", RSS),
          Map.entry("backend.userland.com/rss092", RSS),
          Map.entry("backend.userland.com/rss2", RSS),
          Map.entry("blogs.law.harvard.edu/tech/rss", RSS),
          Map.entry("cyber.law.harvard.edu/rss", RSS),
          Map.entry("rssnamespace.org/feeds/rss", RSS),
          Map.entry("purl.org/rss/1.0/modules/rss091", RSS),
          Map.entry("w3.org/2005/atom", ATOM),
          Map.entry("purl.org/atom/ns", ATOM_03),
          Map.entry("purl.org/atom-blog/ns", ATOM_03),
          Map.entry("purl.org/echo", ATOM_03),
          Map.entry("purl.org/pie", ATOM_03),
          Map.entry("example.com/newformat", ATOM_03),
          Map.entry("example.com/necho", ATOM_03),
          Map.entry("uri/of/echo/namespace", ATOM_03),
          Map.entry("w3.org/1999/02/22-rdf-syntax-ns", RDF),
          Map.entry("purl.org/rss/1.0/modules/content", CONTENT),
          Map.entry("purl.org/rss/modules/content", CONTENT),
          Map.entry("purl.org/dc/elements/1.0", DC),
          Map.entry("purl.org/dc/elements/1.1", DC),
          Map.entry("purl.org/rss/1.0/modules/dc", DC),
          Map.entry("purl.org/dc", DC),
          Map.entry("purl.org/dc/elements", DC),
          Map.entry("purl.org/metadata/dublin_core", DC),
          Map.entry("purl.org/dc/terms", DCTERMS),
          Map.entry("purl.org/rss/1.0/modules/dcterms", DCTERMS),
          Map.entry("itunes.com/dtds/podcast-1.0.dtd", ITUNES),
          Map.entry("itunes.com/dtds/podcast-1.0", ITUNES),
          Map.entry("itunes.apple.com/dtds/podcast-1.0.dtd", ITUNES),
          Map.entry("example.com/dtds/podcast-1.0.dtd", ITUNES),
          Map.entry("search.yahoo.com/mrss", MEDIA),
          Map.entry("search.yahoo.com/mrss/rss.xml", MEDIA),
          Map.entry("search.yahoo.com/mrss/1.0", MEDIA),
          Map.entry("tools.search.yahoo.com/mrss", MEDIA),
          Map.entry("video.search.yahoo.com/mrss", MEDIA),
          Map.entry("rssboard.org/media-rss", MEDIA),
          Map.entry("georss.org/georss", GEORSS),
          Map.entry("georss.org/georss/10", GEORSS),
          Map.entry("georss.org/georss/11", GEORSS),
          Map.entry("opengis.net/gml", GML),
          Map.entry("opengis.net/gml/3.2", GML),
          Map.entry("w3.org/2003/01/geo/wgs84_pos", GEO),
          Map.entry("activitystrea.ms/spec/1.0", ACTIVITY),
          Map.entry("purl.org/rss/1.0/modules/syndication", SYNDICATION),
          Map.entry("wellformedweb.org/commentapi", WFW),
          Map.entry("podcastindex.org/namespace/1.0", PODCAST),
          Map.entry("github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md", PODCAST),
          Map.entry("podlove.org/simple-chapters", PSC),
          Map.entry("prismstandard.org/namespaces/1.2/basic", PRISM),
          Map.entry("prismstandard.org/namespaces/basic/1.2", PRISM),
          Map.entry("prismstandard.org/namespaces/basic/2.0", PRISM),
          Map.entry("prismstandard.org/namespaces/basic/2.1", PRISM),
          Map.entry("prismstandard.org/namespaces/basic/3.0", PRISM),
          Map.entry("prismstandard.org/namespaces/2.0/basic", PRISM),
          Map.entry("purl.org/rss/1.0/modules/prism", PRISM),
          Map.entry("purl.org/rss/1.0/modules/slash", SLASH),
          Map.entry("purl.org/syndication/thread/1.0", THR),
          Map.entry("purl.org/rss/1.0/modules/threading", THR),
          Map.entry("rssnamespace.org/feedburner/ext/1.0", FEEDBURNER),
          Map.entry("webfeeds.org/rss/1.0", WEBFEEDS),
          Map.entry("youtube.com/xml/schemas/2015", YT),
          Map.entry("gdata.youtube.com/schemas/2007", YT),
          Map.entry("schemas.google.com/g/2005", GD),
          Map.entry("purl.org/atompub/tombstones/1.0", TOMBSTONES),
          Map.entry("source.scripting.com", SOURCE),
          Map.entry("source.smallpict.com/2014/07/12", SOURCE),
          Map.entry("source.smallpict.com/2014/07/12.html", SOURCE),
          Map.entry("w3.org/1999/xhtml", XHTML),
          Map.entry("w3.org/2000/svg", SVG),
          Map.entry("w3.org/1998/math/mathml", MATHML));

  private static final Map<String, Vocabulary> BY_PREFIX =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Vocabulary::prefix, v -> v));

  private static final Map<String, Vocabulary> BY_URI =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(v -> v.uri, v -> v));

  static final String XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";

  private final String uri;

  Vocabulary(String uri) {
    this.uri = uri;
  }

  /** The vocabulary of an element that {@link XmlDocument} read. */
  static Vocabulary of(Element element) {
    return BY_URI.getOrDefault(element.getNamespaceURI(), OTHER);
  }

  /** The vocabulary of a usual prefix. */
  static Vocabulary ofPrefix(String prefix) {
    return BY_PREFIX.getOrDefault(prefix, OTHER);
  }

  /** The usual prefix. */
  String prefix() {
    return name().toLowerCase(Locale.ROOT);
  }

  String uri() {
    return uri;
  }

  Namespace namespace() {
    return Namespace.getNamespace(uri);
  }

  /**
   * The namespace that stands for this one in the tree: one for all spellings of a vocabulary, and
   * a few for all the others. JDOM keeps every namespace it ever saw, so the document may not
   * choose.
   */
  static Namespace representative(@Nullable String namespace) {
    String name = namespace == null ? "" : namespace;
    Vocabulary vocabulary = of(name);
    return vocabulary == OTHER
        ? Namespace.getNamespace(OTHER.uri + ":" + Math.floorMod(name.hashCode(), OTHERS))
        : vocabulary.namespace();
  }

  static Vocabulary of(String namespace) {
    if (namespace.isEmpty()) {
      return RSS;
    }
    String name = namespace.trim().toLowerCase(Locale.ROOT);
    int scheme = name.indexOf("://");
    int from = scheme < 0 ? 0 : scheme + 3;
    from = name.startsWith("www.", from) ? from + 4 : from;
    int to = name.length();
    while (to > from && (name.charAt(to - 1) == '/' || name.charAt(to - 1) == '#')) {
      to--;
    }
    return BY_NAME.getOrDefault(name.substring(from, to), OTHER);
  }

  boolean isAtom() {
    return this == ATOM || this == ATOM_03;
  }

  /** Whether the element has this name in this vocabulary; feeds get the case wrong. */
  boolean is(Element element, String name) {
    return element.getName().equalsIgnoreCase(name) && of(element) == this;
  }

  /** The first child of this name with a text, or the first of the name at all. */
  @Nullable Element child(Element parent, String name) {
    Element first = null;
    for (Element child : parent.getChildren()) {
      if (is(child, name)) {
        if (!child.getContent().isEmpty()) {
          return child;
        }
        first = first == null ? child : first;
      }
    }
    return first;
  }

  List<Element> children(Element parent, String name) {
    List<Element> found = new ArrayList<>();
    for (Element child : parent.getChildren()) {
      if (is(child, name)) {
        found.add(child);
      }
    }
    return found;
  }

  /** The trimmed text of the first child of this name; null where there is none. */
  @Nullable String text(Element parent, String name) {
    Element child = child(parent, name);
    return child == null ? null : textOf(child);
  }

  /** All text in the element, trimmed; null for none. */
  static @Nullable String textOf(Element element) {
    return Present.text(element.getValue().trim());
  }

  /** Puts all elements of the root's namespace into this one. */
  void adopt(Element root) {
    Namespace odd = root.getNamespace();
    List<Element> elements = new ArrayList<>();
    elements.add(root);
    root.getDescendants(Filters.element()).forEach(elements::add);
    for (Element element : elements) {
      if (element.getNamespace().equals(odd)) {
        element.setNamespace(namespace());
      }
    }
  }

  /** The value of an attribute in no namespace, trimmed; null where it is missing or empty. */
  static @Nullable String attribute(Element element, String name) {
    for (Attribute attribute : element.getAttributes()) {
      if (attribute.getNamespaceURI().isEmpty() && attribute.getName().equalsIgnoreCase(name)) {
        return Present.text(attribute.getValue().trim());
      }
    }
    return null;
  }
}
