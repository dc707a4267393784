package io.feedbridge.gateway.store.sqlite.search;

import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.search.query.Query.Node;
import java.util.List;
import java.util.stream.Collectors;

/** Queries in the language of FTS5. */
final class FtsQuery {

  private FtsQuery() {}

  /** The conditions on an entry's text. */
  static String match(Node node) {
    if (node instanceof Query.All all) {
      String there =
          joined(all.nodes().stream().filter(one -> !(one instanceof Query.Not)).toList(), " AND ");
      List<Node> not =
          all.nodes().stream()
              .filter(Query.Not.class::isInstance)
              .map(one -> ((Query.Not) one).node())
              .toList();
      return not.isEmpty() ? there : "(" + there + " NOT " + joined(not, " OR ") + ")";
    }
    if (node instanceof Query.Any any) {
      return joined(any.nodes(), " OR ");
    }
    if (node instanceof Query.Phrase phrase) {
      return "words : " + quoted(String.join(" ", phrase.words()));
    }
    if (node instanceof Query.Label label) {
      return "labels : " + quoted(label.label());
    }
    throw new IllegalArgumentException("an exclusion stands beside something that is included");
  }

  private static String joined(List<Node> nodes, String operator) {
    return nodes.stream().map(FtsQuery::match).collect(Collectors.joining(operator, "(", ")"));
  }

  private static String quoted(String text) {
    return '"' + text.replace("\"", "\"\"") + '"';
  }

  /** The conditions on the figures of feeds, as SQL over the table of entries. */
  static String ranges(List<Query.Range> ranges) {
    return ranges.stream()
        .map(
            range ->
                " AND entry.%s %s %s"
                    .formatted(
                        range.figure() == Query.Figure.BOZO ? "bozo" : "popularity",
                        range.comparison().sign(),
                        range.bound()))
        .collect(Collectors.joining());
  }
}
