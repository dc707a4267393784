package io.feedbridge.normalizer;

import java.util.HashMap;
import java.util.Map;

/**
 * Where fixed texts stand next in a document that is read from its beginning to its end. A text is
 * searched for once between two of its places, so that all questions together take time linear to
 * the document's length and to the number of different texts, which is bounded. Not thread-safe.
 */
final class Lookahead {
  /** No place, behind all places. */
  static final int NOWHERE = Integer.MAX_VALUE;

  private static final int MAX_TEXTS = 100;

  private final String document;
  private final Map<String, Integer> places = new HashMap<>();

  Lookahead(String document) {
    this.document = document;
  }

  /**
   * Where the text stands next.
   *
   * @param from not before the one of an earlier question for the same text
   * @return {@link #NOWHERE} also for a text beyond the bound
   */
  int next(String what, int from) {
    Integer known = places.get(what);
    if (known != null && known >= from) {
      return known;
    }
    if (known == null && places.size() >= MAX_TEXTS) {
      return NOWHERE;
    }
    int found = document.indexOf(what, from);
    int place = found < 0 ? NOWHERE : found;
    places.put(what, place);
    return place;
  }

  /** Where one of the texts stands next. */
  int nextOf(int from, Iterable<String> texts) {
    int first = NOWHERE;
    for (String text : texts) {
      first = Math.min(first, next(text, from));
    }
    return first;
  }
}
