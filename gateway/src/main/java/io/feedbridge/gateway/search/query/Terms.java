package io.feedbridge.gateway.search.query;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The terms by which a query finds an entry. Of one thread. */
public final class Terms {

  /** No phrase reaches over it. */
  public static final String BREAK = ".";

  private final List<String> words;
  private final Set<String> labels;

  /** Where each word stands in {@link #words}: of use to trackers alone, and made for the first. */
  private @Nullable Map<String, List<Integer>> places;

  private Terms(List<String> words, Set<String> labels) {
    this.words = List.copyOf(words);
    this.labels = Set.copyOf(labels);
  }

  /**
   * Terms of these words and labels.
   *
   * @param words of its text in order, as {@link Words} makes them, with {@link #BREAK} between its
   *     parts
   * @param labels its sites, links, language, categories and authors, and each character of a
   *     script without spaces
   */
  public static Terms of(List<String> words, Set<String> labels) {
    return new Terms(words, labels);
  }

  /** Its words in order. */
  public List<String> words() {
    return words;
  }

  /** Its labels. */
  public Set<String> labels() {
    return labels;
  }

  /** Its words, each once. */
  public Set<String> distinctWords() {
    return places().keySet();
  }

  private Map<String, List<Integer>> places() {
    Map<String, List<Integer>> known = places;
    if (known == null) {
      known = new HashMap<>();
      for (int i = 0; i < words.size(); i++) {
        known.computeIfAbsent(words.get(i), word -> new ArrayList<>(2)).add(i);
      }
      places = known;
    }
    return known;
  }

  /** Whether these words follow one another. */
  boolean has(List<String> phrase) {
    List<Integer> begins = places().get(phrase.get(0));
    if (begins == null || phrase.size() == 1) {
      return begins != null;
    }
    int length = phrase.size();
    return begins.stream()
        .anyMatch(
            at -> at + length <= words.size() && words.subList(at, at + length).equals(phrase));
  }
}
