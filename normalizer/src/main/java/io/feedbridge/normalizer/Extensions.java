package io.feedbridge.normalizer;

import static io.feedbridge.normalizer.Vocabulary.attribute;

import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/**
 * The extension namespaces of a feed or an entry, read the same way in every format: Rome has them
 * for some formats only, and in part.
 */
final class Extensions {
  private static final Pattern SEPARATOR = Pattern.compile("[\\s,;]+");
  private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

  private Extensions() {}

  /** Collects categories: each once, in order, bounded. */
  static void addTo(Collection<String> categories, @Nullable String category) {
    String trimmed = category == null ? "" : category.trim();
    if (!trimmed.isEmpty() && categories.size() < Limits.MAX_VALUES) {
      categories.add(trimmed);
    }
  }

  static void categories(Element element, Set<String> into) {
    for (Element child : element.getChildren()) {
      switch (Vocabulary.of(child)) {
        case DC -> {
          if (child.getName().equals("subject")) {
            addTo(into, child.getValue());
          }
        }
        case ITUNES -> itunesCategories(child, into);
        case MEDIA -> mediaCategories(child, into);
        case ATOM -> {
          if (child.getName().equals("category")) {
            addTo(into, attribute(child, "term"));
          }
        }
        default -> {}
      }
    }
  }

  static List<String> atomCategories(Element element) {
    Set<String> categories = new LinkedHashSet<>();
    for (Element category : Atom.children(element, "category")) {
      String term = attribute(category, "term");
      addTo(categories, term == null ? category.getValue() : term);
    }
    return new ArrayList<>(categories);
  }

  private static void itunesCategories(Element child, Set<String> into) {
    if (child.getName().equals("category")) {
      addTo(into, attribute(child, "text"));
      child.getChildren().forEach(inner -> itunesCategories(inner, into));
    } else if (child.getName().equals("keywords")) {
      listed(child.getValue(), into);
    }
  }

  /** Adds words with commas between them. */
  static void listed(String words, Collection<String> into) {
    COMMA.splitAsStream(words).forEach(word -> addTo(into, word));
  }

  private static void mediaCategories(Element child, Set<String> into) {
    if (child.getName().equals("category")) {
      addTo(into, child.getValue());
    } else if (child.getName().equals("group")) {
      Vocabulary.MEDIA.children(child, "category").forEach(c -> addTo(into, c.getValue()));
    }
  }

  static void links(Element element, LinkList into) {
    for (Element child : element.getChildren()) {
      String name = child.getName();
      switch (Vocabulary.of(child)) {
        case WFW -> {
          if (name.equalsIgnoreCase("commentRss")) {
            into.add(child, Link.REPLIES, Vocabulary.textOf(child), "application/rss+xml");
          }
        }
        case MEDIA -> media(child, into);
        case FEEDBURNER -> {
          if (name.equals("origLink")) {
            into.add(child, Link.CANONICAL, Vocabulary.textOf(child), "text/html");
          }
        }
        case ITUNES -> {
          if (name.equals("image")) {
            String href = attribute(child, "href");
            into.add(child, Link.PICTURE, href == null ? Vocabulary.textOf(child) : href, null);
          }
        }
        default -> {}
      }
    }
  }

  private static void media(Element element, LinkList into) {
    switch (element.getName()) {
      case "thumbnail" ->
          into.add(
              element,
              Link.PICTURE,
              attribute(element, "url"),
              null,
              null,
              null,
              ExtensionReader.media(element, into.base()));
      case "content" ->
          into.add(
              element,
              Link.ENCLOSURE,
              attribute(element, "url"),
              attribute(element, "type"),
              Vocabulary.MEDIA.text(element, "title"),
              attribute(element, "fileSize"),
              ExtensionReader.media(element, into.base()));
      case "group" -> {}
      default -> {
        return;
      }
    }
    element.getChildren().forEach(child -> media(child, into));
  }

  static @Nullable GeoPoint geo(Element element) {
    String point = Vocabulary.GEORSS.text(element, "point");
    Element where = Vocabulary.GEORSS.child(element, "where");
    if (point == null && where != null) {
      Element gml = Vocabulary.GML.child(where, "Point");
      return gml == null ? null : gml(gml);
    }
    if (point != null) {
      return pair(point, false);
    }
    Element inside = Vocabulary.GEO.child(element, "Point");
    Element holder = inside == null ? element : inside;
    String longitude = Vocabulary.GEO.text(holder, "long");
    return point(
        Vocabulary.GEO.text(holder, "lat"),
        longitude == null ? Vocabulary.GEO.text(holder, "lon") : longitude);
  }

