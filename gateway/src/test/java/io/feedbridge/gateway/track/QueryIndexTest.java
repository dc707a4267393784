package io.feedbridge.gateway.track;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.gateway.search.query.Terms;
import io.feedbridge.gateway.search.query.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QueryIndexTest {

  private static Terms terms(String text) {
    return Terms.of(Words.of(text), Set.of("site=a.example"));
  }

  private static Query query(String text) {
    try {
      return QueryParser.parse(text);
    } catch (BadQueryException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  @Test
  void a_removed_or_replaced_query_matches_no_more() {
    QueryIndex index = new QueryIndex();
    index.put(1, query("apple"));
    index.put(2, query("apple | pear"));
    index.put(1, query("pear"));

    assertThat(index.matches(terms("an apple"), 0, 0)).containsExactly(2L);
    index.remove(2);
    assertThat(index.matches(terms("an apple"), 0, 0)).isEmpty();
    assertThat(index.size()).isEqualTo(1);
  }

  /** The index leaves queries out that cannot match, and no other ones. */
  @Test
  void it_finds_the_queries_that_match_one_by_one_also_after_they_are_sorted_anew() {
    Random random = new Random(7);
    QueryIndex index = new QueryIndex();
    List<Query> all = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      Query query = query(text(random, 3));
      all.add(query);
      index.put(i, query);
    }
    int matches = 0;
    for (int i = 0; i < 2_500; i++) {
      Terms entry = terms(words(random, 12));
      List<Long> expected = new ArrayList<>();
      for (int number = 0; number < all.size(); number++) {
        if (all.get(number).matches(entry, 0, 0)) {
          expected.add((long) number);
        }
      }
      matches += expected.size();
      assertThat(index.matches(entry, 0, 0)).containsExactlyInAnyOrderElementsOf(expected);
    }
    assertThat(matches).isPositive();
  }

  private static String words(Random random, int count) {
    StringBuilder words = new StringBuilder();
    for (int i = 0; i < count; i++) {
      words.append("w").append(random.nextInt(60)).append(' ');
    }
    return words.toString();
  }

  private static String text(Random random, int depth) {
    String word = "w" + random.nextInt(60);
    return switch (depth == 0 ? 0 : random.nextInt(6)) {
      case 1 -> word + " " + text(random, depth - 1);
      case 2 -> word + " | " + "(" + text(random, depth - 1) + ")";
      case 3 -> word + " -(" + text(random, depth - 1) + ")";
      case 4 -> "\"" + words(random, 2) + "\"";
      case 5 -> "site:a.example " + word;
      default -> word;
    };
  }
}
