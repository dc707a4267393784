package io.feedbridge.normalizer;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The conditions of a CSS selector that look at many elements for each element. One of them is
 * offered; two that multiply are not, since the comparison of one element cannot be stopped.
 */
final class Costs {

  private static final String HAS = ":has(";

  private Costs() {}

  /**
   * Refuses conditions that multiply.
   *
   * @throws BadSelectionException with the place
   */
  static void check(String selector) throws BadSelectionException {
    Deque<Boolean> open = new ArrayDeque<>();
    char quote = 0;
    boolean pseudo = false;
    int has = 0;
    int siblings = 0;
    for (int at = 0; at < selector.length(); at++) {
      char c = selector.charAt(at);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
        continue;
      }
      boolean inHas = open.contains(true);
      if (inHas && (c == ':' || c == '~' || c == '+')) {
        throw refused(selector, "within :has() only names, classes and attributes are offered", at);
      }
      switch (c) {
        case '"', '\'' -> quote = c;
        case ':' -> {
          pseudo = true;
          has += selector.startsWith(HAS, at) ? 1 : 0;
        }
        case '~' -> siblings++;
        case '(' -> open.push(selector.substring(0, at + 1).endsWith(HAS));
        case ')' -> open.poll();
        default -> {
          // Costs no more than a look at the element.
        }
      }
      if (has > 1) {
        throw refused(selector, "one :has() is offered", at);
      }
      if (siblings > 1 || (siblings > 0 && pseudo)) {
        throw refused(selector, "one ~ is offered, and no condition with a colon beside it", at);
      }
    }
  }

  private static BadSelectionException refused(String selector, String why, int at) {
    return new BadSelectionException(
        "\"%s\" costs too much: %s (character %d)".formatted(selector, why, at + 1));
  }
}
