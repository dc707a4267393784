package io.feedbridge.normalizer;

import java.util.BitSet;
import java.util.List;

/**
 * The places of a document's items in it, and the ids by which they are known.
 *
 * @param surroundings the parts of the document that all of its items depend on
 * @param items in document order, no two with the same id
 */
record DocumentScan(String text, List<String> surroundings, List<Item> items) {

  /** Keeps the text before an item and the text behind it apart. */
  private static final String LEFT_OUT = "<!---->";

  /**
   * One item of the document.
   *
   * @param id the id that its entry will have
   * @param start where its start tag begins
   * @param end behind its end tag
   * @param passedOver ranges within it that are no part of its source, in order: pairs of start and
   *     end
   */
  record Item(String id, boolean generatedId, int start, int end, List<int[]> passedOver) {}

  List<String> ids() {
    return items.stream().map(Item::id).toList();
  }

  boolean anyGeneratedId() {
    return items.stream().anyMatch(Item::generatedId);
  }

  /** For each item a hash of it as it stands there and of all around it that it depends on. */
  List<String> sources() {
    SourceHash hash = new SourceHash(text, surroundings);
    return items.stream().map(item -> hash.of(item.start, item.end, item.passedOver)).toList();
  }

  /**
   * The document with the feed's own fields and, of its items, these alone. If it is well-formed,
   * and each item that is left out would be in its place, all of the document is.
   *
   * @param kept their places among the items
   */
  String with(BitSet kept) {
    if (kept.cardinality() == items.size()) {
      return text;
    }
    StringBuilder part = new StringBuilder();
    int from = 0;
    for (int i = kept.nextClearBit(0); i < items.size(); i = kept.nextClearBit(i + 1)) {
      part.append(text, from, items.get(i).start).append(LEFT_OUT);
      from = items.get(i).end;
    }
    return part.append(text, from, text.length()).toString();
  }
}
