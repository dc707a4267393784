package io.feedbridge.normalizer;

import org.jspecify.annotations.Nullable;

/** A JSON Feed that is cut off, closed behind its last whole item. */
final class JsonRepair {
  private static final String ITEMS = "items";

  private final String json;
  private final StringBuilder closers = new StringBuilder();
  private String key = "";
  private boolean inItems;
  private int wholeEnd;

  private JsonRepair(String json) {
    this.json = json;
  }

  /** The document up to the cut; null if it is not cut off, or no item before the cut is whole. */
  static @Nullable String mend(String json) {
    JsonRepair repair = new JsonRepair(json);
    for (int at = 0; at < json.length(); at++) {
      switch (json.charAt(at)) {
        case '"' -> at = repair.string(at);
        case '{' -> repair.open('}');
        case '[' -> repair.open(']');
        case '}', ']' -> repair.close(at);
        default -> {}
      }
      if (repair.closers.length() > Limits.MAX_DEPTH) {
        return null;
      }
    }
    return repair.closers.isEmpty() || repair.wholeEnd == 0
        ? null
        : json.substring(0, repair.wholeEnd) + "]}";
  }

  /** Where the string that begins at {@code from} ends. */
  private int string(int from) {
    int at = from + 1;
    while (at < json.length() && json.charAt(at) != '"') {
      at += json.charAt(at) == '\\' ? 2 : 1;
    }
    if (closers.length() == 1) {
      // Of the outermost object's strings the last one before an array is its key
      int end = Math.min(at, json.length());
      key = end - from - 1 == ITEMS.length() ? json.substring(from + 1, end) : "";
    }
    return at;
  }

  private void open(char closer) {
    closers.append(closer);
    if (closers.length() == 2) {
      inItems = closer == ']' && key.equals(ITEMS);
    }
  }

  private void close(int at) {
    if (closers.isEmpty()) {
      return;
    }
    closers.setLength(closers.length() - 1);
    if (closers.length() == 2 && inItems) {
      wholeEnd = at + 1;
    }
  }
}
