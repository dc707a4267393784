package io.feedbridge.gateway.webhook;

import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Entry;
import java.util.List;
import java.util.Optional;

/**
 * Which entries an endpoint wants. Immutable.
 *
 * <pre>
 *   expression = all { "OR" all }
 *   all        = one { [ "AND" ] one }
 *   one        = [ "NOT" ] ( "(" expression ")" | term )
 *   term       = [ field ":" ] ( word | '"' text '"' )
 *   field      = "keyword" | "category" | "language" | "author"
 * </pre>
 *
 * A term without a field is a keyword. Upper and lower case make no difference but in the
 * operators.
 */
public sealed interface Filter {

  /** The longest expression, in characters. */
  int MAX_LENGTH = 1_000;

  /** How deep parentheses and NOT may be nested. */
  int MAX_DEPTH = 16;

  /**
   * Parses an expression.
   *
   * @throws BadFilterException if it does not parse, with the position
   */
  static Filter parse(String expression) throws BadFilterException {
    return new FilterParser(expression).parse();
  }

  /** Whether an entry passes. */
  default boolean accepts(Entry entry) {
    return accepts(entry, List.of());
  }

  /**
   * Whether an entry passes.
   *
   * @param ofFeed the authors of its feed, which count for an entry that names none
   */
  default boolean accepts(Entry entry, List<Author> ofFeed) {
    return test(new FilteredEntry(entry, ofFeed));
  }

  /** Whether an entry passes; the prepared entry serves several filters. */
  boolean test(FilteredEntry entry);

  /** All of them. */
  record And(List<Filter> parts) implements Filter {
    public And {
      parts = List.copyOf(parts);
    }

    @Override
    public boolean test(FilteredEntry entry) {
      return parts.stream().allMatch(part -> part.test(entry));
    }
  }

  /** One of them. */
  record Or(List<Filter> parts) implements Filter {
    public Or {
      parts = List.copyOf(parts);
    }

    @Override
    public boolean test(FilteredEntry entry) {
      return parts.stream().anyMatch(part -> part.test(entry));
    }
  }

  /** Not that. */
  record Not(Filter part) implements Filter {
    @Override
    public boolean test(FilteredEntry entry) {
      return !part.test(entry);
    }
  }

  /** One property of an entry has a value. */
  record Term(Field field, String value) implements Filter {
    @Override
    public boolean test(FilteredEntry entry) {
      return switch (field) {
        case KEYWORD -> entry.hasKeyword(value);
        case CATEGORY -> entry.hasCategory(value);
        case LANGUAGE -> entry.hasLanguage(value);
        case AUTHOR -> entry.hasAuthor(value);
      };
    }
  }

  /** The property that a term looks at. */
  enum Field {
    /** Words of title, summary or content, as they stand there, one after the other. */
    KEYWORD,
    /** A category, the whole of it. */
    CATEGORY,
    /** A language, or the family of one: {@code en} is {@code en-GB} too. */
    LANGUAGE,
    /** Words of an author's name, or the whole e-mail address or URI. */
    AUTHOR;

    static Optional<Field> of(String name) {
      for (Field field : values()) {
        if (field.name().equalsIgnoreCase(name)) {
          return Optional.of(field);
        }
      }
      return Optional.empty();
    }
  }
}
