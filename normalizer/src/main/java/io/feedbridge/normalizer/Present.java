package io.feedbridge.normalizer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the model holds of an absent value: null for a text, the empty list for a list. */
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
}
