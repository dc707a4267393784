package io.feedbridge.gateway.search.query;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The terms by which a query finds an entry.
 *
 * @param words of its text in order, as {@link Words} makes them, with {@link #BREAK} between its
 *     parts
 * @param labels its sites, links and language, and each character of a script without spaces
 * @param places where each word stands in {@code words}
 */
public record Terms(List<String> words, Set<String> labels, Map<String, List<Integer>> places) {

  /** No phrase reaches over it. */
  public static final String BREAK = ".";

  /** Terms of these words and labels. */
  public static Terms of(List<String> words, Set<String> labels) {
    Map<String, List<Integer>> places = new HashMap<>();
    for (int i = 0; i < words.size(); i++) {
      places.computeIfAbsent(words.get(i), word -> new ArrayList<>(2)).add(i);
    }
    return new Terms(List.copyOf(words), Set.copyOf(labels), places);
  }

  /** Whether these words follow one another. */
  boolean has(List<String> phrase) {
    List<Integer> begins = places.get(phrase.get(0));
    if (begins == null || phrase.size() == 1) {
      return begins != null;
    }
    int length = phrase.size();
    return begins.stream()
        .anyMatch(
            at -> at + length <= words.size() && words.subList(at, at + length).equals(phrase));
  }
}
