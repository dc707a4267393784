package io.feedbridge.gateway.store;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A right that a token gives its login. */
public enum Right {
  /** Superfeedr's subscribe. */
  SUBSCRIBE,
  /** Superfeedr's unsubscribe. */
  UNSUBSCRIBE,
  /** Superfeedr's list. */
  LIST,
  /** Superfeedr's retrieve, which streams and replays are too. */
  RETRIEVE,
  /** {@code rssCloud.saveRss}. */
  SAVE;

  /** Its name on the wire, such as {@code subscribe}. */
  public String value() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The right of that name; empty if there is none. */
  public static Optional<Right> of(String value) {
    return Arrays.stream(values()).filter(right -> right.value().equals(value)).findFirst();
  }
}