  /**
   * A GML position, in WGS84 if nothing is said. That of another reference system is no latitude
   * and longitude, and is left out.
   */
  private static @Nullable GeoPoint gml(Element gml) {
    String position = Vocabulary.GML.text(gml, "pos");
    Element holder = Vocabulary.GML.child(gml, "pos");
    String system = attribute(gml, "srsName");
    system = system == null && holder != null ? attribute(holder, "srsName") : system;
    boolean longitudeFirst = system != null && system.endsWith("CRS84");
    boolean wgs84 =
        system == null
            || longitudeFirst
            || system.endsWith("4326")
            // The same with a height, which stands last
            || system.endsWith("4979")
            || system.toUpperCase(Locale.ROOT).endsWith("WGS84");
    return position == null || !wgs84 ? null : pair(position, longitudeFirst);
  }

  private static @Nullable GeoPoint pair(String position, boolean longitudeFirst) {
    String[] parts = SEPARATOR.split(position, 3);
    if (parts.length < 2) {
      return null;
    }
    return longitudeFirst ? point(parts[1], parts[0]) : point(parts[0], parts[1]);
  }

  private static @Nullable GeoPoint point(@Nullable String latitude, @Nullable String longitude) {
    if (latitude == null || longitude == null) {
      return null;
    }
    try {
      double lat = Double.parseDouble(latitude);
      double lon = Double.parseDouble(longitude);
      return GeoPoint.isPlace(lat, lon) ? new GeoPoint(lat, lon) : null;
    } catch (NumberFormatException noPlace) {
      return null;
    }
  }

  static List<Author> authors(Element element, URI base) {
    List<Author> authors = People.creators(Vocabulary.DC.children(element, "creator"));
    if (authors.isEmpty()) {
      authors = People.atom(element, "author", base);
    }
    if (authors.isEmpty()) {
      authors = People.lines(Vocabulary.ITUNES.children(element, "author"));
    }
    return authors.isEmpty() ? People.lines(Vocabulary.DC.children(element, "author")) : authors;
  }

  static @Nullable Instant published(Element element) {
    Instant date = Dates.parse(Vocabulary.DC.text(element, "date"));
    for (String name : List.of("issued", "created", "date", "available")) {
      date = date == null ? Dates.parse(Vocabulary.DCTERMS.text(element, name)) : date;
    }
    return date == null ? Atom.date(element, "published", "issued", "created") : date;
  }

  static @Nullable Instant updated(Element element) {
    Instant date = Dates.parse(Vocabulary.DCTERMS.text(element, "modified"));
    return date == null ? Atom.date(element, "updated", "modified") : date;
  }

  /** The XHTML body of an item, if it has one; feeds forget its namespace. */
  static @Nullable Content body(Element element, URI base) {
    for (Vocabulary vocabulary : List.of(Vocabulary.XHTML, Vocabulary.RSS)) {
      for (String name : List.of("body", "div")) {
        Element body = vocabulary.child(element, name);
        if (body != null && (Vocabulary.textOf(body) != null || Markup.hasMedia(body))) {
          boolean markup = vocabulary == Vocabulary.XHTML || !body.getChildren().isEmpty();
          String html = markup ? Markup.inner(body) : body.getText();
          return new Content(markup ? Content.XHTML : Content.HTML, html, null)
              .at(Urls.base(body, base));
        }
      }
    }
    return null;
  }

  /** The title by a podcast or media RSS of an entry without another one. */
  static @Nullable String title(Element element) {
    String title = Vocabulary.ITUNES.text(element, "title");
    if (title != null) {
      return title;
    }
    title = Vocabulary.MEDIA.text(element, "title");
    Element group = title == null ? Vocabulary.MEDIA.child(element, "group") : null;
    title = group == null ? title : Vocabulary.MEDIA.text(group, "title");
    return title == null ? null : Present.text(HtmlText.plain(title).trim());
  }

  static @Nullable Content summary(Element element, URI base) {
    Element atom = Atom.child(element, "summary");
    if (atom != null) {
      return Atom.content(atom, base);
    }
    String itunes = Vocabulary.ITUNES.text(element, "summary");
    if (itunes != null) {
      return Content.text(itunes);
    }
    Element group = Vocabulary.MEDIA.child(element, "group");
    Element description = Vocabulary.MEDIA.child(element, "description");
    if (description == null && group != null) {
      description = Vocabulary.MEDIA.child(group, "description");
    }
    String text = description == null ? null : Vocabulary.textOf(description);
    if (description == null || text == null) {
      return null;
    }
    return "html".equals(attribute(description, "type"))
        ? Content.html(text).at(Urls.base(description, base))
        : Content.text(text);
  }
}
