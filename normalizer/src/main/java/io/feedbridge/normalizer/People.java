package io.feedbridge.normalizer;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/** Authors, from Atom's person elements and from the lines of RSS. */
final class People {
  private static final int MAX_LINE = 1_000;
  private static final String MAIL = "[^\\s<>()@]+@[^\\s<>()@]+";
  private static final Pattern MAIL_ONLY = Pattern.compile(MAIL);
  private static final Pattern MAIL_FIRST = Pattern.compile("(" + MAIL + ")\\s*\\((.*)\\)");
  private static final Pattern MAIL_LAST =
      Pattern.compile("([^<(]*)[<(]\\s*(?:mailto:)?(" + MAIL + ")\\s*[>)]");

  /** A semicolon between names, and not the one that ends a reference of HTML. */
  private static final Pattern SEMICOLON = Pattern.compile("(?<!&[#\\w]{1,32})\\s*;\\s*");

  /** The text between the names of a list: a comma, and before the last also "and". */
  private static final Pattern LIST =
      Pattern.compile("\\s*,\\s*(?:(?:and|&)\\s+)?|\\s+(?:and|&)\\s+");

  /** Two to five words that begin with a capital, but for the particles of names. */
  private static final Pattern FULL_NAME =
      Pattern.compile(
          "\\p{Lu}[\\p{L}\\p{M}.'’-]*+"
              + "(?:\\s+(?:v[ao]n|de[rnlsi]?|d[aiou]s?|la|le|el|al|bin|ibn|y|ter?|zu[mr]?)){0,3}"
              + "(?:\\s+\\p{Lu}[\\p{L}\\p{M}.'’-]*+){1,4}");

  private People() {}

  /**
   * {@code mail (Name)}, {@code Name <mail>}, a mail address or a name, as text or as a line of
   * HTML; null for nothing.
   */
  static @Nullable Author line(@Nullable String text) {
    String written = text == null ? "" : text.trim();
    if (written.length() > MAX_LINE) {
      return Author.named(written);
    }
    String line = HtmlText.titleOfMarkup(written).trim();
    if (line.isEmpty()) {
      return null;
    }
    Matcher first = MAIL_FIRST.matcher(line);
    if (first.matches()) {
      return Author.of(first.group(2).trim(), first.group(1), null);
    }
    Matcher last = MAIL_LAST.matcher(line);
    if (last.matches()) {
      return Author.of(last.group(1).trim(), last.group(2), null);
    }
    return MAIL_ONLY.matcher(line).matches() ? Author.of(null, line, null) : Author.named(line);
  }

  /** Atom's persons of this name, with the schema's additions. */
  static List<Author> atom(Element parent, String name, URI base) {
    List<Author> authors = new ArrayList<>();
    for (Element element : Atom.children(parent, name)) {
      Author author = person(element, base);
      if (author.isEmpty() && element.getChildren().isEmpty()) {
        Author line = line(element.getText());
        author = line == null ? author : line;
      }
      if (!author.isEmpty() && authors.size() < Limits.MAX_VALUES) {
        authors.add(author);
      }
    }
    return authors;
  }

  /** The person in an element, empty where it says nothing in elements of its own. */
  static Author person(Element element, URI base) {
    LinkList links = new LinkList(base);
    Atom.children(element, "link").forEach(links::addAtom);
    if (Link.image(links.links()) == null) {
      for (Element image : Vocabulary.GD.children(element, "image")) {
        links.add(image, Link.PICTURE, Vocabulary.attribute(image, "src"), null);
      }
    }
    Element page = page(element);
    String uri = page == null ? null : Vocabulary.textOf(page);
    return new Author(
        Atom.text(element, "name"),
        Atom.text(element, "email"),
        page == null || uri == null ? null : Urls.resolve(Urls.base(page, base), uri),
        Atom.text(element, "id"),
        Atom.text(element, "title"),
        Activity.objectTypes(element),
        links.links());
  }

  /** Atom 1.0 has a {@code uri}, 0.3 a {@code url}, its drafts a {@code homepage}. */
  private static @Nullable Element page(Element person) {
    for (String name : List.of("uri", "url", "homepage")) {
      Element page = Atom.child(person, name);
      if (page != null && Vocabulary.textOf(page) != null) {
        return page;
      }
    }
    return null;
  }

  /** The authors that these elements name; each may be a list. */
  static List<Author> creators(List<Element> elements) {
    List<Author> authors = new ArrayList<>();
    elements.forEach(element -> addList(element.getValue(), authors));
    return authors;
  }

  /**
   * The authors that a line names, which may plainly be a list: with semicolons, or of full names
   * with commas. {@code Doe, Jane} is one person, {@code Acme, Inc.} one company.
   */
  static List<Author> list(@Nullable String line) {
    List<Author> authors = new ArrayList<>();
    addList(line == null ? "" : line, authors);
    return authors;
  }

  private static void addList(String line, List<Author> authors) {
    for (String name : names(line.trim())) {
      Author author = line(name);
      if (author != null && authors.size() < Limits.MAX_VALUES && !authors.contains(author)) {
        authors.add(author);
      }
    }
  }

  private static List<String> names(String line) {
    if (line.length() > MAX_LINE) {
      return List.of(line);
    }
    String[] parts = SEMICOLON.split(line);
    if (parts.length > 1) {
      return List.of(parts);
    }
    if (line.indexOf(',') < 0) {
      return List.of(line);
    }
    List<String> names = List.of(LIST.split(line));
    return names.size() > 1 && names.stream().allMatch(People::isPerson) ? names : List.of(line);
  }

  /** Whether this is a full name, or stands with a mail address. */
  private static boolean isPerson(String name) {
    return FULL_NAME.matcher(name).matches()
        || MAIL_FIRST.matcher(name).matches()
        || MAIL_LAST.matcher(name).matches();
  }

  /** The authors that the lines of these elements name. */
  static List<Author> lines(List<Element> elements) {
    List<Author> authors = new ArrayList<>();
    for (Element element : elements) {
      Author author = line(element.getValue());
      if (author != null && authors.size() < Limits.MAX_VALUES && !authors.contains(author)) {
        authors.add(author);
      }
    }
    return authors;
  }
}
