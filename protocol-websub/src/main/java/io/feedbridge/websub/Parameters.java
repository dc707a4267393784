package io.feedbridge.websub;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads a decoded form or query. An empty value counts as none. */
final class Parameters {
  private static final int MAX_QUOTED_LENGTH = 60;
  private static final Pattern INDEX = Pattern.compile("(\\[\\d{0,9}])?");

  private final Map<String, List<String>> values;

  Parameters(Map<String, List<String>> values) {
    this.values = values;
  }

  /** All values that are not empty, in order. */
  List<String> all(String name) {
    return values.getOrDefault(name, List.of()).stream().filter(v -> !v.isEmpty()).toList();
  }

  /** The given names, and the names of arrays as PHP writes them: {@code a[]}, {@code a[0]}. */
  List<String> names(String... names) {
    List<String> found = new ArrayList<>();
    for (String name : names) {
      values.keySet().stream()
          .filter(given -> given.startsWith(name))
          .filter(given -> INDEX.matcher(given.substring(name.length())).matches())
          .forEach(found::add);
    }
    return found;
  }

  /** The value of a parameter that may be sent twice only if it says the same twice. */
  Optional<String> single(String name) throws BadHubRequestException {
    List<String> given = all(name);
    if (given.isEmpty()) {
      return Optional.empty();
    }
    String first = given.get(0);
    for (String other : given) {
      if (!other.equals(first)) {
        throw new BadHubRequestException(name + " is given twice, with different values; send one");
      }
    }
    return Optional.of(first);
  }

  String required(String name) throws BadHubRequestException {
    Optional<String> value = single(name);
    if (value.isEmpty()) {
      throw new BadHubRequestException(name + " is missing");
    }
    return value.get();
  }

  /** A value as it may stand in a reason: short, printable, in quotation marks. */
  static String quoted(String value) {
    return '"' + singleLine(cut(value, MAX_QUOTED_LENGTH)) + '"';
  }

  /** At most that many characters of the text, without half a surrogate pair at the end. */
  static String cut(String text, int length) {
    if (text.length() <= length) {
      return text;
    }
    boolean splitsPair = Character.isHighSurrogate(text.charAt(length - 1));
    return text.substring(0, splitsPair ? length - 1 : length);
  }

  /** The text with every control character and line separator replaced by a space. */
  static String singleLine(String text) {
    return text.replaceAll("[\\p{Cntrl}\\u0080-\\u009f\\u2028\\u2029]", " ");
  }
}
