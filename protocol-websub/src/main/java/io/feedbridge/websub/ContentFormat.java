package io.feedbridge.websub;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The content that a subscriber wants delivered: the parameter {@code format}. */
public enum ContentFormat {
  /** The normalized feed in the topic's own family and media type, with the origin's ids. */
  AUTO,
  /** The normalized feed as Atom. */
  ATOM,
  /** The normalized feed as JSON. */
  JSON,
  /** The bytes and the content type of the topic itself. */
  RAW;

  /** The value of the parameter, such as {@code json}. */
  public String value() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<ContentFormat> of(String value) {
    return Arrays.stream(values()).filter(f -> f.value().equalsIgnoreCase(value)).findFirst();
  }
}
