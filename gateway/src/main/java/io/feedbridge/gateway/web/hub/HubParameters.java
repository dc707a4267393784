package io.feedbridge.gateway.web.hub;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parameters of one of Superfeedr's calls. An empty value counts as none; unknown parameters
 * are ignored.
 */
record HubParameters(Map<String, List<String>> values) {

  static final String TRUE = "true";
  static final String FALSE = "false";

  /**
   * The one value of a parameter.
   *
   * @throws HubRefusal if there are several that differ
   */
  Optional<String> single(String name) {
    List<String> given =
        values.getOrDefault(name, List.of()).stream()
            .filter(value -> !value.isEmpty())
            .distinct()
            .toList();
    if (given.size() > 1) {
      throw HubRefusal.unprocessable(name + " is given twice, with different values; send one");
    }
    return given.stream().findFirst();
  }

  /** The others than one. */
  HubParameters without(String name) {
    Map<String, List<String>> others = new LinkedHashMap<>(values);
    others.remove(name);
    return new HubParameters(others);
  }

  /** A number within bounds. */
  Optional<Integer> number(String name, int least, int most) {
    return single(name)
        .map(
            text -> {
              int number = text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
              if (number < least || number > most) {
                throw HubRefusal.unprocessable(
                    "%s must be a number from %d to %d".formatted(name, least, most));
              }
              return number;
            });
  }

  /** Whether a parameter is true; false if it is missing. */
  boolean flag(String name) {
    String value = single(name).orElse(FALSE);
    if (!value.equals(TRUE) && !value.equals(FALSE)) {
      throw HubRefusal.unprocessable(name + " must be true or false");
    }
    return value.equals(TRUE);
  }

  /** One of some words. */
  Optional<String> oneOf(String name, String... words) {
    Optional<String> value = single(name);
    if (value.isPresent() && !List.of(words).contains(value.get())) {
      throw HubRefusal.unprocessable(name + " must be one of " + String.join(", ", words));
    }
    return value;
  }
}
