package io.feedbridge.normalizer;

import java.util.List;
import java.util.Set;

/**
 * Where the items of a document stand in it, and by what they are known.
 *
 * @param items in document order, no two with the same id
 */
record DocumentScan(String text, List<Item> items) {

  /**
   * One item of the document.
   *
   * @param id the id that its entry will have
   * @param source a hash of the item as it stands there and of all around it that it depends on
   * @param start where its start tag begins
   * @param end behind its end tag
   */
  record Item(String id, boolean generatedId, String source, int start, int end) {}

  List<String> ids() {
    return items.stream().map(Item::id).toList();
  }

  boolean anyGeneratedId() {
    return items.stream().anyMatch(Item::generatedId);
  }

  /** The document with the feed's own fields and, of its items, these alone. */
  String with(Set<Item> kept) {
    if (kept.size() == items.size()) {
      return text;
    }
    StringBuilder part = new StringBuilder();
    int from = 0;
    for (Item item : items) {
      if (!kept.contains(item)) {
        part.append(text, from, item.start);
        from = item.end;
      }
    }
    return part.append(text, from, text.length()).toString();
  }
}
