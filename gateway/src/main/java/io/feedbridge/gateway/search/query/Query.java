package io.feedbridge.gateway.search.query;

import java.util.List;
import java.util.Set;

/**
 * A parsed query.
 *
 * @param root the conditions on an entry's text, of which at least one is not negated
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

  /** All of them hold; at least one is no {@link Not}. */
  public record All(List<Node> nodes) implements Node {
    public All {
      nodes = List.copyOf(nodes);
    }
  }

  /** One of them holds; none is a {@link Not}. */
  public record Any(List<Node> nodes) implements Node {
    public Any {
      nodes = List.copyOf(nodes);
    }
  }

  /** It does not hold. Stands in an {@link All} only. */
  public record Not(Node node) implements Node {}

  /** These words follow one another, as {@link Words} makes them; at least one. */
  public record Phrase(List<String> words) implements Node {
    public Phrase {
      words = List.copyOf(words);
    }
  }

  /** The entry has this {@link Terms#labels label}. */
  public record Label(String label) implements Node {}

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
    return ranges.stream().allMatch(range -> range.holds(popularity, bozo)) && holds(root, terms);
  }

  private static boolean holds(Node node, Terms terms) {
    if (node instanceof All all) {
      for (Node one : all.nodes) {
        if (!holds(one, terms)) {
          return false;
        }
      }
      return true;
    }
    if (node instanceof Any any) {
      return any.nodes.stream().anyMatch(one -> holds(one, terms));
    }
    if (node instanceof Not not) {
      return !holds(not.node, terms);
    }
    return node instanceof Phrase phrase
        ? terms.has(phrase.words)
        : terms.labels().contains(((Label) node).label);
  }

  /** Whether a condition is one that an index cannot begin with. */
  static boolean isNegative(Node node) {
    return node instanceof Not;
  }

  /** The kinds of labels that can be asked for. */
  static final Set<String> LABELS = Set.of("site", "link", "language");
}
