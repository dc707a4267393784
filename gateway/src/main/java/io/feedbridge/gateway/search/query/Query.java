package io.feedbridge.gateway.search.query;

import java.util.List;
import java.util.function.Predicate;

/**
 * A parsed query or filter. Of a query for an index at least one condition is not negated, neither
 * in the whole nor in an alternative; a filter is tried on entries that are at hand, and has no
 * such rule and no ranges.
 *
 * @param root the conditions on an entry
 * @param ranges the conditions on an entry's feed; all must hold
 */
public record Query(Node root, List<Range> ranges) {

  /** Entries of feeds with a greater bozo rank match only a query that names the rank. */
  public static final double MAX_BOZO = 0.3;

  public Query {
    ranges = List.copyOf(ranges);
  }

  /** A condition on the text of an entry. */
  public sealed interface Node {}

  /** All of them hold. */
  public record All(List<Node> nodes) implements Node {
    public All {
      nodes = List.copyOf(nodes);
    }
  }

  /** One of them holds. */
  public record Any(List<Node> nodes) implements Node {
    public Any {
      nodes = List.copyOf(nodes);
    }
  }

  /** The condition does not hold. */
  public record Not(Node node) implements Node {}

  /**
   * These words follow one another.
   *
   * @param words as {@link Words} makes them; at least one in a query for an index
   * @param text as it was written
   */
  public record Phrase(List<String> words, String text) implements Node {
    public Phrase {
      words = List.copyOf(words);
    }
  }

  /** A field of an entry that a condition can name. */
  public enum Field {
    /** The host of the feed or the page, or a domain that it is in. */
    SITE,
    /** A linked page or host. */
    LINK,
    /** A language, of any region; in a filter with a region, of that region. */
    LANGUAGE,
    /** A category, the whole of it. */
    CATEGORY,
    /** Words of an author's name in their order, or the whole e-mail address or URI. */
    AUTHOR,
    /** A single character of a script without spaces, of title, text, categories or authors. */
    CHARACTER
  }

  /**
   * A field of the entry has a value.
   *
   * @param label that an entry with that value has among its {@link Terms#labels labels}
   * @param text the value as it was written
   */
  public record Label(Field field, String label, String text) implements Node {}

  /** The figure of a feed that a range is about. */
  public enum Figure {
    POPULARITY,
    BOZO
  }

  /** How a figure compares. */
  public enum Comparison {
    LESS("<"),
    AT_MOST("<="),
    EQUAL("="),
    AT_LEAST(">="),
    MORE(">");

    private final String sign;

    Comparison(String sign) {
      this.sign = sign;
    }

    /** As it stands in queries, and in SQL. */
    public String sign() {
      return sign;
    }
  }

  /** A bound of a figure of the entry's feed. */
  public record Range(Figure figure, Comparison comparison, double bound) {

    /** Whether it holds. */
    public boolean holds(double popularity, double bozo) {
      double value = figure == Figure.BOZO ? bozo : popularity;
      return switch (comparison) {
        case LESS -> value < bound;
        case AT_MOST -> value <= bound;
        case EQUAL -> value == bound;
        case AT_LEAST -> value >= bound;
        case MORE -> value > bound;
      };
    }
  }

  /** Whether an entry matches. */
  public boolean matches(Terms terms, double popularity, double bozo) {
    return ranges.stream().allMatch(range -> range.holds(popularity, bozo))
        && holds(
            leaf ->
                leaf instanceof Phrase phrase
                    ? terms.has(phrase.words)
                    : terms.labels().contains(((Label) leaf).label));
  }

  /**
   * Whether the conditions on an entry hold; the ranges are left out.
   *
   * @param leaf whether a {@link Phrase} or a {@link Label} is in the entry
   */
  public boolean holds(Predicate<Node> leaf) {
    return holds(root, leaf);
  }

  private static boolean holds(Node node, Predicate<Node> leaf) {
    if (node instanceof All all) {
      return all.nodes.stream().allMatch(one -> holds(one, leaf));
    }
    if (node instanceof Any any) {
      return any.nodes.stream().anyMatch(one -> holds(one, leaf));
    }
    return node instanceof Not not ? !holds(not.node, leaf) : leaf.test(node);
  }
}
