package io.feedbridge.normalizer;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The model's form of an absent value: null for a text, the empty list for a list. */
final class Present {
  private Present() {}

  /** The text, or null where it is empty: the log leaves both out, so both must be read as one. */
  static @Nullable String text(@Nullable String value) {
    return value == null || value.isBlank() ? null : value;
  }

  /** An unmodifiable copy; a log written by an older version may lack the list altogether. */
  static <T> List<T> list(@Nullable List<T> values) {
    return values == null ? List.of() : List.copyOf(values);
  }

  /** The same for a map, whose order stays. */
  static Map<String, String> map(@Nullable Map<String, String> values) {
    return values == null || values.isEmpty()
        ? Map.of()
        : Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }
}
