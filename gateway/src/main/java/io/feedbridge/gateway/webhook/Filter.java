package io.feedbridge.gateway.webhook;

import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Entry;
import java.util.List;

/**
 * Which entries an endpoint wants: a query in the language of searches, which is tried on the entry
 * itself. A word is looked for as it stands there, with its signs and accents. Immutable.
 *
 * @param query without ranges
 */
public record Filter(Query query) {

  /**
   * Parses an expression.
   *
   * @throws BadQueryException if it does not parse, with the position
   */
  public static Filter parse(String expression) throws BadQueryException {
    return new Filter(QueryParser.filter(expression));
  }

  /**
   * Whether an entry passes.
   *
   * @param ofFeed the authors of its feed, which count for an entry that names none
   * @param topic of its feed
   */
  public boolean accepts(Entry entry, List<Author> ofFeed, String topic) {
    return new FilteredEntry(entry, ofFeed, topic).passes(query);
  }
}
