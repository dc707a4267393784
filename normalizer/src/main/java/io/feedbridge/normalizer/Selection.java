package io.feedbridge.normalizer;

import com.jayway.jsonpath.InvalidPathException;
import com.jayway.jsonpath.JsonPath;
import java.util.List;
import java.util.Optional;
import org.jsoup.select.Evaluator;
import org.jspecify.annotations.Nullable;

/**
 * The part of a document that a topic names: elements of an HTML page by a CSS selector, values of
 * a JSON document by a JSONPath. Conditions that can take any time are refused: regular
 * expressions, and {@code :has} and {@code ~} with much else.
 */
public sealed interface Selection {

  /** Characters of a selection. */
  int MAX_LENGTH = 1_024;

  /** Elements of a page. */
  record Css(String text, Evaluator evaluator) implements Selection {}

  /** Values of a JSON document. */
  record Json(String text, JsonPath path) implements Selection {}

  /** As it was written. */
  String text();

  /**
   * Reads a selection.
   *
   * @param text a JSONPath, which begins with {@code $}, or a CSS selector
   * @throws BadSelectionException with the reason and the place
   */
  static Selection parse(String text) throws BadSelectionException {
    if (text.length() > MAX_LENGTH) {
      throw new BadSelectionException(
          "the selection is longer than %,d characters".formatted(MAX_LENGTH));
    }
    return text.startsWith("$") ? json(text) : css(text);
  }

  private static Json json(String text) throws BadSelectionException {
    refuse(text, List.of("=~"), "has a regular expression, which is not offered");
    refuse(text, List.of("{"), "compares with an object, which is not offered");
    refuse(text, List.of(" [", "=[", "([", ",["), "compares with a list; write == and || instead");
    refuseOpen(text);
    try {
      return new Json(text, JsonPath.compile(text));
    } catch (InvalidPathException | IllegalArgumentException e) {
      throw new BadSelectionException(
          "\"%s\" is no JSONPath: %s".formatted(text, sentence(e.getMessage())));
    }
  }

  private static Css css(String text) throws BadSelectionException {
    refuse(
        text,
        List.of("~=", ":matches"),
        "has a regular expression, which is not offered; write *= or :contains()");
    Costs.check(text);
    try {
      return new Css(text, org.jsoup.select.Selector.evaluatorOf(text));
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw new BadSelectionException(
          "\"%s\" is no CSS selector: %s".formatted(text, sentence(e.getMessage())));
    }
  }

  /** The library takes a path that breaks off for one that ends there. */
  private static void refuseOpen(String path) throws BadSelectionException {
    int open = 0;
    for (int at = 0; at < path.length(); at++) {
      open += path.charAt(at) == '[' ? 1 : path.charAt(at) == ']' ? -1 : 0;
    }
    if (open > 0) {
      throw new BadSelectionException(
          "\"%s\" is no JSONPath: a [ is not closed (character %d)"
              .formatted(path, path.lastIndexOf('[') + 1));
    }
  }

  /** Refuses some parts outside of quotes. */
  private static void refuse(String text, List<String> parts, String why)
      throws BadSelectionException {
    char quote = 0;
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      int here = at;
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else {
        Optional<String> found = parts.stream().filter(p -> text.startsWith(p, here)).findFirst();
        if (found.isPresent()) {
          throw new BadSelectionException(
              "\"%s\" %s (%s at character %d)".formatted(text, why, found.get(), at + 1));
        }
      }
    }
  }

  private static String sentence(@Nullable String message) {
    String text = message == null || message.isBlank() ? "it cannot be read" : message.strip();
    return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
  }
}
