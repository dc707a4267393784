package io.feedbridge.normalizer;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/** Authors, from Atom's person elements and from what RSS writes into one line. */
final class People {
  private static final int MAX_LINE = 1_000;
  private static final String MAIL = "[^\\s<>()@]+@[^\\s<>()@]+";
  private static final Pattern MAIL_ONLY = Pattern.compile(MAIL);
  private static final Pattern MAIL_FIRST = Pattern.compile("(" + MAIL + ")\\s*\\((.*)\\)");
  private static final Pattern MAIL_LAST =
      Pattern.compile("([^<(]*)[<(]\\s*(?:mailto:)?(" + MAIL + ")\\s*[>)]");

  private People() {}

  /** {@code mail (Name)}, {@code Name <mail>}, a mail address or a name; null for nothing. */
  static @Nullable Author line(@Nullable String text) {
    String line = text == null ? "" : text.trim();
    if (line.isEmpty()) {
      return null;
    }
    if (line.length() > MAX_LINE) {
      return Author.named(line);
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

  /** Atom's persons of this name, with what the schema adds to them. */
  static List<Author> atom(Element parent, String name, URI base) {
    List<Author> authors = new ArrayList<>();
    for (Element element : Atom.children(parent, name)) {
      LinkList links = new LinkList(base);
      Atom.children(element, "link").forEach(links::addAtom);
      Element page = page(element);
      String uri = page == null ? null : Vocabulary.textOf(page);
      Author author =
          new Author(
              Atom.text(element, "name"),
              Atom.text(element, "email"),
              page == null || uri == null ? null : Urls.resolve(Urls.base(page, base), uri),
              Atom.text(element, "id"),
              Atom.text(element, "title"),
              Activity.objectTypes(element),
              links.links());
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

  /** Everyone named by the lines of these elements. */
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
