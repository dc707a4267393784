package io.feedbridge.normalizer;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The entities that the DOCTYPE of one document declares as plain text (XML 1.0 §4.4.2). An entity
 * that is external, or that has a reference or markup in its text, does not exist, so that none can
 * multiply another. Not thread-safe.
 */
final class DeclaredEntities {
  private static final Pattern ENTITY =
      Pattern.compile(
          "<!ENTITY\\s{1,100}([A-Za-z][A-Za-z0-9]{0,31})\\s{1,100}"
              + "(?:\"([^\"<&%]{0,1000})\"|'([^'<&%]{0,1000})')\\s{0,100}>");

  /** The entities that XML has by itself, which no declaration can change. */
  private static final Set<String> OF_XML = Set.of("amp", "lt", "gt", "quot", "apos");

  private static final int MAX_ENTITIES = 1_000;

  private final Map<String, String> texts = new HashMap<>();
  private int left = Limits.MAX_ENTITY_TEXT;

  /**
   * Reads the declarations of a prolog.
   *
   * @param prolog the document before its root
   */
  DeclaredEntities(String prolog) {
    int doctype = prolog.indexOf("<!DOCTYPE");
    int at = doctype < 0 ? -1 : prolog.indexOf('[', doctype);
    Matcher entity = ENTITY.matcher(prolog);
    at = at < 0 ? -1 : next(prolog, at + 1);
    while (at >= 0 && texts.size() < MAX_ENTITIES) {
      String end = prolog.startsWith("<!--", at) ? "-->" : prolog.startsWith("<?", at) ? "?>" : ">";
      int after = prolog.indexOf(end, at);
      after = after < 0 ? prolog.length() : after + end.length();
      if (entity.region(at, prolog.length()).lookingAt()) {
        String text = entity.group(2) == null ? entity.group(3) : entity.group(2);
        // The first declaration of a name counts
        texts.putIfAbsent(entity.group(1), text.replace("\"", "&quot;").replace(">", "&gt;"));
        after = entity.end();
      }
      at = next(prolog, after);
    }
  }

  /** The next declaration; -1 at the end, or at a parameter entity, which may declare more. */
  private static int next(String prolog, int from) {
    int at = from;
    while (at < prolog.length() && Character.isWhitespace(prolog.charAt(at))) {
      at++;
    }
    return prolog.startsWith("<", at) ? at : -1;
  }

  /**
   * The text of an entity, escaped for a text and for an attribute in double quotes; null for one
   * that is not declared, and for each beyond {@link Limits#MAX_ENTITY_TEXT}.
   */
  @Nullable String text(String name) {
    String text = OF_XML.contains(name) ? null : texts.get(name);
    if (text == null || text.length() > left) {
      return null;
    }
    left -= text.length();
    return text;
  }
}
