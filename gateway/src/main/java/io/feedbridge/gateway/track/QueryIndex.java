package io.feedbridge.gateway.track;

import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.search.query.Terms;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Queries by the terms that an entry must have to match. Each query stands under few terms, the
 * rarest that suffice: an entry is compared only with queries that stand under one of its terms.
 * For one thread.
 */
public final class QueryIndex {

  /** Entries after which the frequency of terms is known better and the queries are sorted anew. */
  private static final int SORTED_AFTER = 2_000;

  /** Counters of terms, which share them by their hash; a power of two. */
  private static final int COUNTERS = 1 << 16;

  private final Map<Long, Standing> queries = new HashMap<>();
  private final Map<String, List<Standing>> byTerm = new HashMap<>();
  private final int[] counts = new int[COUNTERS];
  private int counted;
  private long compared;
  private int sortAt = SORTED_AFTER;

  /** A query with the terms that it stands under. */
  private static final class Standing {
    private final long id;
    private final Query query;
    private Set<String> under = Set.of();

    /** The number of the last entry that it was compared with. */
    private long comparedWith;

    Standing(long id, Query query) {
      this.id = id;
      this.query = query;
    }
  }

  /** Adds a query, in the place of the one that had its number. */
  public void put(long id, Query query) {
    remove(id);
    Standing standing = new Standing(id, query);
    queries.put(id, standing);
    enter(standing);
  }

  private void enter(Standing standing) {
    standing.under = keys(standing.query.root());
    standing.under.forEach(
        term -> byTerm.computeIfAbsent(term, any -> new ArrayList<>(1)).add(standing));
  }

  /** Forgets a query. */
  public void remove(long id) {
    Standing gone = queries.remove(id);
    if (gone != null) {
      gone.under.forEach(
          term ->
              byTerm.computeIfPresent(
                  term,
                  (same, there) -> {
                    there.remove(gone);
                    return there.isEmpty() ? null : there;
                  }));
    }
  }

  /** The number of queries. */
  public int size() {
    return queries.size();
  }

  /** The numbers of the queries that an entry matches. */
  public List<Long> matches(Terms entry, double popularity, double bozo) {
    count(entry);
    compared++;
    List<Long> matches = new ArrayList<>();
    Stream.concat(entry.distinctWords().stream(), entry.labels().stream())
        .map(byTerm::get)
        .filter(Objects::nonNull)
        .forEach(
            standing -> {
              for (Standing one : standing) {
                if (one.comparedWith != compared) {
                  one.comparedWith = compared;
                  if (one.query.matches(entry, popularity, bozo)) {
                    matches.add(one.id);
                  }
                }
              }
            });
    return matches;
  }

  private void count(Terms entry) {
    entry.distinctWords().forEach(this::count);
    entry.labels().forEach(this::count);
    if (++counted >= sortAt) {
      sortAt = sortAt > Integer.MAX_VALUE / 10 ? Integer.MAX_VALUE : 10 * sortAt;
      byTerm.clear();
      queries.values().forEach(this::enter);
    }
  }

  private void count(String term) {
    counts[slot(term)]++;
  }

  private static int slot(String term) {
    int hash = term.hashCode();
    return (hash ^ (hash >>> 16)) & (COUNTERS - 1);
  }

  /**
   * The entries in a million that have a term, as far as is known, and a little for short words.
   */
  private double cost(String term) {
    double seen = counted == 0 ? 0 : 1e6 * counts[slot(term)] / counted;
    return seen + 100.0 / (1 + term.length());
  }

  private double cost(Set<String> keys) {
    return keys.stream().mapToDouble(this::cost).sum();
  }

  /** An entry that matches has one of these at least. */
  private Set<String> keys(Query.Node node) {
    if (node instanceof Query.Any any) {
      Set<String> all = new HashSet<>();
      any.nodes().forEach(one -> all.addAll(keys(one)));
      return all;
    }
    if (node instanceof Query.All all) {
      return all.nodes().stream()
          .filter(one -> !(one instanceof Query.Not))
          .map(this::keys)
          .min(Comparator.comparingDouble(this::cost))
          .orElseThrow();
    }
    if (node instanceof Query.Phrase phrase) {
      return Set.of(
          phrase.words().stream().min(Comparator.comparingDouble(this::cost)).orElseThrow());
    }
    if (node instanceof Query.Label label) {
      return Set.of(label.label());
    }
    throw new IllegalArgumentException("an exclusion stands beside something that is included");
  }
}
